"""Redis as shared cache tier, lease table, rate limiter and daily counter. The only module that imports redis."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from citewell.core.errors import Misconfigured
from citewell.store.cache.sql_tier import decrypt_entry, decrypt_owner_entry, encrypt_entry
from citewell.store.cache.tiered_cache import EntryKey, TimedValue
from citewell.store.coordination.daily_counts import (
    SECONDS_PER_DAY,
    CountedCalls,
    DailyQuota,
    SharedDailyCounter,
    find_utc_day,
)
from citewell.store.coordination.leases import LeaseTable
from citewell.store.coordination.rate_limits import (
    RateLimit,
    RateState,
    SharedRateLimiter,
    TakenPermits,
    build_rate_state,
)
from citewell.store.encryption import EncryptionKeyring, LazyKeyring, run_off_loop_if_large
from citewell.store.failures import StoreError, StoreHealth

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

T = TypeVar("T")

KEY_PREFIX = "citewell"
_TIMEOUT_SECONDS = 5.0  # after that the memory tier is the better cache
_MAX_REDIS_CONNECTIONS = 16
_MAX_ENTRY_BYTES = 64 * 2**20
_KEYS_PER_SCAN = 500

# Anybody can take a free lease; only its holder can renew or release it.
_TAKE_LEASE_SCRIPT = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_RELEASE_LEASE_SCRIPT = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisConnection:
    """A Redis client that connects with the first command."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Any = None

    async def run_command(self, command: Callable[[Any], Awaitable[T]]) -> T:
        """The reply to `command`; raises StoreError, whose message does not contain the address."""
        client = self._client or self._connect_client()
        import redis.exceptions

        try:
            return await command(client)
        except (redis.exceptions.RedisError, OSError) as error:
            raise StoreError(f"Redis cannot be used ({type(error).__name__}).") from error

    async def run_script(self, text: str, key: str, *arguments: str | int) -> int:
        return int(await self.run_command(lambda client: client.eval(text, 1, key, *arguments)))

    async def run_list_script(
        self, text: str, keys: Sequence[str], *arguments: str | int
    ) -> list[int]:
        """The numbers that a script over several keys replies with."""
        reply = await self.run_command(
            lambda client: client.eval(text, len(keys), *keys, *arguments)
        )
        return [int(number) for number in reply]

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _connect_client(self) -> Any:
        try:
            from redis import asyncio as driver
        except ImportError:
            raise Misconfigured(
                'REDIS_URL needs a driver: pip install "citewell[redis]".', action="inform_user"
            ) from None
        try:
            pool = driver.BlockingConnectionPool.from_url(
                self._url,
                max_connections=_MAX_REDIS_CONNECTIONS,
                timeout=_TIMEOUT_SECONDS,
                socket_timeout=_TIMEOUT_SECONDS,
                socket_connect_timeout=_TIMEOUT_SECONDS,
            )
            self._client = driver.Redis.from_pool(pool)
        except ValueError as error:
            raise Misconfigured(
                "REDIS_URL is not a Redis address.", action="inform_user"
            ) from error
        return self._client


class RedisCacheTier:
    """Encrypted entries that Redis expires itself; its `maxmemory` setting limits their size."""

    def __init__(self, server: RedisConnection, keys: LazyKeyring) -> None:
        self._server = server
        self._keys = keys

    async def load_entry(self, spot: EntryKey) -> TimedValue | None:
        """The entry; raises DecryptionFailed."""
        ring = await self._keys.load_keyring()
        rows = _build_entry_keys(ring, spot)
        bodies = await self._server.run_command(lambda client: client.mget(rows))
        found = [
            (row, body) for row, body in zip(ring.hash_names(*spot), bodies, strict=True) if body
        ]
        if not found:
            return None
        row, body = found[0]
        return await run_off_loop_if_large(len(body), lambda: decrypt_entry(ring, spot, row, body))

    async def save_entry(self, spot: EntryKey, kept: TimedValue) -> bool:
        ring = await self._keys.load_keyring()
        body = await run_off_loop_if_large(len(kept.value), lambda: encrypt_entry(ring, spot, kept))
        if len(body) > _MAX_ENTRY_BYTES:
            await self.delete_entry(spot)  # otherwise the older value would be found again
            return False
        row, life = _build_entry_keys(ring, spot)[0], max(1, round(kept.ttl * 1000))
        await self._server.run_command(lambda client: client.set(row, body, px=life))
        return True

    async def delete_entry(self, spot: EntryKey) -> None:
        rows = _build_entry_keys(await self._keys.load_keyring(), spot)
        await self._server.run_command(lambda client: client.unlink(*rows))

    async def clear_space(self, space: str, owner: str | None) -> None:
        ring = await self._keys.load_keyring()
        owners = ["*"] if owner is None else ring.hash_names(owner)
        for owner_hash in owners:
            pattern = f"{KEY_PREFIX}:entry:{space}:{owner_hash}:*"
            await self._server.run_command(partial(_delete_matching_keys, pattern))

    async def erase_entries(self, owner: str, *, private_space: str) -> None:
        owners = frozenset((await self._keys.load_keyring()).hash_names(owner))

        def is_erased(row: str) -> bool:
            *_, space, named, _ = row.split(":")
            return space != private_space or named in owners

        pattern = f"{KEY_PREFIX}:entry:*"
        await self._server.run_command(partial(_delete_matching_keys, pattern, is_chosen=is_erased))

    async def iterate_entries(self, space: str, owner: str) -> AsyncIterator[TimedValue]:
        """The entries of one owner; Redis has deleted those that have expired."""
        ring = await self._keys.load_keyring()
        for named in dict.fromkeys(ring.hash_names(owner)):
            pattern = f"{KEY_PREFIX}:entry:{space}:{named}:*"
            for row in await self._server.run_command(partial(_list_matching_keys, pattern)):
                body = await self._server.run_command(partial(_load_value, row))
                place = (space, owner, "")
                name = row.rpartition(":")[2]
                kept = await decrypt_owner_entry(ring, place, name, body) if body else None
                if kept is not None:
                    yield kept


class RedisLeaseTable(LeaseTable):
    """Leases by the clock of Redis; while Redis fails, every process gets every lease."""

    def __init__(
        self, server: RedisConnection, keys: LazyKeyring, *, holder: str, health: StoreHealth
    ) -> None:
        self._server = server
        self._keys = keys
        self._holder = holder
        self._health = health

    async def take_lease(self, name: str, *, seconds: float) -> bool:
        async def take_key() -> bool:
            life = max(1, round(seconds * 1000))
            key = await self._build_lease_key(name)
            return bool(await self._server.run_script(_TAKE_LEASE_SCRIPT, key, self._holder, life))

        return await self._health.try_store(take_key, otherwise=True)

    async def release_lease(self, name: str) -> None:
        async def release_key() -> None:
            key = await self._build_lease_key(name)
            await self._server.run_script(_RELEASE_LEASE_SCRIPT, key, self._holder)

        await self._health.try_store(release_key, otherwise=None)

    async def _build_lease_key(self, name: str) -> str:
        return (
            f"{KEY_PREFIX}:lease:{(await self._keys.load_keyring()).hash_names('lease', name)[0]}"
        )


def _build_entry_keys(ring: EncryptionKeyring, spot: EntryKey) -> list[str]:
    """Redis keys an entry may have: hashed with the current encryption key first, then the older ones."""
    space, owner, _ = spot
    return [
        f"{KEY_PREFIX}:entry:{space}:{named}:{row}"
        for named, row in zip(ring.hash_names(owner), ring.hash_names(*spot), strict=True)
    ]


async def _list_matching_keys(pattern: str, client: Any) -> list[str]:
    return [row.decode() async for row in client.scan_iter(match=pattern, count=_KEYS_PER_SCAN)]


async def _load_value(row: str, client: Any) -> bytes | None:
    found: bytes | None = await client.get(row)
    return found


async def _delete_matching_keys(
    pattern: str, client: Any, *, is_chosen: Callable[[str], bool] = lambda _: True
) -> None:
    found = [row for row in await _list_matching_keys(pattern, client) if is_chosen(row)]
    for start in range(0, len(found), _KEYS_PER_SCAN):
        await client.unlink(*found[start : start + _KEYS_PER_SCAN])


# Rate limits and daily counts in Redis, by its clock and in one script each.


class RedisRateLimiter(SharedRateLimiter[RedisConnection]):
    """Rate limits by the clock of Redis."""

    async def _read_shared_limits(self, limits: Sequence[RateLimit]) -> tuple[RateState, ...]:
        return (await self._take_shared_permits(limits, 0)).states

    async def _take_shared_permits(self, limits: Sequence[RateLimit], calls: int) -> TakenPermits:
        ring = await self._keys.load_keyring()
        rows = [f"{KEY_PREFIX}:pace:{ring.hash_names('pace', limit.name)[0]}" for limit in limits]
        arguments: list[int] = []
        for limit in limits:
            arguments += [
                round(calls * limit.interval * _MICROSECONDS),
                round(limit.measure_allowance(calls) * _MICROSECONDS),
            ]
        granted, *ahead = await self._backend.run_list_script(
            _TAKE_PERMITS_SCRIPT, rows, *arguments
        )
        wanted = 0 if granted else calls
        states = tuple(
            build_rate_state(limit, microseconds / _MICROSECONDS, calls=wanted)
            for limit, microseconds in zip(limits, ahead, strict=True)
        )
        return TakenPermits(is_granted=bool(granted), states=states)


class RedisDailyCounter(SharedDailyCounter[RedisConnection]):
    """Counts in Redis."""

    async def _return_shared_calls(self, quotas: Sequence[DailyQuota], calls: int) -> bool:
        await self._count_shared_calls(quotas, -calls)
        return True

    async def _read_shared_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]:
        return (await self._count_shared_calls(quotas, 0)).used

    async def _count_shared_calls(self, quotas: Sequence[DailyQuota], calls: int) -> CountedCalls:
        ring = await self._keys.load_keyring()
        day = find_utc_day(self._clock())
        rows = [
            f"{KEY_PREFIX}:day:{day}:{ring.hash_names('day', quota.name)[0]}" for quota in quotas
        ]
        granted, *used = await self._backend.run_list_script(
            _COUNT_CALLS_SCRIPT,
            rows,
            calls,
            _COUNT_LIFE_SECONDS,
            *(quota.calls for quota in quotas),
        )
        return CountedCalls(is_granted=bool(granted), used=tuple(used))
