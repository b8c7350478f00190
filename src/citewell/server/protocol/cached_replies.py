"""Answers a tool call from memory, without the SDK, if its result is cached."""

from __future__ import annotations

import json
from typing import Any

from citewell.server.app import App
from citewell.server.pipeline import CallOrigin, ToolOutcome
from citewell.tooling import Owner

MAX_REQUEST_BYTES = 1 << 16  # longer requests are left to the SDK
SUPPORTED_VERSIONS = frozenset({"2025-06-18", "2025-11-25"})  # with the same tools/call result
_MODERN_META_PREFIX = "io.modelcontextprotocol/"  # marks a request of the modern protocol era


async def find_cached_reply(
    app: App,
    body: bytes,
    offered: frozenset[str],
    *,
    owner: Owner | None = None,
    request_id: str | None = None,
    origin: CallOrigin | None = None,
) -> bytes | None:
    """The complete response frame; None if the SDK has to answer the request.

    `request_id` names the request in the audit log; without it that is the id of the message.
    """
    found = parse_tool_call(body) if len(body) <= MAX_REQUEST_BYTES else None
    if found is None or found["params"]["name"] not in offered:
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


def parse_tool_call(body: bytes) -> dict[str, Any] | None:
    """The message, if it is a plain tools/call of the handshake era; None for anything else."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    plain = (
        found["jsonrpc"] == "2.0"
        and found["method"] == "tools/call"
        and type(found["id"]) in {int, str}
        and _is_plain_call(found["params"])
    )
    return found if plain else None


def _is_plain_call(params: Any) -> bool:
    if not isinstance(params, dict) or not params.keys() <= {"name", "arguments", "_meta"}:
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
        f'"_meta":{json.dumps(outcome.meta, separators=(",", ":"))},'
        f'"content":[{{"type":"text","text":{json.dumps(text, ensure_ascii=False)}}}],'
        f'"structuredContent":{text},"isError":false}}}}'
    )
    return written.encode("utf-8", "replace")
