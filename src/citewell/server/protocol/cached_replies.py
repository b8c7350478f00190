"""Answers a tool call from memory, without the SDK, if its result is cached."""

from __future__ import annotations

import json
from typing import Any

from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.call_values import CallOrigin, ToolOutcome

MAX_REQUEST_BYTES = 1 << 16  # longer requests are left to the SDK
SUPPORTED_VERSIONS = frozenset({"2025-06-18", "2025-11-25"})  # with the same tools/call result
_CALL_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS_MEMBERS = frozenset({"name", "arguments", "_meta"})
_META_ENCODER = json.JSONEncoder(separators=(",", ":"))
_TEXT_ENCODER = json.JSONEncoder(ensure_ascii=False)
_MODERN_META_PREFIX = "io.modelcontextprotocol/"  # marks a request of the modern protocol era


async def find_cached_reply(app: App, body: bytes, offered: frozenset[str]) -> bytes | None:
    """The complete response frame; None if the SDK has to answer the request."""
    try:
        message = json.loads(body) if len(body) <= MAX_REQUEST_BYTES else None
    except (ValueError, RecursionError):
        return None
    return await answer_cached_call(app, message, offered)


async def answer_cached_call(
    app: App,
    found: Any,
    offered: frozenset[str],
    *,
    owner: Owner | None = None,
    request_id: str | None = None,
    origin: CallOrigin | None = None,
) -> bytes | None:
    """Like `find_cached_reply`, for a message that was parsed already.

    `request_id` names the request in the audit log; without it that is the id of the message.
    """
    if not is_plain_tool_call(found) or found["params"]["name"] not in offered:
        return None
    params = found["params"]
    outcome = await app.call_cached_tool(
        params["name"],
        params["arguments"],
        owner=owner,
        request_id=request_id or str(found["id"]),
        origin=origin,
    )
    return None if outcome is None else encode_call_response(found["id"], outcome)


def is_plain_tool_call(found: Any) -> bool:
    """Whether a message is a tools/call of the handshake era with nothing unusual in it."""
    if not isinstance(found, dict) or found.keys() != _CALL_MEMBERS:
        return False
    return (
        found["jsonrpc"] == "2.0"
        and found["method"] == "tools/call"
        and type(found["id"]) in {int, str}
        and _is_plain_call(found["params"])
    )


def _is_plain_call(params: Any) -> bool:
    if not isinstance(params, dict) or not params.keys() <= _PARAMS_MEMBERS:
        return False
    meta = params.get("_meta", {})
    return (
        isinstance(params.get("name"), str)
        and isinstance(params.get("arguments"), dict)
        and isinstance(meta, dict)
        and not any(key.startswith(_MODERN_META_PREFIX) for key in meta)
    )


def encode_call_response(request_id: int | str, outcome: ToolOutcome) -> bytes | None:
    """A tools/call response as the SDK would write it; None for errors and linked results."""
    if outcome.is_error or outcome.text is None or outcome.links:
        return None
    text = outcome.text
    written = (
        f'{{"jsonrpc":"2.0","id":{json.dumps(request_id)},"result":{{'
        f'"_meta":{_META_ENCODER.encode(outcome.meta)},'
        f'"content":[{{"type":"text","text":{_TEXT_ENCODER.encode(text)}}}],'
        f'"structuredContent":{text},"isError":false}}}}'
    )
    return written.encode("utf-8", "replace")
