"""The state in memory without threads or files, so that a test decides the order of everything."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.config import Settings
from citewell.store import migrations
from citewell.store.failures import GuardFailed
from citewell.store.sql import SQLITE, Dialect, Outcome, Row, Scalar, Statement
from citewell.store.state import State, open_state


class InlineDatabase:
    """SQLite in this very thread; a batch never gives way to anything."""

    def __init__(self) -> None:
        self.link = sqlite3.connect(":memory:", isolation_level=None)
        self.link.execute("PRAGMA foreign_keys = ON")
        for step in migrations.load("state", SQLITE):
            for statement in step:
                self.link.execute(statement)

    @property
    def dialect(self) -> Dialect:
        return SQLITE

    async def fetch(self, sql: str, params: Mapping[str, Scalar] | None = None) -> list[Row]:
        return self.link.execute(sql, params or {}).fetchall()

    async def execute(self, batch: Sequence[Statement]) -> tuple[Outcome, ...]:
        self.link.execute("BEGIN")
        try:
            outcomes = tuple(self._run(statement) for statement in batch)
        except (GuardFailed, sqlite3.IntegrityError) as error:
            self.link.execute("ROLLBACK")
            raise GuardFailed(str(error)) from error
        self.link.execute("COMMIT")
        return outcomes

    async def aclose(self) -> None:
        self.link.close()

    def _run(self, statement: Statement) -> Outcome:
        cursor = self.link.execute(statement.sql, statement.params)
        rows = tuple(cursor.fetchall())
        changed = max(cursor.rowcount, len(rows))
        if statement.expect is not None and changed != statement.expect:
            raise GuardFailed(f"expected {statement.expect}, found {changed}")
        return Outcome(changed=changed, rows=rows)


@dataclasses.dataclass
class Mortal:
    """A process's own view of the database: once it is dead, it reads and writes nothing more."""

    database: InlineDatabase
    dead: bool = False
    dies_in: int | None = None  # commits, the last of which nobody hears of

    @property
    def dialect(self) -> Dialect:
        return SQLITE

    async def fetch(self, sql: str, params: Mapping[str, Scalar] | None = None) -> list[Row]:
        self._breathe()
        return await self.database.fetch(sql, params)

    async def execute(self, batch: Sequence[Statement]) -> tuple[Outcome, ...]:
        self._breathe()
        outcomes = await self.database.execute(batch)
        if self.dies_in is not None:
            self.dies_in -= 1
            self.dead = self.dies_in <= 0
        self._breathe()
        return outcomes

    async def aclose(self) -> None: ...

    def _breathe(self) -> None:
        if self.dead:
            raise asyncio.CancelledError


def inline_state(
    database: Any, clock: Callable[[], float], new_id: Callable[[], str], **settings: Any
) -> State:
    """The whole state over a database of the test's own."""
    chosen = Settings(data_dir=Path("unused"), master_key="ab" * 32, **settings)
    return open_state(chosen, clock, new_id=new_id, database=database)
