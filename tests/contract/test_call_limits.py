"""What rate limits and daily counts promise, whichever backend keeps them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.coordination.daily_counts import SECONDS_PER_DAY, DailyQuota
from citewell.store.coordination.rate_limits import RateLimit
from tests.clocks import Clock
from tests.contract.test_stores import BACKENDS, DURABLE, Backend, build_backend, opened

MINUTELY = RateLimit(name="tenant:acme", calls=3, seconds=300.0)
OTHER = RateLimit(name="tenant:globex", calls=3, seconds=300.0)
NARROW = RateLimit(name="user:acme/alice", calls=1, seconds=300.0)
DAILY = DailyQuota(name="tenant:acme", calls=3)
NARROW_DAILY = DailyQuota(name="user:acme/alice", calls=1)


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return build_backend(request.param, tmp_path)


@pytest.fixture(params=sorted(DURABLE))
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return build_backend(request.param, tmp_path)


def test_a_limit_is_shared_and_says_how_long_to_wait(durable: Backend) -> None:
    async def scenario(first: CacheStore) -> tuple[Any, ...]:
        async with opened(durable.settings, durable.clock) as second:
            stores = [first, second] * 2
            taken = [await one.rate_limiter.take_permits([MINUTELY]) for one in stores]
            return taken, await second.rate_limiter.take_permits([OTHER])

    taken, other = durable.play(scenario)

    assert [one.is_granted for one in taken] == [True, True, True, False]
    assert [one.states[0].remaining for one in taken] == [2, 1, 0, 0]
    assert 90 < taken[3].states[0].wait_seconds <= 100
    assert 290 < taken[3].states[0].reset_seconds <= 300
    assert other.is_granted


def test_a_limit_lets_through_again_after_its_interval(backend: Backend) -> None:
    fast = RateLimit(name="api", calls=1, seconds=0.05)

    async def scenario(store: CacheStore) -> tuple[Any, ...]:
        first = await store.rate_limiter.take_permits([fast])
        refused = await store.rate_limiter.take_permits([fast])
        backend.clock.now += 1
        async with asyncio.timeout(60):
            while not (await store.rate_limiter.take_permits([fast])).is_granted:
                pass
        return first, refused

    first, refused = backend.play(scenario)

    assert first.is_granted
    assert not refused.is_granted
    assert 0 < refused.states[0].wait_seconds <= 0.05


def test_many_takers_at_once_get_no_more_than_the_burst(backend: Backend) -> None:
    limit = RateLimit(name="api", calls=7, seconds=7000.0)

    async def scenario(store: CacheStore) -> int:
        taken = await asyncio.gather(*(store.rate_limiter.take_permits([limit]) for _ in range(40)))
        return sum(one.is_granted for one in taken)

    assert backend.play(scenario) == 7


def test_a_limit_that_refuses_takes_nothing_from_the_others(backend: Backend) -> None:
    async def scenario(store: CacheStore) -> list[int]:
        left = []
        for limits in ([NARROW, MINUTELY], [NARROW, MINUTELY], [MINUTELY]):
            await store.rate_limiter.take_permits(limits)
            (state,) = await store.rate_limiter.read_limits([MINUTELY])
            left.append(state.remaining)
        return left

    assert backend.play(scenario) == [2, 2, 1]


def test_several_calls_are_taken_together_or_not_at_all(backend: Backend) -> None:
    async def scenario(store: CacheStore) -> list[bool]:
        return [
            (await store.rate_limiter.take_permits([MINUTELY], calls=calls)).is_granted
            for calls in (4, 2, 2, 1)
        ]

    assert backend.play(scenario) == [False, True, False, True]


def test_reading_a_limit_takes_nothing(backend: Backend) -> None:
    async def scenario(store: CacheStore) -> list[int]:
        states = [await store.rate_limiter.read_limits([MINUTELY]) for _ in range(4)]
        return [state.remaining for (state,) in states]

    assert backend.play(scenario) == [3, 3, 3, 3]


def test_a_daily_count_is_shared_and_stops_at_its_quota(durable: Backend) -> None:
    async def scenario(first: CacheStore) -> list[Any]:
        async with opened(durable.settings, durable.clock) as second:
            stores = [first, second] * 2
            return [await one.daily_counter.count_calls([DAILY]) for one in stores]

    counted = durable.play(scenario)

    assert [one.is_granted for one in counted] == [True, True, True, False]
    assert [one.used for one in counted] == [(1,), (2,), (3,), (3,)]


def test_a_daily_count_survives_a_restart(durable: Backend) -> None:
    for _ in range(2):
        durable.play(lambda store: store.daily_counter.count_calls([DAILY]))

    assert durable.play(lambda store: store.daily_counter.read_counts([DAILY])) == (2,)


def test_a_daily_count_begins_again_at_midnight_in_utc(backend: Backend) -> None:
    backend.clock.now = 20_000 * SECONDS_PER_DAY + SECONDS_PER_DAY - 1.0

    async def scenario(store: CacheStore) -> list[bool]:
        evening = [await store.daily_counter.count_calls([NARROW_DAILY]) for _ in range(2)]
        backend.clock.now += 1.0
        morning = await store.daily_counter.count_calls([NARROW_DAILY])
        return [one.is_granted for one in (*evening, morning)]

    assert backend.play(scenario) == [True, False, True]


def test_a_clock_that_is_behind_does_not_begin_yesterday_again(tmp_path: Path) -> None:
    backend = build_backend("sqlite", tmp_path)
    behind = Clock(backend.clock.now - SECONDS_PER_DAY)

    async def scenario(store: CacheStore) -> list[bool]:
        async with opened(backend.settings, behind) as late:
            counted = [
                await one.daily_counter.count_calls([NARROW_DAILY]) for one in (store, late, store)
            ]
            return [one.is_granted for one in counted]

    assert backend.play(scenario) == [True, False, False]


def test_many_counted_at_once_stop_at_the_quota(backend: Backend) -> None:
    quota = DailyQuota(name="all", calls=7)

    async def scenario(store: CacheStore) -> int:
        counted = await asyncio.gather(
            *(store.daily_counter.count_calls([quota]) for _ in range(40))
        )
        return sum(one.is_granted for one in counted)

    assert backend.play(scenario) == 7


def test_a_quota_that_refuses_counts_nothing_for_the_others(backend: Backend) -> None:
    async def scenario(store: CacheStore) -> tuple[int, ...]:
        for _ in range(3):
            await store.daily_counter.count_calls([NARROW_DAILY, DAILY])
        return await store.daily_counter.read_counts([NARROW_DAILY, DAILY])

    assert backend.play(scenario) == (1, 1)


def test_returned_calls_can_be_used_again(backend: Backend) -> None:
    async def scenario(store: CacheStore) -> tuple[Any, ...]:
        await store.daily_counter.count_calls([NARROW_DAILY])
        await store.daily_counter.return_calls([NARROW_DAILY])
        await store.daily_counter.return_calls([NARROW_DAILY])
        counted = [await store.daily_counter.count_calls([NARROW_DAILY]) for _ in range(2)]
        return tuple(one.is_granted for one in counted)

    assert backend.play(scenario) == (True, False)


def test_counts_of_past_days_are_removed(tmp_path: Path) -> None:
    backend = build_backend("sqlite", tmp_path)

    async def scenario(store: CacheStore) -> list[Any]:
        await store.daily_counter.count_calls([DAILY])
        backend.clock.now += 3 * SECONDS_PER_DAY
        await store.daily_counter.count_calls([NARROW_DAILY])
        assert store.database is not None
        return await store.database.select_rows("SELECT used FROM daily_count")

    assert backend.play(scenario) == [(1,)]


def test_a_store_that_fails_lets_calls_pass_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "cache.db").mkdir()  # a folder cannot be opened as a database
    backend = build_backend("sqlite", tmp_path)

    async def scenario() -> tuple[Any, ...]:
        store = open_cache_store(backend.settings, backend.clock)
        taken = [await store.rate_limiter.take_permits([NARROW]) for _ in range(2)]
        counted = [await store.daily_counter.count_calls([NARROW_DAILY]) for _ in range(2)]
        await store.aclose()
        return taken, counted, store

    taken, counted, store = asyncio.run(scenario())

    assert [one.is_granted for one in taken] == [True, False]
    assert [one.is_granted for one in counted] == [True, False]
    assert store.health.list_event_counts()["limit_unshared"] == 4
    assert len(store.list_store_warnings()) == 1
