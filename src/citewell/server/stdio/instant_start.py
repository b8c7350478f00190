"""The instant start: answers a client's first requests while the session is still being imported.

A client begins with `initialize` (or `server/discover`), then `tools/list`. Both answers are stored
in the manifest and sent at once. The first request that it cannot answer waits for the session. If
the SDK is needed later, the lines answered here are replayed to it. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

MODERN_VERSION = "2026-07-28"
_MCP_META_PREFIX = "io.modelcontextprotocol/"
_UNANSWERED_METHODS = ("notifications/initialized", "notifications/cancelled")


class InstantStart:
    """Answers requests from the replies in the manifest, as long as it can.

    `replies` holds the SDK's results: `initialize` by version, `tools/list` by protocol era, and
    `server/discover`. The first line that it cannot answer exactly as the SDK would, and all later
    lines, are left to the session.
    """

    def __init__(
        self, replies: Mapping[str, Any], tools: list[Any], write: Callable[[bytes], None]
    ) -> None:
        self._replies = replies
        self.tools = tools
        self._write = write
        self._era: str | None = None
        self.version: str | None = None  # of the protocol, as agreed in the handshake
        self.taken: list[bytes] = []  # the lines that need no other answer
        self.left: bytes | None = None  # the line that has to be answered by the session
        self.answered: list[Any] = []
        self.listed = False

    def answer_line(self, line: bytes) -> bool:
        """Record one line and answer it if possible; False if the session has to answer."""
        message = _parse_message(line)
        is_unanswered = message and message["method"] in _UNANSWERED_METHODS and "id" not in message
        result = self._find_baked_result(message) if message and not is_unanswered else None
        if message is None or (result is None and not is_unanswered):
            self.left = line
            return False
        self.taken.append(line)
        if is_unanswered:
            return True
        self.answered.append(message["id"])
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        self._write(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        return True

    def _find_baked_result(self, message: Mapping[str, Any]) -> Any:
        """The stored result for this request, or None if the SDK has to answer."""
        method: Any = message.get("method")
        params: Any = message.get("params")
        if type(message.get("id")) not in {int, str} or message.get("jsonrpc") != "2.0":
            return None
        if self._era is None and method == "initialize" and _is_plain_initialize(params):
            self._era = "legacy"
            known = self._replies["initialize"]
            result = known.get(params["protocolVersion"]) or known[self._replies["latest"]]
            self.version = result["protocolVersion"]
            return result
        if self._era != "legacy" and _is_modern_envelope(params):
            self._era = "modern"
            return (
                self._find_tool_listing(method)
                or (method == "server/discover" and self._replies["discover"])
                or None
            )
        if self._era == "legacy" and is_without_params(params):
            return {} if method == "ping" else self._find_tool_listing(method)
        return None

    def _find_tool_listing(self, method: Any) -> Any:
        if method != "tools/list":
            return None
        self.listed = True
        return {**self._replies["list"][self._era], "tools": self.tools}


def _parse_message(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("method"), str) else None


def _find_only_meta(params: Any) -> dict[str, Any] | None:
    """The `_meta` of parameters that have nothing else."""
    if not isinstance(params, dict) or set(params) != {"_meta"}:
        return None
    return params["_meta"] if isinstance(params["_meta"], dict) else None


def is_without_params(params: Any) -> bool:
    """True if there are no parameters, or only a progress token."""
    if params is None or params == {}:
        return True
    meta = _find_only_meta(params)
    return meta == {} or (
        meta is not None
        and set(meta) == {"progressToken"}
        and type(meta["progressToken"]) in {int, str}
    )


def _is_plain_initialize(params: Any) -> bool:
    """True for `initialize` parameters that the SDK certainly accepts."""
    if not isinstance(params, dict) or not set(params) <= {
        "protocolVersion",
        "capabilities",
        "clientInfo",
    }:
        return False
    version = params.get("protocolVersion")
    return (
        isinstance(version, str)
        and _has_known_capabilities(params.get("capabilities"))
        and _is_client_info(params.get("clientInfo"))
    )


def _is_modern_envelope(params: Any) -> bool:
    meta = _find_only_meta(params)
    if meta is None:
        return False
    names = {
        _MCP_META_PREFIX + "protocolVersion",
        _MCP_META_PREFIX + "clientInfo",
        _MCP_META_PREFIX + "clientCapabilities",
    }
    return (
        names <= set(meta) <= names | {"progressToken"}
        and meta[_MCP_META_PREFIX + "protocolVersion"] == MODERN_VERSION
        and _is_client_info(meta[_MCP_META_PREFIX + "clientInfo"])
        and _has_known_capabilities(meta[_MCP_META_PREFIX + "clientCapabilities"])
    )


def _is_client_info(info: Any) -> bool:
    return (
        isinstance(info, dict)
        and {"name", "version"} <= set(info) <= {"name", "version", "title"}
        and all(isinstance(value, str) for value in info.values())
    )


def _has_known_capabilities(given: Any) -> bool:
    """True for the capability shapes in common use; the SDK checks all others."""
    if not isinstance(given, dict):
        return False
    known = {"roots", "sampling", "elicitation", "experimental", "extensions"}
    return set(given) <= known and all(_is_known_capability(value) for value in given.values())


def _is_known_capability(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(
        isinstance(child, bool if name == "listChanged" else dict) for name, child in value.items()
    )
