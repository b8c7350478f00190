"""The thin layer every kept thing is written through, on whichever SQL engine there is.

SQL stays in the common subset of SQLite 3.35 and PostgreSQL 14: named parameters (`:name`),
upserts, RETURNING, common table expressions and window functions; times are doubles in seconds,
bodies are bytes, and nothing reads JSON in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Scalar = None | int | float | str | bytes
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One step of a batch; with `expect`, any other number of rows undoes the whole batch."""

    sql: str
    params: Mapping[str, Scalar] = field(default_factory=dict)
    expect: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a statement did: rows it changed, and rows it returned."""

    changed: int
    rows: tuple[Row, ...] = ()


class Database(Protocol):
    """Reads see every batch whose `execute` has returned, in whichever process that was."""

    async def fetch(self, sql: str, params: Mapping[str, Scalar] | None = None) -> list[Row]:
        """The rows of one query."""
        ...

    async def execute(self, batch: Sequence[Statement]) -> tuple[Outcome, ...]:
        """Commit the whole batch or nothing of it; it is durable once this returns.

        Raises GuardFailed when a guard or a constraint refuses, StoreError when the engine cannot.
        """
        ...

    async def aclose(self) -> None:
        """Finish what was asked for and let go of the file or the server."""
        ...
