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
MAX_LINE = 32 * 2**20  # bytes; a longer frame is cut off and refused by the SDK as not JSON


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
        source, sink = _above(os.dup(0)), _above(os.dup(1))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
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
        held = b""
        while chunk := self._chunk():
            *lines, held = (held + chunk).split(b"\n")
            for line in lines:
                if line.strip():
                    deliver(line)
            if len(held) > MAX_LINE:
                deliver(held)
                held = b""
        if held.strip():
            deliver(held)
        deliver(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._source, _CHUNK)
        except OSError:
            return b""


def _above(fd: int) -> int:
    """A duplicate outside the standard range, not inherited by children."""
    os.set_inheritable(fd, False)
    return fd
