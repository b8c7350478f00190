"""The connections to one schema of a PostgreSQL database, direct or through a connection pooler.

A pooler such as PgBouncer in transaction mode may run each transaction of a connection in another
session of the server. So nothing may be set for the session, and a statement may not be prepared in
one transaction and run in another: through a pooler everything runs in a transaction that sets what
it needs. Each connection is asked whether it is direct, so there is nothing to configure.

Failures of the server, a pooler or the driver are turned into our errors.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from citewell.core.errors import CitewellError, Misconfigured
from citewell.store import failures
from citewell.text.data_tables import load_table

if TYPE_CHECKING:
    import asyncpg

    DirectConnection = asyncpg.Connection[asyncpg.Record]
    PoolConnection = asyncpg.pool.PoolConnectionProxy[asyncpg.Record]
    AnyConnection = DirectConnection | PoolConnection

# What is raised for the driver's error of a name, and for its subclasses: our class and a message.
_ERROR_TABLE = "postgres_errors"


class PoolerFound(failures.StoreError):
    """The connection goes through a pooler, which may run each transaction in another session."""


def list_undone_errors(driver: Any, *, is_read: bool) -> tuple[type[Exception], ...]:
    """After which work can be done again, because nothing of it is stored.

    That is so after a deadlock or serialization failure, and if the server had ended the connection
    before the statement was sent. Reading can be done again whenever the connection was lost.
    """
    undone = (
        driver.DeadlockDetectedError,
        driver.SerializationError,
        driver.InternalClientError,  # the driver has not noticed yet that the connection is closed
        driver.InterfaceError,  # it has
    )
    lost = (
        driver.PostgresConnectionError,
        driver.AdminShutdownError,
        driver.CrashShutdownError,
        driver.CannotConnectNowError,
        ConnectionError,
    )
    return (*undone, *lost) if is_read else undone


def import_driver() -> Any:
    try:
        import asyncpg
    except ImportError:
        raise Misconfigured(
            'CITEWELL_DATABASE_URL needs a driver: pip install "citewell[postgres]".',
            action="inform_user",
        ) from None
    load_table(__package__, _ERROR_TABLE)  # it is needed when no file can be opened any more
    return asyncpg


def explain_postgres_error(
    error: Exception, *, setting: str = "CITEWELL_DATABASE_URL"
) -> CitewellError:
    """Our error for an error of the server, whose own message may quote stored data.

    `setting` is the one with the address that was used.
    """
    code = getattr(error, "sqlstate", None) or type(error).__name__
    table = load_table(__package__, _ERROR_TABLE)
    for kind in type(error).__mro__:
        if kind.__name__ in table:
            name, message = table[kind.__name__]
            made: type[CitewellError] = getattr(failures, name)
            return made(message.format(setting=setting, code=code))
    return failures.StoreUnreachable(f"The database cannot be reached or used ({code}).")


CONNECT_TIMEOUT_SECONDS = 15.0  # for one round trip or two, so a way that takes 10 can be used
ACQUIRE_TIMEOUT_SECONDS = 45.0  # for a connection that is free, or for a new one to be prepared
_APPLICATION_NAME = {"application_name": "citewell"}  # the one setting that every pooler takes

# A peer that is silent for about 30 seconds is gone; the system's own limit is two hours.
_KEEPALIVE_OPTIONS = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}
_UNANSWERED_MILLISECONDS = 30_000

# JIT compilation takes longer than any of our queries.
_PREPARE_SESSION = """
SELECT set_config('search_path', '{schema}', false), set_config('jit', 'off', false)
WHERE pg_backend_pid() = {pid}
"""
_SET_FOR_TRANSACTION = "SET LOCAL search_path TO {schema}; SET LOCAL jit TO off"


class PostgresPool:
    """Opens nothing before the first use, and then runs `migrate` once on a connection.

    That connection goes to `direct_url` if there is one, so that a pooler's time limits do not end it.
    """

    def __init__(
        self,
        url: str,
        *,
        schema_name: str,
        max_connections: int,
        migrate: Callable[[AnyConnection], Awaitable[None]],
        direct_url: str | None = None,
    ) -> None:
        self._url = url
        self._direct_url = direct_url if direct_url != url else None
        self._schema_name = schema_name
        self._max_connections = max_connections
        self._migrate = migrate
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        self._is_closed = False
        self.is_behind_pooler = False  # known once a connection was opened

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[PoolConnection]:
        """A connection for the block; raises StoreError or what the driver raises."""
        pool = self._pool or await self._ensure_pool()
        async with pool.acquire(timeout=ACQUIRE_TIMEOUT_SECONDS) as link:
            yield link

    @asynccontextmanager
    async def open_statement(self, link: PoolConnection) -> AsyncIterator[None]:
        """Run one statement in the block; through a pooler, in a transaction of its own."""
        if not self.is_behind_pooler:
            yield
            return
        async with self.open_batch(link):
            yield

    @asynccontextmanager
    async def open_batch(self, link: PoolConnection) -> AsyncIterator[None]:
        """Commit the statements of the block together, or undo them all."""
        if not self.is_behind_pooler:
            async with link.transaction():
                yield
            return
        # One round trip less than with a transaction of the driver.
        await link.execute(f"BEGIN; {self._build_transaction_settings()}")
        try:
            yield
        except BaseException:
            with contextlib.suppress(Exception):
                await link.execute("ROLLBACK")
            raise
        await link.execute("COMMIT")

    @asynccontextmanager
    async def open_transaction(self, link: PoolConnection, **options: Any) -> AsyncIterator[None]:
        """Like `open_batch`, for work that uses the connection freely, also with `options` of the driver."""
        async with link.transaction(**options):
            if self.is_behind_pooler:
                # The driver names the statements of a copy or cursor, as it did in other sessions.
                await link.execute(f"{self._build_transaction_settings()}; DEALLOCATE ALL")
            yield

    async def aclose(self) -> None:
        self._is_closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def _ensure_pool(self) -> asyncpg.Pool[asyncpg.Record]:
        async with self._opening:
            if self._is_closed:
                raise failures.StoreError("The store is closed.")
            if self._pool is None:
                self._pool = await self._open_pool()
            return self._pool

    async def _open_pool(self) -> asyncpg.Pool[asyncpg.Record]:
        if self._direct_url:
            await self._migrate_directly(self._direct_url)
        try:
            return await self._connect_pool()
        except PoolerFound:
            self.is_behind_pooler = True
            return await self._connect_pool()

    async def _connect_pool(self) -> asyncpg.Pool[asyncpg.Record]:
        driver = import_driver()
        cached = {"statement_cache_size": 0} if self.is_behind_pooler else {}
        try:
            pool: asyncpg.Pool[asyncpg.Record] = driver.create_pool(
                self._url,
                min_size=0,
                max_size=self._max_connections,
                timeout=CONNECT_TIMEOUT_SECONDS,
                init=self._prepare_connection,
                reset=_skip_connection_reset,  # no use here changes the state of a connection
                server_settings=_APPLICATION_NAME,
                **cached,
            )
        except ValueError as error:
            raise _build_address_error("CITEWELL_DATABASE_URL") from error
        try:
            await pool
            async with pool.acquire(timeout=ACQUIRE_TIMEOUT_SECONDS) as link:
                if not self._direct_url:
                    await self._migrate(link)
        except BaseException:
            pool.terminate()
            raise
        return pool

    async def _prepare_connection(self, link: AnyConnection) -> None:
        """Choose the schema of a new connection; raises PoolerFound if it is not direct."""
        keep_alive(link)
        if self.is_behind_pooler:
            return
        pid = link.get_server_pid()
        text = _PREPARE_SESSION.format(schema=self._schema_name, pid=pid)
        if not _has_selected_row(await link.execute(text)):
            raise PoolerFound("The connection goes through a pooler by now. Start again.")

    async def _migrate_directly(self, url: str) -> None:
        driver = import_driver()
        try:
            link = await connect_directly(url)
            try:
                await self._migrate(link)
            finally:
                link.terminate()
        except (driver.PostgresError, driver.InterfaceError, OSError, TimeoutError) as error:
            setting = "CITEWELL_DATABASE_DIRECT_URL"
            raise explain_postgres_error(error, setting=setting) from error

    def _build_transaction_settings(self) -> str:
        return _SET_FOR_TRANSACTION.format(schema=self._schema_name)


async def connect_directly(url: str) -> DirectConnection:
    """A connection of its own, outside any pool; raises Misconfigured or what the driver raises."""
    driver = import_driver()
    try:
        link: DirectConnection = await driver.connect(
            url,
            timeout=CONNECT_TIMEOUT_SECONDS,
            statement_cache_size=0,
            server_settings=_APPLICATION_NAME,
        )
    except ValueError as error:
        raise _build_address_error("CITEWELL_DATABASE_DIRECT_URL") from error
    keep_alive(link)
    return link


async def is_direct(link: AnyConnection) -> bool:
    """Whether no pooler is in between: it would give each connection a process number of its own."""
    text = f"SELECT 1 WHERE pg_backend_pid() = {int(link.get_server_pid())}"
    return _has_selected_row(await link.execute(text))


def keep_alive(link: AnyConnection) -> None:
    """Have the system notice soon that the server's machine, or the way to it, is gone."""
    transport = getattr(link, "_transport", None)
    sock = transport.get_extra_info("socket") if transport is not None else None
    if sock is None or sock.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE_OPTIONS.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNANSWERED_MILLISECONDS)


def _has_selected_row(status: str) -> bool:
    return status == "SELECT 1"


def _build_address_error(setting: str) -> Misconfigured:
    return Misconfigured(f"{setting} is not a PostgreSQL address.", action="inform_user")


async def _skip_connection_reset(_: object) -> None: ...
