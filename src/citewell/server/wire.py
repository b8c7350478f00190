"""The process's own stdin and stdout, claimed for protocol frames and nothing else.

File descriptor 1 is pointed at stderr and 0 at nothing, so a library that prints, or a child
process, cannot touch the wire. Standard library only.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable

_CHUNK = 1 << 16
MAX_LINE = 32 * 2**20  # bytes
TOO_LONG = b"a line that was too long"  # stands for it; no JSON, so it is refused as such


class Loaded:
    """Put among the lines when the SDK is there."""


Lines = queue.SimpleQueue[bytes | Loaded | None]


class Wire:
    """Reads lines on a thread of its own and writes frames whole."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._lock = threading.Lock()

    @classmethod
    def claimed(cls) -> Wire:
        """Take over the standard streams of this process."""
        if os.name == "nt":
            import msvcrt

            msvcrt.setmode(0, os.O_BINARY)  # type: ignore[attr-defined]  # Windows only
            msvcrt.setmode(1, os.O_BINARY)  # type: ignore[attr-defined]  # Windows only
        source, sink = _above(0), _above(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        if nothing > 2:  # else stderr was closed, and this is it from now on
            os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
        return cls(source, sink)

    def write(self, frame: bytes) -> None:
        """Send all of `frame`; a client that has gone away is not an error worth a traceback."""
        view = memoryview(frame)
        with self._lock:
            try:
                while view:
                    view = view[os.write(self._sink, view) :]
            except OSError:
                return

    def listen(self, deliver: Callable[[bytes | None], None]) -> None:
        """Hand every line to `deliver` from a thread; None says the client is gone."""
        threading.Thread(target=self._read, args=(deliver,), daemon=True, name="stdin").start()

    def _read(self, deliver: Callable[[bytes | None], None]) -> None:
        line = _Line()
        while chunk := self._chunk():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                line.add(end)
                if whole := line.take():
                    deliver(whole)
            line.add(rest)
        if whole := line.take():
            deliver(whole)
        deliver(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._source, _CHUNK)
        except OSError:
            return b""


class _Line:
    """One line while its pieces arrive; of one that is too long nothing is kept."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_LINE:
            self._pieces.clear()
        else:
            self._pieces.append(piece)

    def take(self) -> bytes:
        """What has arrived, and a fresh start; empty when there is nothing but space."""
        whole = b"".join(self._pieces) if self._size <= MAX_LINE else TOO_LONG
        self._pieces, self._size = [], 0
        return b"" if whole.isspace() else whole


def _above(fd: int) -> int:
    """A duplicate outside the standard range, not inherited by children."""
    low = []
    while (copy := os.dup(fd)) <= 2:
        low.append(copy)
    for spare in low:
        os.close(spare)
    return copy
