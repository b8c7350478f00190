"""A tool call whose answer is in memory, read and answered without the SDK."""

from __future__ import annotations

import json
from typing import Any

from citewell.server.app import App
from citewell.server.pipeline import Outcome

MOST_BYTES = 1 << 16  # a longer request is the SDK's to judge
VERSIONS = frozenset({"2025-06-18", "2025-11-25"})  # whose result of tools/call is the same
_RESERVED = "io.modelcontextprotocol/"  # marks a request of the later era


async def answer(app: App, body: bytes, offered: frozenset[str]) -> bytes | None:
    """The whole response frame; None when the SDK has to see the request."""
    found = asked(body) if len(body) <= MOST_BYTES else None
    if found is None or found["params"]["name"] not in offered:
        return None
    params = found["params"]
    outcome = await app.known(params["name"], params["arguments"], request_id=str(found["id"]))
    return None if outcome is None else frame(found["id"], outcome)


def asked(body: bytes) -> dict[str, Any] | None:
    """A plain tools/call of the handshake era; None for anything else."""
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
        and _plain(found["params"])
    )
    return found if plain else None


def _plain(params: Any) -> bool:
    if not isinstance(params, dict) or not params.keys() <= {"name", "arguments", "_meta"}:
        return False
    meta = params.get("_meta", {})
    return (
        isinstance(params.get("name"), str)
        and isinstance(params.get("arguments"), dict)
        and isinstance(meta, dict)
        and not any(key.startswith(_RESERVED) for key in meta)
    )


def frame(request_id: int | str, outcome: Outcome) -> bytes | None:
    """A tools/call response as the SDK would write it."""
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
