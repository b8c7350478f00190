"""Hears the notifications of a PostgreSQL database on one connection, which is opened again if it breaks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from citewell.core.errors import CitewellError, Misconfigured
from citewell.store.sql import postgres_pool

if TYPE_CHECKING:
    import asyncpg

    Connection = asyncpg.Connection[asyncpg.Record]

logger = logging.getLogger(__name__)

LISTEN_TIMEOUT_SECONDS = 30.0
PROBE_INTERVAL_SECONDS = 5.0  # between questions whether the server is still there
PROBE_TIMEOUT_SECONDS = 30.0
FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.2, 15.0
POOLER_RETRY_SECONDS = 60.0  # after which it is tried again whether a pooler passes them on
POOLER_TEST_SECONDS = 3.0  # for a notification through a pooler to arrive
_SETTING = "CITEWELL_DATABASE_DIRECT_URL, or CITEWELL_DATABASE_URL if that is not set"


class PostgresListener:
    """Belongs to the event loop on which the first channel was added; opens nothing before that.

    `hear` gets the channel and payload of each notification. `change` gets the channels that have
    begun or ceased to be heard, so that notifications may have been missed.
    """

    def __init__(
        self,
        url: str,
        *,
        hear: Callable[[str, str], None],
        change: Callable[[frozenset[str]], None],
    ) -> None:
        self._url = url
        self._hear = hear
        self._change = change
        self._wanted: set[str] = set()
        self.heard: frozenset[str] = frozenset()
        self._wake = asyncio.Event()  # a channel was added, or the connection broke
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._failures = 0  # in a row
        self._is_closed = False

    def add_channel(self, channel: str) -> None:
        """Begin to listen soon; it may be called from any thread once the listener runs."""
        if channel in self._wanted or self._is_closed:
            return
        self._wanted.add(channel)
        if self._task is None:
            self._loop = asyncio.get_running_loop()
            self._task = self._loop.create_task(self._listen_forever())
        elif self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake.set)

    async def aclose(self) -> None:
        self._is_closed = True
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _listen_forever(self) -> None:
        while True:
            try:
                async with open_session(self._url) as link:
                    await self._serve_connection(link)
                self._log_listening_failure("The connection for notifications broke.")
                delay = 0.0
            except postgres_pool.PoolerFound as error:
                self._log_listening_failure(error.message)
                delay = POOLER_RETRY_SECONDS
            except CitewellError as error:
                self._log_listening_failure(error.message)
                delay = 0.0
            self._set_heard(frozenset())
            self._failures += 1
            # Twice as long after each failure; of random length, so that servers do not return at once.
            longest = min(
                MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2.0 ** min(self._failures - 1, 10)
            )
            pause = longest * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
            await asyncio.sleep(max(delay, pause))

    def _log_listening_failure(self, reason: str) -> None:
        """Tell the first failure of a row."""
        if not self._failures:
            logger.warning("Changes by other processes are found by polling for now. %s", reason)

    async def _serve_connection(self, link: Connection) -> None:
        """Listen to every channel that is wanted, until the connection is closed; raises if it fails."""
        link.add_termination_listener(lambda _: self._wake.set())
        while not link.is_closed():
            self._wake.clear()
            if missing := self._wanted - self.heard:
                async with asyncio.timeout(LISTEN_TIMEOUT_SECONDS):
                    for channel in missing:
                        await link.add_listener(channel, self._receive_notice)
                self._set_heard(self.heard | missing)
                self._failures = 0
            try:
                async with asyncio.timeout(PROBE_INTERVAL_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                await link.execute("SELECT 1", timeout=PROBE_TIMEOUT_SECONDS)

    def _receive_notice(self, _link: object, _pid: int, channel: str, payload: object) -> None:
        self._hear(channel, str(payload))

    def _set_heard(self, channels: frozenset[str]) -> None:
        changed = channels ^ self.heard
        self.heard = channels
        if changed:
            self._change(changed)


@contextlib.asynccontextmanager
async def open_session(url: str) -> AsyncIterator[Connection]:
    """A connection on which notifications arrive; failures in the block, too, become errors of ours.

    Raises PoolerFound if a pooler that does not keep sessions is in between, and StoreError.
    """
    import asyncpg

    try:
        link = await postgres_pool.connect_directly(url)
        try:
            if not await postgres_pool.is_direct(link):
                await _check_notifications(url, link)
            yield link
        finally:
            link.terminate()
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
        raise postgres_pool.explain_postgres_error(error, setting=_SETTING) from error


async def require_sessions(url: str) -> None:
    """Raises Misconfigured if sessions are not kept at this address, as the job engine needs it.

    Raises StoreError if the database does not answer.
    """
    try:
        async with open_session(url):
            pass
    except postgres_pool.PoolerFound as error:
        raise Misconfigured(error.message, action="inform_user") from error


async def _check_notifications(url: str, link: Connection) -> None:
    """Raises PoolerFound unless a notification by another connection arrives on this one."""
    heard = asyncio.Event()
    channel = f"citewell_test_{secrets.token_hex(8)}"
    await link.add_listener(channel, lambda *_: heard.set())
    sender = await postgres_pool.connect_directly(url)
    try:
        await sender.execute(f"NOTIFY {channel}")
        async with asyncio.timeout(POOLER_TEST_SECONDS):
            await heard.wait()
    except TimeoutError:
        raise postgres_pool.PoolerFound(
            "The database is reached through a connection pooler that does not keep sessions, such"
            " as PgBouncer in transaction mode. Set CITEWELL_DATABASE_DIRECT_URL to the address of"
            " the database server itself."
        ) from None
    finally:
        sender.terminate()
