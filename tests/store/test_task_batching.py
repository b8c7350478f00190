"""Groups of callers: one journey for those who wait, and each its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from citewell.store.sql.batching import TaskBatcher


def test_who_asks_meanwhile_shares_the_next_journey() -> None:
    groups = []

    async def serve(requests: Sequence[Any]) -> Sequence[Any]:
        groups.append(list(requests))
        await asyncio.sleep(0)
        return [request * 2 for request in requests]

    async def run() -> list[Any]:
        together: TaskBatcher[Any, Any] = TaskBatcher(serve)
        answers = await asyncio.gather(
            *(together.request_in_group(number) for number in range(100))
        )
        await together.aclose()
        return answers

    assert asyncio.run(run()) == [number * 2 for number in range(100)]
    assert len(groups) <= 3


def test_each_gets_its_own_error() -> None:
    async def serve(requests: Sequence[Any]) -> Sequence[Any]:
        return [ValueError(str(request)) if request % 2 else request for request in requests]

    async def run() -> list[Any]:
        together: TaskBatcher[Any, Any] = TaskBatcher(serve)
        asked = (together.request_in_group(number) for number in range(4))
        return [str(answer) for answer in await asyncio.gather(*asked, return_exceptions=True)]

    assert asyncio.run(run()) == ["0", "1", "2", "3"]


def test_a_failed_journey_is_everybodys_and_the_next_goes_on() -> None:
    async def serve(requests: Sequence[Any]) -> Sequence[Any]:
        if "bad" in requests:
            raise ValueError("lost")
        return requests

    async def run() -> tuple[Any, ...]:
        together: TaskBatcher[Any, Any] = TaskBatcher(serve)
        first = await asyncio.gather(
            together.request_in_group("bad"),
            together.request_in_group("other"),
            return_exceptions=True,
        )
        return [type(error).__name__ for error in first], await together.request_in_group("good")

    assert asyncio.run(run()) == (["ValueError", "ValueError"], "good")


def test_a_cancelled_caller_leaves_the_others_alone() -> None:
    go = asyncio.Event()

    async def serve(requests: Sequence[Any]) -> Sequence[Any]:
        await go.wait()
        return requests

    async def run() -> tuple[Any, ...]:
        together: TaskBatcher[Any, Any] = TaskBatcher(serve)
        tasks = [asyncio.create_task(together.request_in_group(number)) for number in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await tasks[1]
        return await tasks[0], await tasks[2]

    assert asyncio.run(run()) == (0, 2)
