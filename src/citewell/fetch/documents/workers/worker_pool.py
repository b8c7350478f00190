"""A pool of worker processes that read documents; those that hang or die are replaced."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

from citewell.fetch.documents.document_text import Broken, DocumentLimits, DocumentText, TookTooMuch
from citewell.fetch.documents.readers_by_kind import DocumentRequest
from citewell.fetch.documents.workers import worker_messages

_WORKER_MODULE = "citewell.fetch.documents.workers.worker_process"
_MAX_DOCUMENTS_PER_WORKER = 100  # documents after which a worker is replaced
_MAX_ANSWER_BYTES = 128 * 2**20
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


class WorkerPool:
    """Workers start on demand, are reused, and end after `idle` seconds without work."""

    def __init__(
        self,
        limits: DocumentLimits,
        *,
        most: int = 2,
        idle: float = 60.0,
        module: str = _WORKER_MODULE,
    ) -> None:
        """`module` is the module that a worker process runs."""
        self._limits = limits
        self._module = module
        self._idle_time = idle
        self._slots = asyncio.Semaphore(most)
        self._idle: list[_WorkerProcess] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

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

    async def read_in_worker(self, job: DocumentRequest) -> DocumentText:
        """The document's text. A worker that times out, dies or is cancelled is not used again."""
        async with self._slots:
            worker = self._take_idle_worker() or await _WorkerProcess.start_worker(
                self._module, self._limits.memory
            )
            try:
                raw = await worker.request_text(job)
            except BaseException:
                await asyncio.shield(worker.stop_process())
                raise
            await self._return_worker(worker)
        return worker_messages.decode_worker_answer(raw)

    def _take_idle_worker(self) -> _WorkerProcess | None:
        if self._timer is not None:
            self._timer.cancel()
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            self._schedule_worker_stop(worker)
        return None

    async def _return_worker(self, worker: _WorkerProcess) -> None:
        if worker.asked >= _MAX_DOCUMENTS_PER_WORKER or not worker.is_alive:
            await worker.stop_process()
            return
        self._idle.append(worker)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(
            self._idle_time, self._stop_idle_workers
        )

    def _stop_idle_workers(self) -> None:
        while self._idle:
            self._schedule_worker_stop(self._idle.pop())

    def _schedule_worker_stop(self, worker: _WorkerProcess) -> None:
        task = asyncio.get_running_loop().create_task(worker.stop_process())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """End all idle processes; a later document starts a new one."""
        if self._timer is not None:
            self._timer.cancel()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.stop_process() for worker in idle), *self._closing)


class _WorkerProcess:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.asked = 0

    @classmethod
    async def start_worker(cls, module: str, memory: int) -> _WorkerProcess:
        kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT_NAMES if name in os.environ}
        path = os.pathsep.join(part for part in sys.path if part)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module, str(memory), str(os.getpid()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=kept | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        return cls(process)

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        return self._process.pid

    async def request_text(self, job: DocumentRequest) -> bytes:
        self.asked += 1
        try:
            async with asyncio.timeout(job.limits.timeout):
                return await self._exchange_messages(job)
        except TimeoutError:
            raise TookTooMuch(
                f"Reading the document took longer than {job.limits.timeout:g} seconds and was stopped."
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Broken("The document crashed its reader; it is damaged or malicious.") from None

    async def _exchange_messages(self, job: DocumentRequest) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ConnectionError
        stdin.write(worker_messages.encode_read_request(job))
        stdin.write(job.body)
        await stdin.drain()
        size, _ = worker_messages.MESSAGE_SIZES.unpack(
            await stdout.readexactly(worker_messages.MESSAGE_SIZES.size)
        )
        if size > _MAX_ANSWER_BYTES:
            raise ConnectionError
        return await stdout.readexactly(size)

    async def stop_process(self) -> None:
        """Kill the process and wait until it is gone."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
