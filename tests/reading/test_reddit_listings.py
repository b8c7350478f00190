"""Threads of Reddit from its API's JSON."""

from __future__ import annotations

import pytest

from citewell.core.errors import AuthRequired, NotFound
from tests.reading.site_bench import Reply, read

THREAD = "https://www.reddit.com/r/tides/comments/abc123/which_tide_table/"


JSON = "www.reddit.com/comments/abc123.json"


def test_a_private_community_needs_a_login() -> None:
    with pytest.raises(AuthRequired):
        read(THREAD, {JSON: Reply(status=403, body={"reason": "private", "error": 403})})


def test_a_thread_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        read(THREAD, {})
