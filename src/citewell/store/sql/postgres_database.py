"""The SQL engine for several machines: PostgreSQL 14 or newer."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.store.failures import BatchRolledBack, ServerTooOld, StoreError
from citewell.store.settings import StoreSettings
from citewell.store.sql import migrations, postgres_pool
from citewell.store.sql import migrations as schema_versions
from citewell.store.sql.batching import TaskBatcher
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

if TYPE_CHECKING:
    from citewell.store.sql.postgres_pool import AnyConnection, PoolConnection

T = TypeVar("T")

logger = logging.getLogger(__name__)
_PARAMETER_PATTERN = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_RETURNS_ROWS_PATTERN = re.compile(
    r"\s*SELECT\b|.*\bRETURNING\b[^()]*\Z", re.IGNORECASE | re.DOTALL
)
DEFAULT_CONNECTIONS = 10
_MAX_CONCURRENT_GROUPS = 3  # of statements with a grouping key, running at the same time
_MAX_TRANSACTION_TRIES = 6
_RETRY_SECONDS = 0.002  # before the second try, and twice as long before each further one
_MAX_MIGRATION_TRIES = 60
_MIGRATION_PAUSE_SECONDS = 0.5
_MIGRATION_LOCK_TIMEOUT = "2s"  # for each table
_MIGRATION_LOCK_ID = 0x63697465  # advisory lock: one process at a time migrates
_MIN_SERVER_VERSION = 140000
# About a megabyte: tables have some free space in them even if the disk has none.
_PROBE_STATEMENTS = (
    "CREATE TABLE writing_probe (body TEXT)",
    "INSERT INTO writing_probe SELECT repeat('x', 100) FROM generate_series(1, 8000)",
)


class _ProbeStored(Exception):
    """Rolls back what was stored to see whether it can be."""


class PostgresDatabase:
    """A SqlDatabase in one schema of a PostgreSQL database, shared by any number of processes.

    Connects, and imports the driver, with the first statement. `url` may name a connection pooler
    in transaction mode; `direct_url` then names the server itself, and is used for migrations.
    """

    def __init__(
        self,
        url: str,
        *,
        schema: str,
        max_connections: int = DEFAULT_CONNECTIONS,
        direct_url: str | None = None,
    ) -> None:
        self._name = schema
        self._direct_url = direct_url or url
        self._pool = postgres_pool.PostgresPool(
            url,
            schema_name=self.schema_name,
            max_connections=max_connections,
            migrate=self._migrate_schema,
            direct_url=direct_url,
        )
        self.watching = BatchWatch()
        self._groups: dict[str, TaskBatcher[SqlStatement, StatementOutcome]] = {}

    @property
    def dialect(self) -> SqlDialect:
        return POSTGRES_DIALECT

    @property
    def direct_url(self) -> str:
        """The address of a connection that lasts, for what a pooler of transactions cannot carry."""
        return self._direct_url

    @property
    def schema_name(self) -> str:
        """The schema that holds our tables."""
        return f"citewell_{self._name}"

    @property
    def is_behind_pooler(self) -> bool:
        """Whether a connection pooler is in between, as far as is known: no before the first statement."""
        return self._pool.is_behind_pooler

    @property
    def small_rows(self) -> SqlDatabase:
        return self

    async def select_rows(
        self, sql: str, params: Mapping[str, SqlScalar] | None = None
    ) -> list[SqlRow]:
        text, names = number_parameters(sql)
        given = params or {}

        async def read(link: PoolConnection) -> list[SqlRow]:
            async with self._pool.open_statement(link):
                found = await link.fetch(text, *(given[name] for name in names))
            return [tuple(row) for row in found]

        return await self._run_until_committed(read, is_read=True)

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
                async with self._pool.open_statement(link):
                    return (await _run_postgres_statement(link, batch[0]),)
            async with self._pool.open_batch(link):
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
                await link.execute(f"VACUUM FULL {self.schema_name}.{table}")

        await self._run_until_committed(rewrite)
        return outcomes

    async def run_in_snapshot(self, work: Callable[[PoolConnection], Awaitable[T]]) -> T:
        """Run `work` in a read-only snapshot, for a copy of everything."""

        async def read(link: PoolConnection) -> T:
            async with self._pool.open_transaction(
                link, isolation="repeatable_read", readonly=True
            ):
                return await work(link)

        return await self._run_until_committed(read, is_read=True)

    async def run_in_transaction(self, work: Callable[[PoolConnection], Awaitable[T]]) -> T:
        """Run `work` in one transaction, for changes that a batch of statements cannot express."""

        async def write(link: PoolConnection) -> T:
            async with self._pool.open_transaction(link):
                return await work(link)

        return await self._run_until_committed(write)

    async def check_writing(self) -> None:
        """Store some rows in a new table, and take both back; raises StoreError, such as StoreFull."""

        async def write(link: PoolConnection) -> None:
            for statement in _PROBE_STATEMENTS:
                await link.execute(statement)
            raise _ProbeStored

        with contextlib.suppress(_ProbeStored):
            await self.run_in_transaction(write)

    async def aclose(self) -> None:
        for group in self._groups.values():
            await group.aclose()
        await self._pool.aclose()

    async def _execute_group(
        self, group: Sequence[SqlStatement]
    ) -> Sequence[StatementOutcome | Exception]:
        """Run statements of the same SQL in one round trip and commit; one outcome or error for each."""
        text, names = number_parameters(group[0].sql)
        key = group[0].grouping_key or ""
        # Always in the same order, so that two groups cannot deadlock.
        values = [
            [statement.params[name] for name in names]
            for statement in sorted(group, key=lambda member: str(member.params[key]))
        ]

        async def write(link: PoolConnection) -> set[object]:
            async with self._pool.open_statement(link):
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
            _check_expected_rows(
                statement, StatementOutcome(changed_rows=int(statement.params[key] in done))
            )
            for statement in group
        ]

    async def _execute_alone(self, statement: SqlStatement) -> StatementOutcome | Exception:
        try:
            (outcome,) = await self._execute_group([statement])
        except CitewellError as error:
            return error
        return outcome

    async def _run_until_committed(
        self, work: Callable[[PoolConnection], Awaitable[T]], *, is_read: bool = False
    ) -> T:
        """The result of `work`, tried again if nothing of it can be stored; raises StoreError."""
        driver = postgres_pool.import_driver()
        undone = postgres_pool.list_undone_errors(driver, is_read=is_read)
        last: Exception | None = None
        for tries in range(_MAX_TRANSACTION_TRIES):
            try:
                async with self._pool.acquire() as link:
                    return await work(link)
            except undone as error:
                last = error
                await asyncio.sleep(_RETRY_SECONDS * 2**tries)
            except (driver.PostgresError, OSError, TimeoutError) as error:
                raise postgres_pool.explain_postgres_error(error) from error
        if isinstance(last, driver.DeadlockDetectedError | driver.SerializationError):
            raise StoreError("Other writers kept making the database roll back. Try again.")
        raise postgres_pool.explain_postgres_error(last or TimeoutError()) from last

    async def _migrate_schema(self, link: AnyConnection) -> None:
        """Apply what is missing. Waits for locks only briefly, and then lets others go before."""
        driver = postgres_pool.import_driver()
        undone = (driver.DeadlockDetectedError, driver.LockNotAvailableError)
        for tries in range(_MAX_MIGRATION_TRIES):
            try:
                await self._apply_migrations(link)
            except undone:
                if tries + 1 == _MAX_MIGRATION_TRIES:
                    raise
                await asyncio.sleep(_MIGRATION_PAUSE_SECONDS)
            else:
                return

    async def _apply_migrations(self, link: AnyConnection) -> None:
        steps = migrations.load_migrations(self._name, POSTGRES_DIALECT)
        async with link.transaction():
            check_server_version(int(await link.fetchval("SHOW server_version_num")))
            await link.execute(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK_ID})")
            await link.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema_name}")
            await link.execute(f"SET LOCAL search_path TO {self.schema_name}")
            # Who waits for a table's lock makes everybody wait who comes later, readers too.
            await link.execute(f"SET LOCAL lock_timeout TO '{_MIGRATION_LOCK_TIMEOUT}'")
            await link.execute(schema_versions.CREATE_VERSION_TABLE)
            await link.execute(schema_versions.CREATE_CONTRACT_TABLE)
            version = int(await link.fetchval(schema_versions.SELECT_VERSION))
            schema_versions.check_schema_version(
                version,
                int(await link.fetchval(schema_versions.SELECT_CONTRACT)),
                known=len(steps),
                place="The database",
                remedy="set another database",
            )
            for step in steps[version:]:
                for statement in step:
                    await link.execute(statement)
            if version < len(steps):
                contract = migrations.find_newest_contract(self._name, POSTGRES_DIALECT)
                await link.execute("DELETE FROM schema_version")
                await link.execute("INSERT INTO schema_version VALUES ($1)", len(steps))
                await link.execute("DELETE FROM schema_contract")
                await link.execute("INSERT INTO schema_contract VALUES ($1)", contract)


def build_postgres_database(settings: Settings, url: str, *, schema: str) -> PostgresDatabase:
    store_settings = settings[StoreSettings]
    return PostgresDatabase(
        url,
        schema=schema,
        max_connections=store_settings.database_connections,
        direct_url=store_settings.database_direct_url,
    )


def check_server_version(number: int) -> None:
    """Raises ServerTooOld if the server is; `number` is like 150004."""
    if number < _MIN_SERVER_VERSION:
        raise ServerTooOld(
            f"PostgreSQL 14 or newer is needed; this server is version {number // 10000}."
        )


async def _run_postgres_statement(
    link: PoolConnection, statement: SqlStatement
) -> StatementOutcome:
    text, names = number_parameters(statement.sql)
    if statement.param_rows:
        await link.executemany(
            text, [[row[name] for name in names] for row in statement.param_rows]
        )
        return StatementOutcome(changed_rows=len(statement.param_rows))
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
