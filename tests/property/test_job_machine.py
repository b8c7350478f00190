"""Jobs in any order of events: no job is lost, nothing is paid twice, and the books balance."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from citewell.core.errors import NetworkFailed, RejectedRequest
from citewell.core.values.research import TICKS_PER_CENT, ResearchStatus
from citewell.jobs.durable_job import BudgetSpent, CallFailed, CallReply, CallUncertain, JobOrder
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.jobs.run_record import EngineTiming
from citewell.jobs.store.job_store import ReconciledCall
from citewell.jobs.store.thread_store import BalanceTooLow
from tests.contract.offices import embedded
from tests.inline import InlineDatabase, Mortal, inline_state

OWNER = "someone"
PRICE, ESTIMATE = TICKS_PER_CENT + 33_333_333, 2 * TICKS_PER_CENT
LEASE = 30.0
PACE = EngineTiming(lease_seconds=LEASE, call_grace_seconds=0.0, max_attempts=10_000)
KINDS = {"background": (True, False), "tagged": (False, True), "blocking": (False, False)}
WORKERS = 2


@dataclass
class Time:
    """A wall clock that may go back, and a steady one that sleepers go by."""

    wall: float = 1_800_000_000.0
    steady: float = 0.0
    sleepers: list[tuple[float, asyncio.Future[None]]] = field(default_factory=list)

    async def pause(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sleepers.append((self.steady + seconds, woken))
        await woken

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds
        due = [woken for at, woken in self.sleepers if at <= self.steady]
        self.sleepers = [one for one in self.sleepers if one[0] > self.steady]
        for woken in due:
            if not woken.done():
                woken.set_result(None)


@dataclass
class Upstream:
    """Every provider there is: what it charged, what waits for an answer, what runs."""

    charges: Counter[str] = field(default_factory=Counter)
    tags: set[str] = field(default_factory=set)
    waiting: list[asyncio.Future[str]] = field(default_factory=list)
    running: dict[str, str] = field(default_factory=dict)  # ref: its state
    cancels: int = 0


@dataclass(kw_only=True)
class Call:
    upstream: Upstream
    process: Mortal
    step: str
    background: bool
    is_idempotent: bool
    provider: str = "double"
    estimate_cost: int = ESTIMATE

    async def submit_research(self, tag: str) -> CallReply:
        self._reach()
        if not (self.is_idempotent and tag in self.upstream.tags):
            self.upstream.charges[self.step] += 1
        self.upstream.tags.add(tag)
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.upstream.waiting.append(answer)
        how = await answer
        if how == "refuse":
            self.upstream.charges[self.step] -= 1  # it says that it did nothing
            self.upstream.tags.discard(tag)
            raise RejectedRequest("No.")
        if how == "break":
            raise NetworkFailed("The line went dead.")
        if self.background:
            self.upstream.running[self.step] = "running"
            return CallReply(status=ResearchStatus.RUNNING, ref=self.step)
        return CallReply(status=ResearchStatus.COMPLETED, result=self.step, cost=PRICE)

    async def poll_research(self, ref: str) -> CallReply:
        self._reach()
        state = self.upstream.running[ref]
        if state == "running":
            return CallReply(status=ResearchStatus.RUNNING, ref=ref)
        if state == "done":
            return CallReply(status=ResearchStatus.COMPLETED, result=ref, cost=PRICE)
        return CallReply(status=ResearchStatus.CANCELLED, cost=PRICE // 2)

    async def cancel_research(self, ref: str) -> CallReply:
        self._reach()
        self.upstream.cancels += 1
        if self.upstream.running[ref] == "running":
            self.upstream.running[ref] = "cancelled"
        return await self.poll_research(ref)

    def _reach(self) -> None:
        if self.process.dead:
            raise asyncio.CancelledError


@dataclass
class Worker:
    jobs: JobService
    process: Mortal


class JobMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.time = Time()
        self.upstream = Upstream()
        self.database = InlineDatabase()
        self.numbers = itertools.count()
        self.state = inline_state(self.database, self.clock, self.new_id)
        self.final: dict[str, str] = {}
        self.ordered: set[str] = set()
        self.workers = [self.worker() for _ in range(WORKERS)]
        self.desk = JobService(self.state, {"research": self.nothing}, new_id=self.new_id)
        self.do(self.state.ledger.post_credit(OWNER, 40 * TICKS_PER_CENT))

    def clock(self) -> float:
        return self.time.wall

    def new_id(self) -> str:
        return f"id{next(self.numbers)}"

    async def nothing(self, run: WorkflowRun) -> None: ...

    def worker(self) -> Worker:
        process = Mortal(self.database)
        state = inline_state(process, self.clock, self.new_id)
        self.do(state.vault.ensure_keychain(OWNER))

        async def research(run: WorkflowRun) -> Any:
            await run.emit_event("begun")
            names = run.job.args["calls"]
            answers = await asyncio.gather(*(one(run, *named) for named in enumerate(names)))
            await run.run_step("written", written)
            return answers

        async def one(run: WorkflowRun, number: int, kind: str) -> str:
            background, idempotent = KINDS[kind]
            key = f"{number} {kind}"
            call = Call(
                upstream=self.upstream,
                process=process,
                step=f"{run.job.id}/{key}",
                background=background,
                is_idempotent=idempotent,
            )
            try:
                return str(await run.run_paid_call(key, call))
            except (CallFailed, CallUncertain, BudgetSpent) as error:
                return type(error).__name__

        async def written() -> str:
            return "report"

        jobs = JobService(
            state,
            {"research": research},
            at_once=2,
            per_owner=3,
            timing=PACE,
            clock=self.clock,
            monotonic=lambda: self.time.steady,
            pause=self.time.pause,
            new_id=self.new_id,
        )
        return Worker(jobs, process)

    def do(self, work: Any) -> Any:
        return self.loop.run_until_complete(self._settled(work))

    async def _settled(self, work: Any) -> Any:
        done = await work
        for _ in range(80):  # whatever can go on by itself does
            await asyncio.sleep(0)
        return done

    async def _rest(self) -> None: ...

    @rule(
        calls=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3),
        cents=st.sampled_from([6, 6, 2, 0]),
        taken_by=st.sampled_from([0, 1, None]),
    )
    def submit(self, calls: Any, cents: Any, taken_by: Any) -> None:
        order = JobOrder(kind="research", args={"calls": calls}, cap=cents * TICKS_PER_CENT)
        try:
            self.ordered.add(self.do(self.desk.dispatch_job(OWNER, order)).job.id)
        except BalanceTooLow:
            assert self.do(self.state.ledger.load_balance(OWNER)).cents < cents
        if taken_by is not None:
            self.turn(taken_by)

    @rule(number=st.integers(0, WORKERS - 1))
    def turn(self, number: Any) -> None:
        self.do(self._turned(self.workers[number]))

    async def _turned(self, worker: Worker) -> None:
        try:
            await embedded(worker.jobs).run_turn()
        except asyncio.CancelledError:
            assert worker.process.dead

    @precondition(lambda self: self.upstream.waiting)
    @rule(data=st.data(), how=st.sampled_from(["answer", "answer", "refuse", "break"]))
    def answer(self, data: Any, how: Any) -> None:
        place = data.draw(st.integers(0, len(self.upstream.waiting) - 1))
        waiting = self.upstream.waiting.pop(place)
        if not waiting.done():
            waiting.set_result(how)
        self.do(self._rest())

    @precondition(lambda self: "running" in self.upstream.running.values())
    @rule(data=st.data())
    def complete_upstream(self, data: Any) -> None:
        refs = sorted(ref for ref, state in self.upstream.running.items() if state == "running")
        self.upstream.running[data.draw(st.sampled_from(refs))] = "done"

    @rule(seconds=st.sampled_from([0.5, 3.0, 12.0, LEASE + 1]))
    def wait(self, seconds: Any) -> None:
        self.time.pass_by(seconds)
        self.do(self._rest())

    @rule(seconds=st.sampled_from([5.0, 3600.0, 90_000.0]))
    def clock_goes_back(self, seconds: Any) -> None:
        self.time.wall -= seconds

    @rule(number=st.integers(0, WORKERS - 1), commits=st.integers(0, 6))
    def crash(self, number: Any, commits: Any) -> None:
        """At once, or with a commit to come that nobody hears of."""
        process = self.workers[number].process
        process.dead, process.dies_in = commits == 0, commits or None
        if process.dead:
            self.bury(number)

    @precondition(lambda self: any(worker.process.dead for worker in self.workers))
    @rule()
    def restart(self) -> None:
        for number, worker in enumerate(self.workers):
            if worker.process.dead:
                self.bury(number)

    @rule(number=st.integers(0, WORKERS - 1))
    def stop(self, number: Any) -> None:
        worker = self.workers[number]
        if not worker.process.dead:
            self.do(self._stopped(worker))
        self.bury(number)

    async def _stopped(self, worker: Worker) -> None:
        try:
            await worker.jobs.stop_runner()
        except asyncio.CancelledError:
            assert worker.process.dead

    @precondition(lambda self: self.ordered)
    @rule(data=st.data())
    def cancel(self, data: Any) -> None:
        self.do(self.desk.cancel_job(OWNER, data.draw(st.sampled_from(sorted(self.ordered)))))

    @precondition(lambda self: self.jobs_with("uncertain"))
    @rule(ticks=st.sampled_from([0, PRICE]))
    def reconcile(self, ticks: Any) -> None:
        job = self.jobs_with("uncertain")[0]
        view = self.do(self.desk.store.require_job_view(OWNER, job))
        key = next(step.key for step in view.steps if step.state == "uncertain")
        self.do(self.desk.reconcile_call(OWNER, job, key, ReconciledCall(cost=ticks)))

    @precondition(lambda self: self.jobs_with("submitted"))
    @rule(number=st.integers(0, WORKERS - 1))
    def cancel_what_runs_upstream(self, number: Any) -> None:
        self.do(self.desk.cancel_job(OWNER, self.jobs_with("submitted")[0]))
        self.turn(number)

    def jobs_with(self, state: str) -> list[str]:
        sql = "SELECT job FROM job_step WHERE state = ? ORDER BY job, number"
        return [job for (job,) in self.database.link.execute(sql, (state,))]

    def bury(self, number: int) -> None:
        """What a dead process was doing ends without a trace, and a new one takes its place."""
        worker = self.workers[number]
        worker.process.dead = True
        for play in list(embedded(worker.jobs)._running_jobs.values()):
            play.task.cancel()
            if play.run_record._workflow_task is not None:
                play.run_record._workflow_task.cancel()
        self.do(self._rest())
        self.workers[number] = self.worker()

    @invariant()
    def nothing_is_charged_twice(self) -> None:
        assert all(charged in {0, 1} for charged in self.upstream.charges.values())

    @invariant()
    def what_is_final_stays(self) -> None:
        rows = self.database.link.execute("SELECT id, status, finished FROM job").fetchall()
        assert {job for job, *_ in rows} == self.ordered
        for job, status, finished in rows:
            assert (finished is not None) == ResearchStatus(status).is_final
            if finished is not None:
                assert self.final.setdefault(job, status) == status
            assert job not in self.final or finished is not None

    @invariant()
    def the_books_balance(self) -> None:
        link = self.database.link
        (credited, reserved, settled), *_ = link.execute(
            "SELECT credited, reserved, settled FROM account"
        ).fetchall() or [(0, 0, 0)]
        booked = dict(
            link.execute(
                f"SELECT type, SUM(cents * {TICKS_PER_CENT} + remainder) FROM ledger GROUP BY type"
            )
        )
        open_reserve = (
            "SELECT COALESCE(SUM(MAX(0, cap - spent)), 0) FROM job WHERE finished IS NULL"
        )
        assert credited - settled - reserved >= 0
        assert reserved == link.execute(open_reserve).fetchone()[0]
        assert credited == booked.get("credit", 0)
        assert settled == booked.get("settle", 0)
        assert settled == link.execute("SELECT COALESCE(SUM(cost), 0) FROM job_step").fetchone()[0]
        assert settled == link.execute("SELECT COALESCE(SUM(spent), 0) FROM job").fetchone()[0]

    @invariant()
    def the_cents_add_up(self) -> None:
        link = self.database.link
        credited, reserved, settled = link.execute(
            "SELECT credited_cents, reserved_cents, settled_cents FROM account"
        ).fetchone()
        booked = dict(link.execute("SELECT type, SUM(cents) FROM ledger GROUP BY type"))
        jobs = link.execute("SELECT id, cap, spent, finished FROM job").fetchall()
        by_job = dict(
            link.execute("SELECT job, SUM(cents) FROM ledger WHERE type = 'settle' GROUP BY job")
        )
        rounded = {job: -(-spent // TICKS_PER_CENT) for job, _, spent, _ in jobs}
        assert all(by_job.get(job, 0) == cents for job, cents in rounded.items())
        assert set(by_job) <= set(rounded)
        assert settled == booked.get("settle", 0) == sum(rounded.values())
        assert credited == booked.get("credit", 0)
        assert reserved == sum(
            max(0, cap // TICKS_PER_CENT - rounded[job])
            for job, cap, _, finished in jobs
            if finished is None
        )
        assert credited - settled - reserved >= 0

    @invariant()
    def what_is_held_is_under_way(self) -> None:
        rows = self.database.link.execute(
            "SELECT finished, held, (SELECT COALESCE(SUM(estimate), 0) FROM job_step "
            "WHERE job = job.id AND state IN ('intent', 'submitted')), cap - spent FROM job"
        )
        for finished, held, under_way, left in rows:
            assert held == (0 if finished else under_way)
            assert finished is None or under_way == 0
            assert held <= max(left, 0)

    def teardown(self) -> None:
        """Once nothing goes wrong any more, every job comes to an end."""
        for _ in range(400):
            for waiting in self.upstream.waiting:
                if not waiting.done():
                    waiting.set_result("answer")
            self.upstream.waiting.clear()
            for ref, state in self.upstream.running.items():
                self.upstream.running[ref] = "done" if state == "running" else state
            self.restart()
            self.turn(0)
            self.wait(12.0)
            if all(self.finished()):
                break
        assert all(self.finished())
        self.check_invariants_once()
        self.loop.run_until_complete(self.database.aclose())
        self.loop.close()

    def finished(self) -> list[bool]:
        rows = self.database.link.execute("SELECT finished FROM job").fetchall()
        return [finished is not None for (finished,) in rows]

    def check_invariants_once(self) -> None:
        self.nothing_is_charged_twice()
        self.what_is_final_stays()
        self.the_books_balance()
        self.the_cents_add_up()
        self.what_is_held_is_under_way()
        rows = self.database.link.execute("SELECT reserved, reserved_cents FROM account").fetchall()
        assert all(row == (0, 0) for row in rows)


TestJobMachine = JobMachine.TestCase
TestJobMachine.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
