from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.metadata.page_metadata import (
    ExtractedMetadata,
    read_page_metadata,
)
from citewell.text.dates.calendar_dates import parse_machine_date
from tests.requirements import requires


def about(html: str) -> ExtractedMetadata:
    return read_page_metadata(LexborHTMLParser(html))


@requires("defect.citation_facts")
def test_json_ld_gives_author_and_date() -> None:
    html = """<script type="application/ld+json">{"@graph": [{"@type": "NewsArticle",
    "datePublished": "2024-05-06T07:08:09Z", "author": [{"name": "Example Desk"}, "Second Desk"]}]}</script>"""

    found = about(html)

    assert found.author == "Example Desk, Second Desk"
    assert (found.published, found.published_basis) == ("2024-05-06T07:08:09+00:00", "json-ld")


@requires("scrape_page.structured_data_damaged")
def test_broken_json_ld_is_passed_over() -> None:
    html = (
        '<script type="application/ld+json">{"a": </script><meta name="date" content="2024-05-06">'
    )

    assert (about(html).published, about(html).published_basis) == ("2024-05-06", "meta")


def test_a_time_element_in_the_article_is_the_last_resort() -> None:
    html = '<article><time datetime="2023-01-02">2 January</time></article>'

    assert (about(html).published, about(html).published_basis) == ("2023-01-02", "time")


def test_a_page_that_says_nothing_has_no_facts() -> None:
    assert about("<p>Text</p>") == ExtractedMetadata()


def test_the_title_is_the_shared_one_then_the_head_then_the_heading() -> None:
    head = "<title>Page | Site</title>"

    assert about('<meta property="og:title" content="Page">' + head).title == "Page"
    assert about(head).title == "Page | Site"
    assert about("<h1>Heading</h1>").title == "Heading"


@pytest.mark.parametrize(
    ("lang", "language"),
    [("de-AT", "de"), ("zh_CN", "zh"), ("EN", "en"), ("", None), ("english", None)],
)
def test_the_language_is_the_primary_tag(lang: str, language: str | None) -> None:
    assert about(f'<html lang="{lang}"><p>x').language == language


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024/3/9", "2024-03-09"),
        ("2024-03-09", "2024-03-09"),
        ("9 March", None),
        (20240309, None),
        ("", None),
    ],
)
def test_dates_are_read_in_iso_form_or_not_at_all(written: object, read: str | None) -> None:
    assert parse_machine_date(written) == read


@given(text=st.text(max_size=200))
def test_any_json_ld_is_survived(text: str) -> None:
    about(f'<script type="application/ld+json">{text}</script>')
