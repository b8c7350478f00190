"""Brings messages that reached another instance to the copy of their session here, and keeps copies alive."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable

from starlette.types import ASGIApp

from citewell.errors import CitewellError
from citewell.server.http.shared_sessions.internal_requests import send_internal_request
from citewell.server.http.shared_sessions.session_copies import SessionCopies, SessionCopy
from citewell.store.sessions.mcp_session_store import (
    MESSAGE_TOPIC,
    SessionMessage,
    SqlMcpSessionStore,
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
        self._is_needed = asyncio.Event()
        self._delivered: frozenset[int] = frozenset()

    def begin_listening(self) -> None:
        self._is_needed.set()

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
        await self._is_needed.wait()
        clock = asyncio.get_running_loop().time
        keep_at = clock() + KEEP_SECONDS
        async with self._find_store().notices.watch(MESSAGE_TOPIC) as watch:
            while True:
                await watch.wait(max(0.0, keep_at - clock()))
                try:
                    await self.deliver_messages()
                    if clock() >= keep_at:
                        keep_at = clock() + KEEP_SECONDS
                        await self._keep_relay_alive()
                except CitewellError as error:
                    logger.warning("Messages of sessions are not heard now. %s", error.message)
                    await asyncio.sleep(_RETRY_SECONDS)

    async def deliver_messages(self) -> None:
        """Give the copies here what was passed on for them since the last time."""
        found = await self._find_store().list_messages(self._copies.list_names())
        fresh = [message for message in found if message.number not in self._delivered]
        self._delivered = frozenset(message.number for message in found)
        for message in fresh:
            await self._deliver_message(message)

    async def _deliver_message(self, message: SessionMessage) -> None:
        copy = self._copies.find_named_copy(message.session)
        if copy is None:
            return
        if message.content is None:
            await self.end_copy(copy)
            return
        await send_internal_request(
            self._inner, copy.scope, "POST", message.content.encode(), copy.local_id
        )

    async def _keep_relay_alive(self) -> None:
        self._copies.drop_unused()
        busy = self._copies.list_busy_names()
        if busy:
            await self._find_store().keep_sessions(busy)
