"""Rate limits and daily counts in Redis, by its clock and in one script each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citewell.errors import CitewellError
from citewell.store.cache.redis_backend import KEY_PREFIX, RedisConnection
from citewell.store.coordination.daily_counts import (
    SECONDS_PER_DAY,
    CountedCalls,
    DailyQuota,
    MemoryDailyCounter,
    find_utc_day,
)
from citewell.store.coordination.rate_limits import (
    UNSHARED_EVENT,
    MemoryRateLimiter,
    RateLimit,
    RateState,
    TakenPermits,
    build_rate_state,
)
from citewell.store.coordination.store_health import StoreHealth
from citewell.store.keys.encryption import LazyKeyring

_MICROSECONDS = 1_000_000
_COUNT_LIFE_SECONDS = 2 * SECONDS_PER_DAY

# Generic cell rate algorithm in microseconds, for all keys or for none. Each key has two arguments:
# the cost of the calls, and how far ahead of its steady rate it may be. Replies with 1 or 0 for
# granted or refused, and how far ahead each key is.
_TAKE_PERMITS_SCRIPT = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local reply, granted = {1}, true
local due = {}
for index, key in ipairs(KEYS) do
    due[index] = math.max(tonumber(redis.call('GET', key) or now), now)
    if due[index] > now + tonumber(ARGV[2 * index]) then granted = false end
end
if not granted then reply[1] = 0 end
for index, key in ipairs(KEYS) do
    local cost = tonumber(ARGV[2 * index - 1])
    if granted and cost > 0 then
        due[index] = due[index] + cost
        local life = math.ceil((due[index] - now) / 1000) + 1
        redis.call('SET', key, string.format('%.0f', due[index]), 'PX', life)
    end
    reply[index + 1] = math.ceil(due[index] - now)
end
return reply
"""
# Counts the calls for all keys or for none. The arguments are the calls, the seconds that a count
# is kept, and the quota of each key.
_COUNT_CALLS_SCRIPT = """
local calls, granted = tonumber(ARGV[1]), true
local used = {}
for index, key in ipairs(KEYS) do
    used[index] = tonumber(redis.call('GET', key) or 0)
    if used[index] + calls > tonumber(ARGV[index + 2]) then granted = false end
end
local reply = {granted and 1 or 0}
for index, key in ipairs(KEYS) do
    if granted and calls ~= 0 then
        used[index] = math.max(0, used[index] + calls)
        redis.call('SET', key, used[index], 'EX', ARGV[2])
    end
    reply[index + 1] = used[index]
end
return reply
"""


class RedisRateLimiter:
    """Rate limits by the clock of Redis; while Redis fails, each process has its own."""

    def __init__(
        self,
        server: RedisConnection,
        keys: LazyKeyring,
        *,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        self._server = server
        self._keys = keys
        self._health = health
        self._own = MemoryRateLimiter(clock=clock)

    async def take_permits(self, limits: Sequence[RateLimit], *, calls: int = 1) -> TakenPermits:
        if not limits:
            return TakenPermits(is_granted=True, states=())
        if self._health.is_usable():
            try:
                return await self._run_take_script(limits, calls)
            except CitewellError as error:
                self._health.record_store_failure(error)
        self._health.record_event(UNSHARED_EVENT)
        return await self._own.take_permits(limits, calls=calls)

    async def read_limits(self, limits: Sequence[RateLimit]) -> tuple[RateState, ...]:
        if limits and self._health.is_usable():
            try:
                return (await self._run_take_script(limits, 0)).states
            except CitewellError as error:
                self._health.record_store_failure(error)
        return await self._own.read_limits(limits)

    async def _run_take_script(self, limits: Sequence[RateLimit], calls: int) -> TakenPermits:
        ring = await self._keys.load_keyring()
        rows = [f"{KEY_PREFIX}:pace:{ring.hash_names('pace', limit.name)[0]}" for limit in limits]
        arguments: list[int] = []
        for limit in limits:
            arguments += [
                round(calls * limit.interval * _MICROSECONDS),
                round(limit.measure_allowance(calls) * _MICROSECONDS),
            ]
        granted, *ahead = await self._server.run_list_script(_TAKE_PERMITS_SCRIPT, rows, *arguments)
        wanted = 0 if granted else calls
        states = tuple(
            build_rate_state(limit, microseconds / _MICROSECONDS, calls=wanted)
            for limit, microseconds in zip(limits, ahead, strict=True)
        )
        return TakenPermits(is_granted=bool(granted), states=states)


class RedisDailyCounter:
    """Counts in Redis; while it fails, each process counts by itself."""

    def __init__(
        self,
        server: RedisConnection,
        keys: LazyKeyring,
        *,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        self._server = server
        self._keys = keys
        self._health = health
        self._clock = clock
        self._own = MemoryDailyCounter(clock=clock)

    async def count_calls(self, quotas: Sequence[DailyQuota], *, calls: int = 1) -> CountedCalls:
        if not quotas:
            return CountedCalls(is_granted=True, used=())
        if self._health.is_usable():
            try:
                return await self._run_count_script(quotas, calls)
            except CitewellError as error:
                self._health.record_store_failure(error)
        self._health.record_event(UNSHARED_EVENT)
        return await self._own.count_calls(quotas, calls=calls)

    async def return_calls(self, quotas: Sequence[DailyQuota], *, calls: int = 1) -> None:
        if not quotas:
            return
        if self._health.is_usable():
            try:
                await self._run_count_script(quotas, -calls)
            except CitewellError as error:
                self._health.record_store_failure(error)
            else:
                return
        await self._own.return_calls(quotas, calls=calls)

    async def read_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]:
        if quotas and self._health.is_usable():
            try:
                return (await self._run_count_script(quotas, 0)).used
            except CitewellError as error:
                self._health.record_store_failure(error)
        return await self._own.read_counts(quotas)

    async def _run_count_script(self, quotas: Sequence[DailyQuota], calls: int) -> CountedCalls:
        ring = await self._keys.load_keyring()
        day = find_utc_day(self._clock())
        rows = [
            f"{KEY_PREFIX}:day:{day}:{ring.hash_names('day', quota.name)[0]}" for quota in quotas
        ]
        granted, *used = await self._server.run_list_script(
            _COUNT_CALLS_SCRIPT,
            rows,
            calls,
            _COUNT_LIFE_SECONDS,
            *(quota.calls for quota in quotas),
        )
        return CountedCalls(is_granted=bool(granted), used=tuple(used))
