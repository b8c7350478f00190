"""The state in memory without threads or files, so that a test decides the order of everything."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from citewell.store.failures import BatchRolledBack
from citewell.store.sql import migrations
from citewell.store.sql.database import (
    SQLITE_DIALECT,
    SqlDatabase,
    SqlDialect,
    SqlRow,
    SqlScalar,
    SqlStatement,
    StatementOutcome,
)


class InlineDatabase:
    """SQLite in this very thread; a batch never gives way to anything."""

    def __init__(self) -> None:
        self.link = sqlite3.connect(":memory:", isolation_level=None)
        self.link.execute("PRAGMA foreign_keys = ON")
        for step in migrations.load_migrations("state", SQLITE_DIALECT):
            for statement in step:
                self.link.execute(statement)

    @property
    def dialect(self) -> SqlDialect:
        return SQLITE_DIALECT

    @property
    def small_rows(self) -> SqlDatabase:
        return self

    async def select_rows(
        self, sql: str, params: Mapping[str, SqlScalar] | None = None
    ) -> list[SqlRow]:
        return self.link.execute(sql, params or {}).fetchall()

    async def execute_batch(self, batch: Sequence[SqlStatement]) -> tuple[StatementOutcome, ...]:
        self.link.execute("BEGIN")
        try:
            outcomes = tuple(self._run(statement) for statement in batch)
        except (BatchRolledBack, sqlite3.IntegrityError) as error:
            self.link.execute("ROLLBACK")
            raise BatchRolledBack(str(error)) from error
        self.link.execute("COMMIT")
        return outcomes

    async def erase_rows(
        self,
        batch: Sequence[SqlStatement],
        *,
        scrubbed: Sequence[str],
    ) -> tuple[StatementOutcome, ...]:
        return await self.execute_batch(batch)

    async def aclose(self) -> None:
        self.link.close()

    def _run(self, statement: SqlStatement) -> StatementOutcome:
        cursor = self.link.execute(statement.sql, statement.params)
        rows = tuple(cursor.fetchall())
        changed = max(cursor.rowcount, len(rows))
        if statement.expected_rows is not None and changed != statement.expected_rows:
            raise BatchRolledBack(f"expected {statement.expected_rows}, found {changed}")
        return StatementOutcome(changed_rows=changed, rows=rows)


@dataclasses.dataclass
class Mortal:
    """A process's own view of the database: once it is dead, it reads and writes nothing more."""

    database: InlineDatabase
    dead: bool = False
    dies_in: int | None = None  # commits, the last of which nobody hears of

    @property
    def dialect(self) -> SqlDialect:
        return SQLITE_DIALECT

    @property
    def small_rows(self) -> SqlDatabase:
        return self

    async def select_rows(
        self, sql: str, params: Mapping[str, SqlScalar] | None = None
    ) -> list[SqlRow]:
        self._breathe()
        return await self.database.select_rows(sql, params)

    async def execute_batch(self, batch: Sequence[SqlStatement]) -> tuple[StatementOutcome, ...]:
        self._breathe()
        outcomes = await self.database.execute_batch(batch)
        if self.dies_in is not None:
            self.dies_in -= 1
            self.dead = self.dies_in <= 0
        self._breathe()
        return outcomes

    async def erase_rows(
        self,
        batch: Sequence[SqlStatement],
        *,
        scrubbed: Sequence[str],
    ) -> tuple[StatementOutcome, ...]:
        return await self.execute_batch(batch)

    async def aclose(self) -> None: ...

    def _breathe(self) -> None:
        if self.dead:
            raise asyncio.CancelledError


def inline_state(
    database: Any, clock: Callable[[], float], new_id: Callable[[], str], **settings: Any
) -> StateStore:
    """The whole state over a database of the test's own."""
    chosen = Settings(data_dir=Path("unused"), master_key="ab" * 32, **settings)
    return StateStore(chosen, clock, new_id=new_id, database=database)
