"""Rate limits by name, shared by all processes on the store: a burst, then a steady rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from citewell.errors import CitewellError
from citewell.store.coordination.store_health import StoreHealth
from citewell.store.keys.encryption import LazyKeyring
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

# Generic cell rate algorithm: `due` is when the next call would come at the steady rate.
_UPSERT_PACE = """
INSERT INTO pace (id, due) VALUES (:id, {now} + :interval)
ON CONFLICT (id) DO UPDATE SET
    due = CASE WHEN pace.due > {now} THEN pace.due ELSE {now} END + :interval
WHERE pace.due <= {now} + :allowance
RETURNING due
"""
_SELECT_WAIT_SECONDS = "SELECT due - {now} FROM pace WHERE id = :id"
_MAX_REMEMBERED_LIMITS = 10_000


class RateLimiter(Protocol):
    async def take_permit(self, name: str, *, per_second: float, burst: int = 1) -> float:
        """0.0 if the call may go now; otherwise the seconds to wait, and no permit was taken."""
        ...


class MemoryRateLimiter:
    """Rate limits of one process."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}

    async def take_permit(self, name: str, *, per_second: float, burst: int = 1) -> float:
        now, interval = self._clock(), 1 / per_second
        due = max(self._due.get(name, now), now)
        wait = due - now - (burst - 1) * interval
        if wait > 0:
            return wait
        if len(self._due) >= _MAX_REMEMBERED_LIMITS:
            self._due = {key: value for key, value in self._due.items() if value > now}
        self._due[name] = due + interval
        return 0.0


class SqlRateLimiter:
    """Rate limits in the SQL database, by its clock; while it fails, each process has its own."""

    def __init__(
        self,
        database: SqlDatabase,
        keys: LazyKeyring,
        *,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._keys = keys
        self._health = health
        self._clock = clock
        self._own = MemoryRateLimiter(clock=clock)
        self._take = _UPSERT_PACE.format(now=database.dialect.now_expression)
        self._wait = _SELECT_WAIT_SECONDS.format(now=database.dialect.now_expression)

    async def take_permit(self, name: str, *, per_second: float, burst: int = 1) -> float:
        if self._health.is_usable():
            try:
                return await self._take_shared_permit(name, 1 / per_second, burst)
            except CitewellError as error:
                self._health.record_store_failure(error)
        return await self._own.take_permit(name, per_second=per_second, burst=burst)

    async def _take_shared_permit(self, name: str, interval: float, burst: int) -> float:
        allowance = (burst - 1) * interval
        params: dict[str, SqlScalar] = {
            "id": (await self._keys.load_keyring()).hash_names("pace", name)[0],
            "now": self._clock(),
            "interval": interval,
            "allowance": allowance,
        }
        (taken,) = await self._database.execute_batch([SqlStatement(sql=self._take, params=params)])
        if taken.rows:
            return 0.0
        rows = await self._database.select_rows(self._wait, params)
        return max(0.0, rows[0][0] - allowance) if rows else 0.0
