"""The SQL engine for several machines: PostgreSQL 14 or newer. The only module that imports asyncpg."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from citewell.errors import CitewellError, InternalError, Misconfigured
from citewell.store.failures import BatchRolledBack, StoreError, StoreFull
from citewell.store.sql import migrations
from citewell.store.sql.database import (
    POSTGRES_DIALECT,
    BatchWatch,
    SqlDatabase,
    SqlDialect,
    SqlRow,
    SqlScalar,
    SqlStatement,
    StatementOutcome,
)
from citewell.store.sql.task_batching import TaskBatcher

if TYPE_CHECKING:
    import asyncpg

    PoolConnection = asyncpg.pool.PoolConnectionProxy[asyncpg.Record]

T = TypeVar("T")

logger = logging.getLogger(__name__)
_PARAMETER_PATTERN = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_RETURNS_ROWS_PATTERN = re.compile(
    r"\s*SELECT\b|.*\bRETURNING\b[^()]*\Z", re.IGNORECASE | re.DOTALL
)
_MAX_CONNECTIONS = 10
_MAX_CONCURRENT_GROUPS = 3  # of statements with a grouping key, running at the same time
_CONNECT_TIMEOUT_SECONDS = 15.0  # for a connection, as for the lock of SQLite
_MAX_TRANSACTION_TRIES = 5
_MIGRATION_LOCK_ID = 0x63697465  # advisory lock: one process at a time migrates
_MIN_SERVER_VERSION = 140000

# JIT compilation takes longer than any of our queries.
_SERVER_SETTINGS = {"application_name": "citewell", "jit": "off"}

_SELECT_SCHEMA_VERSION = "SELECT version FROM schema_version"
_CREATE_VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"


class PostgresDatabase:
    """A SqlDatabase in one schema of a PostgreSQL database, shared by any number of processes.

    Connects, and imports asyncpg, with the first statement. Connections must be direct or pooled
    by session, because the schema is set once for each connection.
    """

    def __init__(self, url: str, *, schema: str, links: int = _MAX_CONNECTIONS) -> None:
        self._url = url
        self._name = schema
        self._links = links
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        self.watching = BatchWatch()
        self._groups: dict[str, TaskBatcher[SqlStatement, StatementOutcome]] = {}

    @property
    def dialect(self) -> SqlDialect:
        return POSTGRES_DIALECT

    @property
    def schema_name(self) -> str:
        """The schema that holds our tables."""
        return f"citewell_{self._name}"

    @property
    def small_rows(self) -> SqlDatabase:
        return self

    async def select_rows(
        self, sql: str, params: Mapping[str, SqlScalar] | None = None
    ) -> list[SqlRow]:
        text, names = number_parameters(sql)
        given = params or {}

        async def read(link: PoolConnection) -> list[SqlRow]:
            found = await link.fetch(text, *(given[name] for name in names))
            return [tuple(row) for row in found]

        return await self._run_until_committed(read)

    async def execute_batch(self, batch: Sequence[SqlStatement]) -> tuple[StatementOutcome, ...]:
        with self.watching.watch(len(batch)):
            return await self._execute_watched(batch)

    async def _execute_watched(self, batch: Sequence[SqlStatement]) -> tuple[StatementOutcome, ...]:
        if len(batch) == 1 and batch[0].grouping_key:
            group = self._groups.setdefault(
                batch[0].sql,
                TaskBatcher(self._execute_group, max_concurrent=_MAX_CONCURRENT_GROUPS),
            )
            return (await group.request_in_group(batch[0]),)

        async def write(link: PoolConnection) -> tuple[StatementOutcome, ...]:
            if len(batch) == 1 and batch[0].expected_rows is None:
                return (await _run_postgres_statement(link, batch[0]),)
            async with link.transaction():
                return tuple(
                    [await _run_postgres_statement(link, statement) for statement in batch]
                )

        return await self._run_until_committed(write)

    async def erase_rows(
        self, batch: Sequence[SqlStatement], *, scrubbed: Sequence[str]
    ) -> tuple[StatementOutcome, ...]:
        outcomes = await self.execute_batch(batch)

        async def rewrite(link: PoolConnection) -> None:
            for table in scrubbed:
                # A plain VACUUM frees dead rows, but leaves their bytes in the pages.
                await link.execute(f"VACUUM FULL {table}")

        await self._run_until_committed(rewrite)
        return outcomes

    async def run_in_snapshot(self, work: Callable[[PoolConnection], Awaitable[T]]) -> T:
        """Run `work` in a read-only snapshot, for a copy of everything."""

        async def read(link: PoolConnection) -> T:
            async with link.transaction(isolation="repeatable_read", readonly=True):
                return await work(link)

        return await self._run_until_committed(read)

    async def run_in_transaction(self, work: Callable[[PoolConnection], Awaitable[T]]) -> T:
        """Run `work` in one transaction, for changes that a batch of statements cannot express."""

        async def write(link: PoolConnection) -> T:
            async with link.transaction():
                return await work(link)

        return await self._run_until_committed(write)

    async def aclose(self) -> None:
        for group in self._groups.values():
            await group.aclose()
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def _execute_group(
        self, group: Sequence[SqlStatement]
    ) -> Sequence[StatementOutcome | Exception]:
        """Run statements of the same SQL in one round trip and commit; one outcome or error for each."""
        text, names = number_parameters(group[0].sql)
        key = group[0].grouping_key or ""
        # Always in the same order, so that two groups cannot deadlock.
        values = [
            [statement.params[name] for name in names]
            for statement in sorted(group, key=lambda one: str(one.params[key]))
        ]

        async def write(link: PoolConnection) -> set[object]:
            return {row[0] for row in await link.fetchmany(text, values)}

        try:
            done = await self._run_until_committed(write)
        except BatchRolledBack as error:
            if len(group) == 1:
                raise
            # A constraint refused one of them, so run each by itself.
            logger.debug("A group of %d is run one by one. %s", len(group), error.message)
            return [await self._execute_alone(statement) for statement in group]
        return [
            _check_expected_rows(one, StatementOutcome(changed_rows=int(one.params[key] in done)))
            for one in group
        ]

    async def _execute_alone(self, statement: SqlStatement) -> StatementOutcome | Exception:
        try:
            (outcome,) = await self._execute_group([statement])
        except CitewellError as error:
            return error
        return outcome

    async def _run_until_committed(self, work: Callable[[PoolConnection], Awaitable[T]]) -> T:
        """The result of `work`, retried after a deadlock or serialization failure; raises StoreError."""
        asyncpg = _import_asyncpg()
        undone = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
        for tries in range(_MAX_TRANSACTION_TRIES):
            try:
                return await self._run_on_connection(work)
            except undone:
                await asyncio.sleep(0.002 * 2**tries)
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
                raise explain_postgres_error(error) from error
        raise StoreError("Other writers kept making the database roll back. Try again.")

    async def _run_on_connection(self, work: Callable[[PoolConnection], Awaitable[T]]) -> T:
        pool = self._pool or await self._ensure_pool()
        async with pool.acquire(timeout=_CONNECT_TIMEOUT_SECONDS) as link:
            return await work(link)

    async def _ensure_pool(self) -> asyncpg.Pool[asyncpg.Record]:
        async with self._opening:
            if self._closed:
                raise StoreError("The store is closed.")
            if self._pool is None:
                self._pool = await self._connect_pool()
            return self._pool

    async def _connect_pool(self) -> asyncpg.Pool[asyncpg.Record]:
        import asyncpg

        try:
            pool = asyncpg.create_pool(
                self._url,
                min_size=0,
                max_size=self._links,
                timeout=_CONNECT_TIMEOUT_SECONDS,
                reset=_skip_connection_reset,  # no use here changes the state of a connection
                server_settings=_SERVER_SETTINGS | {"search_path": self.schema_name},
            )
        except ValueError as error:
            raise Misconfigured(
                "CITEWELL_DATABASE_URL is not a PostgreSQL address.", action="inform_user"
            ) from error
        try:
            await pool
            async with pool.acquire(timeout=_CONNECT_TIMEOUT_SECONDS) as link:
                await self._migrate_schema(link)
        except BaseException:
            pool.terminate()
            raise
        return pool

    async def _migrate_schema(self, link: PoolConnection) -> None:
        number = int(await link.fetchval("SHOW server_version_num"))
        if number < _MIN_SERVER_VERSION:
            raise StoreError("PostgreSQL 14 or newer is needed.")
        steps = migrations.load_migrations(self._name, POSTGRES_DIALECT)
        async with link.transaction():
            await link.execute("SELECT pg_advisory_xact_lock($1)", _MIGRATION_LOCK_ID)
            await link.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema_name}")
            await link.execute(_CREATE_VERSION_TABLE)
            version = await link.fetchval(_SELECT_SCHEMA_VERSION) or 0
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


async def _skip_connection_reset(_: object) -> None: ...


async def _run_postgres_statement(
    link: PoolConnection, statement: SqlStatement
) -> StatementOutcome:
    text, names = number_parameters(statement.sql)
    values = [statement.params[name] for name in names]
    if _has_result_rows(text):
        rows = tuple(tuple(row) for row in await link.fetch(text, *values))
        changed = len(rows)
    else:
        rows, status = (), await link.execute(text, *values)
        changed = int(status.rpartition(" ")[2] or 0)
    judged = _check_expected_rows(statement, StatementOutcome(changed_rows=changed, rows=rows))
    if isinstance(judged, BatchRolledBack):
        raise judged
    return judged


def _check_expected_rows(
    statement: SqlStatement, outcome: StatementOutcome
) -> StatementOutcome | BatchRolledBack:
    if statement.expected_rows is None or outcome.changed_rows == statement.expected_rows:
        return outcome
    return BatchRolledBack(
        f"A batch expected {statement.expected_rows} rows and found {outcome.changed_rows}."
    )


def _import_asyncpg() -> Any:
    try:
        import asyncpg
    except ImportError:
        raise Misconfigured(
            'CITEWELL_DATABASE_URL needs a driver: pip install "citewell[postgres]".',
            action="inform_user",
        ) from None
    return asyncpg


@lru_cache(maxsize=512)
def number_parameters(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with numbered parameters, and the parameter names in that order."""
    names: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"${names.setdefault(found[1], len(names) + 1)}"

    return _PARAMETER_PATTERN.sub(numbered, sql), tuple(names)


@lru_cache(maxsize=512)
def _has_result_rows(sql: str) -> bool:
    return _RETURNS_ROWS_PATTERN.match(sql) is not None


def explain_postgres_error(error: Exception) -> CitewellError:
    """Our error for an error of the server, whose own message may quote stored data."""
    import asyncpg

    if isinstance(error, asyncpg.IntegrityConstraintViolationError):
        return BatchRolledBack("A database constraint refused the batch.")
    if isinstance(error, asyncpg.DiskFullError):
        return StoreFull("The database's disk is full.")
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return StoreError("The database is read-only: it is a replica, or was configured so.")
    if isinstance(error, asyncpg.InvalidAuthorizationSpecificationError):
        return StoreError("The database refused the user or password in CITEWELL_DATABASE_URL.")
    if isinstance(error, asyncpg.InvalidCatalogNameError):
        return StoreError("The database that CITEWELL_DATABASE_URL names does not exist.")
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return StoreError("The database user may not do this; it must own its schema.")
    if isinstance(error, asyncpg.SyntaxOrAccessError | asyncpg.DataError):
        return InternalError(f"The database cannot run a statement ({_read_error_code(error)}).")
    return StoreError(f"The database cannot be reached or used ({_read_error_code(error)}).")


def _read_error_code(error: Any) -> str:
    return getattr(error, "sqlstate", None) or type(error).__name__
