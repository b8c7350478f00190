"""Runs worker tasks in a thread of the test's process: the same messages, without starting a process."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from citewell.workers import worker_messages
from citewell.workers.task_table import TASK_PATHS
from citewell.workers.worker_messages import TaskRequest
from citewell.workers.worker_process import build_answer
from citewell.workers.worker_tasks import FailureCause, PoolFigures, WorkerTask, build_task_failure
from tests.parsing_guard import in_worker_task

SECONDS = 30.0
R = TypeVar("R")


class ThreadTasks:
    """A stand-in for `WorkerPool`: it cannot be killed, so hostile pages need real workers."""

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: object
    ) -> R:
        seconds = SECONDS if limit_seconds is None else limit_seconds
        head, *bodies = worker_messages.encode_request(task.path, arguments, seconds)
        request = worker_messages.decode_request(
            head[worker_messages.REQUEST_SIZES.size :], b"".join(bodies)
        )
        try:
            async with asyncio.timeout(seconds):
                kind, raw = await asyncio.to_thread(_run_guarded, request)
        except TimeoutError:
            raise build_task_failure(FailureCause.TIME, seconds=seconds) from None
        return worker_messages.decode_answer(task, kind, raw)

    def prepare_worker(self) -> None:
        pass

    def measure_pool(self) -> PoolFigures:
        return PoolFigures()

    async def aclose(self) -> None:
        pass


def _run_guarded(request: TaskRequest) -> tuple[int, bytes]:
    with in_worker_task():
        return build_answer(request, TASK_PATHS)
