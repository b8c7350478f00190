"""Posts and profiles of X."""

from __future__ import annotations

import pytest

from citewell.core.errors import AuthRequired, NotFound
from tests.reading.site_answers import (
    FX,
    twitter,
)
from tests.reading.site_bench import Bench, Forbidding, Reply, Web, page, read
from tests.requirements import requires

TWEET = "https://x.com/example/status/20"


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


def test_a_profile_is_read_from_the_mirror() -> None:
    html = """<div class="profile-card"><a class="profile-card-fullname">Example Person</a>
    <div class="profile-bio"><p>Watches the sea.</p></div><ul class="profile-statlist">
    <li class="followers"><span class="profile-stat-num">1,024</span></li></ul></div>"""

    found = page("https://x.com/example", {"xcancel.com/example": html})

    assert found.title == "Example Person (@example)"
    assert "Watches the sea.\n\n1,024 followers" in found.content
