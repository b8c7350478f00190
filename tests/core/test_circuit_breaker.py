from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    NetworkFailed,
    NotFound,
    OutOfCredit,
    RateLimited,
    RefusedByPolicy,
    RejectedRequest,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.net.upstream.origin_limits import BreakerState, CircuitBreaker
from tests.clocks import Clock
from tests.requirements import requires


def make(threshold: int = 5, reset: float = 60.0) -> tuple[CircuitBreaker, Clock]:
    clock = Clock(now=1000.0)
    return CircuitBreaker("brave", threshold=threshold, reset=reset, clock=clock), clock


def attempt(breaker: CircuitBreaker, error: Any = None) -> None:
    with suppress(CitewellError, asyncio.CancelledError), breaker.watch_attempt():
        if error is not None:
            raise error


def open_up(breaker: CircuitBreaker, clock: Clock, failures: int = 5) -> None:
    for _ in range(failures):
        attempt(breaker, UpstreamUnavailable("down"))


def state(breaker: CircuitBreaker) -> BreakerState:
    return breaker.take_snapshot().state


@pytest.mark.parametrize(
    "error", [UpstreamUnavailable("x"), NetworkFailed("x"), MalformedResponse("x")]
)
def test_five_failures_in_a_row_open_it(error: Any) -> None:
    breaker, _ = make()
    for _ in range(4):
        attempt(breaker, error)
    assert state(breaker) is BreakerState.CLOSED

    attempt(breaker, error)

    assert state(breaker) is BreakerState.OPEN
    with pytest.raises(UpstreamUnavailable) as caught:
        breaker.check_closed()
    assert (caught.value.provider, caught.value.retry_after) == ("brave", 60.0)


def test_a_success_starts_the_count_anew() -> None:
    breaker, _ = make()
    for error in [UpstreamUnavailable("x")] * 4 + [None] + [UpstreamUnavailable("x")] * 4:
        attempt(breaker, error)

    assert state(breaker) is BreakerState.CLOSED


@requires("defect.breaker_counts")
@pytest.mark.parametrize(
    "error",
    [
        RejectedRequest("x"),
        AuthRequired("x"),
        NotFound("x"),
        OutOfCredit("x"),
        TooLarge("x"),
        RefusedByPolicy("x"),
        asyncio.CancelledError(),
    ],
)
def test_what_is_not_the_upstreams_failure_never_counts(error: Any) -> None:
    breaker, _ = make(threshold=1)

    for _ in range(20):
        attempt(breaker, error)

    assert state(breaker) is BreakerState.CLOSED
    assert breaker.take_snapshot().failures == 0


def test_a_429_opens_it_for_its_delay() -> None:
    breaker, clock = make()

    attempt(breaker, RateLimited("slow down", retry_after=7.0))

    with pytest.raises(RateLimited) as caught:
        breaker.check_closed()
    assert caught.value.retry_after == caught.value.shown_delay == 7.0
    clock.now += 7.0
    breaker.check_closed()


@requires("errors.unstated_delay")
def test_a_429_without_a_time_asks_the_caller_for_60_seconds() -> None:
    breaker, error = make()[0], RateLimited("slow down")

    attempt(breaker, error)

    with pytest.raises(RateLimited) as caught:
        breaker.check_closed()
    for shown in (error, caught.value):
        assert shown.build_error_block()["retryAfterSeconds"] == 60
        assert (shown.retry_after or 60.0) < 5  # we ourselves ask again sooner


def test_a_shorter_429_does_not_shorten_the_wait() -> None:
    breaker, _ = make()

    with (
        suppress(RateLimited),
        breaker.watch_attempt(),
        suppress(RateLimited),
        breaker.watch_attempt(),
    ):
        attempt(breaker, RateLimited("x", retry_after=30.0))
        raise RateLimited("x", retry_after=1.0)

    assert breaker.take_snapshot().retry_after == 30.0


@requires("defect.breaker_probe")
def test_half_open_lets_one_probe_through_at_a_time() -> None:
    breaker, clock = make()
    open_up(breaker, clock)
    clock.now += 60.0

    with breaker.watch_attempt():
        assert state(breaker) is BreakerState.HALF_OPEN
        for _ in range(3):
            with pytest.raises(UpstreamUnavailable):
                breaker.check_closed()
            with pytest.raises(UpstreamUnavailable), breaker.watch_attempt():
                raise AssertionError("a second probe was let through")

    assert state(breaker) is BreakerState.CLOSED


def test_of_many_parallel_callers_one_probes() -> None:
    breaker, clock = make()
    open_up(breaker, clock)
    clock.now += 60.0
    release = asyncio.Event()
    through = []

    async def call(number: int) -> None:
        with breaker.watch_attempt():
            through.append(number)
            await release.wait()

    async def run() -> list[Any]:
        calls = [asyncio.ensure_future(call(number)) for number in range(10)]
        await asyncio.sleep(0)
        release.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    results = asyncio.run(run())

    assert through == [0]
    assert sum(isinstance(result, UpstreamUnavailable) for result in results) == 9


@pytest.mark.parametrize(
    "error", [asyncio.CancelledError(), RefusedByPolicy("x"), KeyError("a fault of ours")]
)
def test_a_probe_that_proved_nothing_makes_way_for_another(error: Any) -> None:
    breaker, clock = make()
    open_up(breaker, clock)
    clock.now += 60.0

    with pytest.raises(type(error)), breaker.watch_attempt():
        raise error

    assert state(breaker) is BreakerState.HALF_OPEN
    attempt(breaker)
    assert state(breaker) is BreakerState.CLOSED


@pytest.mark.parametrize("error", [None, NotFound("x"), RejectedRequest("x"), OutOfCredit("x")])
def test_a_probe_that_was_answered_closes_it(error: Any) -> None:
    breaker, clock = make()
    open_up(breaker, clock)
    clock.now += 60.0

    attempt(breaker, error)

    assert state(breaker) is BreakerState.CLOSED
    assert breaker.take_snapshot().failures == 0


def test_each_failed_probe_doubles_the_pause_up_to_a_cap() -> None:
    breaker, clock = make()
    open_up(breaker, clock)
    pauses = []
    for _ in range(6):
        pauses.append(breaker.take_snapshot().retry_after)
        clock.now += pauses[-1] or 0.0
        attempt(breaker, NetworkFailed("x"))

    assert pauses == [60.0, 120.0, 240.0, 480.0, 600.0, 600.0]


def test_an_attempt_from_before_the_opening_neither_closes_nor_extends_it() -> None:
    breaker, clock = make()

    with breaker.watch_attempt():
        open_up(breaker, clock)
        clock.now += 10.0
    with pytest.raises(UpstreamUnavailable), breaker.watch_attempt():
        pass

    assert breaker.take_snapshot().retry_after == 50.0


def test_the_snapshot_tells_why() -> None:
    breaker, clock = make()
    assert (breaker.take_snapshot().retry_after, breaker.take_snapshot().last_error) == (None, None)

    open_up(breaker, clock)

    snapshot = breaker.take_snapshot()
    assert (snapshot.name, snapshot.failures, snapshot.last_error) == (
        "brave",
        5,
        "upstream_unavailable",
    )


def test_a_429_without_a_time_pauses_shortly_at_first_and_longer_each_time() -> None:
    breaker, clock = make()
    pauses = []
    for _ in range(6):
        attempt(breaker, RateLimited("slow down"))
        pauses.append(breaker.take_snapshot().retry_after)
        clock.now += pauses[-1] or 0.0

    attempt(breaker)  # it answers again
    attempt(breaker, RateLimited("slow down"))

    assert pauses == [4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert breaker.take_snapshot().retry_after == 4.0


def test_the_answers_to_one_burst_are_one_refusal() -> None:
    breaker, _ = make()
    with suppress(CitewellError), breaker.watch_attempt():
        attempt(breaker, RateLimited("slow down"))
        raise RateLimited("slow down")

    assert breaker.take_snapshot().retry_after == 4.0
