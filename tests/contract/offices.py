"""Job engines over a store, with providers whose every answer the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from citewell.core.values.research import TICKS_PER_CENT, ResearchStatus
from citewell.jobs.dbos_queue import SqlWorkflowQueue
from citewell.jobs.durable_job import CallReply, JobOrder, JobView
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobRunner, JobService, SqlJobQueue
from citewell.jobs.run_record import EngineTiming
from citewell.jobs.store.held_jobs import HeldJob
from citewell.server.state.state_store import StateStore
from tests.contract.states import Kept

CENT = TICKS_PER_CENT
OWNER = "someone"
FAST = EngineTiming(
    lease_seconds=0.6,
    idle_interval=0.05,
    watch_interval=0.02,
    wait_interval=0.02,
    first_poll_delay=0.005,
    max_poll_delay=0.01,
    call_grace_seconds=0.3,
    resend_delays=(0.0, 0.0),
    step_retry_delays=(0.0, 0.0),
    write_retry_delays=(0.0,),
    max_attempts=4,
    heartbeat_seconds=0.5,
    queue_interval=0.02,
    launch_retry_delay=0.1,
)


@dataclass(kw_only=True)
class Provider:
    """A paid call that does as it is told, and remembers what it was asked."""

    provider: str = "double"
    estimate_cost: int = 5 * CENT
    background: bool = True
    is_idempotent: bool = False
    submits: list[Any] = field(default_factory=list)  # what each submit does, the last for ever
    polls: list[Any] = field(default_factory=list)
    cancels: list[Any] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def submit_research(self, tag: str) -> CallReply:
        self.tags.append(tag)
        self.asked.append("submit")
        return await _next(self.submits, running("ref-1"))

    async def poll_research(self, ref: str) -> CallReply:
        self.asked.append(f"poll {ref}")
        return await _next(self.polls, completed())

    async def cancel_research(self, ref: str) -> CallReply:
        self.asked.append(f"cancel {ref}")
        return await _next(
            self.cancels, CallReply(status=ResearchStatus.CANCELLED, cost=2 * CENT + 7)
        )


def running(ref: str | None = "ref-1") -> CallReply:
    return CallReply(status=ResearchStatus.RUNNING, ref=ref)


def completed(result: Any = "answer", cost: int = 3 * CENT + 1) -> CallReply:
    return CallReply(status=ResearchStatus.COMPLETED, result=result, cost=cost)


def hanging(event: asyncio.Event, reply: CallReply) -> Callable[[], Awaitable[CallReply]]:
    async def wait() -> CallReply:
        await event.wait()
        return reply

    return wait


async def _next(answers: list[Any], otherwise: CallReply) -> CallReply:
    if not answers:
        return otherwise
    answer = answers.pop(0) if len(answers) > 1 else answers[0]
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, CallReply):
        return answer
    reply: CallReply = await answer()
    return reply


def paying(provider: Provider, **options: Any) -> Callable[[WorkflowRun], Awaitable[Any]]:
    """A workflow of one call."""

    async def work(run: WorkflowRun) -> Any:
        return await run.run_paid_call("call", provider, **options)

    return work


def office(
    store: Kept, state: StateStore, work: Callable[[WorkflowRun], Awaitable[Any]], **options: Any
) -> JobService:
    pace = replace(FAST, **options.pop("pace", {}))
    return JobService(state, {"work": work}, timing=pace, clock=store.clock, **options)


@asynccontextmanager
async def working(
    store: Kept, state: StateStore, work: Callable[[WorkflowRun], Awaitable[Any]], **options: Any
) -> AsyncIterator[JobService]:
    jobs = office(store, state, work, **options)
    jobs.start_runner()
    try:
        yield jobs
    finally:
        await jobs.stop_runner()


def embedded(jobs: JobService) -> JobRunner:
    """The engine of a store that is a file."""
    assert isinstance(jobs.runner, JobRunner)
    return jobs.runner


async def ended(jobs: JobService, job: str, owner: str = OWNER) -> JobView:
    """The job once it is final."""
    async with asyncio.timeout(120):
        view = await jobs.store.require_job_view(owner, job)
        while not view.status.is_final:
            view = await jobs.wait_for_news(owner, job, since=view.seq, seconds=5)
    return view


def order(cap: int = 50 * CENT, **more: Any) -> JobOrder:
    return JobOrder(kind="work", args=more.pop("args", {}), cap=cap, **more)


async def claimed(
    store: Kept, state: StateStore, *, holder: str = "another", lease_seconds: float = 0.05
) -> HeldJob | None:
    """A job in the hands of a process that does nothing with it, and soon loses it."""
    parts = (state.database, state.vault, state.ledger)
    if store.name == "postgres":
        sql = "SELECT id, run FROM job WHERE finished IS NULL AND holder <> :holder ORDER BY created LIMIT 1"
        for job_id, run in await state.database.select_rows(sql, {"holder": holder}):
            runs = SqlWorkflowQueue(*parts, holder=holder, clock=store.clock)
            return await runs.claim_run(job_id, run)
        return None
    queue = SqlJobQueue(
        *parts, holder=holder, lease_seconds=lease_seconds, per_owner=100, clock=store.clock
    )
    return await queue.claim_job(["work"])


async def expect_claimed(
    store: Kept, state: StateStore, *, holder: str = "another", lease_seconds: float = 0.05
) -> HeldJob:
    """The same, where a job must be waiting."""
    held = await claimed(store, state, holder=holder, lease_seconds=lease_seconds)
    assert held is not None
    return held


async def lapse(store: Kept) -> None:
    """Let leases of `claimed` run out."""
    store.clock.now += 1
    if store.name == "postgres":
        await asyncio.sleep(0.06)
