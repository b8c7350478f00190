"""Answers a tool call whose result is in memory at once, in front of the SDK's HTTP transport.

The SDK decides who may ask: only a request whose headers equal those of one that it has just
served takes the short way. Everything else, and every call that needs work, goes to the SDK.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server import held
from citewell.server.app import App

PRECEDENT = 60.0  # seconds for which the SDK's consent to a set of headers holds
MOST_PRECEDENTS = 4096
_VERSIONS = frozenset(version.encode() for version in held.VERSIONS)
_VARYING = {b"content-length", b"traceparent", b"tracestate", b"baggage"}

Case = tuple[str, tuple[tuple[bytes, bytes], ...]]  # path and headers


class Shortcut:
    def __init__(
        self,
        inner: ASGIApp,
        app: App,
        offered: Mapping[str, frozenset[str]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._app = app
        self._offered = offered
        self._clock = clock
        self._precedents: OrderedDict[Case, float] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tools = self._offered.get(scope.get("path", ""))
        given = dict(scope.get("headers", ()))
        session = given.get(b"mcp-session-id")
        if scope["type"] != "http" or tools is None or session is None:
            await self._inner(scope, receive, send)
        elif scope["method"] == "POST":
            await self._post(scope, receive, send, tools=tools, given=given)
        else:
            if scope["method"] == "DELETE":
                self._forget(session)
            await self._inner(scope, receive, send)

    async def _post(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        tools: frozenset[str],
        given: Mapping[bytes, bytes],
    ) -> None:
        headers = tuple(pair for pair in scope["headers"] if pair[0] not in _VARYING)
        case = (scope["path"], headers)
        if self._consented(case) and given.get(b"mcp-protocol-version") in _VERSIONS:
            first = await receive()
            whole = not first.get("more_body")
            answer = await held.answer(self._app, first.get("body", b""), tools) if whole else None
            if answer is not None:
                await _reply(answer, given[b"mcp-session-id"], send)
                return
            receive = _replayed(first, receive)
        await self._inner(scope, receive, self._watched(case, send))

    def _consented(self, case: Case) -> bool:
        return self._precedents.get(case, -PRECEDENT) + PRECEDENT > self._clock()

    def _watched(self, case: Case, send: Send) -> Send:
        """Note what the SDK makes of these headers."""

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._precedents.pop(case, None)
                if message["status"] == 200:
                    self._precedents[case] = self._clock()
                if len(self._precedents) > MOST_PRECEDENTS:
                    self._precedents.popitem(last=False)
            await send(message)

        return watched

    def _forget(self, session: bytes) -> None:
        """A session that is being ended has no precedents left."""
        mine = (b"mcp-session-id", session)
        for case in [case for case in self._precedents if mine in case[1]]:
            del self._precedents[case]


async def _reply(body: bytes, session: bytes, send: Send) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"mcp-session-id", session),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _replayed(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
