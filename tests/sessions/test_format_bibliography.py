"""The format_bibliography tool: which sources it takes, and what it makes of them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.citations.references import parse_bibliography
from citewell.core.errors import InvalidInput
from citewell.core.tooling import ToolCall
from citewell.core.values.argument_types import BIBLIOGRAPHY_STYLES
from citewell.sessions.tools.format_bibliography import Args, run
from tests.fake_services import refuse_services
from tests.requirements import requires

PAPER = {
    "url": "https://doi.org/10.1038/nature14539", "title": "Deep learning", "author": "LeCun, Yann; Bengio, Yoshua",
    "site": "Nature", "date": "2015-05-28", "doi": "https://doi.org/10.1038/nature14539", "kind": "article-journal",
    "volume": "521", "issue": 7553, "pages": "436-444",
}  # fmt: skip


def formatted(*sources: dict[str, Any], style: str = "apa") -> dict[str, Any]:
    args = Args.model_validate({"style": style, "sources": list(sources)})
    return asyncio.run(run(args, ToolCall(require_service=refuse_services))).to_wire()


@requires("format_bibliography.style")
def test_the_styles_offered_are_the_styles_there_are() -> None:
    offered = Args.model_json_schema()["properties"]["style"]["enum"]

    assert tuple(offered) == BIBLIOGRAPHY_STYLES


@requires("format_bibliography.style", "format_bibliography.sources")
@pytest.mark.parametrize("style", BIBLIOGRAPHY_STYLES)
def test_every_style_carries_the_parts_of_a_paper(style: str) -> None:
    answer = formatted(PAPER, style=style)

    assert (answer["style"], answer["entryCount"]) == (style, 1)
    for part in ("Deep ", "LeCun", "Nature", "521", "7553", "436", "10.1038/nature14539"):
        assert part in answer["bibliography"]


def test_without_a_kind_a_source_is_cited_as_a_page() -> None:
    bare = {name: PAPER[name] for name in ("url", "title", "site", "date")}

    text = formatted(bare)["bibliography"]

    assert text.startswith("Deep learning. (2015, May 28). Nature. Retrieved ")


@requires("format_bibliography.ris_type", "format_bibliography.csl")
def test_a_doi_or_none_decides_the_type_where_no_kind_does() -> None:
    with_doi = {"url": "https://example.org/a", "title": "A", "doi": "10.1000/x"}
    without = {"url": "https://example.org/b", "title": "B"}

    csl = json.loads(formatted(with_doi, without, style="csl-json")["bibliography"])
    ris = formatted(with_doi, without, style="ris")["bibliography"]

    assert sorted(item["type"] for item in csl) == ["article-journal", "webpage"]
    assert ris.count("TY  - JOUR") == ris.count("TY  - ELEC") == 1


def test_authors_may_come_as_a_list() -> None:
    listed = PAPER | {"author": ["Yann LeCun", "World Health Organization"]}

    assert formatted(listed)["bibliography"].startswith(
        "LeCun, Y., & World Health Organization. (2015)."
    )


def test_a_doi_is_an_address() -> None:
    answer = formatted({"title": "Deep learning", "doi": "doi:10.1038/nature14539"})

    assert answer["bibliography"].endswith("https://doi.org/10.1038/nature14539")


@requires("format_bibliography.no_duplicates", "format_bibliography.no_url")
def test_one_address_is_listed_once_and_none_is_skipped() -> None:
    answer = formatted(PAPER, PAPER, {"title": "No address"})

    assert answer["entryCount"] == 1


@requires("format_bibliography.skipped")
def test_what_is_left_out_is_listed_with_the_reason() -> None:
    answer = formatted(PAPER, {"title": "No address"}, PAPER)

    assert answer["skipped"] == [
        {"source": 2, "title": "No address", "reason": "no url and no doi"},
        {"source": 3, "title": "Deep learning", "reason": "same address as source 1"},
    ]
    assert "skipped" not in formatted(PAPER)


@requires("format_bibliography.url")
@pytest.mark.parametrize(
    "url", [1, True, 2.5, "1", "x", "example.org/a", "file:///etc/passwd", "http://"]
)
def test_an_address_that_is_none_is_refused_by_name(url: object) -> None:
    with pytest.raises(InvalidInput, match="The url of source 2 must be an http"):
        formatted(PAPER, {"url": url, "title": "T"})


@requires("format_bibliography.hosts")
@pytest.mark.parametrize("style", BIBLIOGRAPHY_STYLES)
@pytest.mark.parametrize("host", ["example.org", "my-site.example.org", "ec.europa.eu"])
def test_a_host_keeps_its_small_letters(style: str, host: str) -> None:
    source = {"url": f"https://{host}/a", "title": "How the tides are measured", "site": host}

    text = formatted(source, style=style)["bibliography"]

    assert host in text.replace(source["url"], "")
    assert host.capitalize() not in text


@pytest.mark.parametrize(
    ("source", "named"), [({"url": "x", "colour": "red"}, "colour"), ({"url": "x", "kind": "scroll"}, "scroll")]
)  # fmt: skip
def test_what_is_not_known_is_refused_by_name(source: dict[str, str], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        formatted(source)


@pytest.mark.parametrize("field", ["title", "url", "author", "date"])
def test_a_field_that_holds_an_object_is_refused_by_name(field: str) -> None:
    with pytest.raises(InvalidInput, match=f"The {field} of source 1 must be text"):
        formatted({"url": "https://example.org", field: {"a": 1}})


@requires("format_bibliography.ris_injection", "format_bibliography.bibtex_escape")
def test_a_title_cannot_add_ris_tags_or_bibtex_fields() -> None:
    hostile = {"url": "https://example.org", "title": "T\nER  - \nTY  - BOOK\n}}, note = {{x"}

    ris = formatted(hostile, style="ris")["bibliography"]
    (entry,) = parse_bibliography(formatted(hostile, style="bibtex")["bibliography"]).references

    assert ris.count("\nER  - ") == 1
    assert entry.title == "T ER - TY - BOOK }}, note = {{x"
    assert "note = {" not in entry.raw


@given(st.text(alphabet='ab{}\\"#%&$_~^@,= \n', max_size=12))
def test_bibtex_gives_back_any_title(title: str) -> None:
    text = formatted({"url": "https://example.org", "title": f"T {title} T"}, style="bibtex")

    found = parse_bibliography(text["bibliography"], format="bibtex")

    assert not found.malformed
    assert [each.title for each in found.references] == [" ".join(f"T {title} T".split())]


@pytest.mark.parametrize("style", BIBLIOGRAPHY_STYLES)
def test_line_breaks_in_a_source_do_not_break_its_record(style: str) -> None:
    broken = PAPER | {
        "title": "Deep\n\nlearning",
        "author": ["Yann\n\nLeCun"],
        "site": "Na\r\nture",
    }

    text = formatted(broken, style=style)["bibliography"]

    assert "\n\n" not in text
    assert "\\n" not in text
