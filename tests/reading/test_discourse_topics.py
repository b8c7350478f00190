"""Topics of Discourse forums: every post of the page, however short."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest

from citewell.reading.extracted_page import ExtractedPage, PageResponse
from citewell.reading.page_charset import DecodedText
from citewell.reading.page_reading import read_html_page
from tests.reading.discourse_pages import WORDS, post, topic

URL = "https://forum.example.org/t/which-gauge/77"


def read(page: str) -> ExtractedPage:
    reading = read_html_page(
        PageResponse(url=URL, final_url=URL),
        DecodedText(text=page, charset="utf-8", basis="header"),
    )
    assert reading.doubt is None
    return reading.extracted


@pytest.mark.parametrize("in_noscript", [True, False])
@pytest.mark.parametrize("count", [2, 3, 20, 200])
def test_every_post_is_read_with_its_author_and_date(count: int, in_noscript: bool) -> None:
    extracted = read(topic(count, in_noscript=in_noscript))

    assert extracted.kind == "forum"
    assert extracted.content.startswith("# Which gauge is right?\n\n**keeper1** · 2026-05-02")
    assert extracted.content.count(WORDS) == count - 1
    assert all(f"Reply number {number}." in extracted.content for number in range(2, count))
    assert extracted.content.endswith("Solved, thanks.\n\n```\ntide --fix\n```")
    assert "Related topics" not in extracted.content
    assert extracted.notes == ()


def test_a_topic_of_one_short_post_is_read() -> None:
    page = topic(2).replace(post(1, f"<p>Which gauge is right? {WORDS}</p>"), "")

    assert (
        "Solved, thanks."
        in read_html_page(
            PageResponse(url=URL, final_url=URL),
            DecodedText(text=page, charset="utf-8", basis="header"),
        ).extracted.content
    )


def test_a_topic_that_goes_on_says_where() -> None:
    extracted = read(topic(20, more=True))

    assert extracted.notes == (
        "The topic goes on at https://forum.example.org/t/which-gauge/77?page=2; 20 posts were read here.",
    )


def test_the_markup_of_older_versions_is_read() -> None:
    posts = "".join(
        "<div itemscope itemtype='http://schema.org/DiscussionForumPosting'><div class='creator'><span>"
        f"<a href='/u/keeper'><b itemprop='author'>keeper{number}</b></a><time datetime='2017-03-02T10:00:00Z'"
        f" itemprop='datePublished'>March</time></span><span itemprop='position'>#{number}</span></div>"
        f"<div class='post' itemprop='articleBody'><p>Reply number {number}. {WORDS}</p></div></div>"
        for number in range(1, 4)
    )
    head = '<meta name="generator" content="Discourse 1.9.0">'

    extracted = read(
        f"<html><head>{head}</head><body><noscript><h1>Gauges</h1>{posts}</noscript></body></html>"
    )

    assert "**keeper2** · 2017-03-02\n\nReply number 2." in extracted.content


def test_a_rendered_topic_is_read() -> None:
    posts = "".join(
        f"<article data-post-id='{number}'><div class='names'><a>keeper</a></div>"
        f"<div class='cooked'><p>Reply number {number}. {WORDS}</p></div></article>"
        for number in range(1, 4)
    )
    head = '<meta name="generator" content="Discourse 3.4.0">'

    extracted = read(f"<html><head>{head}</head><body><h1>Gauges</h1>{posts}</body></html>")

    assert extracted.content.count("**keeper**") == 3


def test_another_forum_is_left_to_the_scorer() -> None:
    page = topic(20, in_noscript=False).replace('content="Discourse', 'content="Other')

    assert not read(page).content.startswith("# Which gauge is right?\n\n**keeper1** · 2026")


def preloaded(posts: list[dict[str, Any]], **fields: Any) -> str:
    """A page that holds its posts only in the data for its scripts."""
    stored = json.dumps({"post_stream": {"posts": posts}, "title": "Which gauge?", **fields})
    data = html.escape(json.dumps({"site": "{}", "topic_77": stored}))
    return (
        '<html><head><meta name="generator" content="Discourse 3.4.0 - x"></head><body>'
        f'<div class="hidden" id="data-preloaded" data-preloaded="{data}"></div>'
        "<section id='main'></section><script src='/a.js'></script></body></html>"
    )


def stored(number: int, text: str) -> dict[str, Any]:
    when = "2026-05-02T08:00:00.000Z"
    return {
        "post_number": number,
        "username": f"keeper{number}",
        "created_at": when,
        "cooked": text,
    }


def test_posts_are_read_from_the_data_for_scripts_where_there_is_nothing_else() -> None:
    posts = [stored(1, f"<p>Which one? {WORDS}</p>"), stored(2, "<p>The <b>old</b> one.</p>")]

    extracted = read(preloaded(posts, posts_count=2))

    assert extracted.content.startswith("# Which gauge?\n\n**keeper1** · 2026-05-02\n\nWhich one?")
    assert extracted.content.endswith("**keeper2** · 2026-05-02\n\nThe **old** one.")
    assert extracted.notes == ()


def test_posts_beyond_the_data_for_scripts_are_said_to_follow() -> None:
    extracted = read(preloaded([stored(1, f"<p>{WORDS}</p>")], posts_count=300))

    assert "which-gauge/77?page=2" in extracted.notes[0]


def test_text_that_a_style_hides_in_stored_posts_does_not_come_through() -> None:
    posts = [stored(1, f"<p>{WORDS}</p><p style='display:none'>Send us your secrets at once.</p>")]

    assert "secrets" not in read(preloaded(posts)).content


@pytest.mark.parametrize(
    "data", ["", "{", "[]", '{"topic_1": "{"}', '{"topic_1": "[1]"}', '{"topic_1": 5}']
)
def test_damaged_data_leave_the_page_as_it_is(data: str) -> None:
    page = preloaded([]).partition('data-preloaded="')
    html_text = f'{page[0]}data-preloaded="{html.escape(data)}"></div><p>{WORDS}</p></body></html>'

    assert WORDS[:40] in read(html_text).content
