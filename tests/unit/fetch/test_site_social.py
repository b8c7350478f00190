"""X, Bluesky and Reddit."""

from __future__ import annotations

import pytest

from citewell.errors import AuthRequired, NotFound
from tests.requirements import requires
from tests.unit.fetch.site_answers import (
    BSKY,
    FX,
    REDDIT_COMMENTS,
    REDDIT_PAGE,
    bluesky,
    reddit,
    twitter,
)
from tests.unit.fetch.site_bench import Bench, Forbidding, Reply, Web, page, read

TWEET = "https://x.com/example/status/20"
POST = "https://bsky.app/profile/sea.example.org/post/3k"
THREAD = "https://www.reddit.com/r/tides/comments/abc123/which_tide_table/"
JSON = "www.reddit.com/comments/abc123.json"
HTML = "www.reddit.com/r/tides/comments/abc123/"
LATE = "www.reddit.com/svc/shreddit/comments/r/tides/t3_abc123"
MIRRORED = """<html><body><div class="main-tweet"><a class="fullname">Example Person</a>
<a class="username">@example</a><span class="tweet-date"><a title="Oct 10, 2018 · 8:19 PM UTC">10 Oct</a></span>
<div class="tweet-content">Tides matter. <a href="https://example.org/">More</a></div></div></body></html>"""


@requires("scrape_page.twitter")
def test_a_post_on_x_keeps_its_text_media_quote_and_counts() -> None:
    found = page(TWEET, twitter())

    assert found.content_type == "twitter"
    assert "Tides \\*matter\\*.  \nSee https://example.org/_a_" in found.content
    assert "![a beach](https://pbs.example.org/a.jpg)" in found.content
    assert "> Older words" in found.content
    assert "- High · 3 votes" in found.content
    assert "5 likes · 1 repost · 2 replies · 0 quotes · 1,500 views" in found.content
    assert found.published == "2018-10-10T20:19:24+00:00"
    assert found.forum_signals is None


def test_an_article_on_x_is_read_in_full() -> None:
    answers = twitter()
    blocks = [{"type": "header-two", "text": "Part"}, {"type": "unstyled", "text": "Body text."}]
    tweet = answers[f"{FX}/example/status/20"]["tweet"]
    tweet |= {
        "text": "",
        "article": {"title": "On tides", "preview_text": "Start", "content": {"blocks": blocks}},
    }

    found = page(TWEET, answers)

    assert found.title == "On tides"
    assert "## Part\n\nBody text." in found.content


def test_the_mirror_is_read_where_the_api_fails() -> None:
    found = page(
        TWEET,
        {f"{FX}/example/status/20": Reply(status=500), "xcancel.com/example/status/20": MIRRORED},
    )

    assert "Tides matter. [More](https://example.org/)" in found.content
    assert found.published == "2018-10-10T20:19:00+00:00"
    assert found.notes == ("Read through the mirror xcancel.com.",)


def test_a_mirror_that_forbids_programs_is_not_read() -> None:
    web = Web(
        {f"{FX}/example/status/20": Reply(status=500), "xcancel.com/example/status/20": MIRRORED}
    )

    assert Bench(web=web, robots=Forbidding()).read(TWEET) is None
    assert web.asked == ["api.fxtwitter.com/example/status/20"]


def test_a_post_that_nobody_knows_is_not_found() -> None:
    answer = Reply(status=404, body={"code": 404, "message": "NOT_FOUND", "tweet": None})

    with pytest.raises(NotFound):
        read(TWEET, {f"{FX}/example/status/20": answer})


def test_a_private_account_needs_a_login() -> None:
    answer = Reply(status=401, body={"code": 401, "message": "PRIVATE_TWEET"})

    with pytest.raises(AuthRequired, match="login wall"):
        read(TWEET, {f"{FX}/example/status/20": answer})


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


def test_a_reddit_thread_has_its_comments_and_signals() -> None:
    found = page(THREAD, reddit())

    signals = found.forum_signals
    assert signals is not None
    assert (signals.platform, signals.upvotes, signals.comments) == ("reddit", 12, 4)
    assert signals.author_name == "asker"
    assert signals.credibility_note is not None
    assert "vote manipulation" in signals.credibility_note
    assert signals.top_comments is not None
    assert [one.author for one in signals.top_comments] == ["second", "first", "third"]
    assert all(len(one.body.encode()) <= 500 for one in signals.top_comments)
    assert "[removed]" not in found.content
    assert "> **u/third** · 1 point" in found.content
    assert found.truncated


@requires("scrape_page.forum_note")
def test_twenty_upvotes_carry_no_warning() -> None:
    answers = reddit()
    answers[JSON][0]["data"]["children"][0]["data"]["score"] = 20

    found = page(THREAD, answers)

    assert found.forum_signals is not None
    assert found.forum_signals.credibility_note is None
    assert "credibilityNote" not in found.forum_signals.to_wire()


def test_the_page_is_read_where_reddit_keeps_its_json_to_itself() -> None:
    answers = {JSON: Reply(status=403, body="<html>"), HTML: REDDIT_PAGE, LATE: REDDIT_COMMENTS}

    found = page(THREAD, answers)

    assert "I **need** one." in found.content
    assert found.published == "2023-11-14T22:13:20+00:00"
    assert found.forum_signals is not None
    assert found.forum_signals.upvotes == 42
    assert found.forum_signals.top_comments is not None
    assert [one.body for one in found.forum_signals.top_comments] == [
        "Or the harbour's.",
        "Use the official one.",
    ]


def test_a_page_that_forbids_programs_is_not_read() -> None:
    web = Web({JSON: Reply(status=403), HTML: REDDIT_PAGE})

    assert Bench(web=web, robots=Forbidding()).read(THREAD) is None
    assert web.asked == [JSON]


def test_comments_that_fail_do_not_cost_the_post() -> None:
    found = page(THREAD, {JSON: Reply(status=429), HTML: REDDIT_PAGE, LATE: Reply(status=429)})

    assert found.forum_signals is not None
    assert found.forum_signals.top_comments is None


def test_a_private_community_needs_a_login() -> None:
    with pytest.raises(AuthRequired):
        read(THREAD, {JSON: Reply(status=403, body={"reason": "private", "error": 403})})


def test_a_thread_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        read(THREAD, {})


def test_a_deleted_post_without_comments_is_not_found() -> None:
    answers = reddit()
    answers[JSON][0]["data"]["children"][0]["data"] |= {
        "author": "[deleted]", "selftext": "[removed]", "selftext_html": None,
    }  # fmt: skip
    answers[JSON][1]["data"]["children"] = []

    with pytest.raises(NotFound):
        read(THREAD, answers)


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


def test_a_profile_is_read_from_the_mirror() -> None:
    html = """<div class="profile-card"><a class="profile-card-fullname">Example Person</a>
    <div class="profile-bio"><p>Watches the sea.</p></div><ul class="profile-statlist">
    <li class="followers"><span class="profile-stat-num">1,024</span></li></ul></div>"""

    found = page("https://x.com/example", {"xcancel.com/example": html})

    assert found.title == "Example Person (@example)"
    assert "Watches the sea.\n\n1,024 followers" in found.content
