"""A page that holds only part of its text is `partial`, says why, and keeps what is there."""

from __future__ import annotations

import json

import pytest

from citewell.core.errors import AuthRequired, CitewellError
from citewell.reading.extracted_page import ExtractedPage, PageResponse
from citewell.reading.page_reading import read_page
from tests.requirements import requires

URL = "https://paper.example.org/2024/harbour-growth"
PARAGRAPHS = tuple(
    f"The harbour authority said on day {number} that the new basin would open in the spring, and that"
    f" {number * 7} ships had already asked for a berth there before the work was finished."
    for number in range(1, 13)
)


def build(paragraphs: int, extra: str = "", *, free: object = None, head: str = "") -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS[:paragraphs])
    article = {"@type": "NewsArticle", "headline": "Harbour growth", "datePublished": "2024-03-01"}
    if free is not None:
        article["isAccessibleForFree"] = free  # type: ignore[assignment]
    return (
        "<html><head><title>Harbour growth</title>"
        f'<script type="application/ld+json">{json.dumps(article)}</script>{head}</head>'
        f"<body><article><h1>Harbour growth</h1>{text}{extra}</article></body></html>"
    )


def read(html: str, url: str = URL) -> ExtractedPage:
    response = PageResponse(url=url, final_url=url, headers={"content-type": "text/html"})
    return read_page(html.encode(), response).extracted


WALL = '<div class="paywall"><h2>Subscribe to continue reading</h2><p>Already a subscriber? Log in.</p></div>'


@requires("scrape_page.free_part")
@pytest.mark.parametrize("paragraphs", [1, 2, 4, 10])
@pytest.mark.parametrize("free", [False, "False", None])
def test_the_free_part_before_a_subscription_wall_is_kept_and_called_partial(
    paragraphs: int, free: object
) -> None:
    page = read(build(paragraphs, WALL, free=free))

    assert all(paragraph in page.content for paragraph in PARAGRAPHS[:paragraphs])
    assert page.quality == "partial"
    assert any("subscription" in note for note in page.notes)
    assert "Subscribe to continue" not in page.content


def test_a_wall_without_a_free_part_is_an_error() -> None:
    with pytest.raises(CitewellError) as caught:
        read(build(0, WALL, free=False))

    assert isinstance(caught.value, AuthRequired)


def test_an_article_that_calls_itself_not_free_may_be_cut() -> None:
    page = read(build(10, free=False))

    assert page.quality == "partial"
    assert any("may be missing" in note for note in page.notes)


@pytest.mark.parametrize(
    "extra",
    [
        "",
        "<footer><a href='/subscribe'>Subscribe to read more stories</a></footer>",
        "<p>Subscribe to our newsletter for more news from the harbour.</p>",
    ],
)
@pytest.mark.parametrize("free", [True, "true", None])
def test_a_free_article_is_complete(extra: str, free: object) -> None:
    page = read(build(10, extra, free=free))

    assert (page.quality, page.notes) == ("complete", ())


@requires("scrape_page.missing_parts")
@pytest.mark.parametrize(
    "control",
    [
        "<button>Read more</button>",
        "<a href='#'>Continue reading</a>",
        "<a href='javascript:void(0)' class='more'>Show full article</a>",
        "<div role='button'>Weiterlesen</div>",
        f"<a href='{URL}#rest'>Lire la suite</a>",
    ],
)
def test_a_button_that_shows_more_is_said(control: str) -> None:
    page = read(build(6, control))

    assert page.quality == "partial"
    assert any("button" in note for note in page.notes)


@pytest.mark.parametrize(
    "extra",
    [
        "<a href='/2024/other'>Read more</a>",
        "<nav><button>Show more</button></nav>",
        "<button>Share</button>",
        "<button>Load more comments</button>",
        "".join("<button>Read more</button>" for _ in range(9)),
    ],
)
def test_links_to_other_pages_and_other_buttons_hide_nothing(extra: str) -> None:
    assert read(build(8, extra)).quality == "complete"


@requires("scrape_page.missing_parts")
@pytest.mark.parametrize(
    ("url", "following"),
    [
        (URL, "?page=2"),
        (URL, URL + "/2"),
        (URL + "/page/2/", URL + "/page/3/"),
        (URL + "?page=2", "?page=3"),
        ("https://paper.example.org/story-1.html", "/story-2.html"),
    ],
)
@pytest.mark.parametrize("form", ["<link rel=next href='{}'>", "<a rel='next' href='{}'>2</a>"])
def test_the_next_page_of_an_article_is_named(url: str, following: str, form: str) -> None:
    page = read(build(6, form.format(following)), url)

    assert page.quality == "partial"
    assert any("continues on another page: https://" in note for note in page.notes)


@requires("scrape_page.missing_parts")
@pytest.mark.parametrize(
    "link",
    [
        "<a href='?page=3'>Next page</a>",
        "<a href='?page=3'>Next »</a>",
        "<a href='?page=3'>Nächste Seite</a>",
        "<a href='?page=3'>›</a>",
        "<a href='?page=3'><img src='/arrow.png'></a>",
        "<a href='?page=1'>‹</a><a href='?page=3'>›</a>",
    ],
)
def test_a_next_page_link_needs_no_rel(link: str) -> None:
    page = read(build(6, link), URL + "?page=2")

    assert page.quality == "partial"
    assert any(f"continues on another page: {URL}?page=3" in note for note in page.notes)


@pytest.mark.parametrize(
    "link",
    [
        "<a href='?page=1'>‹</a>",
        "<a href='?page=1'></a>",
        "<a href='?page=7'></a>",
        "<a href='/2024/another-story'></a>",
        "<a href='/2024/another-story'>Next</a>",
        "<a href='#top'></a>",
        "<a href='?page=3'>Comments</a>",
    ],
)
def test_a_link_to_another_place_is_not_the_next_page(link: str) -> None:
    assert read(build(8, link), URL + "?page=2").quality == "complete"


@pytest.mark.parametrize(
    "following",
    ["/2024/another-story", "https://other.example.org/2024/harbour-growth?page=2", URL],
)
def test_the_next_article_is_not_the_next_page(following: str) -> None:
    assert read(build(8, head=f"<link rel='next' href='{following}'>")).quality == "complete"


@requires("scrape_page.missing_parts")
@pytest.mark.parametrize(
    "part",
    [
        "<div aria-busy='true'></div>",
        "<div class='results'>Loading…</div>",
        "<section hx-get='/rest' hx-trigger='revealed'></section>",
        "<turbo-frame src='/rest'></turbo-frame>",
    ],
)
def test_parts_loaded_by_scripts_are_said_to_be_missing(part: str) -> None:
    page = read(build(6, part))

    assert page.quality == "partial"
    assert any("script" in note for note in page.notes)


def test_a_placeholder_under_a_long_article_is_not_part_of_it() -> None:
    assert (
        read(build(12, "<p>Further text. </p>" * 40 + "<div>Loading…</div>")).quality == "complete"
    )


def test_a_large_page_with_many_controls_is_read_in_time() -> None:
    html = build(10, "<button>Read more</button><a rel=next href='?page=2'>n</a>" * 20_000)

    assert read(html).quality == "partial"


@pytest.mark.parametrize("attributes", ["", ' rel="next"'])
def test_a_damaged_address_of_a_link_is_no_next_page(attributes: str) -> None:
    page = read(build(8, f"<a{attributes} href='http://['>Next page</a>"))

    assert page.quality == "complete"
