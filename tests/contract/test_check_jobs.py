"""What is promised of a draft's check as a job, on either engine of the store."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from citewell.core.errors import CitewellError, InternalError, InvalidInput, JobNotFound, NotFound
from citewell.core.values.research import ResearchStatus
from citewell.drafts.check_jobs import CheckState, DraftCheckJobs, DraftCheckWorkflow
from citewell.drafts.draft_check import DraftRequest
from citewell.drafts.draft_findings import DraftReport, DraftSummary
from citewell.jobs.job_service import JobService
from citewell.jobs.step_values import DRAFT_CHECK_KIND
from citewell.server.state.state_store import StateStore
from citewell.store.cache.artifact_store import ArtifactStore
from tests.conditions import until
from tests.contract.offices import FAST, OWNER, ended
from tests.contract.states import Kept
from tests.reading.reading import Memory
from tests.requirements import requires

REQUEST = DraftRequest(text="It is well known [1].", focus="existence", max_statements=7)
LIMIT_SECONDS = 1234.0
REPORT = DraftReport(
    summary=DraftSummary(
        verdicts={"found": 1},
        statements=1,
        distinct_statements=1,
        citations=1,
        references=1,
        sources_read=0,
        worst=(),
        is_clean=True,
    ),
    findings=(),
    judge="lexical",
    shared=(),
    checked_at="2026-01-02T12:00:00Z",
)


@dataclass
class Checker:
    """Checks nothing, waits if told to, and remembers what it was asked."""

    failure: CitewellError | None = None
    waits: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def check_request(self, request: DraftRequest, *, progress: Any, **more: Any) -> Any:
        self.asked.append({"request": request, **more})
        await progress(3.0, 8.0, "3 of 8 sources read")
        if self.waits:
            await asyncio.Event().wait()
        if self.failure:
            raise self.failure
        return REPORT


@dataclass
class Place:
    """Where artifacts are kept: shared by all processes, as with a shared cache."""

    memory: Memory = field(default_factory=Memory)

    @property
    def artifacts(self) -> ArtifactStore:
        return ArtifactStore(self.memory.cache, ttl=1800.0, clock=self.memory.clock)

    @contextlib.asynccontextmanager
    async def process(
        self, store: Kept, state: StateStore, checker: Any
    ) -> AsyncIterator[tuple[JobService, DraftCheckJobs]]:
        workflow = DraftCheckWorkflow(lambda: checker, self.artifacts, max_seconds=LIMIT_SECONDS)
        jobs = JobService(state, {DRAFT_CHECK_KIND: workflow}, timing=FAST, clock=store.clock)
        try:
            yield jobs, DraftCheckJobs(jobs, self.artifacts)
        finally:
            await jobs.stop_runner()


@requires("check_draft.task")
def test_a_check_runs_in_its_own_time_and_its_report_is_kept_for_its_owner(store: Kept) -> None:
    checker, place = Checker(), Place()

    async def scenario(state: StateStore) -> tuple[CheckState, dict[str, Any]]:
        async with place.process(store, state, checker) as (jobs, checks):
            begun = await checks.start_check(OWNER, REQUEST)
            await ended(jobs, begun.job_id)
            with pytest.raises(JobNotFound):
                await checks.load_state("default/somebody", begun.job_id)
            found = await checks.load_state(OWNER, begun.job_id)
            return found, await checks.load_check_report(OWNER, begun.job_id)

    state, report = store.run(scenario)

    assert state.status is ResearchStatus.COMPLETED
    assert report["summary"]["verdicts"] == {"found": 1}
    assert checker.asked == [{"request": REQUEST, "owner": OWNER, "seconds": LIMIT_SECONDS}]


@requires("check_draft.task")
def test_a_check_survives_the_end_of_its_process(store: Kept) -> None:
    first, second, place = Checker(waits=True), Checker(), Place()

    async def scenario(state: StateStore) -> tuple[str, dict[str, Any]]:
        async with place.process(store, state, first) as (_, checks):
            begun = await checks.start_check(OWNER, REQUEST)

            async def has_begun() -> bool:
                found = await checks.load_state(OWNER, begun.job_id)
                return found.message == "3 of 8 sources read"

            await until(has_begun)
            message = (await checks.load_state(OWNER, begun.job_id)).message
        async with place.process(store, state, second) as (jobs, checks):
            jobs.start_runner()
            await ended(jobs, begun.job_id)
            return message, await checks.load_check_report(OWNER, begun.job_id)

    message, report = store.run(scenario)

    assert message == "3 of 8 sources read"
    assert report["judge"] == "lexical"
    assert [one["request"] for one in second.asked] == [REQUEST]


def test_a_check_that_fails_says_why(store: Kept) -> None:
    checker, place = Checker(failure=InvalidInput("The draft has no words.")), Place()

    async def scenario(state: StateStore) -> ResearchStatus:
        async with place.process(store, state, checker) as (jobs, checks):
            begun = await checks.start_check(OWNER, REQUEST)
            await ended(jobs, begun.job_id)
            with pytest.raises(InvalidInput, match="no words"):
                await checks.load_check_report(OWNER, begun.job_id)
            return (await checks.load_state(OWNER, begun.job_id)).status

    assert store.run(scenario) is ResearchStatus.FAILED


def test_a_check_is_cancelled_by_its_owner_alone(store: Kept) -> None:
    checker, place = Checker(waits=True), Place()

    async def scenario(state: StateStore) -> CheckState:
        async with place.process(store, state, checker) as (jobs, checks):
            begun = await checks.start_check(OWNER, REQUEST)
            await until(lambda: bool(checker.asked))
            with pytest.raises(JobNotFound):
                await checks.cancel_check("default/somebody", begun.job_id)
            await checks.cancel_check(OWNER, begun.job_id)
            await ended(jobs, begun.job_id)
            with pytest.raises(InternalError, match="without a report"):
                await checks.load_check_report(OWNER, begun.job_id)
            return await checks.load_state(OWNER, begun.job_id)

    found = store.run(scenario)

    assert found.status is ResearchStatus.CANCELLED
    assert found.message == "The check was cancelled."


def test_neither_the_draft_nor_the_report_outlives_its_time(store: Kept) -> None:
    checker, place = Checker(), Place()

    async def scenario(state: StateStore) -> None:
        async with place.process(store, state, checker) as (jobs, checks):
            first = await checks.start_check(OWNER, REQUEST)
            await ended(jobs, first.job_id)
            place.memory.clock.now += 1801
            with pytest.raises(NotFound, match="Check the draft again"):
                await checks.load_check_report(OWNER, first.job_id)

    store.run(scenario)

    assert b"well known" not in store.on_disk()


def test_a_check_whose_draft_has_expired_asks_for_it_again(store: Kept) -> None:
    place = Place()

    async def scenario(state: StateStore) -> None:
        async with place.process(store, state, Checker(waits=True)) as (_, checks):
            begun = await checks.start_check(OWNER, REQUEST)
        place.memory.clock.now += 1801
        async with place.process(store, state, Checker()) as (jobs, checks):
            jobs.start_runner()
            await ended(jobs, begun.job_id)
            with pytest.raises(InvalidInput, match="Send it again"):
                await checks.load_check_report(OWNER, begun.job_id)

    store.run(scenario)
