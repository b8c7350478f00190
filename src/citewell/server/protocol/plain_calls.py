"""Requests with nothing unusual in them: they are read and answered without the SDK."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.call_values import CallOrigin, ToolOutcome

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR, CONNECTION_CLOSED = -32700, -32600, -32603, -32000
SUPPORTED_VERSIONS = frozenset({"2025-06-18", "2025-11-25"})  # with the same tools/call result
_CALL_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS_MEMBERS = frozenset({"name", "arguments", "_meta"})
TEXT_CONTRACT_TOOLS = frozenset({"search", "fetch"})  # their clients read the text alone
_JSON_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_MODERN_META_PREFIX = "io.modelcontextprotocol/"  # marks a request of the modern protocol era


async def answer_cached_call(
    app: App,
    message: Any,
    offered: frozenset[str],
    *,
    owner: Owner | None = None,
    request_id: str | None = None,
    origin: CallOrigin | None = None,
) -> bytes | None:
    """The complete response frame, if the answer is in memory; None if the SDK has to answer.

    `request_id` names the request in the audit log; without it that is the id of the message.
    """
    if not is_plain_tool_call(message) or message["params"]["name"] not in offered:
        return None
    params = message["params"]
    outcome = await app.call_cached_tool(
        params["name"],
        params["arguments"],
        owner=owner,
        request_id=request_id or str(message["id"]),
        origin=origin,
    )
    if outcome is None or outcome.is_error or outcome.text is None or outcome.links:
        return None
    return encode_call_response(message["id"], outcome, repeat=True)


def is_written_by_client(tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether the client's own model writes the report; only the SDK can ask the client for it."""
    return tool == "get_results" and arguments.get("write") == "client"


def is_plain_tool_call(message: Any) -> bool:
    """Whether a message is a tools/call of the handshake era with nothing unusual in it."""
    if not isinstance(message, dict) or message.keys() != _CALL_MEMBERS:
        return False
    return (
        message["jsonrpc"] == "2.0"
        and message["method"] == "tools/call"
        and type(message["id"]) in {int, str}
        and _is_plain_call(message["params"])
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


def encode_call_response(request_id: int | str, outcome: ToolOutcome, *, repeat: bool) -> bytes:
    """The response frame of a tools/call."""
    if outcome.is_error or outcome.links or not repeat:
        return encode_result(request_id, build_call_result(outcome, repeat=repeat))
    # The body is written once and used twice: as text and as structured content.
    text = _choose_content_text(outcome, repeat=True)
    meta = _clean_meta(outcome)
    written = (
        f'{{"jsonrpc":"2.0","id":{json.dumps(request_id)},"result":{{'
        + (f'"_meta":{_JSON_ENCODER.encode(meta)},' if meta else "")
        + f'"content":[{{"type":"text","text":{_JSON_ENCODER.encode(text)}}}],'
        f'"structuredContent":{text},"isError":false}}}}'
    )
    return written.encode("utf-8", "replace")


def build_call_result(outcome: ToolOutcome, *, repeat: bool) -> dict[str, object]:
    """The result of a tools/call in the protocol's form; with `repeat` the text repeats the body."""
    text = {"type": "text", "text": _choose_content_text(outcome, repeat=repeat)}
    links = [
        {
            "type": "resource_link",
            "name": link.name,
            "uri": link.uri,
            "mimeType": link.mime,
            "size": link.size,
        }
        for link in outcome.links
    ]
    meta = _clean_meta(outcome)
    has_body = not outcome.is_error and outcome.body is not None
    return (
        ({"_meta": meta} if meta else {})
        | {"content": [text, *links]}
        | ({"structuredContent": outcome.body} if has_body else {})
        | {"isError": outcome.is_error}
    )


def encode_result(request_id: int | str, result: Mapping[str, object]) -> bytes:
    """The response frame of a request that has this result."""
    return _encode_frame({"id": request_id, "result": result})


def encode_error(request_id: int | str | None, code: int, message: str) -> bytes:
    """The response frame of a request that failed before or outside its tool."""
    return _encode_frame({"id": request_id, "error": {"code": code, "message": message}})


def build_line_error(line: bytes) -> bytes:
    """The response frame for a line that is not a message, with the line's id if it has one."""
    code, words, request_id = PARSE_ERROR, "This line is not JSON.", None
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        code, words = INVALID_REQUEST, "This is not a JSON-RPC 2.0 message."
        given = found.get("id") if isinstance(found, dict) else None
        request_id = given if type(given) in {int, str} else None
    return encode_error(request_id, code, words)


def encode_progress(
    token: int | str, progress: float, total: float | None, message: str | None
) -> bytes:
    """The notification that tells how far a call is."""
    given = {"progressToken": token, "progress": progress, "total": total, "message": message}
    params = {name: value for name, value in given.items() if value is not None}
    return _encode_frame({"method": "notifications/progress", "params": params})


def _encode_frame(members: Mapping[str, object]) -> bytes:
    return _JSON_ENCODER.encode({"jsonrpc": "2.0", **members}).encode("utf-8", "replace")


def _clean_meta(outcome: ToolOutcome) -> dict[str, object]:
    return {key: value for key, value in outcome.meta.items() if key != "errorKind"}


def _choose_content_text(outcome: ToolOutcome, *, repeat: bool) -> str:
    if outcome.is_error:
        return outcome.text or "The call failed."
    if not repeat:
        return "The result is in structuredContent."
    return _JSON_ENCODER.encode(outcome.body) if outcome.text is None else outcome.text
