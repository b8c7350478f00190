"""Names of channels, sites and organisations, on their way from a page into every style."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from citewell.citations.bibliographies import render_bibliography
from citewell.citations.citable_works import parse_author_line
from citewell.core.tooling import ToolCall
from citewell.core.values.argument_types import BIBLIOGRAPHY_STYLES
from citewell.core.values.page import PageAuthor
from citewell.core.values.research_session import SessionSource
from citewell.core.values.scrape_results import PageCitation
from citewell.reading.source_classification import cite_page, describe_page_source
from citewell.sessions.session_export import convert_sources
from citewell.sessions.tools.format_bibliography import Args, run
from tests.fake_services import refuse_services
from tests.reading.reading import page
from tests.requirements import requires

NAMES = (
    "MIT OpenCourseWare",
    "Steve Mould",
    "Centers for Disease Control and Prevention",
    "Anna Lind, Ltd.",
    "Mira; Sol",
)
URL = "https://www.youtube.com/watch?v=1"


def cite(name: str) -> PageCitation:
    author = PageAuthor(name=name, organisation=True)
    return cite_page(page(URL, title="A talk", author=name, authors=(author,)))


def is_whole(name: str, style: str, text: str) -> bool:
    """Whether the style writes the name as one, as a name and in the place of the author."""
    if style == "bibtex":
        return f"author = {{{{{name}}}}}" in text
    if style == "ris":
        return f"AU  - {name}\n" in text
    if style == "csl-json":
        return f'"literal": "{name}"' in text
    bare = text.removeprefix("1. ").removeprefix("[1] ")
    return bare.startswith(name.removesuffix("."))


def format_sources(*sources: dict[str, Any], style: str) -> str:
    args = Args.model_validate({"style": style, "sources": list(sources)})
    answer = asyncio.run(run(args, ToolCall(require_service=refuse_services))).to_wire()
    return str(answer["bibliography"])


@requires("scrape_page.literal_author")
@pytest.mark.parametrize("name", NAMES)
def test_the_citation_of_a_page_has_the_whole_name(name: str) -> None:
    cited = cite(name)

    for style in ("apa", "mla", "bibtex"):
        assert is_whole(name, style, getattr(cited.formatted, style))
    assert cited.metadata.author == name


@requires("scrape_page.literal_author")
@pytest.mark.parametrize("style", BIBLIOGRAPHY_STYLES)
@pytest.mark.parametrize("name", NAMES)
def test_the_answer_of_a_page_gives_the_whole_name_in_every_style(name: str, style: str) -> None:
    item = {"url": URL, "content": "", "citation": cite(name).to_wire()}

    assert is_whole(name, style, format_sources(item, style=style))


@requires("scrape_page.literal_author")
@pytest.mark.parametrize("style", BIBLIOGRAPHY_STYLES)
@pytest.mark.parametrize("name", NAMES)
def test_a_session_gives_the_whole_name_in_every_style(name: str, style: str) -> None:
    author = PageAuthor(name=name, organisation=True)
    talk = page(URL, title="A talk", author=name, authors=(author,))
    source = describe_page_source(URL, talk)

    text = render_bibliography(convert_sources([source]), style=style, accessed=date(2026, 11, 17))

    assert is_whole(name, style, text)
    assert source.to_wire()["author"] == name  # no sign of ours is shown


@pytest.mark.parametrize("style", BIBLIOGRAPHY_STYLES)
@pytest.mark.parametrize("name", NAMES)
def test_a_literal_name_of_a_list_is_not_split(name: str, style: str) -> None:
    source = {"url": URL, "title": "A talk", "author": [{"literal": name}]}

    assert is_whole(name, style, format_sources(source, style=style))


def test_known_family_names_of_a_list_are_kept() -> None:
    source = {
        "url": URL,
        "title": "A talk",
        "author": [{"given": "Gabriel", "family": "García Márquez"}, {"name": "Ada Lovelace"}],
    }

    assert format_sources(source, style="apa").startswith("García Márquez, G., & Lovelace, A. ")


def test_a_plain_name_needs_no_mark() -> None:
    person = page(
        URL, title="A talk", author="Ada Lovelace", authors=(PageAuthor(name="Ada Lovelace"),)
    )

    assert cite_page(person).metadata.literal_authors is None
    assert cite("Khan Academy").metadata.literal_authors is None
    assert cite("Steve Mould").metadata.literal_authors == ("Steve Mould",)


def test_braces_keep_a_name_together_in_a_line() -> None:
    line = "{Steve Mould}; Grace Hopper and Ada Lovelace, {Mira and Sol}"

    assert [(author.name, author.is_indivisible) for author in parse_author_line(line)] == [
        ("Steve Mould", True),
        ("Grace Hopper", False),
        ("Ada Lovelace", False),
        ("Mira and Sol", True),
    ]


def test_a_source_without_an_author_shows_none() -> None:
    assert "author" not in SessionSource(url=URL).to_wire()
