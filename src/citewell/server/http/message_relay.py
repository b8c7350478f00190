"""Brings messages that reached another instance to the copy of their session here, and keeps copies alive."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope

from citewell.core.errors import CitewellError
from citewell.server.http.refusals import RawHeader
from citewell.server.http.request_facts import forget_request_message, replay_messages
from citewell.server.state.mcp_session_store import (
    MESSAGE_TOPIC,
    SessionMessage,
    SqlMcpSessionStore,
)

SESSION_HEADER = b"mcp-session-id"
_JSON_HEADERS = (
    (b"host", b"localhost"),
    (b"accept", b"application/json, text/event-stream"),
    (b"content-type", b"application/json"),
)


logger = logging.getLogger(__name__)
KEEP_SECONDS = 10.0  # between two signs of life of sessions whose requests run for long
_RETRY_SECONDS = 1.0  # after the store has failed


class MessageRelay:
    """Listens from the first copy on, while the server runs."""

    def __init__(
        self, inner: ASGIApp, find_store: Callable[[], SqlMcpSessionStore], copies: SessionCopies
    ) -> None:
        self._inner = inner
        self._find_store = find_store
        self._copies = copies
        self.is_needed = asyncio.Event()  # set by the first copy
        self._delivered: frozenset[int] = frozenset()

    @contextlib.asynccontextmanager
    async def run_in_background(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def end_copy(self, copy: SessionCopy) -> None:
        """End the session of the SDK here, because the shared one has ended."""
        self._copies.drop_copy(copy)
        await send_internal_request(self._inner, copy.scope, "DELETE", session=copy.local_id)

    async def _listen(self) -> None:
        await self.is_needed.wait()
        clock = asyncio.get_running_loop().time
        keep_at = clock() + KEEP_SECONDS
        async with self._find_store().notices.watch(MESSAGE_TOPIC) as watch:
            while True:
                await watch.wait(max(0.0, keep_at - clock()))
                try:
                    await self.deliver_messages()
                    if clock() >= keep_at:
                        keep_at = clock() + KEEP_SECONDS
                        self._copies.drop_unused()
                        await self._find_store().keep_sessions(self._copies.list_busy_names())
                except CitewellError as error:
                    logger.warning("Messages of sessions are not heard now. %s", error.message)
                    await asyncio.sleep(_RETRY_SECONDS)

    async def deliver_messages(self) -> None:
        """Give the copies here what was passed on for them since the last time."""
        messages = await self._find_store().list_messages(frozenset(self._copies.by_name))
        fresh = [message for message in messages if message.number not in self._delivered]
        self._delivered = frozenset(message.number for message in messages)
        for message in fresh:
            await self._deliver_message(message)

    async def _deliver_message(self, message: SessionMessage) -> None:
        copy = self._copies.by_name.get(message.session)
        if copy is None:
            return
        if message.content is None:
            await self.end_copy(copy)
            return
        await send_internal_request(
            self._inner, copy.scope, "POST", message.content.encode(), copy.local_id
        )


# The sessions of the SDK in this process that stand for shared ones.


@dataclass(slots=True, kw_only=True)
class SessionCopy:
    """A shared session as this instance serves it: the SDK knows it by `local_id`."""

    id: str  # what the client calls it
    name: str  # of its row in the store
    local_id: bytes
    client_id: str | None
    scope: Scope  # path and caller of the request that made the copy
    checked_at: float  # when the store last said that the session is there
    used_at: float
    running: int = 0  # requests under way, an open stream included


class SessionCopies:
    """The copies in the order of their last use, by id and by the name of the row."""

    def __init__(self, *, idle_seconds: float, clock: Callable[[], float]) -> None:
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._by_id: OrderedDict[str, SessionCopy] = OrderedDict()
        self.by_name: dict[str, SessionCopy] = {}

    def find_copy(self, session_id: str) -> SessionCopy | None:
        return self._by_id.get(session_id)

    def list_busy_names(self) -> list[str]:
        """The names of the sessions whose requests are under way."""
        return [copy.name for copy in self._by_id.values() if copy.running]

    def add_copy(self, copy: SessionCopy) -> None:
        self._by_id[copy.id] = self.by_name[copy.name] = copy

    def drop_copy(self, copy: SessionCopy) -> None:
        if self._by_id.get(copy.id) is copy:
            del self._by_id[copy.id]
            del self.by_name[copy.name]

    def begin_use(self, copy: SessionCopy) -> None:
        copy.running += 1

    def end_use(self, copy: SessionCopy) -> None:
        copy.running -= 1
        copy.used_at = self._clock()
        if self._by_id.get(copy.id) is copy:
            self._by_id.move_to_end(copy.id)

    def drop_unused(self) -> None:
        """Forget what the SDK has ended, because it was not used for long."""
        before = self._clock() - self._idle_seconds
        for copy in [copy for copy in self._by_id.values() if not copy.running]:
            if copy.used_at > before:
                break  # the others were used later
            self.drop_copy(copy)


# Requests that a layer makes itself, in the name of a client, to the routes behind it.


@dataclass(slots=True)
class InternalResponse:
    status: int = 0
    headers: Sequence[RawHeader] = field(default_factory=tuple)


async def send_internal_request(
    inner: ASGIApp, scope: Scope, method: str, body: bytes = b"", session: bytes | None = None
) -> InternalResponse:
    """The response to a request that has path and caller of `scope`; its body is not kept."""
    named = () if session is None else ((SESSION_HEADER, session),)
    request = {**scope, "method": method, "headers": [*_JSON_HEADERS, *named]}
    forget_request_message(request)
    response = InternalResponse()

    async def note(message: Message) -> None:
        if message["type"] == "http.response.start":
            response.status, response.headers = message["status"], message.get("headers", ())

    whole: Message = {"type": "http.request", "body": body, "more_body": False}
    await inner(request, replay_messages([whole]), note)
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
