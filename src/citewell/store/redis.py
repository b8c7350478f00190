"""Redis as the shared cache tier, the leases and the limits; nobody else uses the library."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from citewell.errors import CitewellError, Misconfigured
from citewell.store.crypto import Keyring, Keys
from citewell.store.entries import open_entry, seal_entry
from citewell.store.failures import StoreError
from citewell.store.health import Health
from citewell.store.limits import MemoryLimiter
from citewell.store.lru import Kept, Spot
from citewell.store.packing import maybe_off_loop

T = TypeVar("T")

_PREFIX = "citewell"
_PATIENCE = 5.0  # seconds; beyond that the memory tier is the better cache
_LINKS = 16
_LARGEST = 64 * 2**20
_SCANNED = 500

# The holder renews, anybody takes what is free; only the holder gives back.
_TAKE = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_GIVE_BACK = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
# A generic cell rate on the server's clock, in microseconds: a reply carries integers only.
_PACE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local interval, allowance = tonumber(ARGV[1]), tonumber(ARGV[2])
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local wait = due - now - allowance
if wait > 0 then return math.ceil(wait) end
due = due + interval
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000) + 1)
return 0
"""


class RedisServer:
    """One address of Redis, connected with the first command."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Any = None

    async def ask(self, command: Callable[[Any], Awaitable[T]]) -> T:
        """The answer; raises StoreError, without the address, where there is none."""
        client = self._client or self._connected()
        import redis.exceptions

        try:
            return await command(client)
        except (redis.exceptions.RedisError, OSError) as error:
            raise StoreError(f"Redis cannot be used ({type(error).__name__}).") from error

    async def script(self, text: str, key: str, *arguments: str | int) -> int:
        return int(await self.ask(lambda client: client.eval(text, 1, key, *arguments)))

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _connected(self) -> Any:
        try:
            from redis import asyncio as driver
        except ImportError:
            raise Misconfigured(
                'REDIS_URL needs a driver: pip install "citewell[redis]".', action="inform_user"
            ) from None
        try:
            pool = driver.BlockingConnectionPool.from_url(
                self._url,
                max_connections=_LINKS,
                timeout=_PATIENCE,
                socket_timeout=_PATIENCE,
                socket_connect_timeout=_PATIENCE,
            )
            self._client = driver.Redis.from_pool(pool)
        except ValueError as error:
            raise Misconfigured(
                "REDIS_URL is not an address of Redis.", action="inform_user"
            ) from error
        return self._client


class RedisTier:
    """Sealed entries that Redis itself lets expire; its `maxmemory` is the bound in bytes."""

    def __init__(self, server: RedisServer, keys: Keys) -> None:
        self._server = server
        self._keys = keys

    async def get(self, spot: Spot) -> Kept | None:
        """The entry; raises Unreadable when it does not open."""
        ring = await self._keys.ring()
        rows = _rows(ring, spot)
        bodies = await self._server.ask(lambda client: client.mget(rows))
        found = [(row, body) for row, body in zip(ring.names(*spot), bodies, strict=True) if body]
        if not found:
            return None
        row, body = found[0]
        return await maybe_off_loop(len(body), lambda: open_entry(ring, spot, row, body))

    async def put(self, spot: Spot, kept: Kept) -> bool:
        ring = await self._keys.ring()
        body = await maybe_off_loop(len(kept.value), lambda: seal_entry(ring, spot, kept))
        if len(body) > _LARGEST:
            await self.forget(spot)  # or the older value would come back
            return False
        row, life = _rows(ring, spot)[0], max(1, round(kept.ttl * 1000))
        await self._server.ask(lambda client: client.set(row, body, px=life))
        return True

    async def forget(self, spot: Spot) -> None:
        rows = _rows(await self._keys.ring(), spot)
        await self._server.ask(lambda client: client.unlink(*rows))

    async def clear(self, space: str, owner: str | None) -> None:
        ring = await self._keys.ring()
        owners = ["*"] if owner is None else ring.names(owner)
        for one in owners:
            pattern = f"{_PREFIX}:entry:{space}:{one}:*"
            await self._server.ask(partial(_unlink, pattern))


class RedisLeases:
    """Leases on Redis's clock; where it fails, every process is its own master."""

    def __init__(self, server: RedisServer, keys: Keys, *, holder: str, health: Health) -> None:
        self._server = server
        self._keys = keys
        self._holder = holder
        self._health = health

    async def take(self, name: str, *, seconds: float) -> bool:
        if not self._health.usable():
            return True
        life = max(1, round(seconds * 1000))
        try:
            return bool(await self._server.script(_TAKE, await self._row(name), self._holder, life))
        except CitewellError as error:
            self._health.failed(error)
            return True

    async def give_back(self, name: str) -> None:
        if not self._health.usable():
            return
        try:
            await self._server.script(_GIVE_BACK, await self._row(name), self._holder)
        except CitewellError as error:
            self._health.failed(error)

    async def _row(self, name: str) -> str:
        return f"{_PREFIX}:lease:{(await self._keys.ring()).names('lease', name)[0]}"


class RedisLimiter:
    """Limits on Redis's clock; where it fails, each process keeps its own."""

    def __init__(
        self, server: RedisServer, keys: Keys, *, health: Health, clock: Callable[[], float]
    ) -> None:
        self._server = server
        self._keys = keys
        self._health = health
        self._own = MemoryLimiter(clock=clock)

    async def take(self, name: str, *, per_second: float, burst: int = 1) -> float:
        if self._health.usable():
            try:
                interval = round(1_000_000 / per_second)
                row = f"{_PREFIX}:pace:{(await self._keys.ring()).names('pace', name)[0]}"
                wait = await self._server.script(_PACE, row, interval, (burst - 1) * interval)
            except CitewellError as error:
                self._health.failed(error)
            else:
                return wait / 1_000_000
        return await self._own.take(name, per_second=per_second, burst=burst)


def _rows(ring: Keyring, spot: Spot) -> list[str]:
    """Where an entry may be: under the current key first, then under the previous one."""
    space, owner, _ = spot
    return [
        f"{_PREFIX}:entry:{space}:{named}:{row}"
        for named, row in zip(ring.names(owner), ring.names(*spot), strict=True)
    ]


async def _unlink(pattern: str, client: Any) -> None:
    found = [row async for row in client.scan_iter(match=pattern, count=_SCANNED)]
    for start in range(0, len(found), _SCANNED):
        await client.unlink(*found[start : start + _SCANNED])
