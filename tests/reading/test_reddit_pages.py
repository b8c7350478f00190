"""Threads of Reddit from its HTML pages."""

from __future__ import annotations

from tests.reading.site_answers import (
    REDDIT_COMMENTS,
    REDDIT_PAGE,
)
from tests.reading.site_bench import Bench, Forbidding, Reply, Web, page

THREAD = "https://www.reddit.com/r/tides/comments/abc123/which_tide_table/"


JSON = "www.reddit.com/comments/abc123.json"


HTML = "www.reddit.com/r/tides/comments/abc123/"


LATE = "www.reddit.com/svc/shreddit/comments/r/tides/t3_abc123"


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
