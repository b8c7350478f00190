"""What all pages of GitHub share: requests to the API and to the host of raw files."""

from __future__ import annotations

import asyncio

import pytest

from citewell.core.errors import AuthRequired, MalformedResponse, RateLimited
from citewell.reading.sites.github.github_api import (
    GithubUser,
    fetch_github_api,
    fetch_raw_file,
    find_user_login,
    format_author,
)
from citewell.reading.sites.site_kit import SiteKit
from tests.reading.site_bench import Reply, Web
from tests.task_thread import ThreadTasks


def build_kit(reply: Reply) -> SiteKit:
    return SiteKit(network=Web({}, otherwise=reply), workers=ThreadTasks())


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=403, headers={"x-ratelimit-remaining": "0"}), RateLimited),
        (Reply(status=403, headers={"retry-after": "30"}), RateLimited),
        (Reply(status=403, body=b"API rate limit exceeded"), RateLimited),
        (Reply(status=403), AuthRequired),
    ],
)
def test_a_refusal_is_a_spent_quota_or_a_closed_door(reply: Reply, error: type[Exception]) -> None:
    with pytest.raises(error):
        asyncio.run(fetch_github_api(build_kit(reply), "/repos/a/b"))


def test_a_web_page_is_no_raw_file() -> None:
    page = Reply(body=b"<html>", headers={"content-type": "text/html"})

    with pytest.raises(MalformedResponse):
        asyncio.run(fetch_raw_file(build_kit(page), "a/b/HEAD/README.md"))


def test_a_user_is_linked_by_a_login_that_can_be_one() -> None:
    assert format_author(GithubUser(login="sea")) == "by [sea](https://github.com/sea)"
    assert format_author(GithubUser(login="not a login")) == "by not a login"
    assert find_user_login(None) is None
