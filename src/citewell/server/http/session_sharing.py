"""Serves a session on whichever instance its requests arrive, so that no balancer has to know sessions.

The instance that opens a session keeps in the store what its client said. Another one that gets a
request of it makes a copy: it sends the same `initialize` to its own SDK, under an id of its own,
and replaces the ids in the headers from then on. Messages that end or answer something that runs on
another instance are passed on through the store. Stands outside the layer that counts sessions, and
only if the store is a database server.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.core.errors import CitewellError
from citewell.server.http import request_facts
from citewell.server.http.mcp_sessions import (
    RETRY_SECONDS,
    find_holder,
    find_identity,
    send_session_error,
)
from citewell.server.http.message_relay import (
    SESSION_HEADER,
    MessageRelay,
    SessionCopies,
    SessionCopy,
    find_session_id,
    receive_whole_body,
    replace_session_id,
    send_internal_request,
)
from citewell.server.state.mcp_session_store import SharedSession, SqlMcpSessionStore
from citewell.store.failures import StoreFull

logger = logging.getLogger(__name__)
CHECK_SECONDS = 10.0  # for which a session is served without asking the store whether it was ended
_OPENING_METHOD, _CANCEL_METHOD = "initialize", "notifications/cancelled"
_RESPONSE = ""  # what `RequestMessage.method` is for a response of the client
_PASSED_ON = frozenset({_RESPONSE, _CANCEL_METHOD})
_NEEDS_NO_COPY = _PASSED_ON | {"notifications/initialized"}
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_HANDSHAKE_VERSIONS = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)
_INVALID_REQUEST, _INTERNAL_ERROR = -32600, -32603
_MAX_MAKING_TRIES = 2  # the SDK may have ended the copy that a request was meant for


class _CopyRefused(Exception):
    """The SDK, or the layer that counts its sessions, has no room for a copy."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    per_holder: int
    idle_seconds: float


class SessionSharing:
    """The ASGI layer; its `lifespan` runs the relay of messages."""

    def __init__(
        self,
        inner: ASGIApp,
        find_store: Callable[[], SqlMcpSessionStore],
        paths: Collection[str],
        limits: SessionLimits,
        *,
        trusted: Sequence[request_facts.IpNetwork] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`find_store` opens the store at the first use. `trusted` are proxies, as for the limits."""
        self._inner = inner
        self._find_store = find_store
        self._paths = paths
        self._limits = limits
        self._trusted = trusted
        self._clock = clock
        self._copies = SessionCopies(idle_seconds=limits.idle_seconds, clock=clock)
        self._relay = MessageRelay(inner, find_store, self._copies)
        self._making: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with self._relay.run_in_background():
                await self._inner(scope, receive, send)
        elif scope["type"] != "http" or scope["path"] not in self._paths or _is_modern(scope):
            await self._inner(scope, receive, send)
        elif given := request_facts.find_header_values(scope, SESSION_HEADER):
            # Repeated ids are refused by the layer behind this one.
            serve = self._serve_shared_session if len(given) == 1 else self._inner
            await serve(scope, receive, send)
        else:
            message, receive = await request_facts.read_request_message(scope, receive)
            is_opening = message is not None and message.method == _OPENING_METHOD
            await (self._open_session if is_opening else self._inner)(scope, receive, send)

    async def _open_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        message, receive = await request_facts.read_request_message(scope, receive)
        if message is None or message.content is None:
            text = "The initialize request is too large to be kept for other instances."
            await send_session_error(send, 413, _INVALID_REQUEST, text)
            return
        holder = find_holder(scope, self._trusted)
        try:
            has_room = await self._find_store().make_room(holder, self._limits.per_holder)
        except CitewellError as error:
            await _send_store_error(send, error)
            return
        if not has_room:
            text = "Too many open sessions, all in use. End some of them, or come back later."
            await _send_later(send, text)
            return
        opening = json.dumps(message.content)
        kept = _KeptOpening(
            send, lambda session: self._keep_session(session, opening, holder, scope)
        )
        await self._inner(scope, receive, kept.send_in_order)
        if kept.refused is not None:
            await send_internal_request(self._inner, scope, "DELETE", session=kept.refused)

    async def _keep_session(
        self, session_id: bytes, opening: str, holder: str, scope: Scope
    ) -> None:
        """Put a session that the SDK has just opened into the store; it is its own first copy."""
        owner, client_id = find_identity(scope)
        shared = SharedSession(path=scope["path"], client_id=client_id, opening=opening)
        store, name = self._find_store(), session_id.decode("latin-1")
        await store.open_session(str(owner), name, shared, holder=holder)
        await self._add_session_copy(name, session_id, client_id, scope)

    async def _serve_shared_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        session_id = request_facts.find_header_values(scope, SESSION_HEADER)[0].decode("latin-1")
        message, receive = await request_facts.read_request_message(scope, receive)
        received = await receive_whole_body(receive) if scope["method"] == "POST" else []
        try:
            shared = await self._check_session(session_id, scope)
        except CitewellError as error:
            await _send_store_error(send, error)
            return
        if not shared:
            await send_session_error(send, 404, _INVALID_REQUEST, "Session not found")
        elif scope["method"] == "DELETE":
            await self._end_shared_session(session_id, scope, receive, send)
        else:
            if message is not None and message.method in _PASSED_ON:
                await self._pass_message_on(session_id, scope, received)
            is_known = self._copies.find_copy(session_id) is not None
            if not is_known and message is not None and message.method in _NEEDS_NO_COPY:
                await send({"type": "http.response.start", "status": 202, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            await self._forward_session_request(session_id, scope, (received, receive), send)

    async def _check_session(self, session_id: str, scope: Scope) -> bool:
        """Whether the caller may use this session; the store is asked now and then."""
        owner, client_id = find_identity(scope)
        copy = self._copies.find_copy(session_id)
        if copy is not None and self._clock() - copy.checked_at < CHECK_SECONDS:
            return _is_for(copy, scope)
        try:
            shared = await self._find_store().use_session(str(owner), session_id)
        except CitewellError:
            if copy is not None:
                return _is_for(copy, scope)  # the store is away, and the session was there before
            raise
        if shared is None:
            if copy is not None and _is_for(copy, scope):
                await self._relay.end_copy(copy)
            return False
        if copy is not None:
            copy.checked_at = self._clock()
        return shared.client_id == client_id and shared.path == scope["path"]

    async def _pass_message_on(
        self, session_id: str, scope: Scope, received: Sequence[Message]
    ) -> None:
        body = b"".join(part.get("body", b"") for part in received)
        owner, _ = find_identity(scope)
        try:
            content = body.decode()
            await self._find_store().send_message(str(owner), session_id, content)
        except CitewellError as error:
            logger.warning("A message is not passed on to other instances. %s", error.message)

    async def _end_shared_session(
        self, session_id: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        owner, _ = find_identity(scope)
        copy = self._copies.find_copy(session_id)
        try:
            await self._find_store().close_session(str(owner), session_id)
        except CitewellError as error:
            await _send_store_error(send, error)
            return
        if copy is not None:
            self._copies.drop_copy(copy)
            with suppress(_CopyRefused):
                await self._send_to_copy(copy, scope, receive, send)
                return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def _forward_session_request(
        self,
        session_id: str,
        scope: Scope,
        body: tuple[Sequence[Message], Receive],
        send: Send,
    ) -> None:
        """Serve the request by the copy of its session, which is made again if the SDK lost it."""
        received, receive = body
        for _ in range(_MAX_MAKING_TRIES):
            try:
                copy = await self._ensure_copy(session_id, scope)
                await self._send_to_copy(
                    copy, scope, request_facts.replay_messages(received, receive), send
                )
            except _CopyRefused:
                lost = self._copies.find_copy(session_id)
                if lost is not None:
                    self._copies.drop_copy(lost)
            except CitewellError as error:
                await _send_store_error(send, error)
                return
            else:
                return
        await _send_later(send, "This instance has no room for the session now. Come back later.")

    async def _send_to_copy(
        self, copy: SessionCopy, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Raises _CopyRefused, and sends nothing, if the SDK does not know the copy any more."""
        is_lost = False

        async def watch_send(message: Message) -> None:
            nonlocal is_lost
            if message["type"] == "http.response.start":
                is_lost = message["status"] == 404
                headers = replace_session_id(message.get("headers", ()), copy.id.encode("latin-1"))
                message = {**message, "headers": headers}
            if not is_lost:
                await send(message)

        headers = replace_session_id(scope["headers"], copy.local_id)
        self._copies.begin_use(copy)
        try:
            await self._inner({**scope, "headers": headers}, receive, watch_send)
        finally:
            self._copies.end_use(copy)
        if is_lost:
            raise _CopyRefused

    async def _ensure_copy(self, session_id: str, scope: Scope) -> SessionCopy:
        """The copy of a session, made on first use. Raises _CopyRefused if there is no room for it."""
        async with self._making.setdefault(session_id, asyncio.Lock()):
            known = self._copies.find_copy(session_id)
            if known is not None:
                return known
            owner, client_id = find_identity(scope)
            shared = await self._find_store().use_session(str(owner), session_id)
            if shared is None:
                raise _CopyRefused
            opened = await send_internal_request(
                self._inner, scope, "POST", shared.opening.encode()
            )
            local_id = find_session_id(opened.headers)
            if opened.status >= 400 or local_id is None:
                raise _CopyRefused
            await send_internal_request(self._inner, scope, "POST", _INITIALIZED, local_id)
            return await self._add_session_copy(session_id, local_id, client_id, scope)

    async def _add_session_copy(
        self, session_id: str, local_id: bytes, client_id: str | None, scope: Scope
    ) -> SessionCopy:
        now = self._clock()
        copy = SessionCopy(
            id=session_id,
            name=await self._find_store().hash_session_name(session_id),
            local_id=local_id,
            client_id=client_id,
            scope=dict(scope),
            checked_at=now,
            used_at=now,
        )
        self._copies.add_copy(copy)
        self._relay.is_needed.set()
        return copy


class _KeptOpening:
    """Sends the response to `initialize` once the session is kept, or an error instead of it."""

    def __init__(self, send: Send, keep: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._keep = keep
        self._in_order = asyncio.Lock()  # the SDK sends signs of life while the store is written
        self.refused: bytes | None = None  # the session that could not be kept

    async def send_in_order(self, message: Message) -> None:
        async with self._in_order:
            is_start = message["type"] == "http.response.start" and message["status"] < 400
            session_id = find_session_id(message.get("headers", ())) if is_start else None
            if session_id is not None:
                try:
                    await self._keep(session_id)
                except CitewellError as error:
                    self.refused = session_id
                    await _send_store_error(self._send, error)
            if self.refused is None:
                await self._send(message)


def _is_modern(scope: Scope) -> bool:
    """Whether the SDK takes the request for one of the era without sessions."""
    given = request_facts.find_header_values(scope, b"mcp-protocol-version")
    return bool(given) and given[0] not in _HANDSHAKE_VERSIONS


def _is_for(copy: SessionCopy, scope: Scope) -> bool:
    return find_identity(copy.scope) == find_identity(scope) and copy.scope["path"] == scope["path"]


async def _send_store_error(send: Send, error: CitewellError) -> None:
    logger.warning("A session cannot be looked up. %s", error.message)
    reason = f" {error.message}" if isinstance(error, StoreFull) else ""
    await _send_later(send, f"The session cannot be looked up now.{reason} Come back later.")


async def _send_later(send: Send, text: str) -> None:
    retry = [(b"retry-after", str(RETRY_SECONDS).encode())]
    await send_session_error(send, 503, _INTERNAL_ERROR, text, retry)
