"""No sequence of calls gets more out of a limit than its burst and its rate, or less than both."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from citewell.store.coordination.daily_counts import DailyCounter, DailyQuota, find_utc_day
from citewell.store.coordination.rate_limits import RateLimit, RateLimiter
from tests.clocks import Clock

pauses = st.lists(st.floats(min_value=0.0, max_value=30.0), min_size=1, max_size=120)
limits = st.builds(
    RateLimit,
    name=st.just("limit"),
    calls=st.integers(min_value=1, max_value=40),
    seconds=st.sampled_from([1.0, 7.0, 60.0]),
)


def _list_granted_times(limit: RateLimit, waits: list[float], calls: int) -> list[float]:
    clock = Clock()
    limiter = RateLimiter(clock=clock)

    async def scenario() -> list[float]:
        granted = []
        for pause in waits:
            clock.now += pause
            taken = await limiter.take_permits([limit], calls=calls)
            granted += [clock.now] * calls if taken.is_granted else []
        return granted

    return asyncio.run(scenario())


@given(limit=limits, waits=pauses, calls=st.integers(min_value=1, max_value=5))
def test_every_stretch_of_time_has_at_most_the_burst_and_the_rate(
    limit: RateLimit, waits: list[float], calls: int
) -> None:
    times = _list_granted_times(limit, waits, calls)

    for start in range(len(times)):
        for end in range(start, len(times)):
            passed = times[end] - times[start]
            assert end - start + 1 <= limit.calls + passed / limit.interval + 0.02


@given(limit=limits, waits=pauses)
def test_a_refused_call_passes_after_the_wait_it_was_told(
    limit: RateLimit, waits: list[float]
) -> None:
    clock = Clock()
    limiter = RateLimiter(clock=clock)

    async def scenario() -> None:
        for pause in waits:
            clock.now += pause / 10
            taken = await limiter.take_permits([limit])
            if not taken.is_granted:
                clock.now += taken.states[0].wait_seconds + 1e-6
                assert (await limiter.take_permits([limit])).is_granted

    asyncio.run(scenario())


@given(limit=limits)
def test_what_is_said_to_remain_can_be_taken(limit: RateLimit) -> None:
    limiter = RateLimiter(clock=Clock())

    async def scenario() -> list[int]:
        left = []
        while (taken := await limiter.take_permits([limit])).is_granted:
            left.append(taken.states[0].remaining)
        return left

    assert asyncio.run(scenario()) == list(range(limit.calls - 1, -1, -1))


@given(
    quota=st.integers(min_value=1, max_value=20),
    waits=st.lists(st.floats(min_value=0.0, max_value=30_000.0), max_size=80),
)
def test_no_day_has_more_calls_than_its_quota(quota: int, waits: list[float]) -> None:
    clock = Clock()
    counter = DailyCounter(clock=clock)
    counted: dict[int, int] = {}

    async def scenario() -> None:
        for pause in waits:
            clock.now += pause
            day = find_utc_day(clock.now)
            granted = await counter.count_calls([DailyQuota(name="all", calls=quota)])
            assert granted.is_granted == (counted.get(day, 0) < quota)
            counted[day] = counted.get(day, 0) + granted.is_granted

    asyncio.run(scenario())

    assert all(count <= quota for count in counted.values())
