"""The thread behind the store: groups, order, and its own accidents."""

from __future__ import annotations

import asyncio
import threading

import pytest

from citewell.store.lane import Lane


def test_requests_that_arrive_during_a_turn_form_the_next_group():
    groups = []
    started, gate = threading.Event(), threading.Event()

    def turn(requests):
        groups.append(list(requests))
        started.set()
        gate.wait(5)
        return requests

    async def scenario():
        lane = Lane("test", turn)
        first = asyncio.create_task(lane.ask(0))
        await asyncio.to_thread(started.wait, 5)
        rest = [asyncio.create_task(lane.ask(number)) for number in range(1, 6)]
        await asyncio.sleep(0)
        gate.set()
        answers = await asyncio.gather(first, *rest)
        await lane.aclose(lambda: None)
        return answers

    assert asyncio.run(scenario()) == [0, 1, 2, 3, 4, 5]
    assert groups == [[0], [1, 2, 3, 4, 5]]


def test_a_turn_that_breaks_fails_its_callers_and_the_next_turn_works():
    def turn(requests):
        if "bad" in requests:
            raise ZeroDivisionError
        return requests

    async def scenario():
        lane = Lane("test", turn)
        with pytest.raises(ZeroDivisionError):
            await lane.ask("bad")
        answer = await lane.ask("good")
        await lane.aclose(lambda: None)
        return answer

    assert asyncio.run(scenario()) == "good"


def test_a_lane_serves_one_event_loop_after_another():
    lane = Lane("test", lambda requests: requests)

    answers = [asyncio.run(lane.ask(number)) for number in range(3)]
    asyncio.run(lane.aclose(lambda: None))

    assert answers == [0, 1, 2]
