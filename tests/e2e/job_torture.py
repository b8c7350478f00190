"""Kills workers in the midst of jobs with metered calls, again and again, and adds up the charges.

Run as a program: one process forks the double and the workers. A worker kills itself at a random
point (before or after a commit, before or after a byte goes out), or is killed at a random time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import cryptography.hazmat.primitives.ciphers.aead  # noqa: F401 - loaded before the forks

from citewell.core.config import Settings
from citewell.core.values.research import TICKS_PER_CENT
from citewell.jobs.durable_job import CallUncertain, JobOrder
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.jobs.run_record import EngineTiming
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from tests.e2e import metered

OWNER = "someone"
CAP = 40 * TICKS_PER_CENT
PACE = EngineTiming(
    lease_seconds=0.3,
    idle_interval=0.02,
    watch_interval=0.05,
    wait_interval=0.05,
    first_poll_delay=0.01,
    max_poll_delay=0.02,
    max_attempts=1000,
    heartbeat_seconds=0.5,
    queue_interval=0.02,
    check_interval=0.5,
    launch_retry_delay=0.1,
)
# name: background, idempotent
CALLS = {
    "background": (True, True),
    "tagged": (False, True),
    "blocking": (False, False),
    "untagged": (True, False),
}
LIVELY = 70  # points that a worker passes while it runs two jobs, about
LATEST = {"sqlite": 1.0, "postgres": 12.0}  # seconds after which a worker is killed, at no point
FREEZES = 0.01  # of looks at several workers
BATCH = 20
MAX_CHARGES_BYTES = 64 * 2**20  # a quiet machine does thousands of jobs between the kills


class Fuse:
    """Kills this process once it has passed so many points."""

    def __init__(self, left: int | None) -> None:
        self.left = left

    def point(self) -> None:
        if self.left is None:
            return
        self.left -= 1
        if self.left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)


def workflow(port: int, fuse: Fuse) -> Callable[[WorkflowRun], Coroutine[Any, Any, Any]]:
    async def research(run: WorkflowRun) -> Any:
        await run.emit_event("planned")
        plan = await run.run_step("plan", _plan)
        answers = await asyncio.gather(*(call(run, name) for name in CALLS))

        async def synthesis() -> Any:
            await asyncio.sleep(0.005)
            return {"plan": plan, "answers": answers}

        return await run.run_step("synthesis", synthesis)

    async def call(run: WorkflowRun, name: str) -> str:
        background, idempotent = CALLS[name]
        paid = metered.Call(
            port=port,
            step=f"{run.job.id}/{name}",
            background=background,
            is_idempotent=idempotent,
            point=fuse.point,
        )
        try:
            answer = await run.run_paid_call(name, paid)
        except CallUncertain:
            return "uncertain"
        assert answer == {"step": paid.step}
        return "done"

    return research


async def _plan() -> Any:
    return ["one", "two"]


def fused(state: StateStore, fuse: Fuse) -> None:
    """Every commit is a point before it and a point after it."""
    execute = state.database.execute_batch

    async def passing(batch: Any) -> Any:
        fuse.point()
        done = await execute(batch)
        fuse.point()
        return done

    state.database.execute_batch = passing  # type: ignore[method-assign]
    if state.database.dialect.name == "postgres":
        fused_dbos(fuse)


def fused_dbos(fuse: Fuse) -> None:
    """Every commit of DBOS as well: a run taken from the queue, a step recorded, a run ended."""
    from dbos._sys_db import SystemDatabase

    for name in ("start_queued_workflows", "record_operation_result", "update_workflow_outcome"):
        commit = getattr(SystemDatabase, name)

        def passing(*args: Any, commit: Any = commit, **more: Any) -> Any:
            done = commit(*args, **more)
            if done != ([], None):  # nothing was in the queue
                fuse.point()
            return done

        setattr(SystemDatabase, name, passing)


async def order(state: StateStore) -> None:
    await state.ledger.post_credit(OWNER, BATCH * CAP)
    desk = JobService(state, {"research": workflow(0, Fuse(None))})
    for number in range(BATCH):
        await desk.dispatch_job(OWNER, JobOrder(kind="research", args={"number": number}, cap=CAP))


async def work(state: StateStore, port: int, points: int | None) -> None:
    """Run jobs until there are none left, or until this process is killed."""
    fuse = Fuse(points)
    fused(state, fuse)
    desk = JobService(
        state, {"research": workflow(port, fuse)}, at_once=2, per_owner=4, timing=PACE
    )
    desk.start_runner()
    sql = "SELECT 1 FROM job WHERE finished IS NULL LIMIT 1"
    while await state.database.select_rows(sql):  # noqa: ASYNC110 - other processes end jobs too
        await asyncio.sleep(0.02)
    await desk.stop_runner()


async def look(state: StateStore, pipe: int) -> None:
    views = await state.jobs.list_owner_jobs(OWNER, limit=10_000)
    jobs = []
    for listed in views:
        view = await state.jobs.require_job_view(OWNER, listed.job.id)
        result = await state.jobs.look_up_job_result(OWNER, listed.job.id)
        steps = {step.key: (step.state.value, step.cost) for step in view.steps}
        events = [event.type for event in await state.jobs.list_stored_events(OWNER, view.job.id)]
        jobs.append(
            {
                "id": view.job.id,
                "status": view.status.value,
                "spent": view.spent,
                "steps": steps,
                "result": result,
                "planned": events.count("planned"),
            }
        )
    balance = await state.ledger.load_balance(OWNER)
    entries = await state.ledger.list_transactions(OWNER, limit=1_000_000)
    told = {
        "jobs": jobs,
        "credited": balance.credited,
        "reserved": balance.reserved,
        "settled": balance.settled,
        "balance": balance.ticks,
        "entries": [(entry.type.value, entry.ticks) for entry in entries],
    }
    await asyncio.to_thread(os.write, pipe, json.dumps(told).encode())


def forked(chosen: Settings, job: Callable[[StateStore], Coroutine[Any, Any, None]]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(_alive(chosen, job))
            code = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    return child


async def _alive(chosen: Settings, job: Callable[[StateStore], Coroutine[Any, Any, None]]) -> None:
    state = StateStore(chosen)
    await job(state)
    await state.aclose()


def waited(child: int) -> None:
    _, status = os.waitpid(child, 0)
    assert status == 0, f"a child that was not killed ended with {status}"


class Herd:
    """Some workers at a time; each is killed, save when nothing was left for it to do."""

    def __init__(self, chosen: Settings, port: int, dice: random.Random) -> None:
        self.chosen = chosen
        self.port = port
        self.dice = dice
        self.alive: dict[int, float] = {}  # with the time at which to kill it
        self.thaw: dict[int, float] = {}  # with the time at which a frozen one comes back
        self.killed = self.frozen = 0

    def add(self) -> None:
        at_point = self.dice.random() < 0.7
        points = self.dice.randint(1, LIVELY) if at_point else None
        latest = LATEST["postgres" if self.chosen[StoreSettings].database_url else "sqlite"]
        late = latest if at_point else self.dice.uniform(0.02, latest / 2)
        child = forked(self.chosen, lambda state: work(state, self.port, points))
        self.alive[child] = time.monotonic() + late

    def reap(self) -> bool:
        """Bury who has died; whether all the work was done."""
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            self.tend()
            return False
        del self.alive[child]
        self.thaw.pop(child, None)
        if os.WIFSIGNALED(status):
            self.killed += 1
            return False
        assert status == 0, f"a worker failed with {status}"
        return True

    def tend(self) -> None:
        now = time.monotonic()
        for one, due in self.alive.items():
            if now >= due:
                self.tell(one, signal.SIGKILL)
        for one in [one for one, due in self.thaw.items() if now >= due]:
            del self.thaw[one]
            self.tell(one, signal.SIGCONT)
        # Frozen for longer than a lease: it comes back and believes that it still holds its jobs.
        if len(self.alive) > 1 and not self.thaw and self.dice.random() < FREEZES:
            one = self.dice.choice(sorted(self.alive))
            self.tell(one, signal.SIGSTOP)
            self.thaw[one] = now + 1.5 * max(PACE.lease_seconds, PACE.heartbeat_seconds)
            self.frozen += 1
        time.sleep(0.002)

    def tell(self, child: int, what: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, what)


def torture(chosen: Settings, kills: int, seed: int, workers: int) -> dict[str, Any]:
    dice = random.Random(seed)
    double, port = metered.forked(seed)
    try:
        herd = Herd(chosen, port, dice)
        done = True
        while herd.killed < kills:
            if done:
                waited(forked(chosen, order))
            while len(herd.alive) < workers:
                herd.add()
            done = herd.reap()
        while herd.alive:
            herd.reap()
        waited(forked(chosen, lambda state: work(state, port, None)))
        told = heard(chosen)
        charges = asyncio.run(asked(port))
    finally:
        os.kill(double, signal.SIGKILL)
        os.waitpid(double, 0)
    return told | {"charges": charges, "kills": herd.killed, "frozen": herd.frozen}


async def asked(port: int) -> dict[str, int]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=MAX_CHARGES_BYTES)
    writer.write(b'{"verb": "charges"}\n')
    line = await reader.readline()
    writer.close()
    charges: dict[str, int] = json.loads(line)
    return charges


Look = Callable[[StateStore, int], Coroutine[Any, Any, None]]


def heard(chosen: Settings, tell: Look = look) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = forked(chosen, lambda state: tell(state, writing))
    os.close(writing)
    parts = []
    while part := os.read(reading, 65536):
        parts.append(part)
    os.close(reading)
    waited(child)
    told: dict[str, Any] = json.loads(b"".join(parts))
    return told


def main() -> None:
    engine, folder, url, kills, seed, workers = sys.argv[1:]
    more: dict[str, Any] = {}
    if engine == "postgres":
        import asyncpg  # noqa: F401 - loaded before the forks
        import dbos  # noqa: F401 - loaded before the forks

        more = {"database_url": url}
    else:
        import sqlite3  # noqa: F401 - loaded before the forks
    chosen = Settings(data_dir=Path(folder), **more)
    told = torture(chosen, int(kills), int(seed), int(workers))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
