"""A pool of worker processes that run tasks; those that hang, die or grow are replaced."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from citewell.core.errors import InternalError
from citewell.workers import worker_messages
from citewell.workers.sandbox import find_trim_function, return_large_buffers
from citewell.workers.worker_tasks import (
    FailureCause,
    PoolFigures,
    TaskFailure,
    WorkerTask,
    build_task_failure,
)

WORKER_MODULE = "citewell.workers.worker_process"
MAX_ANSWER_BYTES = 64 * 2**20
_READ_AHEAD_BYTES = 2**20
_ALARM_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGPROF", "SIGALRM") if hasattr(signal, name)
)
_ENDING_SECONDS = 1.0
_LOW_PRIORITY = 10  # niceness of a worker whose task takes long
# Workers inherit only these environment variables, so they never see an API key.
_KEPT_ENVIRONMENT_NAMES = (
    "PATH",
    "SYSTEMROOT",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TEMP",
    "LD_LIBRARY_PATH",
)


class RawAnswer(NamedTuple):
    kind: int
    data: bytes


class WorkerHandle:
    """The server's end of one worker. After an error or a cancellation it must be stopped."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._is_ready = False
        self._is_killed = False
        self.tasks_run = 0
        self.grown_bytes = 0  # resident memory beyond that of a new worker, after the last task
        self.is_slowed = False
        self.idle_timer: asyncio.TimerHandle | None = None

    @classmethod
    async def start_worker(cls, module: str, memory_bytes: int) -> WorkerHandle:
        kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT_NAMES if name in os.environ}
        path = os.pathsep.join(part for part in sys.path if part)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module, str(memory_bytes), str(os.getpid()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_READ_AHEAD_BYTES,
            env=kept | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        return cls(process)

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def wait_until_ready(self) -> None:
        """Wait for the sign of a new worker; raises EOFError if it ended before."""
        if not self._is_ready and self._process.stdout is not None:
            await self._process.stdout.readexactly(len(worker_messages.READY_MARK))
            self._is_ready = True

    async def exchange_messages(self, parts: Sequence[bytes]) -> RawAnswer:
        """Send a request and wait for its answer; raises ConnectionError or EOFError if the worker dies.

        Raises ValueError for an answer that is too long.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ConnectionError
        self.tasks_run += 1
        for part in parts:
            stdin.write(part)
            await stdin.drain()
        header = worker_messages.ANSWER_SIZES
        kind, size, grown = header.unpack(await stdout.readexactly(header.size))
        if size > MAX_ANSWER_BYTES:
            raise ValueError
        self.grown_bytes = grown * 1024
        return RawAnswer(kind, await stdout.readexactly(size))

    async def was_stopped_by_alarm(self) -> bool:
        """Whether the process, which has closed its pipe, ended because its time was over."""
        try:
            async with asyncio.timeout(_ENDING_SECONDS):
                return -await self._process.wait() in _ALARM_SIGNALS
        except TimeoutError:  # it only closed the pipe
            return False

    def lower_priority(self) -> None:
        """Let other processes go first from now on; it cannot be undone."""
        if hasattr(os, "setpriority"):
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid, _LOW_PRIORITY)
                self.is_slowed = True

    def kill_process(self) -> None:
        # Killing a dead process again would take its exit status from asyncio, which waits for it.
        if self._process.returncode is None and not self._is_killed:
            self._is_killed = True
            with suppress(ProcessLookupError):
                self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def stop_process(self) -> None:
        """Kill the process and wait until it is gone."""
        self.kill_process()
        await self._process.wait()


SLOW_TASK_SECONDS = 2.0  # a task that has run this long no longer keeps others waiting

_MAX_TASKS_PER_WORKER = 5000
_LARGE_REQUEST_BYTES = 2**20
_TRIM_SECONDS = 2.0
_START_SECONDS = 60.0  # on a machine that has much else to do

R = TypeVar("R")


def count_usable_cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """How many workers there are, and what one task may take."""

    count: int = 0  # processes; 0 means one for each processor
    task_seconds: float = 30.0  # of processor time, and twice that by the clock
    memory_bytes: int = 2**30  # beyond what a worker takes when it has just started
    idle_seconds: float = 60.0  # a worker without work is ended after this, unless it is the last
    last_idle_seconds: float = 600.0  # the same for the last worker
    max_growth_bytes: int = 32 * 2**20  # a worker that keeps more after a task is replaced
    slow_seconds: float = SLOW_TASK_SECONDS  # a task that has run this long makes room for the next


class WorkerPool:
    """Starts workers on demand and uses them again; a bad task fails for its caller alone."""

    def __init__(self, limits: WorkerLimits | None = None, *, module: str = WORKER_MODULE) -> None:
        """`module` is the module that a worker process runs."""
        return_large_buffers()  # pages and answers pass through this process
        gc.freeze()  # what is loaded by now stays; collections look at the rest only
        self._limits = limits or WorkerLimits()
        self._module = module
        self._lanes = TaskLanes(
            self._limits.count or count_usable_cores(), slow_seconds=self._limits.slow_seconds
        )
        self._workers: set[WorkerHandle] = set()
        self._idle: list[WorkerHandle] = []
        self._spare: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._trimming: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._replaced = 0
        self._failed_starts = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def idle_count(self) -> int:
        """The number of processes waiting for work."""
        return len(self._idle)

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: object
    ) -> R:
        """The answer of a worker, first come, first served; waiting for a free one has no limit here.

        A worker whose task exceeds its time, dies, answers nonsense or is cancelled is killed.
        """
        self._is_closed = False
        seconds = self._limits.task_seconds if limit_seconds is None else limit_seconds
        parts = worker_messages.encode_request(task.path, arguments, seconds)
        async with self._lanes.enter_lane() as lane:
            worker = await self._take_worker()
            # Give the memory that a large page takes in this process back too, soon after.
            if sum(map(len, parts)) > _LARGE_REQUEST_BYTES and self._trimming is None:
                loop = asyncio.get_running_loop()
                self._trimming = loop.call_later(_TRIM_SECONDS, self._return_memory)
            try:
                await self._await_start(worker)
                lane.watch_worker(worker)
                raw = await self._exchange_in_time(worker, parts, seconds)
            except BaseException:
                self._replace_worker(worker)
                raise
            return self._finish_task(task, worker, raw)

    def _return_memory(self) -> None:
        self._trimming = None
        gc.collect()  # an error and the frames it passed hold each other, and the page with them
        asyncio.get_running_loop().run_in_executor(None, find_trim_function())

    def prepare_worker(self) -> None:
        """Start a worker in the background if none is free and there may be one more."""
        is_starting = self._spare is not None and not self._spare.done()
        if self._is_closed or self._idle or is_starting:
            return
        if len(self._workers) < self._lanes.width:
            self._spare = self._run_in_background(self._start_spare())

    def measure_pool(self) -> PoolFigures:
        return PoolFigures(
            workers=len(self._workers),
            idle=len(self._idle),
            replaced=self._replaced,
            failed_starts=self._failed_starts,
        )

    async def aclose(self) -> None:
        """Kill all processes, also those at work; a later task starts a new one."""
        self._is_closed = True
        if self._trimming is not None:
            self._trimming.cancel()
            self._trimming = None
        if self._spare is not None:
            self._spare.cancel()
        for worker in tuple(self._workers):
            self._discard_worker(worker)
        while self._closing:
            await asyncio.wait(tuple(self._closing))

    async def _await_start(self, worker: WorkerHandle) -> None:
        """Wait until a new worker has loaded what it needs, which is no part of the task's time."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker.wait_until_ready()
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            self._failed_starts += 1
            raise InternalError("A worker process did not start.") from None
        self._failed_starts = 0

    @staticmethod
    async def _exchange_in_time(
        worker: WorkerHandle, parts: Sequence[bytes], seconds: float
    ) -> RawAnswer:
        try:
            async with asyncio.timeout(seconds * worker_messages.WALL_FACTOR):
                return await worker.exchange_messages(parts)
        except TimeoutError:
            raise build_task_failure(FailureCause.TIME, seconds=seconds) from None
        except ValueError:
            raise build_task_failure(FailureCause.CRASH) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            too_slow = await worker.was_stopped_by_alarm()
            cause = FailureCause.TIME if too_slow else FailureCause.CRASH
            raise build_task_failure(cause, seconds=seconds) from None

    def _finish_task(self, task: WorkerTask[R], worker: WorkerHandle, raw: RawAnswer) -> R:
        """The decoded answer; the worker waits for its next task, or is replaced if it is spoilt."""
        try:
            answer = worker_messages.decode_answer(task, raw.kind, raw.data)
        except TaskFailure as failure:
            if failure.cause in {FailureCause.MEMORY, FailureCause.CRASH}:
                self._replace_worker(worker)
            else:
                self._return_worker(worker)
            raise
        except Exception:
            self._return_worker(worker)
            raise
        self._return_worker(worker)
        return answer

    async def _take_worker(self) -> WorkerHandle:
        if not self._idle and self._spare is not None and not self._spare.done():
            await asyncio.wait((self._spare,))
        while self._idle:
            worker = self._idle.pop()
            if worker.idle_timer is not None:
                worker.idle_timer.cancel()
            if worker.is_alive:
                return worker
            self._discard_worker(worker)
        return await self._start_worker()

    async def _start_worker(self) -> WorkerHandle:
        worker = await WorkerHandle.start_worker(self._module, self._limits.memory_bytes)
        self._workers.add(worker)
        return worker

    async def _start_spare(self) -> None:
        worker = await self._start_worker()
        try:
            await self._await_start(worker)
        except InternalError:
            self._discard_worker(worker)  # the next task starts another, and fails with the reason
        else:
            self._return_worker(worker)

    def _return_worker(self, worker: WorkerHandle) -> None:
        worn = worker.tasks_run >= _MAX_TASKS_PER_WORKER or worker.is_slowed
        if worn or worker.grown_bytes > self._limits.max_growth_bytes or not worker.is_alive:
            self._replace_worker(worker)
            return
        self._idle.append(worker)
        self._set_idle_timer(worker, self._limits.idle_seconds)

    def _set_idle_timer(self, worker: WorkerHandle, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        worker.idle_timer = loop.call_later(seconds, self._end_idle_worker, worker, seconds)

    def _end_idle_worker(self, worker: WorkerHandle, waited: float) -> None:
        if worker not in self._idle:
            return
        patience = self._limits.last_idle_seconds
        if len(self._idle) > 1 or waited >= patience:
            self._discard_worker(worker)
        else:
            self._set_idle_timer(worker, patience)

    def _replace_worker(self, worker: WorkerHandle) -> None:
        """Kill a worker; if it was the last, start another, so that the next task need not wait."""
        self._replaced += 1
        self._discard_worker(worker)
        self.prepare_worker()

    def _discard_worker(self, worker: WorkerHandle) -> None:
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if worker.idle_timer is not None:
            worker.idle_timer.cancel()
        worker.kill_process()
        self._run_in_background(worker.stop_process())

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task


# Who may run next: as many tasks as there are processors, and long ones beside them.


class TaskLanes:
    """First come, first served; a long task makes room for the next, up to `width` long ones."""

    def __init__(self, width: int, *, slow_seconds: float = SLOW_TASK_SECONDS) -> None:
        self.width = width
        self.slow_seconds = slow_seconds
        self._places = asyncio.Semaphore(width)
        self._slow_count = 0

    @asynccontextmanager
    async def enter_lane(self) -> AsyncIterator[TaskLane]:
        """Wait for a place; it is given back at the end of the block."""
        await self._places.acquire()
        lane = TaskLane(self)
        try:
            yield lane
        finally:
            if lane.timer is not None:
                lane.timer.cancel()
            if lane.is_slow:
                self._slow_count -= 1
            else:
                self._places.release()

    def widen_for(self) -> bool:
        """Give a long task's place to the next task; False if too many long tasks run already."""
        if self._slow_count >= self.width:
            return False
        self._slow_count += 1
        self._places.release()
        return True


class TaskLane:
    """The place of one running task."""

    def __init__(self, lanes: TaskLanes) -> None:
        self._lanes = lanes
        self.is_slow = False
        self.timer: asyncio.TimerHandle | None = None

    def watch_worker(self, worker: WorkerHandle) -> None:
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(self._lanes.slow_seconds, self._make_room, worker)

    def _make_room(self, worker: WorkerHandle) -> None:
        self.is_slow = self._lanes.widen_for()
        if self.is_slow:
            worker.lower_priority()
