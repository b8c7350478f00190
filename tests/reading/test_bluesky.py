"""Posts of Bluesky."""

from __future__ import annotations

import pytest

from citewell.core.errors import AuthRequired, NotFound
from tests.reading.site_answers import (
    BSKY,
    bluesky,
)
from tests.reading.site_bench import Reply, page, read

POST = "https://bsky.app/profile/sea.example.org/post/3k"


def test_bluesky_links_are_placed_by_byte() -> None:
    found = page(POST, bluesky())

    assert "Größe of tides: [example.org](https://example.org/tides) today" in found.content
    assert "![a chart](https://cdn.example.org/c.jpg)" in found.content
    assert "## Replies (5 of 9)" in found.content
    assert found.truncated
    assert found.forum_signals is not None
    assert found.forum_signals.upvotes == 30


def test_bluesky_asks_the_second_host_when_the_first_turns_it_away() -> None:
    answers = bluesky()
    path = "app.bsky.feed.getPostThread"
    answers[f"api.bsky.app/xrpc/{path}"] = answers[f"{BSKY}/{path}"]
    answers[f"{BSKY}/{path}"] = Reply(status=403)

    assert "Größe" in page(POST, answers).content


@pytest.mark.parametrize(
    "answer",
    [
        Reply(status=400, body={"error": "NotFound", "message": "Post not found: at://x"}),
        Reply(status=400, body={"error": "InvalidRequest", "message": "Profile not found"}),
        {"thread": {"$type": "app.bsky.feed.defs#notFoundPost", "notFound": True}},
        {"thread": {"$type": "app.bsky.feed.defs#blockedPost", "blocked": True}},
    ],
)
def test_a_bluesky_post_that_is_gone_is_not_found(answer: object) -> None:
    with pytest.raises(NotFound):
        read(POST, {f"{BSKY}/app.bsky.feed.getPostThread": answer})


def test_a_bluesky_author_who_shows_posts_to_members_only_is_obeyed() -> None:
    answers = bluesky()
    thread = answers[f"{BSKY}/app.bsky.feed.getPostThread"]["thread"]
    thread["post"]["author"]["labels"] = [{"val": "!no-unauthenticated"}]

    with pytest.raises(AuthRequired):
        read(POST, answers)


def test_a_bluesky_quote_and_card_are_shown() -> None:
    answers = bluesky()
    quoted = {"author": {"handle": "old.example.org"}, "value": {"text": "Older words"}}
    answers[f"{BSKY}/app.bsky.feed.getPostThread"]["thread"]["post"]["embed"] = {
        "$type": "app.bsky.embed.recordWithMedia#view",
        "record": {"record": quoted},
        "media": {
            "external": {"uri": "https://example.org/c", "title": "Card", "description": "D"}
        },
    }

    found = page(POST, answers)

    assert "[Card](https://example.org/c)\n\nD" in found.content
    assert "> Older words" in found.content
