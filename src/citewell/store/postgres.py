"""The SQL engine of several machines: PostgreSQL 14 or newer through asyncpg, and nobody else uses it."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from citewell.errors import CitewellError, InternalError, Misconfigured
from citewell.store import migrations
from citewell.store.failures import Full, GuardFailed, StoreError
from citewell.store.sql import POSTGRES, Dialect, Outcome, Row, Scalar, Statement
from citewell.store.together import Together

if TYPE_CHECKING:
    import asyncpg

    Link = asyncpg.pool.PoolConnectionProxy[asyncpg.Record]

T = TypeVar("T")

_log = logging.getLogger(__name__)
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_ROWS = re.compile(r"\s*SELECT\b|.*\bRETURNING\b[^()]*\Z", re.IGNORECASE | re.DOTALL)
_LINKS = 10
_GROUPS = 3  # of keyed statements under way at once
_PATIENCE = 15.0  # seconds for a connection, as for SQLite's lock
_TRIES = 5
_GATE = 0x63697465  # the advisory lock under which one process at a time migrates
_OLDEST = 140000

# Compiling a query takes longer than any of ours runs.
_SERVER = {"application_name": "citewell", "jit": "off"}

_VERSION = "SELECT version FROM schema_version"
_VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"


class PostgresDatabase:
    """A `Database` in one schema of a PostgreSQL database, shared by any number of processes.

    Nothing is connected or imported before the first statement. Connections must be direct or
    pooled by session: the schema is chosen once for each.
    """

    def __init__(self, url: str, *, schema: str, links: int = _LINKS) -> None:
        self._url = url
        self._name = schema
        self._links = links
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        self._groups: dict[str, Together[Statement, Outcome]] = {}

    @property
    def dialect(self) -> Dialect:
        return POSTGRES

    @property
    def place(self) -> str:
        """The schema that holds our tables."""
        return f"citewell_{self._name}"

    async def fetch(self, sql: str, params: Mapping[str, Scalar] | None = None) -> list[Row]:
        text, names = translated(sql)
        given = params or {}

        async def read(link: Link) -> list[Row]:
            found = await link.fetch(text, *(given[name] for name in names))
            return [tuple(row) for row in found]

        return await self._persisted(read)

    async def execute(self, batch: Sequence[Statement]) -> tuple[Outcome, ...]:
        if len(batch) == 1 and batch[0].keyed:
            group = self._groups.setdefault(batch[0].sql, Together(self._grouped, at_once=_GROUPS))
            return (await group.ask(batch[0]),)

        async def write(link: Link) -> tuple[Outcome, ...]:
            if len(batch) == 1 and batch[0].expect is None:
                return (await _run(link, batch[0]),)
            async with link.transaction():
                return tuple([await _run(link, statement) for statement in batch])

        return await self._persisted(write)

    async def snapshot(self, work: Callable[[Link], Awaitable[T]]) -> T:
        """Run `work` where nothing changes under it, for a copy of everything."""

        async def read(link: Link) -> T:
            async with link.transaction(isolation="repeatable_read", readonly=True):
                return await work(link)

        return await self._persisted(read)

    async def changed(self, work: Callable[[Link], Awaitable[T]]) -> T:
        """Run `work` as one transaction, for what no batch of statements can do."""

        async def write(link: Link) -> T:
            async with link.transaction():
                return await work(link)

        return await self._persisted(write)

    async def aclose(self) -> None:
        for group in self._groups.values():
            await group.aclose()
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def _grouped(self, group: Sequence[Statement]) -> Sequence[Outcome | Exception]:
        """Keyed statements of one text in a single journey and commit, each with its own answer."""
        text, names = translated(group[0].sql)
        key = group[0].keyed or ""
        # In one order everywhere, so that no two groups wait for each other in a circle.
        values = [
            [statement.params[name] for name in names]
            for statement in sorted(group, key=lambda one: str(one.params[key]))
        ]

        async def write(link: Link) -> set[object]:
            return {row[0] for row in await link.fetchmany(text, values)}

        try:
            done = await self._persisted(write)
        except GuardFailed as error:
            if len(group) == 1:
                raise
            # A constraint refused one of them: each by itself, then.
            _log.debug("A group of %d is taken apart. %s", len(group), error.message)
            return [await self._alone(statement) for statement in group]
        return [_judged(one, Outcome(changed=int(one.params[key] in done))) for one in group]

    async def _alone(self, statement: Statement) -> Outcome | Exception:
        try:
            (outcome,) = await self._grouped([statement])
        except CitewellError as error:
            return error
        return outcome

    async def _persisted(self, work: Callable[[Link], Awaitable[T]]) -> T:
        """The result of `work`, tried again where the server has undone it and said so."""
        asyncpg = _driver()
        undone = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
        for tries in range(_TRIES):
            try:
                return await self._once(work)
            except undone:
                await asyncio.sleep(0.002 * 2**tries)
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
                raise explained(error) from error
        raise StoreError("The database kept undoing a change because of others. Try again.")

    async def _once(self, work: Callable[[Link], Awaitable[T]]) -> T:
        pool = self._pool or await self._opened()
        async with pool.acquire(timeout=_PATIENCE) as link:
            return await work(link)

    async def _opened(self) -> asyncpg.Pool[asyncpg.Record]:
        async with self._opening:
            if self._closed:
                raise StoreError("The store is closed.")
            if self._pool is None:
                self._pool = await self._connected()
            return self._pool

    async def _connected(self) -> asyncpg.Pool[asyncpg.Record]:
        import asyncpg

        try:
            pool = asyncpg.create_pool(
                self._url,
                min_size=0,
                max_size=self._links,
                timeout=_PATIENCE,
                reset=_nothing,  # every use here leaves its connection as it found it
                server_settings=_SERVER | {"search_path": self.place},
            )
        except ValueError as error:
            raise Misconfigured(
                "CITEWELL_DATABASE_URL is not an address of PostgreSQL.", action="inform_user"
            ) from error
        try:
            await pool
            async with pool.acquire(timeout=_PATIENCE) as link:
                await self._migrate(link)
        except BaseException:
            pool.terminate()
            raise
        return pool

    async def _migrate(self, link: Link) -> None:
        number = int(await link.fetchval("SHOW server_version_num"))
        if number < _OLDEST:
            raise StoreError("PostgreSQL 14 or newer is needed.")
        steps = migrations.load(self._name, POSTGRES)
        async with link.transaction():
            await link.execute("SELECT pg_advisory_xact_lock($1)", _GATE)
            await link.execute(f"CREATE SCHEMA IF NOT EXISTS {self.place}")
            await link.execute(_VERSION_TABLE)
            version = await link.fetchval(_VERSION) or 0
            if version > len(steps):
                raise StoreError(
                    f"The database was written by a newer Citewell (schema {version}, this one "
                    f"knows {len(steps)}). Upgrade, or set another database."
                )
            for step in steps[version:]:
                for statement in step:
                    await link.execute(statement)
            if version < len(steps):
                await link.execute("DELETE FROM schema_version")
                await link.execute("INSERT INTO schema_version VALUES ($1)", len(steps))


async def _nothing(_: object) -> None: ...


async def _run(link: Link, statement: Statement) -> Outcome:
    text, names = translated(statement.sql)
    values = [statement.params[name] for name in names]
    if _gives_rows(text):
        rows = tuple(tuple(row) for row in await link.fetch(text, *values))
        changed = len(rows)
    else:
        rows, status = (), await link.execute(text, *values)
        changed = int(status.rpartition(" ")[2] or 0)
    judged = _judged(statement, Outcome(changed=changed, rows=rows))
    if isinstance(judged, GuardFailed):
        raise judged
    return judged


def _judged(statement: Statement, outcome: Outcome) -> Outcome | GuardFailed:
    if statement.expect is None or outcome.changed == statement.expect:
        return outcome
    return GuardFailed(f"A batch expected {statement.expect} rows and found {outcome.changed}.")


def _driver() -> Any:
    try:
        import asyncpg
    except ImportError:
        raise Misconfigured(
            'CITEWELL_DATABASE_URL needs a driver: pip install "citewell[postgres]".',
            action="inform_user",
        ) from None
    return asyncpg


@lru_cache(maxsize=512)
def translated(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with numbered parameters, and the names that the numbers stand for."""
    names: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"${names.setdefault(found[1], len(names) + 1)}"

    return _PARAMETER.sub(numbered, sql), tuple(names)


@lru_cache(maxsize=512)
def _gives_rows(sql: str) -> bool:
    return _ROWS.match(sql) is not None


def explained(error: Exception) -> CitewellError:
    """The server's error in words that say what to do; its own may quote what is stored."""
    import asyncpg

    if isinstance(error, asyncpg.IntegrityConstraintViolationError):
        return GuardFailed("A constraint of the database refused the batch.")
    if isinstance(error, asyncpg.DiskFullError):
        return Full("The database's disk is full.")
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return StoreError("The database can only be read: it is a replica, or it was made so.")
    if isinstance(error, asyncpg.InvalidAuthorizationSpecificationError):
        return StoreError("The database refused the user or password in CITEWELL_DATABASE_URL.")
    if isinstance(error, asyncpg.InvalidCatalogNameError):
        return StoreError("The database that CITEWELL_DATABASE_URL names does not exist.")
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return StoreError("The database's user may not do this; it needs a schema of its own.")
    if isinstance(error, asyncpg.SyntaxOrAccessError | asyncpg.DataError):
        return InternalError(f"The database cannot run a statement ({_code(error)}).")
    return StoreError(f"The database cannot be reached or used ({_code(error)}).")


def _code(error: Any) -> str:
    return getattr(error, "sqlstate", None) or type(error).__name__
