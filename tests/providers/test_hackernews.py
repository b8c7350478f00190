"""What is Hacker News's own: spans as bounds, discussions, and how a story was received."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from citewell.core.values.search_queries import SearchQuery
from tests.providers.asking import NOW, ask

LINK = {
    "objectID": "1",
    "title": "A &amp; B",
    "url": "https://a.example/",
    "author": "example-user",
    "points": 12,
    "num_comments": 3,
    "created_at": "2026-11-02T08:30:00Z",
}


def only(story: dict[str, Any]) -> Any:
    (hit,) = ask("hackernews", SearchQuery(text="x"), {"hits": [story], "nbHits": 7}).found.hits
    return hit


def test_a_story_says_how_it_was_received() -> None:
    hit = only(LINK)

    assert hit.title == "A & B"
    assert hit.snippet == "12 points by example-user, 3 comments on Hacker News"
    assert hit.engagement == {"points": 12, "commentCount": 3}
    assert hit.published == datetime(2026, 11, 2, 8, 30, tzinfo=UTC)


def test_a_text_post_leads_to_its_discussion_and_is_quoted() -> None:
    hit = only(LINK | {"url": None, "story_text": "<p>What&#x27;s new?</p>"})

    assert hit.url == "https://news.ycombinator.com/item?id=1"
    assert hit.snippet == "What's new?"


def test_a_time_range_counts_back_from_now() -> None:
    asked = ask("hackernews", SearchQuery(text="x", time_range="day"), {"hits": []})

    since = int(NOW.timestamp()) - 86400
    assert asked.params["numericFilters"] == f"created_at_i>{since}"


def test_news_are_sorted_by_date() -> None:
    asked = ask("hackernews", SearchQuery(text="x"), {"hits": []}, offer="news")

    assert asked.sent[0].url.endswith("/search_by_date")
