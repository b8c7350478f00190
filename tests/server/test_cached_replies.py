"""Which calls are answered from memory without the SDK."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.server.protocol import cached_replies
from tests.server.cached_calls import CALL


@pytest.mark.parametrize(
    "params",
    [
        {"name": "web_search"},
        {"name": 1, "arguments": {}},
        {"name": "web_search", "arguments": []},
        {"name": "web_search", "arguments": {}, "task": {}},
        {"name": "web_search", "arguments": {}, "_meta": {"io.modelcontextprotocol/x": 1}},
    ],
)
def test_only_plain_calls_are_read(params: Any) -> None:
    assert not cached_replies.is_plain_tool_call(CALL | {"params": params})
