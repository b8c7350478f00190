"""Which calls are answered without the SDK, and that the answers are the same."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest

from citewell.server.call_values import ArtifactLink, ToolError, ToolOutcome
from citewell.server.protocol import plain_calls
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
    assert not plain_calls.is_plain_tool_call(CALL | {"params": params})


LINK = ArtifactLink(uri="citewell://artifact/1", name="page", mime="text/markdown", size=12)
ERROR = ToolError(message="No.", block={})
OUTCOMES = {
    "body": ToolOutcome(body={"a": "é “b” \\", "n": None, "list": [1, 2.5]}),
    "with meta": ToolOutcome(body={"a": 1}, meta={"cached": True, "errorKind": "x"}),
    "with its text": ToolOutcome(body={"a": 1}, text='{"a":1}'),
    "with links": ToolOutcome(body={"a": 1}, links=(LINK,)),
    "error": ToolOutcome(text="No.\n\nBecause.", error=ERROR, meta={"errorKind": "x", "requestId": "r"}),
    "error without text": ToolOutcome(error=ERROR),
    "half a surrogate": ToolOutcome(body={"a": "\ud800"}),
}  # fmt: skip


@pytest.mark.parametrize("repeat", [True, False])
@pytest.mark.parametrize("name", OUTCOMES)
def test_a_result_is_one_that_the_sdk_writes(name: str, *, repeat: bool) -> None:
    result = plain_calls.build_call_result(OUTCOMES[name], repeat=repeat)

    typed = types.CallToolResult.model_validate(result)

    assert typed.model_dump(by_alias=True, exclude_unset=True) == result


@pytest.mark.parametrize("repeat", [True, False])
@pytest.mark.parametrize("name", OUTCOMES)
def test_a_frame_holds_the_result(name: str, *, repeat: bool) -> None:
    outcome = OUTCOMES[name]

    frame = plain_calls.encode_call_response("é", outcome, repeat=repeat)

    result = plain_calls.build_call_result(outcome, repeat=repeat)
    written = json.dumps({"jsonrpc": "2.0", "id": "é", "result": result}, ensure_ascii=False)
    assert json.loads(frame) == json.loads(written.encode("utf-8", "replace"))


def test_an_answer_from_memory_is_its_text() -> None:
    frame = plain_calls.encode_call_response(1, ToolOutcome(text='{"a":1}'), repeat=True)

    assert json.loads(frame)["result"] == {
        "content": [{"type": "text", "text": '{"a":1}'}],
        "structuredContent": {"a": 1},
        "isError": False,
    }
