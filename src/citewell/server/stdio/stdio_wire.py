"""Reserves the process's stdin and stdout for protocol frames.

File descriptor 1 is redirected to stderr and 0 to the null device, so that a library that prints or
a child process cannot disturb the protocol. Standard library only.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable

_READ_CHUNK_BYTES = 1 << 16
MAX_LINE_BYTES = 32 * 2**20  # bytes
TOO_LONG_LINE = (
    b"a line that was too long"  # replaces such a line; it is not JSON and so gets an error
)


class SessionLoaded:
    """Put in the queue of lines when the session has been imported."""


LineQueue = queue.SimpleQueue[bytes | SessionLoaded | None]


class StdioWire:
    """Reads lines on a separate thread and writes complete frames."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._lock = threading.Lock()

    @classmethod
    def claim_standard_streams(cls) -> StdioWire:
        """Take over the standard streams of this process, and redirect the descriptors 0 and 1."""
        if os.name == "nt":
            import msvcrt

            msvcrt.setmode(0, os.O_BINARY)  # type: ignore[attr-defined]  # Windows only
            msvcrt.setmode(1, os.O_BINARY)  # type: ignore[attr-defined]  # Windows only
        source, sink = _duplicate_above_standard(0), _duplicate_above_standard(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        if nothing > 2:  # otherwise stderr was closed, and this descriptor replaces it
            os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
        return cls(source, sink)

    def write_frame(self, frame: bytes) -> None:
        """Write all of `frame`; nothing happens if the client has disconnected."""
        view = memoryview(frame)
        with self._lock:
            try:
                while view:
                    view = view[os.write(self._sink, view) :]
            except OSError:
                return

    def start_reading(self, deliver: Callable[[bytes | None], None]) -> None:
        """Call `deliver` on a thread with each line, and with None when the client has disconnected."""
        threading.Thread(
            target=self._read_lines, args=(deliver,), daemon=True, name="stdin"
        ).start()

    def _read_lines(self, deliver: Callable[[bytes | None], None]) -> None:
        line = _LineBuffer()
        while chunk := self._read_chunk():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                line.add_piece(end)
                if whole := line.take_line():
                    deliver(whole)
            line.add_piece(rest)
        if whole := line.take_line():
            deliver(whole)
        deliver(None)

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._source, _READ_CHUNK_BYTES)
        except OSError:
            return b""


class _LineBuffer:
    """Collects the pieces of one line; the content of a line that is too long is dropped."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add_piece(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_LINE_BYTES:
            self._pieces.clear()
        else:
            self._pieces.append(piece)

    def take_line(self) -> bytes:
        """Return the line and start a new one; empty for a blank line, TOO_LONG_LINE for one that is too long."""
        whole = b"".join(self._pieces) if self._size <= MAX_LINE_BYTES else TOO_LONG_LINE
        self._pieces, self._size = [], 0
        return b"" if whole.isspace() else whole


def _duplicate_above_standard(fd: int) -> int:
    """A duplicate of `fd` above 2, which child processes do not inherit."""
    low = []
    while (copy := os.dup(fd)) <= 2:
        low.append(copy)
    for spare in low:
        os.close(spare)
    return copy
