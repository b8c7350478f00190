"""Calls counted by name for each day in UTC, shared by all processes on the store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from citewell.store.coordination.rate_limits import UNSHARED_EVENT, Backend
from citewell.store.encryption import LazyKeyring
from citewell.store.failures import BatchRolledBack, StoreHealth
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

SECONDS_PER_DAY = 86_400
_MAX_REMEMBERED_COUNTS = 10_000

# A clock that is a little behind counts into the day that another has begun.
_USED_TODAY = "CASE WHEN daily_count.day < excluded.day THEN 0 ELSE daily_count.used END"
_UPSERT_COUNT = f"""
INSERT INTO daily_count (id, day, used) VALUES (:id, :day, :calls)
ON CONFLICT (id) DO UPDATE SET
    used = {_USED_TODAY} + excluded.used,
    day = CASE WHEN daily_count.day < excluded.day THEN excluded.day ELSE daily_count.day END
WHERE {_USED_TODAY} + excluded.used <= CAST(:quota AS BIGINT)
RETURNING used
"""  # noqa: S608 - constants
_RETURN_CALLS = """
UPDATE daily_count SET used = CASE WHEN used > :calls THEN used - :calls ELSE 0 END
WHERE id = :id AND day = :day
"""
_SELECT_COUNTS = "SELECT id, used FROM daily_count WHERE day >= :day AND id IN ({ids})"
_DELETE_PAST_COUNTS = "DELETE FROM daily_count WHERE day < :day"


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyQuota:
    """At most `calls` from one midnight in UTC to the next."""

    name: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCalls:
    """Whether the calls were counted, and how many of each quota are used now."""

    is_granted: bool
    used: tuple[int, ...]


def find_utc_day(now: float) -> int:
    """The number of the day, counted from the first of January 1970."""
    return int(now // SECONDS_PER_DAY)


class DailyCounter:
    """Counts of one process, gone with it; its subclasses are shared by the processes on a store."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counts: dict[str, tuple[int, int]] = {}  # the day and the calls counted on it

    async def count_calls(self, quotas: Sequence[DailyQuota], *, calls: int = 1) -> CountedCalls:
        """Count `calls` for every quota, or for none if one has too few left."""
        day = find_utc_day(self._clock())
        used = self._list_used(quotas, day)
        after = tuple(count + calls for count in used)
        if any(count > quota.calls for count, quota in zip(after, quotas, strict=True)):
            return CountedCalls(is_granted=False, used=used)
        if len(self._counts) >= _MAX_REMEMBERED_COUNTS:
            self._counts = {key: value for key, value in self._counts.items() if value[0] == day}
        for quota, count in zip(quotas, after, strict=True):
            self._counts[quota.name] = (day, count)
        return CountedCalls(is_granted=True, used=after)

    async def return_calls(self, quotas: Sequence[DailyQuota], *, calls: int = 1) -> None:
        """Take back calls that were counted today and cost nothing after all."""
        day = find_utc_day(self._clock())
        for quota, used in zip(quotas, self._list_used(quotas, day), strict=True):
            self._counts[quota.name] = (day, max(0, used - calls))

    async def read_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]:
        """How many calls of each quota were counted today."""
        return self._list_used(quotas, find_utc_day(self._clock()))

    def _list_used(self, quotas: Sequence[DailyQuota], day: int) -> tuple[int, ...]:
        counted = (self._counts.get(quota.name, (day, 0)) for quota in quotas)
        return tuple(used if on == day else 0 for on, used in counted)


class SharedDailyCounter(DailyCounter, ABC, Generic[Backend]):
    """Counts of all processes on a store; while it fails, each process counts by itself."""

    def __init__(
        self,
        backend: Backend,
        keys: LazyKeyring,
        *,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(clock=clock)
        self._backend = backend
        self._keys = keys
        self._health = health
        self._swept_day = 0

    async def count_calls(self, quotas: Sequence[DailyQuota], *, calls: int = 1) -> CountedCalls:
        if not quotas:
            return CountedCalls(is_granted=True, used=())
        counted = await self._health.try_store(
            lambda: self._count_shared_calls(quotas, calls), otherwise=None
        )
        if counted is None:
            self._health.record_event(UNSHARED_EVENT)
            return await super().count_calls(quotas, calls=calls)
        return counted

    async def return_calls(self, quotas: Sequence[DailyQuota], *, calls: int = 1) -> None:
        if quotas and not await self._health.try_store(
            lambda: self._return_shared_calls(quotas, calls), otherwise=False
        ):
            await super().return_calls(quotas, calls=calls)

    async def read_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]:
        counts = None
        if quotas:
            counts = await self._health.try_store(
                lambda: self._read_shared_counts(quotas), otherwise=None
            )
        return await super().read_counts(quotas) if counts is None else counts

    @abstractmethod
    async def _count_shared_calls(
        self, quotas: Sequence[DailyQuota], calls: int
    ) -> CountedCalls: ...

    @abstractmethod
    async def _return_shared_calls(self, quotas: Sequence[DailyQuota], calls: int) -> bool:
        """True once they are taken back."""

    @abstractmethod
    async def _read_shared_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]: ...


class SqlDailyCounter(SharedDailyCounter[SqlDatabase]):
    """Counts in the SQL database."""

    async def _return_shared_calls(self, quotas: Sequence[DailyQuota], calls: int) -> bool:
        day = find_utc_day(self._clock())
        await self._backend.small_rows.execute_batch(
            [
                SqlStatement(sql=_RETURN_CALLS, params={"id": row_id, "day": day, "calls": calls})
                for row_id in await self._hash_quota_names(quotas)
            ]
        )
        return True

    async def _count_shared_calls(self, quotas: Sequence[DailyQuota], calls: int) -> CountedCalls:
        day = find_utc_day(self._clock())
        if all(calls <= quota.calls for quota in quotas):
            ids = await self._hash_quota_names(quotas)
            batch = [
                SqlStatement(
                    sql=_UPSERT_COUNT,
                    params={"id": row_id, "day": day, "calls": calls, "quota": quota.calls},
                    expected_rows=1,
                )
                for row_id, quota in zip(ids, quotas, strict=True)
            ]
            if day > self._swept_day:
                self._swept_day = day
                past = SqlStatement(sql=_DELETE_PAST_COUNTS, params={"day": day - 1})
                await self._backend.small_rows.execute_batch([past])
            try:
                outcomes = await self._backend.small_rows.execute_batch(batch)
            except BatchRolledBack:
                pass  # one of them has too few left, so nothing was counted
            else:
                return CountedCalls(
                    is_granted=True, used=tuple(int(outcome.rows[0][0]) for outcome in outcomes)
                )
        return CountedCalls(is_granted=False, used=await self._read_shared_counts(quotas))

    async def _read_shared_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]:
        ids = await self._hash_quota_names(quotas)
        params: dict[str, SqlScalar] = {f"id{index}": row_id for index, row_id in enumerate(ids)}
        sql = _SELECT_COUNTS.format(ids=", ".join(f":{name}" for name in params))
        found = await self._backend.small_rows.select_rows(
            sql, params | {"day": find_utc_day(self._clock())}
        )
        used = {row_id: int(count) for row_id, count in found}
        return tuple(used.get(row_id, 0) for row_id in ids)

    async def _hash_quota_names(self, quotas: Sequence[DailyQuota]) -> list[str]:
        key = (await self._keys.load_keyring()).keys[0]
        return [key.hash_frequent_name("day", quota.name) for quota in quotas]
