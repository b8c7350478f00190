"""Requests that a layer makes itself, in the name of a client, to the routes behind it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope

from citewell.server.http.refusals import RawHeader
from citewell.server.http.request_messages import forget_request_message

SESSION_HEADER = b"mcp-session-id"
_JSON_HEADERS = (
    (b"host", b"localhost"),
    (b"accept", b"application/json, text/event-stream"),
    (b"content-type", b"application/json"),
)


@dataclass(slots=True)
class InternalResponse:
    status: int = 0
    headers: Sequence[RawHeader] = field(default_factory=tuple)


async def send_internal_request(
    inner: ASGIApp, scope: Scope, method: str, body: bytes = b"", session: bytes | None = None
) -> InternalResponse:
    """The response to a request that has path and caller of `scope`; its body is not kept."""
    named = () if session is None else ((SESSION_HEADER, session),)
    asked = {**scope, "method": method, "headers": [*_JSON_HEADERS, *named]}
    forget_request_message(asked)
    response = InternalResponse()

    async def note(message: Message) -> None:
        if message["type"] == "http.response.start":
            response.status, response.headers = message["status"], message.get("headers", ())

    await inner(asked, replay_messages([_build_body(body)]), note)
    return response


def find_session_id(headers: Sequence[RawHeader]) -> bytes | None:
    return next((value for name, value in headers if name.lower() == SESSION_HEADER), None)


def replace_session_id(headers: Sequence[RawHeader], session: bytes) -> list[RawHeader]:
    """The same headers with another session id; without one if they had none."""
    return [(name, session if name.lower() == SESSION_HEADER else value) for name, value in headers]


async def receive_whole_body(receive: Receive) -> list[Message]:
    """All messages of a request's body; the last one may be a disconnect."""
    received = []
    while True:
        message = await receive()
        received.append(message)
        if message["type"] != "http.request" or not message.get("more_body", False):
            return received


def replay_messages(received: Sequence[Message], then: Receive | None = None) -> Receive:
    """A `receive` that gives these messages, and afterwards what `then` gives, or nothing."""
    waiting = deque(received)

    async def replay() -> Message:
        if waiting:
            return waiting.popleft()
        return await (then or _wait_for_ever)()

    return replay


def _build_body(body: bytes) -> Message:
    return {"type": "http.request", "body": body, "more_body": False}


async def _wait_for_ever() -> Message:
    """What a client sends that neither says more nor goes away."""
    await asyncio.Event().wait()
    raise AssertionError
