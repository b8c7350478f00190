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

from citewell.config import Settings
from citewell.store.cache import Cache
from citewell.store.opened import Store, open_store
from tests.services import postgres_or_skip, redis_or_skip

T = TypeVar("T")

BACKENDS: dict[str, Callable[[], dict[str, Any]]] = {
    "memory": lambda: {"cache_max_disk_mb": 0},
    "postgres": lambda: {"database_url": postgres_or_skip().new()},
    "redis": lambda: {"redis_url": redis_or_skip()},
    "sqlite": dict,
}
DURABLE = {"postgres", "redis", "sqlite"}


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def _opened(settings: Settings, clock: Clock) -> AsyncIterator[Store]:
    store = open_store(settings, clock)
    try:
        yield store
    finally:
        await store.aclose()
        assert store.warnings() == ()


@dataclass
class Backend:
    name: str
    settings: Settings
    clock: Clock = field(default_factory=Clock)

    def run(self, scenario: Callable[[Cache], Awaitable[T]]) -> T:
        """Open the cache, play the scenario on it, close it."""
        return self.play(lambda store: scenario(store.cache))

    def play(self, scenario: Callable[[Store], Awaitable[T]]) -> T:
        async def played() -> T:
            async with _opened(self.settings, self.clock) as store:
                return await scenario(store)

        return asyncio.run(played())


def _backend(name: str, folder: Path) -> Backend:
    return Backend(name, Settings(data_dir=folder, **BACKENDS[name]()))


@pytest.fixture(params=sorted(BACKENDS))
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return _backend(request.param, tmp_path)


@pytest.fixture(params=sorted(DURABLE))
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return _backend(request.param, tmp_path)


def test_what_was_never_put_is_absent(cache):
    assert cache.run(lambda kept: kept.get("someone", "nothing")) is None


@pytest.mark.parametrize("value", [b"", b"short", bytes(range(256)) * 20, b"x" * 300_000], ids=len)
def test_a_value_comes_back_whole_with_its_lifetime(cache, value):
    async def scenario(kept):
        assert await kept.put("someone", "key", value, ttl=60)
        return await kept.get("someone", "key")

    entry = cache.run(scenario)

    assert (entry.value, entry.age_seconds, entry.ttl) == (value, 0.0, 60)


@pytest.mark.parametrize("key", ["", "日本語", "a\x00b", "🧪" * 50, "k" * 10_000, "\ud800"])
def test_any_text_can_be_a_key(cache, key):
    async def scenario(kept):
        await kept.put("someone", key, b"value", ttl=60)
        return await kept.get("someone", key)

    assert cache.run(scenario).value == b"value"


def test_an_entry_ages_and_then_expires(cache):
    async def scenario(kept):
        await kept.put("someone", "key", b"value", ttl=60)
        cache.clock.now += 59
        aged = await kept.get("someone", "key")
        cache.clock.now += 1
        return aged, await kept.get("someone", "key")

    aged, expired = cache.run(scenario)

    assert aged.age_seconds == pytest.approx(59)
    assert expired is None


def test_a_lifetime_of_nothing_is_not_kept(cache):
    async def scenario(kept):
        return await kept.put("someone", "key", b"v", ttl=0), await kept.get("someone", "key")

    assert cache.run(scenario) == (False, None)


def test_the_later_value_replaces_the_earlier(cache):
    async def scenario(kept):
        await kept.put("someone", "key", b"old", ttl=60)
        await kept.put("someone", "key", b"new", ttl=30)
        return await kept.get("someone", "key")

    entry = cache.run(scenario)

    assert (entry.value, entry.ttl) == (b"new", 30)


@pytest.mark.parametrize("other", ["other", "some", "someonek", "", "SOMEONE"])
def test_an_owner_never_reads_what_another_put(cache, other):
    async def scenario(kept):
        await kept.put("someone", "key", b"mine", ttl=60)
        return await kept.get(other, "key"), await kept.get(other, "ey")

    assert cache.run(scenario) == (None, None)


def test_forgetting_takes_one_entry_of_one_owner(cache):
    async def scenario(kept):
        for owner in ("a", "b"):
            await kept.put(owner, "key", b"value", ttl=60)
        await kept.forget("a", "key")
        return await kept.get("a", "key"), await kept.get("b", "key")

    gone, stays = cache.run(scenario)

    assert gone is None
    assert stays is not None


@pytest.mark.parametrize(("owner", "left"), [("a", ["b"]), (None, [])])
def test_clearing_takes_one_owner_or_all(cache, owner, left):
    async def scenario(kept):
        for name in ("a", "b"):
            await kept.put(name, "key", b"value", ttl=60)
        await kept.clear(owner)
        return [name for name in ("a", "b") if await kept.get(name, "key")]

    assert cache.run(scenario) == left


def test_many_at_once_all_arrive(cache):
    async def scenario(kept):
        keys = [f"key {number}" for number in range(300)]
        await asyncio.gather(*(kept.put("o", key, key.encode(), ttl=60) for key in keys))
        found = await asyncio.gather(*(kept.get("o", key) for key in keys))
        return [entry.value.decode() for entry in found] == keys

    assert cache.run(scenario)


def test_entries_outlive_the_process_that_put_them(durable):
    durable.run(lambda kept: kept.put("someone", "key", b"value" * 1000, ttl=60))
    durable.clock.now += 10

    entry = durable.run(lambda kept: kept.get("someone", "key"))

    assert (entry.value, entry.age_seconds, entry.ttl) == (b"value" * 1000, 10, 60)


@pytest.mark.parametrize("change", ["forget", "clear"])
def test_what_was_forgotten_stays_forgotten_after_a_restart(durable, change):
    async def scenario(kept):
        await kept.put("someone", "key", b"value", ttl=60)
        await (kept.forget("someone", "key") if change == "forget" else kept.clear("someone"))

    durable.run(scenario)

    assert durable.run(lambda kept: kept.get("someone", "key")) is None


def test_owners_stay_apart_after_a_restart(durable):
    durable.run(lambda kept: kept.put("someone", "key", b"mine", ttl=60))

    assert durable.run(lambda kept: kept.get("other", "key")) is None


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(500):
        if await condition():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come true within five seconds")


def test_a_lease_has_one_holder_at_a_time(durable):
    async def scenario(first):
        async with _opened(durable.settings, durable.clock) as second:
            mine, theirs = first.loader._leases, second.loader._leases
            taken = [await mine.take("work", seconds=60), await theirs.take("work", seconds=60)]
            renewed = await mine.take("work", seconds=60)
            await theirs.give_back("work")
            still = await theirs.take("work", seconds=60)
            await mine.give_back("work")
            return [*taken, renewed, still, await theirs.take("work", seconds=60)]

    assert durable.play(scenario) == [True, False, True, False, True]


def test_a_lease_lapses_by_itself(durable):
    async def scenario(first):
        async with _opened(durable.settings, durable.clock) as second:
            assert await first.loader._leases.take("work", seconds=0.05)
            durable.clock.now += 1
            await until(lambda: second.loader._leases.take("work", seconds=60))

    durable.play(scenario)


def test_a_limit_is_shared_and_says_how_long_to_wait(durable):
    async def scenario(first):
        async with _opened(durable.settings, durable.clock) as second:
            limits = [first.limits, second.limits] * 2
            waits = [await one.take("api", per_second=0.01, burst=3) for one in limits]
            return waits, await second.limits.take("other", per_second=0.01)

    waits, other = durable.play(scenario)

    assert waits[:3] == [0, 0, 0]
    assert 90 < waits[3] <= 100
    assert other == 0


def test_a_limit_lets_through_again_after_its_interval(cache):
    async def scenario(store):
        first = await store.limits.take("api", per_second=20)
        refused = await store.limits.take("api", per_second=20)
        cache.clock.now += 1

        async def free() -> bool:
            return not await store.limits.take("api", per_second=20)

        await until(free)
        return first, refused

    first, refused = cache.play(scenario)

    assert first == 0
    assert 0 < refused <= 0.05


def test_many_takers_at_once_get_no_more_than_the_burst(cache):
    async def scenario(store):
        waits = await asyncio.gather(
            *(store.limits.take("api", per_second=0.001, burst=7) for _ in range(40))
        )
        return sum(wait == 0 for wait in waits)

    assert cache.play(scenario) == 7


def test_what_is_kept_for_all_is_unreadable_without_the_key(durable, tmp_path):
    durable.run(lambda kept: kept.put("someone", "key", b"a planted marker", ttl=60))
    if durable.name == "sqlite":
        durable.settings = durable.settings.model_copy(update={"cache_key": "0b" * 32})
    else:
        durable.settings = durable.settings.model_copy(update={"master_key": "0b" * 32})

    assert durable.run(lambda kept: kept.get("someone", "key")) is None
