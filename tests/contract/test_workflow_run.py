"""What a workflow is promised on either engine: each step is done once, and stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import InternalError, NotFound, UpstreamUnavailable
from citewell.core.values.research import ResearchStatus
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.store.thread_store import (
    UnknownStep,
)
from citewell.server.state.state_store import StateStore
from tests.conditions import until
from tests.contract.offices import (
    OWNER,
    ended,
    office,
    order,
    working,
)
from tests.contract.states import Kept
from tests.contract.workflows import counting, first_step_stored, nothing


def test_a_job_gives_its_result_steps_and_log_to_any_process(store: Kept) -> None:
    async def work(run: WorkflowRun) -> Any:
        async def plan() -> Any:
            return ["a", {"b": 1.5}]

        await run.emit_event("planned", pages=3)
        first = await run.run_step("plan", plan, provider="local")
        await run.enter_status(ResearchStatus.SYNTHESIZING)
        return {"first": first, "args": dict(run.job.args)}

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order(args={"q": "日本"}))
            await ended(jobs, view.job.id)
        return view.job.id

    async def look(state: StateStore) -> Any:
        jobs = office(store, state, work)
        events = await jobs.store.list_stored_events(OWNER, job)
        later = await jobs.store.list_stored_events(OWNER, job, after=events[1].seq)
        return (
            await jobs.store.require_job_view(OWNER, job),
            await jobs.store.look_up_job_result(OWNER, job),
            await jobs.store.look_up_step_result(OWNER, job, "plan"),
            [(event.type, dict(event.payload)) for event in events],
            later == events[2:],
        )

    job = store.run(scenario)
    view, result, step, events, paged = store.run(look)

    assert view.status is ResearchStatus.COMPLETED
    assert result == {"first": ["a", {"b": 1.5}], "args": {"q": "日本"}}
    assert step == ["a", {"b": 1.5}]
    assert [(one.key, one.state, one.provider) for one in view.steps] == [("plan", "done", "local")]
    assert events == [
        ("status", {"status": "pending"}),
        ("planned", {"pages": 3}),
        ("step", {"key": "plan", "state": "done", "provider": "local"}),
        ("status", {"status": "synthesizing"}),
        ("status", {"status": "completed"}),
    ]
    assert paged


def test_a_recorded_step_is_not_done_again_by_the_next_process(store: Kept) -> None:
    times: list[int] = []
    waits = asyncio.Event()

    async def work(run: WorkflowRun) -> Any:
        first = await counting(times)(run)
        await waits.wait()
        return first

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(times) == 1)
            await first_step_stored(jobs, view.job.id)
        waits.set()
        async with working(store, state, work) as jobs:
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == {"times": 1}
    assert times == [1]


def test_a_sleep_is_counted_from_its_first_begin_and_not_begun_again(store: Kept) -> None:
    slept: list[float] = []

    async def pause(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            await asyncio.Event().wait()

    async def work(run: WorkflowRun) -> Any:
        await run.sleep_until_due("rest", 60.0)
        return "rested"

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work, pause=pause) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(slept) == 1)
        store.clock.now += 45
        async with working(store, state, work, pause=pause) as jobs:
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "rested"
    assert slept == [60.0, 15.0]


def test_a_failure_that_may_pass_is_tried_again(store: Kept) -> None:
    tries = []

    async def work(run: WorkflowRun) -> Any:
        async def shaky() -> Any:
            tries.append("step")
            if len(tries) < 3:
                raise UpstreamUnavailable("Not now.", retry_after=0.001)
            return "fine"

        return await run.run_step("shaky", shaky)

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "fine"
    assert len(tries) == 3


def test_steps_of_one_key_at_the_same_time_are_a_fault(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(run: WorkflowRun) -> None:
        async def slow() -> None:
            await asyncio.sleep(0.001)

        await asyncio.gather(run.run_step("same", slow), run.run_step("same", slow))

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            return await ended(jobs, view.job.id)

    assert store.run(scenario).error["message"].startswith("Two steps")


def test_a_step_that_is_not_there_is_not_found(store: Kept) -> None:
    async def scenario(state: StateStore) -> None:
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        with pytest.raises(UnknownStep):
            await jobs.store.look_up_step_result(OWNER, view.job.id, "no such step")
        assert issubclass(UnknownStep, NotFound)
        assert not issubclass(UnknownStep, InternalError)

    store.run(scenario)
