"""A worker that misbehaves as the document tells it to, for testing who looks after it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from citewell.fetch.documents.document_text import DocumentText
from citewell.fetch.documents.readers_by_kind import DocumentRequest
from citewell.fetch.documents.workers import worker_process


def misbehave(job: DocumentRequest) -> DocumentText:
    word, _, rest = job.body.decode().partition(" ")
    return DocumentText(markdown=str(_DEEDS[word](rest)), kind=word)


def _hang(_: str) -> str:
    while True:
        pass


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
    "environment": lambda _: sorted(os.environ),
}

if __name__ == "__main__":
    worker_process.read_document_request = misbehave  # type: ignore[attr-defined]  # where it is called
    worker_process.run_worker()
