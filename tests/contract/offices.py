"""Job engines over a store, with providers whose every answer the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from citewell.model.job import JobView, Order
from citewell.model.research import TICKS_PER_CENT, Status
from citewell.services.jobs.pace import Pace
from citewell.services.jobs.paid import Reply
from citewell.services.jobs.run import Run
from citewell.services.jobs.service import Jobs
from citewell.store.queue import Held, SqlQueue
from citewell.store.state import State

CENT = TICKS_PER_CENT
OWNER = "someone"
FAST = Pace(
    lease=0.6,
    idle=0.05,
    watch=0.02,
    look=0.02,
    first_poll=0.005,
    last_poll=0.01,
    patience=0.3,
    resend=(0.0, 0.0),
    retries=(0.0, 0.0),
    writes=(0.0,),
    tries=4,
)


@dataclass(kw_only=True)
class Provider:
    """A paid call that does as it is told, and remembers what it was asked."""

    provider: str = "double"
    estimate: int = 5 * CENT
    background: bool = True
    idempotent: bool = False
    submits: list[Any] = field(default_factory=list)  # what each submit does, the last for ever
    polls: list[Any] = field(default_factory=list)
    cancels: list[Any] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def submit(self, tag: str) -> Reply:
        self.tags.append(tag)
        self.asked.append("submit")
        return await _next(self.submits, running("ref-1"))

    async def poll(self, ref: str) -> Reply:
        self.asked.append(f"poll {ref}")
        return await _next(self.polls, completed())

    async def cancel(self, ref: str) -> Reply:
        self.asked.append(f"cancel {ref}")
        return await _next(self.cancels, Reply(status=Status.CANCELLED, cost=2 * CENT + 7))


def running(ref: str | None = "ref-1") -> Reply:
    return Reply(status=Status.RUNNING, ref=ref)


def completed(result: Any = "answer", cost: int = 3 * CENT + 1) -> Reply:
    return Reply(status=Status.COMPLETED, result=result, cost=cost)


def hanging(event: asyncio.Event, reply: Reply) -> Callable[[], Awaitable[Reply]]:
    async def wait() -> Reply:
        await event.wait()
        return reply

    return wait


async def _next(answers: list[Any], otherwise: Reply) -> Reply:
    if not answers:
        return otherwise
    answer = answers.pop(0) if len(answers) > 1 else answers[0]
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, Reply):
        return answer
    reply: Reply = await answer()
    return reply


def paying(provider: Provider, **options: Any) -> Callable[[Run], Awaitable[Any]]:
    """A workflow of one call."""

    async def work(run: Run) -> Any:
        return await run.paid("call", provider, **options)

    return work


def office(store: Any, state: State, work: Callable[[Run], Awaitable[Any]], **options: Any) -> Jobs:
    pace = replace(FAST, **options.pop("pace", {}))
    return Jobs(state, {"work": work}, pace=pace, clock=store.clock, **options)


@asynccontextmanager
async def working(
    store: Any, state: State, work: Callable[[Run], Awaitable[Any]], **options: Any
) -> AsyncIterator[Jobs]:
    jobs = office(store, state, work, **options)
    jobs.start()
    try:
        yield jobs
    finally:
        await jobs.stop()


async def ended(jobs: Jobs, job: str, owner: str = OWNER) -> JobView:
    """The job once it is final."""
    async with asyncio.timeout(20):
        view = await jobs.view(owner, job)
        while not view.status.final:
            view = await jobs.wait(owner, job, since=view.seq, seconds=5)
    return view


async def until(told: Callable[[], Awaitable[bool]] | Callable[[], bool]) -> None:
    """Wait for a condition, at most a few seconds."""
    async with asyncio.timeout(10):
        while True:
            found = told()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.005)


def order(cap: int = 50 * CENT, **more: Any) -> Order:
    return Order(kind="work", args=more.pop("args", {}), cap=cap, **more)


async def claimed(store: Any, state: State, *, holder: str = "another") -> Held | None:
    """A job in the hands of a process that does nothing with it, and soon loses it."""
    queue = SqlQueue(
        state.database, state.vault, state.ledger,
        holder=holder, term=0.05, per_owner=100, clock=store.clock,
    )  # fmt: skip
    return await queue.claim(["work"])


async def lapse(store: Any) -> None:
    """Let leases of `claimed` run out."""
    store.clock.now += 1
    if store.name == "postgres":
        await asyncio.sleep(0.06)
