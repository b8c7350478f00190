"""Authors, dates with their basis, structured data within its bounds, and votes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.metadata.page_metadata import (
    ExtractedMetadata,
    list_mentioned_dois,
    list_own_dois,
    parse_citation_date,
    read_page_metadata,
)
from citewell.text.calendar_dates import find_written_date, parse_machine_date
from tests.requirements import requires


def about(html: str, url: str = "") -> ExtractedMetadata:
    return read_page_metadata(LexborHTMLParser(html), url=url)


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def meta(**values: str) -> str:
    return "".join(f'<meta name="{name}" content="{value}">' for name, value in values.items())


@pytest.mark.parametrize(
    ("html", "url", "date", "basis"),
    [
        (ld({"@type": "Article", "datePublished": "2024-05-06T07:08:09+0200"}), "", "2024-05-06T07:08:09+02:00", "json-ld"),
        ('<meta property="article:published_time" content="2024-05-06">', "", "2024-05-06", "meta"),
        (meta(citation_publication_date="2021/5"), "", "2021-05", "meta"),
        (meta(citation_date="1998"), "", "1998", "meta"),
        ('<meta itemprop="datePublished" content="2024-05-06">', "", "2024-05-06", "meta"),
        ('<span itemprop="datePublished">6 May 2024</span>', "", "2024-05-06", "microdata"),
        ("<article><time>May 6th, 2024</time></article>", "", "2024-05-06", "time"),
        ('<p class="posted-on">Veröffentlicht am 6. Mai 2024</p>', "", "2024-05-06", "text"),
        ("<p>x</p>", "https://example.org/2024/05/06/boats", "2024-05-06", "url"),
        ("<p>x</p>", "https://example.org/boats-2024-05-06.html", "2024-05-06", "url"),
        ("<p>x</p>", "https://example.org/2024/99/06/boats", None, None),
        ("<p class='entry-date updated'>6 May 2024</p>", "", None, None),
    ],
)  # fmt: skip
def test_a_date_comes_with_where_it_stands(
    html: str, url: str, date: str | None, basis: str | None
) -> None:
    found = about(html, url)

    assert (found.published, found.published_basis) == (date, basis)


def test_the_articles_date_is_taken_and_not_a_comments() -> None:
    graph = [
        {"@type": "Comment", "datePublished": "2025-01-01"},
        {"@type": "NewsArticle", "datePublished": "2024-01-01", "dateModified": "2024-02-01"},
    ]

    found = about(ld({"@graph": graph}))

    assert found.published == "2024-01-01"
    assert (found.modified, found.modified_basis) == ("2024-02-01", "json-ld")


def test_a_change_before_the_beginning_is_no_change() -> None:
    html = ld({"@type": "Article", "datePublished": "2024-02-01", "dateModified": "2023-01-01"})

    assert about(html).modified is None


@pytest.mark.parametrize(
    ("html", "site"),
    [
        ('<meta property="og:site_name" content="Example Review">', "Example Review"),
        (ld({"@type": "Article", "publisher": {"name": "Example Review"}}), "Example Review"),
        (ld({"@type": "WebSite", "name": "Example Review"}), "Example Review"),
        ("<p>x</p>", None),
    ],
)
def test_the_site_has_a_name(html: str, site: str | None) -> None:
    assert about(html).site == site


def test_the_language_may_stand_in_the_metadata() -> None:
    assert about('<meta property="og:locale" content="de_AT">').language == "de"
    assert about(ld({"@type": "Article", "inLanguage": "fr-FR"})).language == "fr"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Published on March 5, 2024", "2024-03-05"),
        ("5 mars 2024", "2024-03-05"),
        ("5 de marzo de 2024", "2024-03-05"),
        ("5. März 2024", "2024-03-05"),
        ("5 марта 2024", "2024-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("2024년 3월 5일", "2024-03-05"),
        ("05.03.2024", "2024-03-05"),
        ("25/03/2024", "2024-03-25"),
        ("03/25/2024", "2024-03-25"),
        ("03/05/2024", None),
        ("Updated 2024-03-05 at noon", "2024-03-05"),
        ("31 February 2024", None),
        ("Room 5 Marble 2024", None),
        ("x" * 500, None),
    ],
)
def test_a_written_day_is_read_where_it_is_plain(text: str, day: str | None) -> None:
    assert find_written_date(text) == day


@pytest.mark.parametrize(
    ("value", "stamp"),
    [
        ("Mon, 06 May 2024 07:08:09 GMT", "2024-05-06T07:08:09+00:00"),
        ("2024/05/06 07:08", "2024-05-06T07:08:00"),
        ("2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09.123000+00:00"),
        ("2024/3/9", "2024-03-09"),
        ("2024-03-09", "2024-03-09"),
        ("9 March", None),
        (20240309, None),
        ("", None),
        ("20240506", None),
        ("soon", None),
        (None, None),
    ],
)
def test_machine_dates_are_read_in_iso_form(value: object, stamp: str | None) -> None:
    assert parse_machine_date(value) == stamp


def test_part_of_a_date_is_kept_as_such() -> None:
    assert [parse_citation_date(value) for value in ("2021", "2021-5", "2021/13", "21", None)] == [
        "2021", "2021-05", None, None, None,
    ]  # fmt: skip


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["@type", "@id", "@graph", "author", "name", "datePublished", "publisher", "mainEntity", "interactionStatistic"]), inner, max_size=4), max_leaves=12))  # fmt: skip
def test_any_json_ld_is_survived(value: object) -> None:
    about(ld(value), "https://www.reddit.com/r/x")


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


_PATH = "https://www.nejm.org/doi/full/10.1056/NEJMoa2034577"


@requires("scrape_page.detected_doi")
def test_the_mark_comes_before_the_address() -> None:
    assert list_own_dois(_PATH, _PATH, "10.1000/marked.1") == (
        "10.1000/marked.1",
        "10.1056/nejmoa2034577",
    )
    assert list_own_dois(_PATH, _PATH, None) == ("10.1056/nejmoa2034577",)
    assert list_own_dois("https://www.nature.com/a", "https://www.nature.com/a", None) == ()


@requires("scrape_page.detected_doi_own")
@pytest.mark.parametrize(
    "address",
    [
        "https://search.example.org/?q=10.1000/x",
        "https://example.org/page#10.1000/x",
        "https://[bad/10.1000/x",
    ],
)
def test_a_doi_that_was_searched_for_is_not_the_pages_own(address: str) -> None:
    assert list_own_dois(address, address, None) == ()


def test_the_dois_of_figures_belong_to_the_own_one() -> None:
    text = "10.1000/a.g001, 10.1000/a/fig-1, 10.1000/ab and 10.1000/other."

    assert list_mentioned_dois(text, ["10.1000/a"]) == ("10.1000/ab", "10.1000/other")


@given(text=st.text(max_size=200))
def test_any_text_in_a_json_ld_script_is_survived(text: str) -> None:
    about(f'<script type="application/ld+json">{text}</script>')
