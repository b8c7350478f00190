"""Threads of Reddit, from its listings and from its HTML pages."""

from __future__ import annotations

import pytest

from citewell.core.errors import NotFound
from tests.reading.site_answers import (
    REDDIT_COMMENTS,
    REDDIT_PAGE,
    reddit,
)
from tests.reading.site_bench import Bench, Forbidding, Reply, Web, page, read
from tests.requirements import requires

THREAD = "https://www.reddit.com/r/tides/comments/abc123/which_tide_table/"


JSON = "www.reddit.com/comments/abc123.json"


HTML = "www.reddit.com/r/tides/comments/abc123/"


LATE = "www.reddit.com/svc/shreddit/comments/r/tides/t3_abc123"


def test_a_reddit_thread_has_its_comments_and_signals() -> None:
    found = page(THREAD, reddit())

    signals = found.forum_signals
    assert signals is not None
    assert (signals.platform, signals.upvotes, signals.comments) == ("reddit", 12, 4)
    assert signals.author_name == "asker"
    assert signals.credibility_note is not None
    assert "vote manipulation" in signals.credibility_note
    assert signals.top_comments is not None
    assert [comment.author for comment in signals.top_comments] == ["second", "first", "third"]
    assert all(len(comment.body.encode()) <= 500 for comment in signals.top_comments)
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


def test_comments_that_fail_do_not_cost_the_post() -> None:
    found = page(THREAD, {JSON: Reply(status=429), HTML: REDDIT_PAGE, LATE: Reply(status=429)})

    assert found.forum_signals is not None
    assert found.forum_signals.top_comments is None


def test_a_deleted_post_without_comments_is_not_found() -> None:
    answers = reddit()
    answers[JSON][0]["data"]["children"][0]["data"] |= {
        "author": "[deleted]", "selftext": "[removed]", "selftext_html": None,
    }  # fmt: skip
    answers[JSON][1]["data"]["children"] = []

    with pytest.raises(NotFound):
        read(THREAD, answers)


def test_the_page_is_read_where_reddit_keeps_its_json_to_itself() -> None:
    answers = {JSON: Reply(status=403, body="<html>"), HTML: REDDIT_PAGE, LATE: REDDIT_COMMENTS}

    found = page(THREAD, answers)

    assert "I **need** one." in found.content
    assert found.published == "2023-11-14T22:13:20+00:00"
    assert found.forum_signals is not None
    assert found.forum_signals.upvotes == 42
    assert found.forum_signals.top_comments is not None
    assert [comment.body for comment in found.forum_signals.top_comments] == [
        "Or the harbour's.",
        "Use the official one.",
    ]


def test_a_page_that_forbids_programs_is_not_read() -> None:
    web = Web({JSON: Reply(status=403), HTML: REDDIT_PAGE})

    assert Bench(web=web, robots=Forbidding()).read(THREAD) is None
    assert web.asked == [JSON]
