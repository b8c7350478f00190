"""The instant start: answers a chat client's first questions while the SDK is still being imported.

A client opens with `initialize` (or `server/discover`), then `tools/list`. Both answers are known
when the package is built, so they are baked, and given at once. Whatever else comes waits, and
everything seen is replayed to the SDK when it is there. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

MODERN = "2026-07-28"
_META = "io.modelcontextprotocol/"
_SILENT = ("notifications/initialized", "notifications/cancelled")


class Front:
    """Decides, line by line, what can be answered from the baked replies.

    `replies` holds the SDK's own results: `initialize` by version, `tools/list` and
    `server/discover` by era. The first line it cannot answer exactly as the SDK would ends its
    work: that line and all later ones are the SDK's.
    """

    def __init__(
        self, replies: Mapping[str, Any], tools: list[Any], write: Callable[[bytes], None]
    ) -> None:
        self._replies = replies
        self.tools = tools
        self._write = write
        self._era: str | None = None
        self.seen: list[bytes] = []
        self.answered: list[Any] = []
        self.listed = False

    def take(self, line: bytes) -> bool:
        """Answer or note one line; False when the SDK has to be asked."""
        self.seen.append(line)
        message = _parsed(line)
        if message is None:
            return False
        if message.get("method") in _SILENT and "id" not in message:
            return True
        result = self._result(message)
        if result is None:
            return False
        self._reply(message["id"], result)
        return True

    def _reply(self, request_id: Any, result: Any) -> None:
        self.answered.append(request_id)
        reply = {"jsonrpc": "2.0", "id": request_id, "result": result}
        self._write(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    def _result(self, message: Mapping[str, Any]) -> Any:
        """The SDK's result for this request, or None when only the SDK can say."""
        method: Any = message.get("method")
        params: Any = message.get("params")
        if type(message.get("id")) not in {int, str} or message.get("jsonrpc") != "2.0":
            return None
        if self._era is None and method == "initialize" and _plain_initialize(params):
            self._era = "legacy"
            known = self._replies["initialize"]
            return known.get(params["protocolVersion"]) or known[self._replies["latest"]]
        if self._era != "legacy" and _modern_envelope(params):
            self._era = "modern"
            return (
                self._listing(method)
                or (method == "server/discover" and self._replies["discover"])
                or None
            )
        if self._era == "legacy" and _empty(params):
            return {} if method == "ping" else self._listing(method)
        return None

    def _listing(self, method: Any) -> Any:
        if method != "tools/list":
            return None
        self.listed = True
        return {**self._replies["list"][self._era], "tools": self.tools}


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("method"), str) else None


def _empty(params: Any) -> bool:
    """No parameters, or only a progress token."""
    if params is None or params == {}:
        return True
    if (
        not isinstance(params, dict)
        or set(params) != {"_meta"}
        or not isinstance(params["_meta"], dict)
    ):
        return False
    meta = params["_meta"]
    return not meta or (
        set(meta) == {"progressToken"} and type(meta["progressToken"]) in {int, str}
    )


def _plain_initialize(params: Any) -> bool:
    """An `initialize` whose shape leaves the SDK nothing to object to."""
    if not isinstance(params, dict) or not set(params) <= {
        "protocolVersion",
        "capabilities",
        "clientInfo",
    }:
        return False
    version = params.get("protocolVersion")
    return (
        isinstance(version, str)
        and _capabilities(params.get("capabilities"))
        and _client(params.get("clientInfo"))
    )


def _modern_envelope(params: Any) -> bool:
    if (
        not isinstance(params, dict)
        or set(params) != {"_meta"}
        or not isinstance(params["_meta"], dict)
    ):
        return False
    meta = params["_meta"]
    names = {_META + "protocolVersion", _META + "clientInfo", _META + "clientCapabilities"}
    return (
        names <= set(meta) <= names | {"progressToken"}
        and meta[_META + "protocolVersion"] == MODERN
        and _client(meta[_META + "clientInfo"])
        and _capabilities(meta[_META + "clientCapabilities"])
    )


def _client(info: Any) -> bool:
    return (
        isinstance(info, dict)
        and {"name", "version"} <= set(info) <= {"name", "version", "title"}
        and all(isinstance(value, str) for value in info.values())
    )


def _capabilities(given: Any) -> bool:
    """Only the shapes in common use; the SDK judges the rest."""
    if not isinstance(given, dict):
        return False
    known = {"roots", "sampling", "elicitation", "experimental", "extensions"}
    return set(given) <= known and all(_capability(value) for value in given.values())


def _capability(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(
        isinstance(child, bool if name == "listChanged" else dict) for name, child in value.items()
    )
