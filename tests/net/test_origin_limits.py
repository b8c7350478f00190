from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from citewell.core.errors import RateLimited
from citewell.net.upstream.origin_limits import ConcurrencyLimit


async def most_at_once(abreast: ConcurrencyLimit, calls: int) -> int:
    """How many of so many calls are under way at the same time."""
    running = most = 0

    async def call() -> None:
        nonlocal running, most
        async with abreast.hold_slot(max_wait=5.0):
            running += 1
            most = max(most, running)
            for _ in range(3):
                await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(call() for _ in range(calls)))
    return most


def test_without_a_limit_everybody_goes_at_once() -> None:
    assert asyncio.run(most_at_once(ConcurrencyLimit(), 20)) == 20


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_go_than_the_limit_allows(limit: int) -> None:
    abreast = ConcurrencyLimit()
    abreast.set_limit(limit)

    assert asyncio.run(most_at_once(abreast, 20)) == limit


def test_what_an_answer_states_takes_the_place_of_what_we_assumed() -> None:
    abreast = ConcurrencyLimit()
    abreast.set_limit(1)
    abreast.learn_stated_limit({"x-concurrency-limit": "4"})

    assert asyncio.run(most_at_once(abreast, 20)) == 4


@pytest.mark.parametrize("stated", ["", "0", "-3", "many", "1.5", "٣", "9" * 30])
def test_nonsense_changes_nothing(stated: str) -> None:
    abreast = ConcurrencyLimit()
    abreast.set_limit(2)
    abreast.learn_stated_limit({"x-concurrency-limit": stated})

    assert asyncio.run(most_at_once(abreast, 9)) == 2


def test_a_raised_limit_lets_those_in_line_go() -> None:
    async def run() -> list[str]:
        abreast, gone, end = ConcurrencyLimit(), [], asyncio.Event()
        abreast.set_limit(1)

        async def call(name: str) -> None:
            async with abreast.hold_slot(max_wait=5.0):
                gone.append(name)
                await end.wait()

        tasks = [asyncio.create_task(call(name)) for name in "abc"]
        await asyncio.sleep(0)
        before = list(gone)
        abreast.set_limit(2)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        between = list(gone)
        end.set()
        await asyncio.gather(*tasks)
        assert (before, between) == (["a"], ["a", "b"])
        return gone

    assert asyncio.run(run()) == ["a", "b", "c"]


def test_waiting_too_long_is_told_as_a_limit() -> None:
    async def run() -> None:
        abreast = ConcurrencyLimit()
        abreast.set_limit(1)
        async with abreast.hold_slot(max_wait=5.0), abreast.hold_slot(max_wait=0.0):
            pass

    with pytest.raises(RateLimited):
        asyncio.run(run())


@pytest.mark.parametrize("late", [False, True], ids=["in line", "just called"])
def test_a_cancelled_caller_takes_no_place_with_it(*, late: bool) -> None:
    async def run() -> int:
        abreast = ConcurrencyLimit()
        abreast.set_limit(1)
        first = abreast.hold_slot(max_wait=5.0)
        await first.__aenter__()
        waiting = asyncio.create_task(_through(abreast))
        await asyncio.sleep(0)
        if late:
            await first.__aexit__(None, None, None)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        if not late:
            await first.__aexit__(None, None, None)
        return await most_at_once(abreast, 5)

    assert asyncio.run(run()) == 1


async def _through(abreast: ConcurrencyLimit) -> None:
    async with abreast.hold_slot(max_wait=5.0):
        await asyncio.sleep(0)


def test_a_failed_request_gives_its_place_back() -> None:
    async def run() -> int:
        abreast = ConcurrencyLimit()
        abreast.set_limit(1)
        for _ in range(3):
            with suppress(ValueError):
                async with abreast.hold_slot(max_wait=5.0):
                    raise ValueError("a fault")
        return await most_at_once(abreast, 5)

    assert asyncio.run(run()) == 1
