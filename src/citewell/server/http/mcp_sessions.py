"""Limits the MCP sessions that each caller has, and keeps them from other callers.

Only the older protocol has sessions. The SDK keeps them and ends them when idle; this layer counts
them, and ends one by the request with which a client would.
"""

from __future__ import annotations

import json
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.core.config import Settings
from citewell.core.tooling import Owner
from citewell.server.http import request_facts
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.refusals import RawHeader
from citewell.server.settings import ServerSettings

RETRY_SECONDS = 30  # told to a caller whose sessions are all in use
_SESSION_HEADER = b"mcp-session-id"
_OPENING_METHOD = "initialize"
_INVALID_REQUEST, _INTERNAL_ERROR = -32600, -32603


@dataclass(slots=True, kw_only=True)
class McpSession:
    """An open session. `holder` is counted for it; `identity` alone may use it."""

    id: bytes
    path: str
    holder: str
    identity: tuple[Owner, str | None]
    user: object  # what the SDK compares; see `scope["user"]`
    running: int = 0  # requests under way, an open stream included
    last_used: float = 0.0


class SessionBook:
    """The open sessions in the order of their last use."""

    def __init__(
        self,
        *,
        max_total: int,
        max_per_holder: int,
        idle_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._max_total = max_total
        self._max_per_holder = max_per_holder
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._sessions: OrderedDict[bytes, McpSession] = OrderedDict()
        self._by_holder: Counter[str] = Counter()  # sessions, and those being opened
        self._opening = 0

    def count_sessions(self) -> int:
        self._drop_expired()
        return len(self._sessions)

    def find_session(self, session_id: bytes) -> McpSession | None:
        return self._sessions.get(session_id)

    def add_session(self, session: McpSession) -> None:
        session.last_used = self._clock()
        self._sessions[session.id] = session
        self._by_holder[session.holder] += 1

    def drop_session(self, session: McpSession) -> None:
        if self._sessions.pop(session.id, None) is not None:
            self._release_place(session.holder)

    def begin_use(self, session: McpSession) -> None:
        session.running += 1

    def end_use(self, session: McpSession) -> None:
        session.running -= 1
        session.last_used = self._clock()
        if session.id in self._sessions:
            self._sessions.move_to_end(session.id)

    def begin_opening(self, holder: str) -> None:
        """Count a session that is being opened."""
        self._by_holder[holder] += 1
        self._opening += 1

    def end_opening(self, holder: str) -> None:
        self._opening -= 1
        self._release_place(holder)

    def has_room(self, holder: str) -> bool:
        self._drop_expired()
        return (
            self._by_holder[holder] < self._max_per_holder
            and len(self._sessions) + self._opening < self._max_total
        )

    def choose_victim(self, holder: str) -> McpSession | None:
        """The session to end so that `holder` may open one; None if all that may end are in use.

        A caller over its own limit loses one of its own; if the server is full, whoever has most.
        """
        if self._by_holder[holder] < self._max_per_holder:
            holder = max(self._by_holder, key=lambda name: self._by_holder[name], default=holder)
        idle = (session for session in self._sessions.values() if not session.running)
        return next((session for session in idle if session.holder == holder), None)

    def _drop_expired(self) -> None:
        """Forget what the SDK has ended, because it was not used for long."""
        before = self._clock() - self._idle_seconds
        expired = []
        for session in self._sessions.values():
            if session.last_used > before and not session.running:
                break  # the others were used later
            if not session.running:
                expired.append(session)
        for session in expired:
            self.drop_session(session)

    def _release_place(self, holder: str) -> None:
        self._by_holder[holder] -= 1
        if not self._by_holder[holder]:
            del self._by_holder[holder]


class McpSessionLimits:
    """Stands behind authentication: it asks who the caller is."""

    def __init__(
        self,
        inner: ASGIApp,
        book: SessionBook,
        paths: Collection[str],
        *,
        trusted: Sequence[request_facts.IpNetwork] = (),
    ) -> None:
        """`trusted` are the proxies whose word on the address of a caller is taken."""
        self._inner = inner
        self._book = book
        self._paths = paths
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in self._paths:
            await self._inner(scope, receive, send)
            return
        given = request_facts.find_header_values(scope, _SESSION_HEADER)
        if len(given) > 1:  # the SDK could take another one than this layer
            await send_session_error(send, 400, _INVALID_REQUEST, "Mcp-Session-Id is repeated")
        elif given:
            await self._serve_session(given[0], scope, receive, send)
        else:
            # The body is read first, so that half a request does not hold the place of a session.
            message, receive = await request_facts.read_request_message(scope, receive)
            if message is not None and message.method == _OPENING_METHOD:
                await self._open_session(scope, receive, send)
            else:
                await self._inner(scope, receive, send)

    async def _serve_session(
        self, session_id: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        session = self._book.find_session(session_id)
        if session is None:
            await self._inner(scope, receive, send)  # the SDK does not know it either
            return
        if session.identity != find_identity(scope):
            await send_session_error(send, 404, _INVALID_REQUEST, "Session not found")
            return

        async def watch_send(message: Message) -> None:
            ended = scope["method"] == "DELETE" and message.get("status") == 200
            if ended or message.get("status") == 404:
                self._book.drop_session(session)
            await send(message)

        self._book.begin_use(session)
        try:
            await self._inner(scope, receive, watch_send)
        finally:
            self._book.end_use(session)

    async def _open_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        holder = find_holder(scope, self._trusted)
        if not await self._make_room(holder):
            retry = [(b"retry-after", str(RETRY_SECONDS).encode())]
            message = "Too many open sessions, all in use. End some of them, or come back later."
            await send_session_error(send, 503, _INTERNAL_ERROR, message, retry)
            return

        is_opening = True

        async def watch_send(message: Message) -> None:
            nonlocal is_opening
            if is_opening and message["type"] == "http.response.start" and message["status"] < 400:
                for name, value in message["headers"]:
                    if name.lower() == _SESSION_HEADER:
                        self._book.add_session(_describe_session(value, holder, scope))
                is_opening = False
                self._book.end_opening(holder)  # now, as the client may open the next at once
            await send(message)

        self._book.begin_opening(holder)
        try:
            await self._inner(scope, receive, watch_send)
        finally:
            if is_opening:
                self._book.end_opening(holder)

    async def _make_room(self, holder: str) -> bool:
        """End unused sessions until `holder` may open one; False if none can be ended."""
        while not self._book.has_room(holder):
            victim = self._book.choose_victim(holder)
            if victim is None:
                return False
            self._book.drop_session(victim)
            await self._end_session(victim)
        return True

    async def _end_session(self, session: McpSession) -> None:
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "scheme": "http",
            "method": "DELETE",
            "path": session.path,
            "raw_path": session.path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (_SESSION_HEADER, session.id)],
            "client": None,
            "server": None,
            "user": session.user,
        }

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def ignore(_: Message) -> None:
            return

        await self._inner(scope, receive, ignore)


def build_session_book(
    settings: Settings, clock: Callable[[], float] = time.monotonic
) -> SessionBook:
    server_settings = settings[ServerSettings]
    return SessionBook(
        max_total=server_settings.max_mcp_sessions,
        max_per_holder=server_settings.max_caller_mcp_sessions,
        idle_seconds=server_settings.mcp_session_idle_timeout,
        clock=clock,
    )


def find_identity(scope: MutableMapping[str, Any]) -> tuple[Owner, str | None]:
    """Who may use the sessions that this request opens."""
    caller = find_caller(scope)
    return caller.owner, caller.client_id


def find_holder(scope: Scope, trusted: Sequence[request_facts.IpNetwork] = ()) -> str:
    """For whom a session is counted: the verified owner, or an address if nobody proves anything."""
    caller = find_caller(scope)
    if caller.is_authenticated:
        return str(caller.owner)
    return request_facts.name_address_group(request_facts.find_client_address(scope, trusted))


def _describe_session(session_id: bytes, holder: str, scope: Scope) -> McpSession:
    return McpSession(
        id=session_id,
        path=scope["path"],
        holder=holder,
        identity=find_identity(scope),
        user=scope.get("user"),
    )


async def send_session_error(
    send: Send, status: int, code: int, message: str, headers: Collection[RawHeader] = ()
) -> None:
    """An error in the form of the protocol, as the SDK sends it."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    given = [(b"content-type", b"application/json"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": json.dumps(error).encode()})
