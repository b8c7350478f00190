"""Redis as shared cache tier and lease table. The only module that imports redis."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from citewell.errors import CitewellError, Misconfigured
from citewell.store.body_compression import run_off_loop_if_large
from citewell.store.cache.encrypted_entries import (
    decrypt_entry,
    decrypt_owner_entry,
    encrypt_entry,
)
from citewell.store.cache.timed_values import EntryKey, TimedValue
from citewell.store.coordination.store_health import StoreHealth
from citewell.store.failures import StoreError
from citewell.store.keys.encryption import EncryptionKeyring, LazyKeyring

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
        for one in owners:
            pattern = f"{KEY_PREFIX}:entry:{space}:{one}:*"
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


class RedisLeaseTable:
    """Leases by the clock of Redis; while Redis fails, every process gets every lease."""

    def __init__(
        self, server: RedisConnection, keys: LazyKeyring, *, holder: str, health: StoreHealth
    ) -> None:
        self._server = server
        self._keys = keys
        self._holder = holder
        self._health = health

    async def take_lease(self, name: str, *, seconds: float) -> bool:
        if not self._health.is_usable():
            return True
        life = max(1, round(seconds * 1000))
        try:
            return bool(
                await self._server.run_script(
                    _TAKE_LEASE_SCRIPT, await self._build_lease_key(name), self._holder, life
                )
            )
        except CitewellError as error:
            self._health.record_store_failure(error)
            return True

    async def release_lease(self, name: str) -> None:
        if not self._health.is_usable():
            return
        try:
            await self._server.run_script(
                _RELEASE_LEASE_SCRIPT, await self._build_lease_key(name), self._holder
            )
        except CitewellError as error:
            self._health.record_store_failure(error)

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
