"""One process of a cluster: started, killed, frozen, asked to end, and started again at the same address."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

WAIT_SECONDS = 180.0  # longest wait for a process to begin or to end
_STARTER = ThreadPoolExecutor(1, "cluster-start")  # a thread that lives as long as this process
_PORTS = range(20_000, 30_000)  # below those that the system gives to connections


class ProcessFailed(RuntimeError):
    """A process ended by itself, or did not begin or end in time; carries the end of its log."""


@dataclass(kw_only=True)
class ClusterProcess:
    """A program with its log; `is_ready` tells whether it serves."""

    name: str
    command: Sequence[str]
    log: Path
    is_ready: Callable[[], bool]
    environ: Mapping[str, str] | None = None
    files: Sequence[int] = ()  # descriptors that it inherits
    end_signal: int = signal.SIGTERM
    starts: int = 0
    running: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        if self.running is None:
            raise ProcessFailed(f"{self.name} was not started.")
        return self.running.pid

    def begin(self) -> None:
        """Start it without waiting until it serves."""
        self.running = _STARTER.submit(self._spawn).result()
        self.starts += 1

    def _spawn(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                # It ends with the thread that started it, however that ends.
                ["setpriv", "--pdeathsig", "KILL", *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=None if self.environ is None else dict(self.environ),
                pass_fds=tuple(self.files),
            )

    def start(self) -> None:
        self.begin()
        self.await_ready()

    def await_ready(self) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while not self.is_ready():
            if not self.is_alive():
                raise ProcessFailed(f"{self.name} ended by itself:\n{self.read_log_end()}")
            if time.monotonic() > end:
                raise ProcessFailed(f"{self.name} does not serve:\n{self.read_log_end()}")
            time.sleep(0.05)

    def is_alive(self) -> bool:
        return self.running is not None and self.running.poll() is None

    def kill(self) -> None:
        """SIGKILL; returns once it is gone."""
        self.send(signal.SIGKILL)
        self.await_end()

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self.send(self.end_signal)
        self.await_end()

    def send(self, number: int) -> None:
        if self.running is not None and self.is_alive():
            self.running.send_signal(number)

    def await_end(self, seconds: float = WAIT_SECONDS) -> int | None:
        if self.running is None:
            return None
        try:
            return self.running.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ProcessFailed(f"{self.name} does not end:\n{self.read_log_end()}") from None

    def read_log_end(self, size: int = 4000) -> str:
        return self.log.read_bytes()[-size:].decode(errors="replace") if self.log.exists() else ""


def choose_free_port(dice: random.Random | None = None) -> int:
    """A port that nobody listens on, for programs that cannot tell which one the system chose."""
    dice = dice or random.SystemRandom()
    while True:
        port = dice.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def can_connect(address: str | tuple[str, int]) -> bool:
    """Whether a socket, by its path or its host and port, accepts connections."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as probe:
        probe.settimeout(2)
        try:
            probe.connect(address)
        except OSError:
            return False
        return True


def find_program(name: str) -> str | None:
    """The path of a program, also of those that only an administrator has in the search path."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/sbin", "/usr/local/sbin"]
    found = (Path(folder) / name for folder in folders if folder)
    return next((str(path) for path in found if os.access(path, os.X_OK)), None)
