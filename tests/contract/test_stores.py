"""What every cache promises, whichever backend keeps it.

To add a backend, add its name and settings to BACKENDS, and to DURABLE if it outlives its opener.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from citewell.core.config import Settings
from citewell.store.cache.tiered_cache import CacheEntry, ResultCache
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.settings import StoreSettings
from tests.clocks import Clock
from tests.conditions import until
from tests.requirements import requires
from tests.services import postgres_settings, redis_or_skip

T = TypeVar("T")

BACKENDS: dict[str, Callable[[], dict[str, Any]]] = {
    "memory": lambda: {"cache_max_disk_mb": 0},
    "postgres": postgres_settings,
    "redis": lambda: {"redis_url": redis_or_skip()},
    "sqlite": dict,
}
DURABLE = {"postgres", "redis", "sqlite"}


@asynccontextmanager
async def opened(settings: Settings, clock: Clock) -> AsyncIterator[CacheStore]:
    store = open_cache_store(settings, clock)
    try:
        yield store
    finally:
        await store.aclose()
        assert store.list_store_warnings() == ()


@dataclass
class Backend:
    name: str
    settings: Settings
    clock: Clock = field(default_factory=Clock)

    def run(self, scenario: Callable[[ResultCache], Awaitable[T]]) -> T:
        """Open the cache, play the scenario on it, close it."""
        return self.play(lambda store: scenario(store.cache))

    def play(self, scenario: Callable[[CacheStore], Awaitable[T]]) -> T:
        async def played() -> T:
            async with opened(self.settings, self.clock) as store:
                return await scenario(store)

        return asyncio.run(played())


def build_backend(name: str, folder: Path) -> Backend:
    return Backend(name, Settings(data_dir=folder, **BACKENDS[name]()))


@pytest.fixture(params=sorted(BACKENDS))
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return build_backend(request.param, tmp_path)


@pytest.fixture(params=sorted(DURABLE))
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return build_backend(request.param, tmp_path)


def test_what_was_never_put_is_absent(cache: Backend) -> None:
    assert cache.run(lambda kept: kept.look_up_entry("someone", "nothing")) is None


@pytest.mark.parametrize("value", [b"", b"short", bytes(range(256)) * 20, b"x" * 300_000], ids=len)
def test_a_value_comes_back_whole_with_its_lifetime(cache: Backend, value: Any) -> None:
    async def scenario(kept: ResultCache) -> CacheEntry | None:
        assert await kept.store_entry("someone", "key", value, ttl=60)
        return await kept.look_up_entry("someone", "key")

    entry = cache.run(scenario)

    assert entry is not None
    assert (entry.value, entry.age_seconds, entry.ttl) == (value, 0.0, 60)


@pytest.mark.parametrize("key", ["", "日本語", "a\x00b", "🧪" * 50, "k" * 10_000, "\ud800"])
def test_any_text_can_be_a_key(cache: Backend, key: str) -> None:
    async def scenario(kept: ResultCache) -> CacheEntry | None:
        await kept.store_entry("someone", key, b"value", ttl=60)
        return await kept.look_up_entry("someone", key)

    entry = cache.run(scenario)

    assert entry is not None
    assert entry.value == b"value"


def test_an_entry_ages_and_then_expires(cache: Backend) -> None:
    async def scenario(kept: ResultCache) -> tuple[Any, ...]:
        await kept.store_entry("someone", "key", b"value", ttl=60)
        cache.clock.now += 59
        aged = await kept.look_up_entry("someone", "key")
        cache.clock.now += 1
        return aged, await kept.look_up_entry("someone", "key")

    aged, expired = cache.run(scenario)

    assert aged.age_seconds == pytest.approx(59)
    assert expired is None


def test_a_lifetime_of_nothing_is_not_kept(cache: Backend) -> None:
    async def scenario(kept: ResultCache) -> tuple[Any, ...]:
        return await kept.store_entry("someone", "key", b"v", ttl=0), await kept.look_up_entry(
            "someone", "key"
        )

    assert cache.run(scenario) == (False, None)


def test_the_later_value_replaces_the_earlier(cache: Backend) -> None:
    async def scenario(kept: ResultCache) -> CacheEntry | None:
        await kept.store_entry("someone", "key", b"old", ttl=60)
        await kept.store_entry("someone", "key", b"new", ttl=30)
        return await kept.look_up_entry("someone", "key")

    entry = cache.run(scenario)

    assert entry is not None
    assert (entry.value, entry.ttl) == (b"new", 30)


@requires("tenant.store")
@pytest.mark.parametrize("other", ["other", "some", "someonek", "", "SOMEONE"])
def test_an_owner_never_reads_what_another_put(cache: Backend, other: str) -> None:
    async def scenario(kept: ResultCache) -> tuple[Any, ...]:
        await kept.store_entry("someone", "key", b"mine", ttl=60)
        return await kept.look_up_entry(other, "key"), await kept.look_up_entry(other, "ey")

    assert cache.run(scenario) == (None, None)


def test_forgetting_takes_one_entry_of_one_owner(cache: Backend) -> None:
    async def scenario(kept: ResultCache) -> tuple[Any, ...]:
        for owner in ("a", "b"):
            await kept.store_entry(owner, "key", b"value", ttl=60)
        await kept.remove_entry("a", "key")
        return await kept.look_up_entry("a", "key"), await kept.look_up_entry("b", "key")

    gone, stays = cache.run(scenario)

    assert gone is None
    assert stays is not None


@pytest.mark.parametrize(("owner", "left"), [("a", ["b"]), (None, [])])
def test_clearing_takes_one_owner_or_all(cache: Backend, owner: str | None, left: Any) -> None:
    async def scenario(kept: ResultCache) -> list[Any]:
        for name in ("a", "b"):
            await kept.store_entry(name, "key", b"value", ttl=60)
        await kept.clear_entries(owner)
        return [name for name in ("a", "b") if await kept.look_up_entry(name, "key")]

    assert cache.run(scenario) == left


def test_many_at_once_all_arrive(cache: Backend) -> None:
    async def scenario(kept: ResultCache) -> bool:
        keys = [f"key {number}" for number in range(300)]
        await asyncio.gather(*(kept.store_entry("o", key, key.encode(), ttl=60) for key in keys))
        found = await asyncio.gather(*(kept.look_up_entry("o", key) for key in keys))
        return [entry and entry.value.decode() for entry in found] == keys

    assert cache.run(scenario)


def test_entries_outlive_the_process_that_put_them(durable: Backend) -> None:
    durable.run(lambda kept: kept.store_entry("someone", "key", b"value" * 1000, ttl=60))
    durable.clock.now += 10

    entry = durable.run(lambda kept: kept.look_up_entry("someone", "key"))

    assert entry is not None
    assert (entry.value, entry.age_seconds, entry.ttl) == (b"value" * 1000, 10, 60)


@pytest.mark.parametrize("change", ["forget", "clear"])
def test_what_was_forgotten_stays_forgotten_after_a_restart(durable: Backend, change: str) -> None:
    async def scenario(kept: ResultCache) -> None:
        await kept.store_entry("someone", "key", b"value", ttl=60)
        await (
            kept.remove_entry("someone", "key")
            if change == "forget"
            else kept.clear_entries("someone")
        )

    durable.run(scenario)

    assert durable.run(lambda kept: kept.look_up_entry("someone", "key")) is None


def test_owners_stay_apart_after_a_restart(durable: Backend) -> None:
    durable.run(lambda kept: kept.store_entry("someone", "key", b"mine", ttl=60))

    assert durable.run(lambda kept: kept.look_up_entry("other", "key")) is None


def test_a_lease_has_one_holder_at_a_time(durable: Backend) -> None:
    async def scenario(first: CacheStore) -> list[Any]:
        async with opened(durable.settings, durable.clock) as second:
            mine, theirs = first.loader._leases, second.loader._leases
            taken = [
                await mine.take_lease("work", seconds=60),
                await theirs.take_lease("work", seconds=60),
            ]
            renewed = await mine.take_lease("work", seconds=60)
            await theirs.release_lease("work")
            still = await theirs.take_lease("work", seconds=60)
            await mine.release_lease("work")
            return [*taken, renewed, still, await theirs.take_lease("work", seconds=60)]

    assert durable.play(scenario) == [True, False, True, False, True]


def test_a_lease_lapses_by_itself(durable: Backend) -> None:
    async def scenario(first: CacheStore) -> None:
        async with opened(durable.settings, durable.clock) as second:
            assert await first.loader._leases.take_lease("work", seconds=0.05)
            durable.clock.now += 1
            await until(lambda: second.loader._leases.take_lease("work", seconds=60))

    durable.play(scenario)


def test_what_is_kept_for_all_is_unreadable_without_the_key(
    durable: Backend, tmp_path: Path
) -> None:
    durable.run(lambda kept: kept.store_entry("someone", "key", b"a planted marker", ttl=60))
    if durable.name == "sqlite":
        durable.settings = durable.settings.replace(cache_key="0b" * 32)
    else:
        durable.settings = durable.settings.replace(master_key="0b" * 32)

    assert durable.run(lambda kept: kept.look_up_entry("someone", "key")) is None


def test_an_export_has_the_artifacts_of_its_owner_that_have_not_expired(durable: Backend) -> None:
    async def keep(store: CacheStore, owner: str, body: bytes) -> None:
        await store.artifacts.store_artifact(owner, body, "text/plain")

    async def export(store: CacheStore) -> list[tuple[str, bytes]]:
        return [(one.artifact.media_type, one.body) async for one in store.iterate_artifacts("me")]

    async def scenario(store: CacheStore) -> Any:
        for owner, body in (("me", b"mine"), ("me", b"mine too"), ("you", b"yours")):
            await keep(store, owner, body)
        return sorted(await export(store))

    found = durable.play(scenario)
    durable.clock.now += 10 * durable.settings[StoreSettings].artifact_ttl

    assert found == [("text/plain", b"mine"), ("text/plain", b"mine too")]
    # Redis deletes what has expired by its own clock.
    assert durable.name == "redis" or durable.play(export) == []
