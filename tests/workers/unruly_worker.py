"""A worker that misbehaves as it is told to, for testing who looks after it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from citewell.core.errors import NotFound
from citewell.workers import worker_process
from citewell.workers.worker_tasks import WorkerTask

MODULE = "tests.workers.unruly_worker"
MISBEHAVE: WorkerTask[str] = WorkerTask(f"{MODULE}:misbehave", str)
LIE: WorkerTask[int] = WorkerTask(f"{MODULE}:misbehave", int)  # not what the function returns


def misbehave(body: bytes) -> str:
    word, _, rest = body.decode().partition(" ")
    return str(_DEEDS[word](rest))


def _hang(_: str) -> str:
    while True:
        pass


def _complain(text: str) -> str:
    raise NotFound(f"No {text}.", detail="none", settings=("A_SETTING",))


def _keep(size: str) -> str:
    """Hold on to memory after the task, as a leak would."""
    _KEPT.append(bytearray(int(size)))
    return str(os.getpid())


def _wait(path: str) -> str:
    """Go on when the file is there: the test decides when."""
    while not pathlib.Path(path).exists():
        time.sleep(0.01)
    return path


def _dive(deeper: str) -> str:
    return _dive(deeper) + deeper


def _connect(port: str) -> str:
    try:
        socket.create_connection(("127.0.0.1", int(port)), timeout=1).close()
    except OSError as error:
        return type(error).__name__
    return "connected"


def _raw_socket(_: str) -> int:
    """Past Python's own checks, straight into the kernel."""
    return int(ctypes.CDLL(None).socket(2, 1, 0))


def _run(_: str) -> str:
    try:
        subprocess.run([sys.executable, "-c", ""], check=True)
    except OSError as error:
        return type(error).__name__
    return "ran"


def _print(text: str) -> str:
    os.write(1, text.encode())
    os.write(2, text.encode())
    sys.stdout.write(text)
    sys.stdout.flush()
    return text


def _write(path: str) -> str:
    try:
        with pathlib.Path(path).open("w") as file:
            file.write("x" * 10)
    except OSError as error:
        return type(error).__name__
    return "written"


_KEPT: list[bytearray] = []
_DEEDS: dict[str, Callable[[str], Any]] = {
    "hang": _hang,
    "crash": lambda _: ctypes.string_at(0),
    "leave": lambda _: os._exit(3),
    "eat": lambda size: len(bytearray(int(size))),
    "dive": _dive,
    "raise": lambda text: [][int(text)],
    "pid": lambda _: os.getpid(),
    "print": _print,
    "connect": _connect,
    "socket": _raw_socket,
    "run": _run,
    "write": _write,
    "complain": _complain,
    "keep": _keep,
    "wait": _wait,
    "say": lambda size: "x" * int(size),
    "environment": lambda _: sorted(os.environ),
}

if __name__ == "__main__":
    worker_process.run_worker(preload=(), tasks=frozenset({MISBEHAVE.path}))
