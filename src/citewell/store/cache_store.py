"""Builds the cache, artifacts, rate limits and facts from the settings; opens nothing before first use."""

from __future__ import annotations

import hashlib
import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.core.config import Settings, list_settings
from citewell.core.errors import InvalidInput, Misconfigured
from citewell.core.settings import SEARXNG_PROFILE, CoreSettings
from citewell.store import master_keys
from citewell.store.cache import tiered_cache
from citewell.store.cache.artifact_store import ArtifactStore, StoredArtifact, read_stored_artifact
from citewell.store.cache.single_flight import CachedLoader
from citewell.store.cache.sql_tier import SqlCacheTier
from citewell.store.coordination.daily_counts import DailyCounter, SqlDailyCounter
from citewell.store.coordination.leases import LeaseTable, SqlLeaseTable
from citewell.store.coordination.rate_limits import RateLimiter, SqlRateLimiter
from citewell.store.encryption import LazyKeyring, derive_key, parse_hex_key
from citewell.store.failures import StoreHealth
from citewell.store.settings import StoreSettings
from citewell.store.sql.database import SqlDatabase
from citewell.store.sql.sqlite_database import SqliteDatabase

if TYPE_CHECKING:
    from citewell.store.object_entry_tier import ObjectEntryTier

# By name pattern, so that options of a new provider are included without a change here.
_RESULT_SETTINGS_PATTERN = re.compile(
    r"^(?:CITEWELL_|SEARCH_|SEARXNG_|BRAVE_|GOOGLE_|CUSTOM_|ALLOW|EXA_|TAVILY_|CHROME_PATH$)"
    r"|_API_KEY$|_EMAIL$|_TOKEN$"
)
# Storage places and served clients do not affect results.
_NEUTRAL_SETTINGS_PATTERN = re.compile(
    r"^CITEWELL_(?:DATA_DIR|CONFIG|FRONT|TOOLS|TOOLSETS|PROFILE|READ_ONLY|HOST|CACHE\w*|OPEN_METRICS"
    r"|STRUCTURED_TEXT|LINK_THRESHOLD|ANSWER_LIMIT|ARTIFACT_TTL|MASTER_KEY\w*|DATABASE_(?:URL|DIRECT_URL|CONNECTIONS))$"
)

CACHE_FILE, CACHE_KEY_FILE = "cache.db", "cache.key"
_BYTES_PER_MB = 2**20
_ARTIFACT_SPACE = "artifact"
_SWEEP_LEASE = "object sweep"
_SWEEP_LEASE_SECONDS = (
    1800.0  # so that of several processes one sweeps, once in half an hour at most
)


class CachedProviderMemory:
    """Small facts that one provider keeps across restarts; no other provider can read them."""

    def __init__(self, facts: tiered_cache.TieredCache, name: str) -> None:
        self._facts = facts
        self._name = name

    async def recall_fact(self, key: str) -> bytes | None:
        entry = await self._facts.look_up_entry(self._name, key, disk_first=True)
        return None if entry is None else entry.value

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        await self._facts.store_entry(self._name, key, value, ttl=ttl)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStore:
    cache: tiered_cache.ResultCache
    artifacts: ArtifactStore
    loader: CachedLoader
    facts: tiered_cache.TieredCache
    rate_limiter: RateLimiter
    daily_counter: DailyCounter
    health: StoreHealth
    database: SqlDatabase | None  # None without a disk tier, or if Redis is the shared tier
    spaces: Mapping[str, tiered_cache.TieredCache]  # every space that is kept in memory, by name
    leases: LeaseTable
    artifact_ttl: float
    objects: ObjectEntryTier | None = None  # None unless an object store is configured
    object_health: StoreHealth | None = None
    tier: tiered_cache.CacheTier | None = None
    close_backend: Callable[[], Awaitable[None]] | None = None

    async def erase_owner(self, owner: str) -> None:
        """Delete the owner's artifacts, and all answers and facts; raises StoreError if a tier fails.

        Answers and facts are shared without the names of those who asked, and can be fetched again.
        """
        self.forget_recent(owner)
        if self.objects is not None:
            await self.objects.erase_entries(owner, private_space=_ARTIFACT_SPACE)
        elif self.tier is not None:
            await self.tier.erase_entries(owner, private_space=_ARTIFACT_SPACE)

    def forget_recent(self, owner: str | None = None) -> None:
        """Drop all answers and facts from memory, and the artifacts of one owner or of all."""
        for name, space in self.spaces.items():
            space.forget_recent(owner if name == _ARTIFACT_SPACE else None)

    def build_provider_memory(self, name: str) -> CachedProviderMemory:
        """The facts of the provider called `name`."""
        return CachedProviderMemory(self.facts, name)

    async def iterate_artifacts(self, owner: str) -> AsyncIterator[StoredArtifact]:
        """The owner's artifacts that are kept outside memory; raises StoreError."""
        tier = self.objects or self.tier
        if tier is not None:
            async for kept in tier.iterate_entries(_ARTIFACT_SPACE, owner):
                yield read_stored_artifact(kept)

    async def sweep_artifact_objects(self) -> int:
        """Delete expired artifacts from the object store, unless another process does; raises StoreError."""
        if self.objects is None or not await self.leases.take_lease(
            _SWEEP_LEASE, seconds=_SWEEP_LEASE_SECONDS
        ):
            return 0
        return await self.objects.sweep_objects(_ARTIFACT_SPACE, ttl=self.artifact_ttl)

    def list_store_warnings(self) -> tuple[str, ...]:
        other = self.object_health.list_failure_messages() if self.object_health else ()
        return (*self.health.list_failure_messages(), *other)

    async def aclose(self) -> None:
        if self.close_backend is not None:
            await self.close_backend()


@dataclass(frozen=True, slots=True, kw_only=True)
class _SharedBackend:
    """What processes share, on the backend that the settings choose."""

    tier: tiered_cache.CacheTier | None
    leases: LeaseTable
    rate_limiter: RateLimiter
    daily_counter: DailyCounter
    database: SqlDatabase | None = None
    close_backend: Callable[[], Awaitable[None]] | None = None


def open_cache_store(
    settings: Settings,
    clock: Callable[[], float] = time.time,
    *,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
) -> CacheStore:
    """Raises Misconfigured if a key setting is malformed; later failures only become warnings."""
    store_settings = settings[StoreSettings]
    keys = _build_cache_keyring(settings)
    health = StoreHealth(clock)
    memory: tiered_cache.RecentValues[tiered_cache.EntryKey, tiered_cache.TimedValue] = (
        tiered_cache.RecentValues(store_settings.cache_max_memory_mb * _BYTES_PER_MB)
    )
    shared = _build_shared_backend(settings, keys, health, clock=clock, holder=new_id())
    enabled = store_settings.cache_enabled
    space = partial(tiered_cache.TieredCache, memory=memory, health=health, clock=clock)
    disk = shared.tier if enabled else None
    answers = space(f"answer.{build_settings_fingerprint(settings)}", disk=disk)
    cache: tiered_cache.ResultCache = answers if enabled else tiered_cache.ResultCache()
    object_health = StoreHealth(clock, "For now, large results are kept without the object store.")
    objects = _build_object_tier(settings, disk, keys, object_health, clock) if enabled else None
    artifacts = space(_ARTIFACT_SPACE, disk=objects or disk)
    # Facts are no cache: a server that forgets who asked for a rest would not keep it.
    facts = space("fact", disk=shared.tier)
    return CacheStore(
        cache=cache,
        artifacts=ArtifactStore(artifacts, ttl=store_settings.artifact_ttl, clock=clock),
        loader=CachedLoader(cache, shared.leases if enabled else LeaseTable()),
        facts=facts,
        spaces={"answer": answers, _ARTIFACT_SPACE: artifacts, "fact": facts},
        tier=shared.tier,
        objects=objects,
        object_health=object_health,
        leases=shared.leases,
        artifact_ttl=store_settings.artifact_ttl,
        # Limits are no cache either: they hold for all processes together.
        rate_limiter=shared.rate_limiter,
        daily_counter=shared.daily_counter,
        health=health,
        database=shared.database,
        close_backend=shared.close_backend,
    )


def _build_object_tier(
    settings: Settings,
    small: tiered_cache.CacheTier | None,
    keys: LazyKeyring,
    health: StoreHealth,
    clock: Callable[[], float],
) -> ObjectEntryTier | None:
    """None unless an object store is set. Raises Misconfigured if it cannot be used at all."""
    store_settings = settings[StoreSettings]
    if store_settings.object_store_url is None:
        return None
    from citewell.net.object_client import build_object_client, parse_object_address
    from citewell.store.object_entry_tier import ObjectEntryTier

    try:
        address = parse_object_address(store_settings.object_store_url)
    except InvalidInput as error:
        raise Misconfigured(
            f"CITEWELL_OBJECT_STORE_URL cannot be used. {error.message}", action="inform_user"
        ) from None
    client = build_object_client(settings, address)
    return ObjectEntryTier(small, client, keys, health=health, clock=clock)


def _build_shared_backend(
    settings: Settings,
    keys: LazyKeyring,
    health: StoreHealth,
    *,
    clock: Callable[[], float],
    holder: str,
) -> _SharedBackend:
    store_settings = settings[StoreSettings]
    if store_settings.cache_max_disk_mb <= 0:
        return _SharedBackend(
            tier=None,
            leases=LeaseTable(),
            rate_limiter=RateLimiter(clock=clock),
            daily_counter=DailyCounter(clock=clock),
        )
    if store_settings.redis_url:
        from citewell.store.cache.redis_backend import (
            RedisCacheTier,
            RedisConnection,
            RedisDailyCounter,
            RedisLeaseTable,
            RedisRateLimiter,
        )

        server = RedisConnection(store_settings.redis_url)
        return _SharedBackend(
            tier=RedisCacheTier(server, keys),
            leases=RedisLeaseTable(server, keys, holder=holder, health=health),
            rate_limiter=RedisRateLimiter(server, keys, health=health, clock=clock),
            daily_counter=RedisDailyCounter(server, keys, health=health, clock=clock),
            close_backend=server.aclose,
        )
    bound = store_settings.cache_max_disk_mb * _BYTES_PER_MB
    database = _build_cache_database(settings, bound)
    return _SharedBackend(
        tier=SqlCacheTier(database, keys, clock=clock, max_bytes=bound),
        leases=SqlLeaseTable(database, keys, holder=holder, health=health, clock=clock),
        rate_limiter=SqlRateLimiter(database, keys, health=health, clock=clock),
        daily_counter=SqlDailyCounter(database, keys, health=health, clock=clock),
        database=database,
        close_backend=database.aclose,
    )


def _build_cache_database(settings: Settings, bound: int) -> SqlDatabase:
    store_settings = settings[StoreSettings]
    if store_settings.database_url:
        from citewell.store.sql.postgres_database import build_postgres_database

        return build_postgres_database(settings, store_settings.database_url, schema="cache")
    return SqliteDatabase(
        store_settings.cache_path / CACHE_FILE,
        schema="cache",
        synchronous="NORMAL",
        disposable=True,
        # The real limit is kept by sweeping; this one is only a safeguard.
        max_bytes=2 * bound + 16 * _BYTES_PER_MB,
    )


def _build_cache_keyring(settings: Settings) -> LazyKeyring:
    """One keyring for the whole cache, which is short-lived and can be deleted at any time.

    So it needs no key for each owner and no erasure by key, and a hit stays cheap.
    """
    store_settings = settings[StoreSettings]
    named = (
        ("CACHE_ENCRYPTION_KEY", store_settings.cache_key),
        ("CACHE_ENCRYPTION_KEY_PREV", store_settings.cache_key_previous),
    )
    given = [parse_hex_key(value, setting=name) for name, value in named if value]
    if store_settings.cache_key:
        return LazyKeyring(lambda: given)
    if store_settings.database_url or store_settings.redis_url:
        from citewell.store.master_keys import choose_master_key_source

        # Instances that share a cache must be able to decrypt each other's entries.
        source = choose_master_key_source(settings)
        return LazyKeyring(
            lambda: [*(derive_key(key, b"cache") for key in source.load_master_keys()), *given]
        )
    path = store_settings.data_path / CACHE_KEY_FILE
    return LazyKeyring(lambda: [master_keys.load_key_file(path)[0], *given])


# A fingerprint of the settings that affect results; cached results are reused only under the same one.


def build_settings_fingerprint(settings: Settings) -> str:
    """A hash of all settings that affect results, as 16 hexadecimal digits."""
    raw = {
        name: value
        for name, value in settings.raw.items()
        if _RESULT_SETTINGS_PATTERN.search(name) and not _NEUTRAL_SETTINGS_PATTERN.search(name)
    }
    chosen = [settings.get_value(setting) for setting in list_settings() if setting.shapes_answers]
    files = [
        (path.name, path.stat().st_mtime)
        for folder in chosen
        if isinstance(folder, Path) and folder.is_dir()
        for path in sorted(folder.glob("*.json"))
    ]
    has_more_fields = settings[CoreSettings].profile == SEARXNG_PROFILE
    text = json.dumps([sorted(raw.items()), chosen, files, has_more_fields], default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
