"""Lets running calls finish when the server is asked to end, then ends the streams that have no end."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server.http.observing.request_records import ServerState
from citewell.server.http.request_facts import find_header_values

_ENDLESS_METHOD = b"subscriptions/listen"  # a POST whose response is a stream of notifications
_DISCONNECT: Message = {"type": "http.disconnect"}


class CallDrain:
    """Counts the calls of one server. `state.is_draining` turns readiness false."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self.running_calls = 0
        self._is_closing = False
        self.may_streams_end = asyncio.Event()

    def announce_end(self) -> None:
        """From now on the server says that it is not ready. Safe in a signal handler."""
        self._state.is_draining = True

    @property
    def has_begun(self) -> bool:
        return self._state.is_draining

    def close_streams(self) -> None:
        """End idle streams as soon as no call runs. Call it on the event loop, when nothing new can arrive."""
        self._is_closing = True
        self.check_calls()

    def check_calls(self) -> None:
        """End idle streams if they are to end and no call runs."""
        if self._is_closing and not self.running_calls:
            self.may_streams_end.set()

    async def receive_until_end(self, receive: Receive) -> Message:
        """The next message of a stream's client, or a disconnect once streams have to end."""
        if self.may_streams_end.is_set():
            return _DISCONNECT
        message = asyncio.ensure_future(receive())
        ended = asyncio.ensure_future(self.may_streams_end.wait())
        try:
            await asyncio.wait({message, ended}, return_when=asyncio.FIRST_COMPLETED)
            return message.result() if message.done() else _DISCONNECT
        finally:
            message.cancel()
            ended.cancel()


class CallDraining:
    """Tells calls, which are waited for, from streams, which are ended properly."""

    def __init__(self, inner: ASGIApp, drain: CallDrain) -> None:
        self._inner = inner
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
        elif _is_endless_stream(scope):
            await self._serve_stream(scope, receive, send)
        else:
            self._drain.running_calls += 1
            try:
                await self._inner(
                    scope, receive, _close_afterwards(send) if self._drain.has_begun else send
                )
            finally:
                self._drain.running_calls -= 1
                self._drain.check_calls()

    async def _serve_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_open = False

        async def watch_send(message: Message) -> None:
            nonlocal is_open
            is_open = message["type"] == "http.response.start" or message.get("more_body", False)
            await send(message)

        async def receive_or_end() -> Message:
            return await self._drain.receive_until_end(receive)

        await self._inner(scope, receive_or_end, watch_send)
        if is_open and self._drain.may_streams_end.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _close_afterwards(send: Send) -> Send:
    """Tell the client that the connection ends with this response, so that it sends nothing more there."""

    async def send_last(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), (b"connection", b"close")]
            message = {**message, "headers": headers}
        await send(message)

    return send_last


def _is_endless_stream(scope: Scope) -> bool:
    if scope["method"] == "GET":
        accepted = find_header_values(scope, b"accept")
        return any(b"text/event-stream" in value for value in accepted)
    return _ENDLESS_METHOD in find_header_values(scope, b"mcp-method")
