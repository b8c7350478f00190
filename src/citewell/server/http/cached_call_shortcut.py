"""Answers tool calls whose results are cached in memory, without the SDK's HTTP transport.

The SDK still decides who may call: the shortcut is only for a request with the same headers as one
that the SDK has recently accepted. All other requests, and calls without a cached result, go to
the SDK.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server.app import App
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.call_origins import find_call_origin
from citewell.server.http.header_values import find_header_values
from citewell.server.http.observing.request_records import find_request_record
from citewell.server.http.refusals import RawHeader
from citewell.server.http.request_messages import read_request_message
from citewell.server.protocol import cached_replies
from citewell.tooling import Owner

PRECEDENT_SECONDS = 60.0  # how long the SDK's acceptance of a set of headers is valid
MAX_PRECEDENTS = 4096
_SESSION_HEADER = b"mcp-session-id"
_SUPPORTED_VERSION_HEADERS = frozenset(
    version.encode() for version in cached_replies.SUPPORTED_VERSIONS
)
_IGNORED_HEADERS = {b"content-length", b"traceparent", b"tracestate", b"baggage", b"x-request-id"}

RequestKey = tuple[str, Owner, tuple[RawHeader, ...]]  # path, owner and headers


class CachedCallShortcut:
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
        self._precedents: OrderedDict[RequestKey, float] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tools = self._offered.get(scope.get("path", ""))
        session = find_header_values(scope, _SESSION_HEADER) if tools is not None else ()
        if scope["type"] != "http" or tools is None or not session:
            await self._inner(scope, receive, send)
        elif scope["method"] == "POST":
            await self._answer_post(scope, receive, send, tools=tools, session=session[-1])
        else:
            if scope["method"] == "DELETE":
                self._forget_mcp_session(session[-1])
            await self._inner(scope, receive, send)

    async def _answer_post(
        self, scope: Scope, receive: Receive, send: Send, *, tools: frozenset[str], session: bytes
    ) -> None:
        headers = tuple([pair for pair in scope["headers"] if pair[0] not in _IGNORED_HEADERS])
        owner = find_caller(scope).owner
        case = (scope["path"], owner, headers)
        if self._has_precedent(case) and _names_supported_version(scope):
            message, receive = await read_request_message(scope, receive)
            answer = await cached_replies.answer_cached_call(
                self._app,
                None if message is None else message.content,
                tools,
                owner=owner,
                request_id=find_request_record(scope).id,
                origin=find_call_origin(scope),
            )
            if answer is not None:
                await _send_json_response(answer, session, send)
                return
        await self._inner(scope, receive, self._record_precedent(case, send))

    def _has_precedent(self, case: RequestKey) -> bool:
        return self._precedents.get(case, -PRECEDENT_SECONDS) + PRECEDENT_SECONDS > self._clock()

    def _record_precedent(self, case: RequestKey, send: Send) -> Send:
        """A `send` that records whether the SDK accepted these headers."""

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._precedents.pop(case, None)
                if message["status"] == 200:
                    self._precedents[case] = self._clock()
                if len(self._precedents) > MAX_PRECEDENTS:
                    self._precedents.popitem(last=False)
            await send(message)

        return watched

    def _forget_mcp_session(self, session: bytes) -> None:
        """Remove the precedents of an MCP session that is being ended."""
        mine = (_SESSION_HEADER, session)
        for case in [case for case in self._precedents if mine in case[2]]:
            del self._precedents[case]


async def _send_json_response(body: bytes, session: bytes, send: Send) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (_SESSION_HEADER, session),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _names_supported_version(scope: Scope) -> bool:
    given = find_header_values(scope, b"mcp-protocol-version")
    return bool(given) and given[-1] in _SUPPORTED_VERSION_HEADERS
