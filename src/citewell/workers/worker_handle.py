"""One worker process as the server sees it: started, given tasks, measured and killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from citewell.workers import worker_messages

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
