"""Answers tool calls whose results are cached in memory, without the SDK's HTTP transport.

The SDK still decides who may call: the shortcut is only for a request with the same headers as one
that the SDK has recently accepted. All other requests, and calls without a cached result, go to
the SDK.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.call_values import CallOrigin
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.observing.request_records import find_request_record
from citewell.server.http.refusals import RawHeader, send_json_body
from citewell.server.http.request_facts import (
    find_header_values,
    read_client_address,
    read_request_message,
)
from citewell.server.protocol import plain_calls

PRECEDENT_SECONDS = 60.0  # how long the SDK's acceptance of a set of headers is valid
MAX_PRECEDENTS = 4096
_SESSION_HEADER = b"mcp-session-id"
_SUPPORTED_VERSION_HEADERS = frozenset(
    version.encode() for version in plain_calls.SUPPORTED_VERSIONS
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
                ended = (_SESSION_HEADER, session[-1])
                for case in [case for case in self._precedents if ended in case[2]]:
                    del self._precedents[case]
            await self._inner(scope, receive, send)

    async def _answer_post(
        self, scope: Scope, receive: Receive, send: Send, *, tools: frozenset[str], session: bytes
    ) -> None:
        headers = tuple([pair for pair in scope["headers"] if pair[0] not in _IGNORED_HEADERS])
        owner = find_caller(scope).owner
        case = (scope["path"], owner, headers)
        versions = find_header_values(scope, b"mcp-protocol-version")
        if (
            self._precedents.get(case, -PRECEDENT_SECONDS) + PRECEDENT_SECONDS > self._clock()
            and versions
            and versions[-1] in _SUPPORTED_VERSION_HEADERS
        ):
            message, receive = await read_request_message(scope, receive)
            answer = await plain_calls.answer_cached_call(
                self._app,
                None if message is None else message.content,
                tools,
                owner=owner,
                request_id=find_request_record(scope).id,
                origin=find_call_origin(scope),
            )
            if answer is not None:
                await send_json_body(send, 200, answer, [(_SESSION_HEADER, session)])
                return
        await self._inner(scope, receive, self._record_precedent(case, send))

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


# Where an HTTP request came from, for the audit log.


def find_call_origin(scope: MutableMapping[str, Any]) -> CallOrigin:
    """The address of the sender and the MCP session, as far as the request tells them."""
    address = read_client_address(scope)
    session = next(iter(find_header_values(scope, b"mcp-session-id")), b"")
    return CallOrigin(
        source_ip=str(address) if address else None,
        session_id=session.decode("latin-1")[:200] or None,
    )
