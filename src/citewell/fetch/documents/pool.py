"""Keeps a few worker processes, hands them documents, and ends those that hang or die."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

from citewell.fetch.documents import frames
from citewell.fetch.documents.document import Broken, DocumentText, Limits, TookTooMuch
from citewell.fetch.documents.readers import Job

_MODULE = "citewell.fetch.documents.worker"
_REUSES = 100  # documents after which a worker makes way for a fresh one
_LARGEST_ANSWER = 128 * 2**20
# A worker needs nothing of the environment, least of all the keys in it.
_KEPT = ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "TMPDIR", "TEMP", "LD_LIBRARY_PATH")


class Workers:
    """Started when first needed, reused, and closed when nobody has asked for a while."""

    def __init__(
        self, limits: Limits, *, most: int = 2, idle: float = 60.0, module: str = _MODULE
    ) -> None:
        """`module` is what a worker runs."""
        self._limits = limits
        self._module = module
        self._idle_time = idle
        self._slots = asyncio.Semaphore(most)
        self._idle: list[_Worker] = []
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
        await self.close()

    @property
    def idle(self) -> int:
        """How many processes are waiting for work."""
        return len(self._idle)

    async def read(self, job: Job) -> DocumentText:
        """The document's text; a worker that hangs, dies or is given up on does not come back."""
        async with self._slots:
            worker = self._take() or await _Worker.start(self._module, self._limits.memory)
            try:
                raw = await worker.ask(job)
            except BaseException:
                await asyncio.shield(worker.end())
                raise
            await self._put_back(worker)
        return frames.unpack_answer(raw)

    def _take(self) -> _Worker | None:
        if self._timer is not None:
            self._timer.cancel()
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._end_later(worker)
        return None

    async def _put_back(self, worker: _Worker) -> None:
        if worker.asked >= _REUSES or not worker.alive:
            await worker.end()
            return
        self._idle.append(worker)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._idle_time, self._retire)

    def _retire(self) -> None:
        while self._idle:
            self._end_later(self._idle.pop())

    def _end_later(self, worker: _Worker) -> None:
        task = asyncio.get_running_loop().create_task(worker.end())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End all processes; further documents start new ones."""
        if self._timer is not None:
            self._timer.cancel()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.end() for worker in idle), *self._closing)


class _Worker:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.asked = 0

    @classmethod
    async def start(cls, module: str, memory: int) -> _Worker:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
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
    def alive(self) -> bool:
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, job: Job) -> bytes:
        self.asked += 1
        try:
            async with asyncio.timeout(job.limits.timeout):
                return await self._exchange(job)
        except TimeoutError:
            raise TookTooMuch(
                f"Reading the document took longer than {job.limits.timeout:g} seconds and was stopped."
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Broken("The document makes its reader crash; it is damaged or hostile.") from None

    async def _exchange(self, job: Job) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ConnectionError
        stdin.write(frames.pack_job(job))
        stdin.write(job.body)
        await stdin.drain()
        size, _ = frames.SIZES.unpack(await stdout.readexactly(frames.SIZES.size))
        if size > _LARGEST_ANSWER:
            raise ConnectionError
        return await stdout.readexactly(size)

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
