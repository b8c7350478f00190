"""What idle and half-sent connections cost the others: `python -m benchmarks connections`."""

from __future__ import annotations

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.measures import processor
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import Subject

CONNECTIONS = 1000
ROUNDS = 5
REQUESTS_PER_ROUND = 500
MAX_RATIO = 1.25
_GET = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
_HALF = b"GET /health/live HTTP/1.1\r\nHo"
_SECONDS_FOR_ALL = "60s"  # so that half-sent requests stay while the others are measured


def connections() -> Section:
    """Processor time of a request beside a thousand connections that do nothing, relative to one alone."""
    alone, idle, half = [], [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        _own_server(folder).listening() as (process, port),
    ):
        for _ in range(ROUNDS):
            alone.append(_measure_cost(process, port))
            with _open_connections(port, _GET):
                idle.append(_measure_cost(process, port))
            with _open_connections(port, _HALF):
                half.append(_measure_cost(process, port))
    base = statistics.median(alone)
    ratios = {
        f"{CONNECTIONS:,} idle connections": statistics.median(idle) / base,
        f"{CONNECTIONS:,} half-sent requests": statistics.median(half) / base,
    }
    return Section(
        title="Connections",
        command="python -m benchmarks connections",
        body=table(
            ["a request beside", "processor time, 1 = alone"],
            [[name, f"{ratio:.2f}"] for name, ratio in ratios.items()],
        ),
        notes=f"Requests to /health/live over one connection; medians of {ROUNDS} rounds in turns.",
        goals=tuple(_set_goal(name, ratio) for name, ratio in ratios.items()),
    )


def _set_goal(name: str, ratio: float) -> Goal:
    return Goal(
        text=f"at most {MAX_RATIO} times the processor time beside {name}",
        measured=f"{ratio:.2f}",
        met=ratio <= MAX_RATIO,
    )


def _own_server(folder: str) -> Subject:
    command = (sys.executable, "-m", "citewell", "serve", "--http")
    env = os.environ | {
        "CITEWELL_DATA_DIR": folder,
        "HOME": folder,
        "HTTP_READ_HEADER_TIMEOUT": _SECONDS_FOR_ALL,
    }
    return Subject(name="citewell", stdio=(), http=command, endpoint="/mcp", env=env)


@contextlib.contextmanager
def _open_connections(port: int, first: bytes) -> Iterator[None]:
    """A thousand connections that have sent these bytes; a response to them is read."""
    with contextlib.ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            for _ in range(CONNECTIONS)
        ]
        for connection in opened:
            connection.sendall(first)
        if first.endswith(b"\r\n\r\n"):
            for connection in opened:
                connection.recv(4096)
        yield


def _measure_cost(process: subprocess.Popen[bytes], port: int) -> float:
    """Seconds of the server's processor time for a request.

    The first half is not counted: there the server still sees to connections just opened or closed.
    """
    begun = 0.0
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for number in range(2 * REQUESTS_PER_ROUND):
            if number == REQUESTS_PER_ROUND:
                begun = processor(process)
            connection.sendall(_GET)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
    return (processor(process) - begun) / REQUESTS_PER_ROUND
