"""Authors, dates with their basis, structured data within its bounds, and votes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.metadata.page_dates import parse_citation_date
from citewell.fetch.metadata.page_metadata import (
    ExtractedMetadata,
    read_page_metadata,
)
from citewell.text.dates.calendar_dates import find_written_date, parse_machine_date
from tests.requirements import requires


def about(html: str, url: str = "") -> ExtractedMetadata:
    return read_page_metadata(LexborHTMLParser(html), url=url)


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def meta(**values: str) -> str:
    return "".join(f'<meta name="{name}" content="{value}">' for name, value in values.items())


def test_highwire_authors_come_first_and_are_spoken_first_name_first() -> None:
    html = meta(author="Site Team") + (
        '<meta name="citation_author" content="Example, Ada">'
        '<meta name="citation_author" content="Sample, Ben">'
    )

    found = about(html)

    assert [author.name for author in found.authors] == ["Example, Ada", "Sample, Ben"]
    assert found.author == "Ada Example, Ben Sample"


def test_an_author_given_by_reference_is_looked_up_in_the_graph() -> None:
    graph = [
        {"@type": "Article", "author": {"@id": "#p"}, "datePublished": "2024-01-02"},
        {"@type": "Person", "@id": "#p", "name": "Ada Example"},
    ]

    assert about(ld({"@graph": graph})).author == "Ada Example"


def test_an_organisation_is_known_as_one() -> None:
    article = {"@type": "NewsArticle", "author": {"@type": "Organization", "name": "Blue Harbour"}}

    (author,) = about(ld(article)).authors

    assert author.is_indivisible


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (meta(author="By Ada Example and Ben Sample"), "Ada Example, Ben Sample"),
        (meta(author="Ada Example, Ben Sample"), "Ada Example, Ben Sample"),
        ('<meta property="article:author" content="https://example.org/ada">', None),
        (meta(author="admin") + '<a rel="author">Ada Example</a>', "Ada Example"),
        ('<span itemprop="author"><b itemprop="name">Ada Example</b></span>', "Ada Example"),
        (meta(**{"dc.creator": "Ada Example"}), "Ada Example"),
        (meta(author="ada@example.org"), None),
    ],
)
def test_authors_are_names_and_nothing_else(html: str, names: str | None) -> None:
    assert about(html).author == names


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
    "raw",
    [
        '<!-- {"@type": "Article", "headline": "Boats"} -->',
        '//<![CDATA[\n{"@type": "Article", "headline": "Boats"}\n//]]>',
        '{"@type": "Article", "headline": "Boats",}',
        '[{"@type": "Article", "headline": "Boats"}];',
        '{"@type": "Article", "headline": "Bo\nats"}'.replace("Bo\nats", "Boats"),
    ],
)
def test_json_that_is_nearly_right_is_read(raw: str) -> None:
    assert about(f'<script type="application/ld+json">{raw}</script>').title == "Boats"


@requires("scrape_page.structured_data")
def test_structured_data_is_kept_as_written() -> None:
    block = {"@context": "https://schema.org", "@type": "Article", "x": [1, None, {"y": "z"}]}
    html = (
        ld(block)
        + '<script type="application/ld+json">{broken</script>'
        + '<meta property="og:title" content="T"><meta property="article:tag" content="a">'
        + '<meta property="article:tag" content="b"><meta name="citation_doi" content="10.1000/x">'
    )

    data = about(html).structured

    assert data is not None
    assert data.json_ld == (block,)
    assert data.open_graph == {"og:title": "T", "article:tag": "a; b"}
    assert data.citation == {"citation_doi": "10.1000/x"}


@requires("scrape_page.structured_data_bounded")
def test_structured_data_stays_within_its_bounds() -> None:
    many = "".join(ld({"n": n}) for n in range(40))
    long = ld({"text": "x" * 40_000})
    several = "".join(ld({"text": "y" * 30_000}) for _ in range(4))
    tags = "".join(f'<meta property="og:n{n}" content="{"é" * 3000}">' for n in range(100))

    counted, cut, total = about(many).structured, about(long).structured, about(several).structured
    graph = about(tags).structured

    assert counted is not None
    assert len(counted.json_ld or ()) == 16
    assert cut is None
    assert total is not None
    assert len(total.json_ld or ()) == 2
    assert graph is not None
    assert len(graph.open_graph or {}) == 64
    assert all(len(value.encode()) <= 2048 for value in (graph.open_graph or {}).values())


@requires("scrape_page.structured_data")
def test_a_page_without_markup_has_no_structured_data() -> None:
    assert about("<p>Text</p>").structured is None


def test_unseen_characters_do_not_ride_in_on_metadata() -> None:
    html = ld({"@type": "Article", "headline": "Bo\U000e0041ats"}) + meta(
        author="Ada\u200b Example"
    )

    found = about(html)

    assert (found.title, found.author) == ("Boats", "Ada Example")
    assert found.structured is not None
    assert found.structured.json_ld == ({"@type": "Article", "headline": "Boats"},)


REDDIT = {
    "@type": "DiscussionForumPosting",
    "author": {"@type": "Person", "name": "example_user"},
    "datePublished": "2024-05-06T07:08:09Z",
    "commentCount": 7,
    "interactionStatistic": [
        {"interactionType": "https://schema.org/LikeAction", "userInteractionCount": "12"},
        {"interactionType": {"@type": "CommentAction"}, "userInteractionCount": 9},
    ],
}


@requires("scrape_page.forum_signals", "scrape_page.forum_note")
def test_votes_of_a_reddit_post_are_read() -> None:
    found = about(ld(REDDIT), "https://www.reddit.com/r/example/comments/1/").forum

    assert found is not None
    assert (found.platform, found.upvotes, found.comments) == ("reddit", 12, 9)
    assert (found.author_name, found.date_published) == ("example_user", "2024-05-06T07:08:09Z")
    assert found.credibility_note is not None


@requires("scrape_page.forum_signals", "scrape_page.forum_note")
def test_many_votes_need_no_note_and_other_hosts_have_no_votes() -> None:
    liked = {
        **REDDIT,
        "interactionStatistic": {"interactionType": "LikeAction", "userInteractionCount": 20},
    }

    found = about(ld(liked), "https://old.reddit.com/r/x").forum

    assert found is not None
    assert found.credibility_note is None
    assert about(ld(REDDIT), "https://notreddit.com/").forum is None


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
