from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import RateLimited
from citewell.net.upstream.origin_limits import RequestPace, TimeSource
from tests.clocks import Clock


def make(**fields: Any) -> tuple[RequestPace, Clock]:
    clock = Clock(now=1000.0)
    return RequestPace(
        **fields, timing=TimeSource(clock=clock, now=lambda: 0.0, sleep=clock.sleep)
    ), clock


def gated() -> tuple[RequestPace, asyncio.Event]:
    """One call a second, and a gate that time stands still before."""
    clock, gate = Clock(now=1000.0), asyncio.Event()

    async def sleep(seconds: float) -> None:
        await gate.wait()
        await clock.sleep(seconds)

    return RequestPace(per_second=1.0, timing=TimeSource(clock=clock, sleep=sleep)), gate


def starts(pace: RequestPace, clock: Clock, *, calls: int, longest: float = 60.0) -> list[Any]:
    """When each of several parallel calls got its turn, in seconds from the first."""

    async def call() -> float:
        await pace.take_turn(max_wait=longest)
        return clock.now - 1000.0

    async def run() -> list[Any]:
        return await asyncio.gather(*(call() for _ in range(calls)))

    return asyncio.run(run())


def test_without_a_limit_nobody_waits() -> None:
    assert starts(*make(), calls=50) == [0.0] * 50


def test_parallel_calls_stand_in_line() -> None:
    assert starts(*make(per_second=2.0), calls=4) == [0.0, 0.5, 1.0, 1.5]


def test_a_burst_goes_at_once_and_the_rest_in_line() -> None:
    assert starts(*make(per_second=1.0, burst=3), calls=5) == [0.0, 0.0, 0.0, 1.0, 2.0]


def test_who_would_wait_too_long_is_told_how_long() -> None:
    pace, gate = gated()

    async def run() -> list[Any]:
        calls = [asyncio.ensure_future(pace.take_turn(max_wait=2.0)) for _ in range(5)]
        await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    results = asyncio.run(run())

    assert results[:3] == [None] * 3
    assert [error.retry_after for error in results[3:]] == [3.0, 3.0]


def test_headers_replace_the_assumed_pace() -> None:
    pace, clock = make(per_second=1.0)

    pace.learn_stated_pace({"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"})

    assert starts(pace, clock, calls=50) == [0.0] * 50


def test_an_exhausted_window_pauses_everybody_until_it_fills() -> None:
    pace, clock = make()

    pace.learn_stated_pace(
        {
            "x-ratelimit-limit": "1, 15000",
            "x-ratelimit-remaining": "0, 9",
            "x-ratelimit-reset": "2, 99",
        }
    )

    assert starts(pace, clock, calls=2) == [2.0, 2.0]


def test_a_pause_longer_than_the_patience_is_an_error_and_never_more_than_an_hour() -> None:
    pace, _ = make()
    pace.learn_stated_pace({"retry-after": "9999999"})

    with pytest.raises(RateLimited) as caught:
        asyncio.run(pace.take_turn(max_wait=10.0))

    assert caught.value.retry_after == 3600.0


def test_a_pause_learnt_while_waiting_is_kept() -> None:
    pace, clock = make(per_second=1.0)

    async def run() -> float:
        await pace.take_turn(max_wait=9.0)
        waiting = asyncio.ensure_future(pace.take_turn(max_wait=9.0))
        await asyncio.sleep(0)
        pace.learn_stated_pace({"retry-after": "5"})
        await waiting
        return clock.now

    assert asyncio.run(run()) == 1005.0 + 1.0


def test_a_cancelled_call_gives_its_turn_to_the_next() -> None:
    pace, gate = gated()

    async def run() -> None:
        await pace.take_turn(max_wait=60.0)
        first, second, third = (
            asyncio.ensure_future(pace.take_turn(max_wait=60.0)) for _ in range(3)
        )
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        gate.set()
        await third

    asyncio.run(run())

    assert pace._clock() == 1001.0
