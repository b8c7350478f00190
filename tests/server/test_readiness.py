from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from citewell.core.config import Settings
from citewell.server.app import App
from citewell.server.http.observing.readiness import (
    MAX_FAILED_STARTS,
    ReadinessMonitor,
    ReadinessReport,
    build_readiness_monitor,
)
from citewell.server.http.observing.request_records import ServerState
from citewell.workers.worker_tasks import PoolFigures
from tests.requirements import requires
from tests.task_thread import ThreadTasks


class CountedCheck:
    def __init__(self, result: str = "ok") -> None:
        self.result = result
        self.asked = 0

    async def check(self) -> Mapping[str, str]:
        self.asked += 1
        await asyncio.sleep(0)
        return {"store": self.result}


@requires("http.ready")
def test_many_probes_at_once_ask_the_store_once() -> None:
    check = CountedCheck()
    monitor = ReadinessMonitor(ServerState(), (check.check,), clock=lambda: 5.0)

    async def run() -> None:
        reports = await asyncio.gather(*(monitor.judge_readiness() for _ in range(50)))
        assert all(report.is_ready for report in reports)
        await monitor.judge_readiness()

    asyncio.run(run())

    assert check.asked == 1


@requires("http.ready")
def test_after_a_second_the_store_is_asked_again() -> None:
    check, now = CountedCheck(), [0.0]
    monitor = ReadinessMonitor(ServerState(), (check.check,), clock=lambda: now[0])

    async def run() -> list[bool]:
        found = [(await monitor.judge_readiness()).is_ready]
        check.result = "damaged"
        now[0] = 0.9
        found.append((await monitor.judge_readiness()).is_ready)
        now[0] = 1.1
        return [*found, (await monitor.judge_readiness()).is_ready]

    assert asyncio.run(run()) == [True, True, False]


def test_a_probe_that_gives_up_does_not_end_the_check_of_others() -> None:
    check = CountedCheck()
    monitor = ReadinessMonitor(ServerState(), (check.check,), clock=lambda: 5.0)

    async def run() -> bool:
        first = asyncio.create_task(monitor.judge_readiness())
        second = asyncio.create_task(monitor.judge_readiness())
        await asyncio.sleep(0)
        first.cancel()
        return (await second).is_ready

    assert asyncio.run(run())


@requires("http.ready")
def test_a_drain_is_told_at_once() -> None:
    state = ServerState()
    monitor = ReadinessMonitor(state, (CountedCheck().check,), clock=lambda: 5.0)

    async def run() -> object:
        await monitor.judge_readiness()
        state.is_draining = True
        return (await monitor.judge_readiness()).to_wire()

    assert asyncio.run(run()) == {
        "status": "unready",
        "checks": {
            "drain": {"status": "failed", "reason": "draining"},
            "store": {"status": "ok"},
        },
    }


class BrokenPool(ThreadTasks):
    def __init__(self) -> None:
        self.prepared = 0

    def prepare_worker(self) -> None:
        self.prepared += 1

    def measure_pool(self) -> PoolFigures:
        return PoolFigures(failed_starts=MAX_FAILED_STARTS)


@requires("http.ready")
def test_workers_that_do_not_start_make_the_server_unready_and_are_tried_again(
    tmp_path: Path,
) -> None:
    pool = BrokenPool()

    async def run() -> Mapping[str, str]:
        settings = Settings(cache_enabled=False, audit_enabled=False, data_dir=tmp_path)
        app = App(settings, workers=pool)
        report = await build_readiness_monitor(app, ServerState()).judge_readiness()
        await app.aclose()
        return report.results

    assert asyncio.run(run())["workers"] == "not_starting"
    assert pool.prepared == 1


def test_upstreams_that_fail_everywhere_do_not_take_an_instance_out() -> None:
    resting = ReadinessReport(results={"store": "ok", "providers": "all_resting"})
    broken = ReadinessReport(results={"store": "damaged", "providers": "all_resting"})

    assert (resting.is_ready, resting.to_wire()["status"]) == (True, "degraded")
    assert (broken.is_ready, broken.to_wire()["status"]) == (False, "unready")
