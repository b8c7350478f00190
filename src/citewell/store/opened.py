"""Everything that is kept, put together from the settings; no disk is touched before first use."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from citewell.config import Settings
from citewell.store import keyfile
from citewell.store.artifacts import Artifacts, CachedArtifacts
from citewell.store.cache import Cache, NoCache, TieredCache
from citewell.store.crypto import Keys, parse_key
from citewell.store.disk import DiskTier
from citewell.store.flight import Loader
from citewell.store.health import Health
from citewell.store.leases import Leases, NoLeases, SqlLeases
from citewell.store.lru import Lru
from citewell.store.memory import KeptMemory
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
    health: Health
    database: Database | None  # None when nothing may touch the disk

    def memory(self, name: str) -> KeptMemory:
        """The facts of the provider with this name."""
        return KeptMemory(self.facts, name)

    def warnings(self) -> tuple[str, ...]:
        return self.health.warnings()

    def counts(self) -> Mapping[str, int]:
        return self.health.counts()

    async def aclose(self) -> None:
        if self.database is not None:
            await self.database.aclose()


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
    database: Database | None = None
    disk: DiskTier | None = None
    leases: Leases = NoLeases()
    if settings.cache_enabled and settings.cache_max_disk_mb > 0:
        bound = settings.cache_max_disk_mb * _MB
        database = _database(settings, bound)
        disk = DiskTier(database, keys, clock=clock, max_bytes=bound)
        leases = SqlLeases(database, keys, holder=new_id(), health=health, clock=clock)
    space = partial(TieredCache, memory=memory, disk=disk, health=health, clock=clock)
    cache: Cache = space("answer") if settings.cache_enabled else NoCache()
    return Store(
        cache=cache,
        artifacts=CachedArtifacts(space("artifact"), ttl=settings.artifact_ttl, clock=clock),
        loader=Loader(cache, leases),
        facts=space("fact"),
        health=health,
        database=database,
    )


def _database(settings: Settings, bound: int) -> SqliteDatabase:
    return SqliteDatabase(
        settings.cache_path / CACHE_FILE,
        schema="cache",
        synchronous="NORMAL",
        disposable=True,
        # The bound proper is kept by sweeping; this one only stops a runaway.
        max_bytes=2 * bound + 16 * _MB,
    )


def _keys(settings: Settings) -> Keys:
    named = (
        ("CACHE_ENCRYPTION_KEY", settings.cache_key),
        ("CACHE_ENCRYPTION_KEY_PREV", settings.cache_key_previous),
    )
    given = [parse_key(value, setting=name) for name, value in named if value]
    if settings.cache_key:
        return Keys(lambda: given)
    path = settings.data_path / KEY_FILE
    return Keys(lambda: [keyfile.read_or_create(path), *given])
