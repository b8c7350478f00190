"""What a worker may write about a job that it holds, or has lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import JobStep, JobStepState
from citewell.jobs.store.held_jobs import JobRecord, LeaseLost
from citewell.server.state.state_store import StateStore
from citewell.store.failures import DecryptionFailed
from citewell.store.sql.database import SqlStatement
from tests.conditions import until
from tests.contract.offices import (
    CENT,
    OWNER,
    Provider,
    ended,
    expect_claimed,
    lapse,
    office,
    order,
    paying,
    working,
)
from tests.contract.states import Kept
from tests.contract.workflows import nothing


def test_whoever_lost_the_job_can_write_nothing_more(store: Kept) -> None:
    provider = Provider()

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, paying(provider))
        view = await jobs.dispatch_job(OWNER, order())
        zombie = await expect_claimed(store, state)
        record = JobRecord(state.database, state.vault, state.ledger, zombie, clock=store.clock)
        call = JobStep(key="call", state=JobStepState.INTENT, provider="double", estimate=CENT)
        await record.record_intent(call)
        await lapse(store)
        assert (await expect_claimed(store, state, holder="third")).fence == 2
        writes = (
            record.append_event("said", {}),
            record.record_free_step(JobStep(key="step", state=JobStepState.DONE), 1),
            record.record_intent(JobStep(key="other", state=JobStepState.INTENT)),
            record.record_submission(call),
            record.record_outcome(call, replace(call, state=JobStepState.DONE, cost=CENT)),
            record.change_status(ResearchStatus.SYNTHESIZING),
            record.finish_job(ResearchStatus.COMPLETED, None),
        )
        for write in writes:
            with pytest.raises(LeaseLost):
                await write
        return await jobs.store.require_job_view(OWNER, view.job.id)

    view = store.run(scenario)

    assert (view.status, view.spent) == (ResearchStatus.RUNNING, 0)
    assert [step.state for step in view.steps] == ["intent"]


def test_a_job_that_was_altered_on_disk_ends_and_hides_no_other(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        jobs = office(store, state, nothing)
        spoilt = await jobs.dispatch_job(OWNER, order())
        change: dict[str, str | bytes] = {
            "id": spoilt.job.id,
            "body": b"\x02\x00\x00\x00\x01" + bytes(40),
        }
        altered = SqlStatement(sql="UPDATE job SET body = :body WHERE id = :id", params=change)
        await state.database.execute_batch([altered])
        async with working(store, state, nothing) as jobs:
            sound = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, sound.job.id)
            with pytest.raises(DecryptionFailed):
                await jobs.store.require_job_view(OWNER, spoilt.job.id)

            async def released() -> Any:
                return (await state.ledger.load_balance(OWNER)).ticks == 100 * CENT

            await until(released)
            return sound.job.id, [view.job.id for view in await jobs.store.list_owner_jobs(OWNER)]

    sound, listed = store.run(scenario)

    assert listed == [sound]
