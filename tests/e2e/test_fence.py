"""A server whose workers are busy with a hostile page answers, ends in time, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import psutil
import pytest

from tests.conditions import has_ended, wait_until
from tests.e2e.test_hostile_pages import read_frame
from tests.e2e.test_stdio import Environ, legacy, request, start, tell
from tests.requirements import requires

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are Unix's here")

CELL = "<td>Tides rise and fall on most coasts twice a day.</td>"
SLOW_PAGE = ("<table>" + f"<tr>{CELL * 4}</tr>" * 24_000 + "</table>").encode()  # some seconds


class _SlowPages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(SLOW_PAGE)))
        self.end_headers()
        self.wfile.write(SLOW_PAGE)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def slow_web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _SlowPages)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)


@contextmanager
def busy_server(
    environ: Environ, web: str
) -> Iterator[tuple[subprocess.Popen[bytes], psutil.Process]]:
    """A server that has a page read, and the worker that reads it."""
    allowed = f"{environ['CITEWELL_ALLOW_PRIVATE_HOSTS']},{web}"
    process = start(environ | {"CITEWELL_ALLOW_PRIVATE_HOSTS": allowed})
    tell(process, *legacy())
    assert read_frame(process)["id"] == 1
    wish = {"name": "scrape_page", "arguments": {"url": f"http://{web}/slow"}}
    tell(process, request("page", "tools/call", wish))
    server = psutil.Process(process.pid)
    # A worker that has used more than its start takes is at work on the page.
    wait_until(lambda: any(child.cpu_times().user > 1.0 for child in server.children()))
    worker = max(server.children(), key=lambda child: child.cpu_times().user)
    try:
        yield process, worker
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


@requires("scrape_page.hostile_page")
def test_a_ping_is_answered_while_a_worker_burns(environ: Environ, slow_web: str) -> None:
    with busy_server(environ, slow_web) as (process, worker):
        tell(process, request("ping", "ping"))

        assert read_frame(process)["id"] == "ping"
        assert not has_ended(worker.pid)


def test_the_end_of_input_ends_the_server_and_its_burning_worker(
    environ: Environ, slow_web: str
) -> None:
    with busy_server(environ, slow_web) as (process, worker):
        assert process.stdin
        process.stdin.close()

        wait_until(lambda: process.poll() is not None, seconds=10)
        wait_until(lambda: has_ended(worker.pid), seconds=10)


def test_a_termination_ends_the_server_and_its_burning_worker(
    environ: Environ, slow_web: str
) -> None:
    with busy_server(environ, slow_web) as (process, worker):
        process.send_signal(signal.SIGTERM)

        wait_until(lambda: process.poll() is not None, seconds=10)
        wait_until(lambda: has_ended(worker.pid), seconds=10)


@requires("scrape_page.hostile_page")
def test_a_killed_worker_fails_its_caller_alone(environ: Environ, slow_web: str) -> None:
    with busy_server(environ, slow_web) as (process, worker):
        worker.kill()

        answer = read_frame(process)

        assert answer["id"] == "page"
        assert answer["result"]["isError"]
        assert "crashed its reader" in answer["result"]["content"][0]["text"]
        tell(process, request("ping", "ping"))
        assert read_frame(process)["id"] == "ping"
