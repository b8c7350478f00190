"""Lines come whole, once and in time linear in their length; the wire stays above stderr."""

from __future__ import annotations

import os
import threading

import pytest

from citewell.server import wire
from citewell.server.wire import TOO_LONG, Wire

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

    Wire(source, sink=-1).listen(deliver)
    with os.fdopen(client, "wb") as pipe:
        pipe.write(content)
    assert gone.wait(PATIENCE)
    os.close(source)
    return lines


def test_lines_come_whole_and_blank_ones_not_at_all():
    assert read(b"one\n\n \r\n" + b"x" * 200_000 + b"\nlast") == [b"one", b"x" * 200_000, b"last"]


def test_a_line_that_is_too_long_comes_once_as_its_marker(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wire, "MAX_LINE", 100_000)

    lines = read(b"before\n" + b"[" * 500_000 + b"\nafter\n" + b"y" * 100_000 + b"\n")

    assert lines == [b"before", TOO_LONG, b"after", b"y" * 100_000]


def test_each_piece_of_a_long_line_is_looked_at_once(monkeypatch: pytest.MonkeyPatch):
    """A line of n pieces is joined once, whatever n is; joining at each piece costs n * n."""
    joined: list[int] = []
    take = wire._Line.take

    def counted(line: wire._Line) -> bytes:
        whole = take(line)
        joined.append(len(whole))
        return whole

    monkeypatch.setattr(wire._Line, "take", counted)

    read(b"x" * 5_000_000 + b"\n")

    assert joined == [5_000_000, 0]


def test_a_duplicate_lies_above_the_standard_streams_and_is_not_inherited():
    """In a child, whose stdin and stderr can be closed without harm to the test's own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(0)
        os.close(2)
        copy = wire._above(1)
        free = [fd for fd in (0, 2) if not _is_open(fd)]
        os.write(writing, f"{copy > 2} {os.get_inheritable(copy)} {free}".encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert os.read(reading, 100) == b"True False [0, 2]"
    os.close(reading)
    os.close(writing)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
