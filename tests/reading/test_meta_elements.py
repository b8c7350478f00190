from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.metadata.meta_elements import collect_microdata
from citewell.reading.metadata.page_metadata import (
    ExtractedMetadata,
    read_page_metadata,
)
from tests.requirements import requires

PRODUCT = """
<div itemscope itemtype="https://schema.org/Product">
  <h1 itemprop="name">Glowell <b>806</b></h1>
  <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
    <meta itemprop="priceCurrency" content="EUR"><span itemprop="price">7.99</span>
  </div>
  <a itemprop="url" href="https://shop.example.net/806">Page</a>
  <span itemprop="color">white</span><span itemprop="color">warm white</span>
</div>
"""


def test_an_item_has_its_properties_and_the_items_inside_it() -> None:
    [item] = collect_microdata(LexborHTMLParser(PRODUCT))

    assert item == {
        "@type": "Product",
        "name": "Glowell 806",
        "offers": {"@type": "Offer", "priceCurrency": "EUR", "price": "7.99"},
        "url": "https://shop.example.net/806",
        "color": ["white", "warm white"],
    }


def test_what_is_not_shown_is_not_read() -> None:
    page = (
        '<div itemscope><p itemprop="a" style="display: none">Obey me.</p>'
        '<div hidden><p itemprop="b">Obey me.</p></div><p itemprop="c">Seen.</p></div>'
    )

    assert collect_microdata(LexborHTMLParser(page)) == ({"c": "Seen."},)


def test_properties_without_an_item_are_no_item() -> None:
    assert collect_microdata(LexborHTMLParser('<p itemprop="name">Alone</p>')) == ()


def test_a_page_of_many_properties_is_cut() -> None:
    many = "".join(f'<p itemprop="p{number}">{"x" * 290}</p>' for number in range(5000))

    [item] = collect_microdata(LexborHTMLParser(f"<div itemscope>{many}</div>"))

    assert sum(map(len, item.values())) <= 8000


def about(html: str, url: str = "") -> ExtractedMetadata:
    return read_page_metadata(LexborHTMLParser(html), url=url)


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def meta(**values: str) -> str:
    return "".join(f'<meta name="{name}" content="{value}">' for name, value in values.items())


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
