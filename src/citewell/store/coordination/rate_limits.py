"""Rate limits by name, shared by all processes on the store: a burst, then a steady rate.

`load_limit_file` reads the limits of single tenants, and says which line of the file is wrong.
`SqlOpenCircuits` tells which upstreams an instance has stopped asking for a while, so that the other
ones stop too; its times are those of the database server, so the clocks of the instances may differ.
"""

from __future__ import annotations

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from citewell.core.errors import Misconfigured
from citewell.store.coordination.change_notices import ChangeNotices
from citewell.store.encryption import LazyKeyring
from citewell.store.failures import BatchRolledBack, StoreHealth
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

Backend = TypeVar("Backend")  # what the processes share
UNSHARED_EVENT = "limit_unshared"  # a store failed, so that a process counted by itself

# Generic cell rate algorithm: `due` is when the next call would come at the steady rate.
_UPSERT_PACE = """
INSERT INTO pace (id, due, touched) VALUES (:id, {now} + :cost, {now})
ON CONFLICT (id) DO UPDATE SET
    due = CASE WHEN pace.due > {now} THEN pace.due ELSE {now} END + :cost,
    touched = {now}
WHERE pace.due <= {now} + :allowance
RETURNING due, touched
"""
_SELECT_PACES = "SELECT id, due - {now} FROM pace WHERE id IN ({ids})"
_MAX_REMEMBERED_LIMITS = 10_000
_TOLERANCE = 0.01  # of an interval, for what sums of fractions are off
CIRCUIT_TOPIC = "open_circuit"
_UPSERT_CIRCUIT = """
INSERT INTO open_circuit (name, until, limited) VALUES (:name, {now} + :seconds, :limited)
ON CONFLICT (name) DO UPDATE SET until = excluded.until, limited = excluded.limited
WHERE open_circuit.until < excluded.until
"""
_DELETE_CLOSED = "DELETE FROM open_circuit WHERE until <= {now}"
_SELECT_OPEN = "SELECT name, until - {now}, limited FROM open_circuit WHERE until > {now}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """`calls` at once, and as many in every `seconds` after that."""

    name: str
    calls: int
    seconds: float

    @property
    def interval(self) -> float:
        return self.seconds / self.calls

    def measure_allowance(self, calls: int) -> float:
        """How many seconds ahead of its steady rate a limit may be for `calls` more to pass."""
        return (self.calls - calls + _TOLERANCE) * self.interval


@dataclass(frozen=True, slots=True, kw_only=True)
class RateState:
    """What is left of one limit, and the seconds until all of it is left again."""

    remaining: int
    reset_seconds: float
    wait_seconds: float = 0.0  # until the calls that were asked for can pass


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenPermits:
    """Whether the calls may go now, and the state of each limit, in the order asked for."""

    is_granted: bool
    states: tuple[RateState, ...]


def build_rate_state(limit: RateLimit, ahead: float, *, calls: int = 0) -> RateState:
    """The state of a limit that is `ahead` seconds ahead of its steady rate, for one who wants `calls` more."""
    ahead = max(0.0, ahead)
    wait = ahead - limit.measure_allowance(calls) if calls else 0.0
    return RateState(
        remaining=max(0, int(limit.calls - ahead / limit.interval + _TOLERANCE)),
        reset_seconds=ahead,
        wait_seconds=max(0.0, wait),
    )


class RateLimiter:
    """Rate limits of one process; its subclasses are shared by the processes on a store."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}

    async def take_permits(self, limits: Sequence[RateLimit], *, calls: int = 1) -> TakenPermits:
        """Take `calls` permits of every limit, or none of any if one has too few."""
        now = self._clock()
        before = self._build_states(limits, now, calls)
        if any(state.wait_seconds > 0 for state in before):
            return TakenPermits(is_granted=False, states=before)
        if len(self._due) >= _MAX_REMEMBERED_LIMITS:
            self._due = {key: value for key, value in self._due.items() if value > now}
        for limit in limits:
            self._due[limit.name] = (
                max(self._due.get(limit.name, now), now) + calls * limit.interval
            )
        return TakenPermits(is_granted=True, states=self._build_states(limits, now, 0))

    async def read_limits(self, limits: Sequence[RateLimit]) -> tuple[RateState, ...]:
        """The state of each limit; takes nothing."""
        return self._build_states(limits, self._clock(), 0)

    def _build_states(
        self, limits: Sequence[RateLimit], now: float, calls: int
    ) -> tuple[RateState, ...]:
        return tuple(
            build_rate_state(limit, self._due.get(limit.name, now) - now, calls=calls)
            for limit in limits
        )


class SharedRateLimiter(RateLimiter, ABC, Generic[Backend]):
    """Rate limits of all processes on a store; while it fails, each process has its own."""

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

    async def take_permits(self, limits: Sequence[RateLimit], *, calls: int = 1) -> TakenPermits:
        if not limits:
            return TakenPermits(is_granted=True, states=())
        taken = await self._health.try_store(
            lambda: self._take_shared_permits(limits, calls), otherwise=None
        )
        if taken is None:
            self._health.record_event(UNSHARED_EVENT)
            return await super().take_permits(limits, calls=calls)
        return taken

    async def read_limits(self, limits: Sequence[RateLimit]) -> tuple[RateState, ...]:
        states = None
        if limits:
            states = await self._health.try_store(
                lambda: self._read_shared_limits(limits), otherwise=None
            )
        return await super().read_limits(limits) if states is None else states

    @abstractmethod
    async def _take_shared_permits(
        self, limits: Sequence[RateLimit], calls: int
    ) -> TakenPermits: ...

    @abstractmethod
    async def _read_shared_limits(self, limits: Sequence[RateLimit]) -> tuple[RateState, ...]: ...


class SqlRateLimiter(SharedRateLimiter[SqlDatabase]):
    """Rate limits in the SQL database, by its clock."""

    async def _take_shared_permits(self, limits: Sequence[RateLimit], calls: int) -> TakenPermits:
        if all(calls <= limit.calls for limit in limits):
            ids = await self._hash_limit_names(limits)
            batch = [
                self._build_take(row_id, limit, calls)
                for row_id, limit in zip(ids, limits, strict=True)
            ]
            try:
                outcomes = await self._backend.small_rows.execute_batch(batch)
            except BatchRolledBack:
                pass  # one of them has too few, so nothing was taken
            else:
                return TakenPermits(
                    is_granted=True,
                    states=tuple(
                        build_rate_state(limit, outcome.rows[0][0] - outcome.rows[0][1])
                        for limit, outcome in zip(limits, outcomes, strict=True)
                    ),
                )
        return TakenPermits(is_granted=False, states=await self._read_shared_limits(limits, calls))

    async def _read_shared_limits(
        self, limits: Sequence[RateLimit], calls: int = 0
    ) -> tuple[RateState, ...]:
        ids = await self._hash_limit_names(limits)
        params: dict[str, SqlScalar] = {f"id{index}": row_id for index, row_id in enumerate(ids)}
        sql = _SELECT_PACES.format(
            now=self._backend.dialect.now_expression,
            ids=", ".join(f":{name}" for name in params),
        )
        ahead: dict[str, float] = dict(
            await self._backend.small_rows.select_rows(sql, params | {"now": self._clock()})
        )
        return tuple(
            build_rate_state(limit, ahead.get(row_id, 0.0), calls=calls)
            for row_id, limit in zip(ids, limits, strict=True)
        )

    def _build_take(self, row_id: str, limit: RateLimit, calls: int) -> SqlStatement:
        sql = _UPSERT_PACE.format(now=self._backend.dialect.now_expression)
        params: dict[str, SqlScalar] = {
            "id": row_id,
            "now": self._clock(),
            "cost": calls * limit.interval,
            "allowance": limit.measure_allowance(calls),
        }
        return SqlStatement(sql=sql, params=params, expected_rows=1)

    async def _hash_limit_names(self, limits: Sequence[RateLimit]) -> list[str]:
        key = (await self._keys.load_keyring()).keys[0]
        return [key.hash_frequent_name("pace", limit.name) for limit in limits]


MAX_LIMIT = 10**9
_SETTING = "CITEWELL_LIMITS_FILE"
_TABLE = "tenants"
_MAX_FILE_BYTES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantOverrides:
    """Limits of one tenant instead of the settings'; None keeps the setting, 0 switches a limit off.

    The names are those of the file.
    """

    rate_per_minute: int | None = None
    daily_quota: int | None = None
    max_concurrent_calls: int | None = None
    user_rate_per_minute: int | None = None
    user_daily_quota: int | None = None
    user_max_concurrent_calls: int | None = None
    research_budget_cents: int | None = None


def load_limit_file(path: Path | None) -> Mapping[str, TenantOverrides]:
    """The overrides by tenant; none without a file. Raises Misconfigured with the line to change."""
    if path is None:
        return {}
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise _build_file_error(path, f"is larger than {_MAX_FILE_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _build_file_error(path, f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise _build_file_error(path, "is not UTF-8") from None
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _build_file_error(path, f"is not valid TOML: {error}") from None
    return _parse_tenants(path, text, found)


def _parse_tenants(path: Path, text: str, found: Mapping[str, Any]) -> dict[str, TenantOverrides]:
    for name in found:
        if name != _TABLE:
            raise _build_line_error(
                path, text, (name,), f"has {name!r}, but only tables [tenants.NAME] are known"
            )
    tenants = found.get(_TABLE, {})
    if not isinstance(tenants, dict):
        raise _build_line_error(path, text, (_TABLE,), "must have tables [tenants.NAME]")
    return {name: _parse_tenant(path, text, name, table) for name, table in tenants.items()}


def _parse_tenant(path: Path, text: str, tenant: str, table: Any) -> TenantOverrides:
    known = [field.name for field in fields(TenantOverrides)]
    if not isinstance(table, dict):
        raise _build_line_error(
            path, text, (_TABLE, tenant), f"must have a table [tenants.{tenant}] with limits"
        )
    for key, value in table.items():
        if key not in known:
            problem = f"has the unknown limit {key!r}; there are {', '.join(known)}"
        elif type(value) is not int or not 0 <= value <= MAX_LIMIT:
            problem = f"must have a whole number from 0 to {MAX_LIMIT} for {key}"
        else:
            continue
        raise _build_line_error(path, text, (_TABLE, tenant, key), problem)
    return TenantOverrides(**table)


def _build_line_error(path: Path, text: str, place: tuple[str, ...], problem: str) -> Misconfigured:
    return _build_file_error(path, problem, line=_find_line(text, place))


def _build_file_error(path: Path, problem: str, *, line: int | None = None) -> Misconfigured:
    where = f"line {line} of " if line else ""
    return Misconfigured(
        f"{_SETTING} cannot be used: {where}{path} {problem}.",
        action="inform_user",
        settings=(_SETTING,),
    )


def _find_line(text: str, place: tuple[str, ...]) -> int | None:
    """The line on which the last name of `place` is written, after the lines of the others."""
    lines = text.splitlines()
    start = 0
    for name in place:
        named = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        matching = (index for index in range(start, len(lines)) if named.search(lines[index]))
        start = next(matching, start)
    return start + 1 if lines else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCircuit:
    """An upstream that is not asked for `seconds`; `is_limited` if it asked us to slow down."""

    name: str
    seconds: float
    is_limited: bool


class SqlOpenCircuits:
    def __init__(
        self, database: SqlDatabase, notices: ChangeNotices, *, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._notices = notices
        self._clock = clock

    @property
    def notices(self) -> ChangeNotices:
        return self._notices

    async def announce_circuit(self, circuit: OpenCircuit) -> None:
        """Tell the other instances; a longer pause that is known already stays."""
        params: dict[str, SqlScalar] = {
            "name": circuit.name,
            "seconds": float(circuit.seconds),
            "limited": int(circuit.is_limited),
            "now": self._clock(),
        }
        notices = self._notices.build_notice(CIRCUIT_TOPIC, circuit.name)
        await self._database.execute_batch(
            [
                SqlStatement(sql=self._write_sql(_DELETE_CLOSED), params=params),
                SqlStatement(sql=self._write_sql(_UPSERT_CIRCUIT), params=params),
                *notices,
            ]
        )

    async def list_open_circuits(self) -> tuple[OpenCircuit, ...]:
        rows = await self._database.select_rows(
            self._write_sql(_SELECT_OPEN), {"now": self._clock()}
        )
        return tuple(
            OpenCircuit(name=name, seconds=seconds, is_limited=bool(limited))
            for name, seconds, limited in rows
        )

    def _write_sql(self, sql: str) -> str:
        return sql.format(now=self._database.dialect.now_expression)
