"""Everything that is kept, put together from the settings; no disk is touched before first use."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from citewell.config import Settings
from citewell.store import keyfile
from citewell.store.artifacts import Artifacts, CachedArtifacts
from citewell.store.cache import Cache, NoCache, Tier, TieredCache
from citewell.store.crypto import Keys, derived, parse_key
from citewell.store.disk import DiskTier
from citewell.store.flight import Loader
from citewell.store.health import Health
from citewell.store.leases import Leases, NoLeases, SqlLeases
from citewell.store.limits import Limiter, MemoryLimiter, SqlLimiter
from citewell.store.lru import Lru
from citewell.store.memory import KeptMemory
from citewell.store.scope import fingerprint
from citewell.store.sql import Database
from citewell.store.sqlite import SqliteDatabase

CACHE_FILE, KEY_FILE = "cache.db", "cache.key"
_MB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    cache: Cache
    artifacts: Artifacts
    loader: Loader
    facts: TieredCache
    limits: Limiter
    health: Health
    database: Database | None  # None when nothing may touch the disk, or Redis keeps it
    close: Callable[[], Awaitable[None]] | None = None

    def memory(self, name: str) -> KeptMemory:
        """The facts of the provider with this name."""
        return KeptMemory(self.facts, name)

    def warnings(self) -> tuple[str, ...]:
        return self.health.warnings()

    def counts(self) -> Mapping[str, int]:
        return self.health.counts()

    async def aclose(self) -> None:
        if self.close is not None:
            await self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """What processes share, on whichever backend the settings name."""

    tier: Tier | None
    leases: Leases
    limits: Limiter
    database: Database | None = None
    close: Callable[[], Awaitable[None]] | None = None


def open_store(
    settings: Settings,
    clock: Callable[[], float] = time.time,
    *,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
) -> Store:
    """Raises Misconfigured for a key that is none; every later trouble becomes a warning."""
    keys = _keys(settings)
    health = Health(clock)
    memory = Lru(settings.cache_max_memory_mb * _MB)
    shared = _shared(settings, keys, health, clock=clock, holder=new_id())
    space = partial(TieredCache, memory=memory, disk=shared.tier, health=health, clock=clock)
    kept = f"answer.{fingerprint(settings)}"
    cache: Cache = space(kept) if settings.cache_enabled else NoCache()
    return Store(
        cache=cache,
        artifacts=CachedArtifacts(space("artifact"), ttl=settings.artifact_ttl, clock=clock),
        loader=Loader(cache, shared.leases),
        facts=space("fact"),
        limits=shared.limits,
        health=health,
        database=shared.database,
        close=shared.close,
    )


def _shared(
    settings: Settings, keys: Keys, health: Health, *, clock: Callable[[], float], holder: str
) -> _Shared:
    if not settings.cache_enabled or settings.cache_max_disk_mb <= 0:
        return _Shared(tier=None, leases=NoLeases(), limits=MemoryLimiter(clock=clock))
    if settings.redis_url:
        from citewell.store.redis import RedisLeases, RedisLimiter, RedisServer, RedisTier

        server = RedisServer(settings.redis_url)
        return _Shared(
            tier=RedisTier(server, keys),
            leases=RedisLeases(server, keys, holder=holder, health=health),
            limits=RedisLimiter(server, keys, health=health, clock=clock),
            close=server.aclose,
        )
    bound = settings.cache_max_disk_mb * _MB
    database = _database(settings, bound)
    return _Shared(
        tier=DiskTier(database, keys, clock=clock, max_bytes=bound),
        leases=SqlLeases(database, keys, holder=holder, health=health, clock=clock),
        limits=SqlLimiter(database, keys, health=health, clock=clock),
        database=database,
        close=database.aclose,
    )


def _database(settings: Settings, bound: int) -> Database:
    if settings.database_url:
        from citewell.store.postgres import PostgresDatabase

        return PostgresDatabase(settings.database_url, schema="cache")
    return SqliteDatabase(
        settings.cache_path / CACHE_FILE,
        schema="cache",
        synchronous="NORMAL",
        disposable=True,
        # The bound proper is kept by sweeping; this one only stops a runaway.
        max_bytes=2 * bound + 16 * _MB,
    )


def _keys(settings: Settings) -> Keys:
    """One key for all of the cache: nothing in it outlives a day, and it can be deleted whole.

    Its entries need neither a key for each owner nor erasure by key, and a hit stays cheap.
    """
    named = (
        ("CACHE_ENCRYPTION_KEY", settings.cache_key),
        ("CACHE_ENCRYPTION_KEY_PREV", settings.cache_key_previous),
    )
    given = [parse_key(value, setting=name) for name, value in named if value]
    if settings.cache_key:
        return Keys(lambda: given)
    if settings.database_url or settings.redis_url:
        from citewell.store.masters import masters

        # Instances that share a cache must open one another's entries.
        source = masters(settings)
        return Keys(lambda: [*(derived(key, b"cache") for key in source.read()), *given])
    path = settings.data_path / KEY_FILE
    return Keys(lambda: [keyfile.read_or_create(path), *given])
