"""Limits by name, shared by every process on the store: so many at once, then one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from citewell.errors import CitewellError
from citewell.store.crypto import Keys
from citewell.store.health import Health
from citewell.store.sql import Database, Scalar, Statement

# A generic cell rate: `due` is when the next would come if all were evenly spread.
_TAKE = """
INSERT INTO pace (id, due) VALUES (:id, {now} + :interval)
ON CONFLICT (id) DO UPDATE SET
    due = CASE WHEN pace.due > {now} THEN pace.due ELSE {now} END + :interval
WHERE pace.due <= {now} + :allowance
RETURNING due
"""
_WAIT = "SELECT due - {now} FROM pace WHERE id = :id"
_MOST_REMEMBERED = 10_000


class Limiter(Protocol):
    async def take(self, name: str, *, per_second: float, burst: int = 1) -> float:
        """Zero when it may go now, else the seconds after which to ask again; then nothing was taken."""
        ...


class MemoryLimiter:
    """For a process that shares its limits with nobody."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}

    async def take(self, name: str, *, per_second: float, burst: int = 1) -> float:
        now, interval = self._clock(), 1 / per_second
        due = max(self._due.get(name, now), now)
        wait = due - now - (burst - 1) * interval
        if wait > 0:
            return wait
        if len(self._due) >= _MOST_REMEMBERED:
            self._due = {key: value for key, value in self._due.items() if value > now}
        self._due[name] = due + interval
        return 0.0


class SqlLimiter:
    """Limits in the SQL store, by its clock; where that fails, each process keeps its own."""

    def __init__(
        self, database: Database, keys: Keys, *, health: Health, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._keys = keys
        self._health = health
        self._clock = clock
        self._own = MemoryLimiter(clock=clock)
        self._take = _TAKE.format(now=database.dialect.now)
        self._wait = _WAIT.format(now=database.dialect.now)

    async def take(self, name: str, *, per_second: float, burst: int = 1) -> float:
        if self._health.usable():
            try:
                return await self._shared(name, 1 / per_second, burst)
            except CitewellError as error:
                self._health.failed(error)
        return await self._own.take(name, per_second=per_second, burst=burst)

    async def _shared(self, name: str, interval: float, burst: int) -> float:
        allowance = (burst - 1) * interval
        params: dict[str, Scalar] = {
            "id": (await self._keys.ring()).names("pace", name)[0],
            "now": self._clock(),
            "interval": interval,
            "allowance": allowance,
        }
        (taken,) = await self._database.execute([Statement(sql=self._take, params=params)])
        if taken.rows:
            return 0.0
        rows = await self._database.fetch(self._wait, params)
        return max(0.0, rows[0][0] - allowance) if rows else 0.0
