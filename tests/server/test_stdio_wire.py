"""Lines come whole, once and in time linear in their length; the wire stays above stderr."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from citewell.server.stdio import stdio_wire
from citewell.server.stdio.stdio_wire import TOO_LONG_LINE, StdioWire

PATIENCE = 20.0  # seconds


def read(content: bytes) -> list[bytes]:
    """Everything the wire delivers of `content` before it says that the client is gone."""
    source, client = os.pipe()
    lines: list[bytes] = []
    gone = threading.Event()

    def deliver(line: bytes | None) -> None:
        if line is None:
            gone.set()
        else:
            lines.append(line)

    StdioWire(source, sink=-1).start_reading(deliver)
    with os.fdopen(client, "wb") as pipe:
        pipe.write(content)
    assert gone.wait(PATIENCE)
    os.close(source)
    return lines


def test_lines_come_whole_and_blank_ones_not_at_all() -> None:
    assert read(b"one\n\n \r\n" + b"x" * 200_000 + b"\nlast") == [b"one", b"x" * 200_000, b"last"]


def test_a_line_that_is_too_long_comes_once_as_its_marker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio_wire, "MAX_LINE_BYTES", 100_000)

    lines = read(b"before\n" + b"[" * 500_000 + b"\nafter\n" + b"y" * 100_000 + b"\n")

    assert lines == [b"before", TOO_LONG_LINE, b"after", b"y" * 100_000]


def test_a_long_line_costs_time_in_proportion_to_its_length() -> None:
    """Eight times the line: 8 times the work when each piece is seen once, 64 times if all are."""

    def cost(size: int) -> float:
        content = b"x" * size + b"\n"
        started = time.process_time()
        read(content)
        return time.process_time() - started

    short = min(cost(3_000_000) for _ in range(3))
    long = min(cost(24_000_000) for _ in range(3))

    assert long < 24 * max(short, 0.002)


APART = """
import os
from citewell.server.stdio.stdio_wire import _duplicate_above_standard

def closed(fd):
    try:
        os.fstat(fd)
    except OSError:
        return True

os.close(0)
os.close(2)
copy = _duplicate_above_standard(1)
os.write(1, f"{copy > 2} {os.get_inheritable(copy)} {closed(0)} {closed(2)}".encode())
"""


@pytest.mark.process
def test_a_duplicate_lies_above_the_standard_streams_and_is_not_inherited() -> None:
    done = subprocess.run([sys.executable, "-c", APART], stdout=subprocess.PIPE, check=True)

    assert done.stdout == b"True False True True"
