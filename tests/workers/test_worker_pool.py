"""Nothing that a task does can take the server down: workers are fenced in, ended, replaced, not left behind."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from citewell.core.errors import NotFound
from citewell.workers.worker_pool import WorkerHandle, WorkerLimits, WorkerPool
from citewell.workers.worker_tasks import FailureCause, TaskFailure
from tests.conditions import has_ended, wait_until
from tests.workers.unruly_worker import LIE, MISBEHAVE, MODULE

pytestmark = pytest.mark.process  # real workers

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's fences are Linux's")


def with_workers(act: Callable[[WorkerPool], Awaitable[Any]], **limits: Any) -> Any:
    async def run() -> Any:
        chosen = WorkerLimits(**{"task_seconds": 20.0, "count": 2, **limits})
        async with WorkerPool(chosen, module=MODULE) as workers:
            return await act(workers)

    return asyncio.run(run())


async def tell(workers: WorkerPool, order: str, seconds: float | None = None) -> str:
    return await workers.run_task(MISBEHAVE, limit_seconds=seconds, body=order.encode())


@pytest.mark.parametrize(
    ("order", "cause"),
    [
        ("crash", FailureCause.CRASH),
        ("leave", FailureCause.CRASH),
        ("raise 5", FailureCause.BUG),
        ("dive", FailureCause.DEPTH),
        ("eat 3000000000", FailureCause.MEMORY),
    ],
)
@linux
def test_one_bad_document_fails_alone(order: str, cause: FailureCause) -> None:
    async def act(workers: WorkerPool) -> str:
        with pytest.raises(TaskFailure) as caught:
            await tell(workers, order)
        assert caught.value.cause is cause
        return await tell(workers, "print still here")

    assert with_workers(act) == "still here"


class CountingProcess:
    """A process that notes how often it is killed, and is never reaped."""

    returncode = None
    stdin = None

    def __init__(self) -> None:
        self.kills = 0

    def kill(self) -> None:
        self.kills += 1

    async def wait(self) -> int:
        return -9


def test_a_process_is_killed_once_for_a_second_time_would_reap_it_from_its_watcher() -> None:
    process = CountingProcess()
    worker = WorkerHandle(cast("asyncio.subprocess.Process", process))

    worker.kill_process()
    asyncio.run(worker.stop_process())

    assert process.kills == 1


def test_an_error_of_ours_comes_back_whole() -> None:
    async def act(workers: WorkerPool) -> None:
        await tell(workers, "complain page")

    with pytest.raises(NotFound, match="No page") as caught:
        with_workers(act)

    assert (caught.value.detail, caught.value.settings) == ("none", ("A_SETTING",))


def test_an_answer_of_another_shape_is_refused_and_its_worker_ended() -> None:
    async def act(workers: WorkerPool) -> tuple[int, FailureCause]:
        pid = int(await tell(workers, "pid"))
        with pytest.raises(TaskFailure) as caught:
            await workers.run_task(LIE, body=b"pid")
        return pid, caught.value.cause

    pid, cause = with_workers(act)

    assert cause is FailureCause.CRASH
    assert has_ended(pid)


def test_an_answer_that_is_too_long_is_refused() -> None:
    async def act(workers: WorkerPool) -> None:
        await tell(workers, "say 70000000")

    with pytest.raises(TaskFailure):
        with_workers(act)


@linux
def test_a_worker_that_keeps_memory_is_replaced() -> None:
    async def act(workers: WorkerPool) -> list[str]:
        return [await tell(workers, f"keep {size}") for size in (100_000_000, 1000, 1000)]

    first, second, third = with_workers(act, count=1)

    assert has_ended(int(first))
    assert first != second == third


def test_long_tasks_leave_room_for_others(tmp_path: Path) -> None:
    async def act(workers: WorkerPool) -> str:
        flag = tmp_path / "go"
        long = [asyncio.create_task(tell(workers, f"wait {flag}")) for _ in range(2)]
        answer = await tell(workers, "print passed them")  # both workers wait for the file
        await asyncio.to_thread(flag.touch)
        assert await asyncio.gather(*long) == [str(flag)] * 2
        return answer

    assert with_workers(act) == "passed them"


def test_closing_ends_workers_that_are_busy() -> None:
    async def act(workers: WorkerPool) -> int:
        pid = int(await tell(workers, "pid"))
        task = asyncio.create_task(tell(workers, "hang"))
        await asyncio.to_thread(wait_until, lambda: workers.idle_count == 0)
        await workers.aclose()
        with pytest.raises(TaskFailure):
            await task
        return pid

    assert has_ended(with_workers(act))


def test_a_worker_can_be_started_before_it_is_needed() -> None:
    async def act(workers: WorkerPool) -> tuple[int, int]:
        workers.prepare_worker()
        await tell(workers, "pid")
        workers.prepare_worker()
        return workers.idle_count, len({await tell(workers, "pid") for _ in range(2)})

    assert with_workers(act) == (1, 1)


def test_a_document_that_hangs_is_stopped_in_time() -> None:
    async def act(workers: WorkerPool) -> tuple[int, str]:
        pid = int(await tell(workers, "pid"))
        with pytest.raises(TaskFailure, match=r"longer than 0\.3 seconds"):
            await tell(workers, "hang", 0.3)
        return pid, await tell(workers, "pid")

    before, after = with_workers(act)

    assert has_ended(before)
    assert int(after) != before


def test_a_reader_that_is_given_up_on_is_ended() -> None:
    async def act(workers: WorkerPool) -> int:
        pid = int(await tell(workers, "pid"))
        task = asyncio.create_task(tell(workers, "hang"))
        await asyncio.to_thread(wait_until, lambda: workers.idle_count == 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid

    assert has_ended(with_workers(act))


def test_a_worker_is_used_again() -> None:
    async def act(workers: WorkerPool) -> set[str]:
        return {await tell(workers, "pid") for _ in range(3)}

    assert len(with_workers(act)) == 1


def test_no_more_workers_run_than_allowed() -> None:
    async def act(workers: WorkerPool) -> set[str]:
        return set(await asyncio.gather(*(tell(workers, "pid") for _ in range(6))))

    assert len(with_workers(act, count=2)) <= 2


def test_a_worker_without_work_is_closed() -> None:
    async def act(workers: WorkerPool) -> int:
        pid = int(await tell(workers, "pid"))
        await asyncio.to_thread(wait_until, lambda: has_ended(pid))
        return workers.idle_count

    assert with_workers(act, idle_seconds=0.01, last_idle_seconds=0.01) == 0


def test_closing_ends_every_worker() -> None:
    pid = int(with_workers(lambda workers: tell(workers, "pid")))

    assert has_ended(pid)


def test_what_libraries_print_does_not_disturb_the_answer(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async def act(workers: WorkerPool) -> str:
        return await tell(workers, "print noise " * 50)

    found = with_workers(act)

    assert found.startswith("noise")
    assert capfd.readouterr() == ("", "")


@linux
def test_a_worker_reaches_no_network_and_starts_no_program(tmp_path: Path) -> None:
    async def act(workers: WorkerPool) -> list[str]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            orders = (f"connect {port}", "socket", "run", f"write {tmp_path / 'file'}")
            return [await tell(workers, order) for order in orders]

    connected, raw, ran, written = with_workers(act)

    assert connected == ran == "PermissionError"
    assert raw == "-1"
    assert written in {"OSError", "FileTooLarge"}


def test_a_worker_sees_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "not-for-documents")

    assert "SOME_API_KEY" not in with_workers(lambda workers: tell(workers, "environment"))


@linux
def test_a_worker_dies_with_its_server() -> None:
    script = (
        "import asyncio\n"
        "from citewell.workers.worker_pool import WorkerPool\n"
        f"from {MODULE} import MISBEHAVE\n"
        "async def main():\n"
        f"    workers = WorkerPool(module={MODULE!r})\n"
        "    print(await workers.run_task(MISBEHAVE, body=b'pid'), flush=True)\n"
        "    await workers.run_task(MISBEHAVE, body=b'hang')\n"
        "asyncio.run(main())\n"
    )
    path = os.pathsep.join(part for part in sys.path if part)
    server = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )
    with server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())

        server.kill()

        wait_until(lambda: has_ended(pid))
