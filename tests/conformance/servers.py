"""Starts the product or the fixture on a free port of this machine, and stops it again."""

from __future__ import annotations

import contextlib
import enum
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
START = 30  # seconds until it must answer
STOP = 10  # seconds it may take to end


class Launch(enum.Enum):
    """Arguments of the interpreter; the port comes last."""

    PRODUCT = ("-m", "citewell", "serve", "--http", "--port")
    FIXTURE = ("-m", "tests.conformance.serve")


@contextlib.contextmanager
def running(launch: Launch) -> Iterator[str]:
    """The address of a server that has answered once."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as home:
        log = Path(home, "log")
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [sys.executable, *launch.value, str(port)],
                cwd=home,
                env=_environment(home),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
            )
        try:
            _wait(process, port, log)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            _stop(process)


def _environment(home: str) -> dict[str, str]:
    """No keys, no settings, no data of whoever runs this."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": home, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=5).close()
            return
        time.sleep(0.05)
    raise SystemExit(f"The server did not start:\n{log.read_text('utf-8', 'replace')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
