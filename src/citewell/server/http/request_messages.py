"""Tells what an HTTP request asks for, before the SDK reads it: the JSON-RPC method and the tool."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Message, Receive, Scope

MAX_MESSAGE_BYTES = 10 * 2**20  # the default of MAX_REQUEST_BODY_BYTES
MAX_KEPT_BYTES = 1 << 16  # of a message whose content is kept while it is answered
TOOL_CALL_METHOD = "tools/call"
_SCOPE_KEY = "citewell.request_message"  # where the message stands in the ASGI scope of a request


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestMessage:
    """What one JSON-RPC message asks for."""

    method: str  # empty for a response of the client
    tool: str | None = None  # the name in a `tools/call`, as the client wrote it
    # For the response; None for a notification. Two requests that ask for the same are equal.
    id: int | str | None = field(default=None, compare=False)
    # The whole message; None if it is so long that it is not kept beside the body.
    content: dict[str, Any] | None = field(default=None, compare=False, repr=False)


async def read_request_message(
    scope: Scope, receive: Receive, *, max_bytes: int = MAX_MESSAGE_BYTES
) -> tuple[RequestMessage | None, Receive]:
    """The message in the body of a POST, and a `receive` that gives the body again.

    The message is None for other methods, and for a body that the SDK will refuse: one that is
    not JSON, a batch, longer than `max_bytes`, or broken off. It is remembered in `scope`, so that
    the body is read once however many layers ask.
    """
    if scope["type"] != "http" or scope["method"] != "POST":
        return None, receive
    if _SCOPE_KEY in scope:
        return scope[_SCOPE_KEY], receive
    received, body = await _receive_body(receive, max_bytes)
    message = None if body is None else parse_request_message(body)
    scope[_SCOPE_KEY] = message
    return message, _replay_messages(received, receive)


def forget_request_message(scope: Scope) -> None:
    """Let the body be read again, because the scope is that of another request now."""
    scope.pop(_SCOPE_KEY, None)


def parse_request_message(body: bytes) -> RequestMessage | None:
    """The message in `body`; None if it is not one JSON object."""
    found = _parse_json(body)
    if not isinstance(found, dict):
        return None
    method = found.get("method")
    if not isinstance(method, str):
        return RequestMessage(method="")
    params = found.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    is_call = method == TOOL_CALL_METHOD and isinstance(name, str)
    given = found.get("id")
    return RequestMessage(
        method=method,
        tool=name if is_call else None,
        id=given if type(given) in {int, str} else None,
        content=found if len(body) <= MAX_KEPT_BYTES else None,
    )


def _parse_json(body: bytes) -> Any:
    """The value in `body`; None if it is not JSON.

    Everything that the SDK's parsers of either protocol era accept is read, with the same result.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


async def _receive_body(receive: Receive, max_bytes: int) -> tuple[deque[Message], bytes | None]:
    """All that was received, and the body; None instead of the body if it is too long or incomplete."""
    received: deque[Message] = deque()
    size = 0
    while True:
        message = await receive()
        received.append(message)
        if message["type"] != "http.request":
            return received, None
        body = message.get("body", b"")
        size += len(body)
        if size > max_bytes:
            return received, None
        if not message.get("more_body", False):
            whole = len(body) == size
            return received, body if whole else b"".join(part.get("body", b"") for part in received)


def _replay_messages(received: deque[Message], receive: Receive) -> Receive:
    async def replay() -> Message:
        return received.popleft() if received else await receive()

    return replay
