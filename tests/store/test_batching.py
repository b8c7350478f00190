"""The thread behind the store: groups, order, and its own accidents."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from citewell.store.sql.batching import ThreadBatcher


def test_requests_that_arrive_during_a_turn_form_the_next_group() -> None:
    groups = []
    started, gate = threading.Event(), threading.Event()

    def turn(requests: Any) -> Any:
        groups.append(list(requests))
        started.set()
        gate.wait(5)
        return requests

    async def scenario() -> Any:
        lane = ThreadBatcher("test", turn)
        first = asyncio.create_task(lane.request_answer(0))
        await asyncio.to_thread(started.wait, 5)
        rest = [asyncio.create_task(lane.request_answer(number)) for number in range(1, 6)]
        await asyncio.sleep(0)
        gate.set()
        answers = await asyncio.gather(first, *rest)
        await lane.aclose(lambda: None)
        return answers

    assert asyncio.run(scenario()) == [0, 1, 2, 3, 4, 5]
    assert groups == [[0], [1, 2, 3, 4, 5]]


def test_a_turn_that_breaks_fails_its_callers_and_the_next_turn_works() -> None:
    def turn(requests: Any) -> Any:
        if "bad" in requests:
            raise ZeroDivisionError
        return requests

    async def scenario() -> Any:
        lane = ThreadBatcher("test", turn)
        with pytest.raises(ZeroDivisionError):
            await lane.request_answer("bad")
        answer = await lane.request_answer("good")
        await lane.aclose(lambda: None)
        return answer

    assert asyncio.run(scenario()) == "good"


def test_a_lane_serves_one_event_loop_after_another() -> None:
    lane: ThreadBatcher[int, int] = ThreadBatcher("test", lambda requests: requests)

    answers = [asyncio.run(lane.request_answer(number)) for number in range(3)]
    asyncio.run(lane.aclose(lambda: None))

    assert answers == [0, 1, 2]
