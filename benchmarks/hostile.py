"""A server that reads hostile pages: how soon it answers a ping meanwhile, and what memory it keeps.

`python -m benchmarks.hostile` runs this section alone, without the other server.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from benchmarks.clients import HELLO, INITIALIZED, request
from benchmarks.measures import resident
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import Subject
from tests.reading.hostile_pages import BUILDERS, COUNTS, HostileAnswer, build_ordinary_answer

CALLS = 100
IN_FLIGHT = 5
PING_SECONDS = 0.02  # between two pings
IDLE_PINGS = 100
MAX_PING_MS = 100.0
MAX_KEPT_MB = 50.0
LIMIT_SECONDS = 8  # for one page
SETTLE_SECONDS = 3.0  # until workers that grew have been replaced


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileRun:
    """What the server did while the pages were read."""

    idle_ms: Sequence[float]
    busy_ms: Sequence[float]
    before_mb: float
    peak_mb: float
    after_mb: float
    refused: int
    seconds: float


@cache
def _build_answer(name: str) -> HostileAnswer:
    return build_ordinary_answer() if name == "ordinary" else BUILDERS[name](COUNTS[name])


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = unquote(urlsplit(self.path).path.lstrip("/"))
        if name not in BUILDERS and name != "ordinary":
            self.send_error(404)
            return
        answer = _build_answer(name)
        self.send_response(200)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for key, value in answer.headers.items():
            self.send_header(key, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Talk:
    """A client that sends pings and calls at the same time, and times the pings."""

    def __init__(self, process: subprocess.Popen[bytes], base: str) -> None:
        self._process, self._base = process, base
        self._lock = threading.Lock()
        self._arrived = threading.Condition()
        self._answers: dict[int, tuple[float, bool]] = {}
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def open(self) -> None:
        self._wait(self._send("initialize", HELLO))
        with self._lock:
            self._write(INITIALIZED)

    def ping(self) -> float:
        """Milliseconds until a ping is answered."""
        begun = time.perf_counter()
        return 1000 * (self._wait(self._send("ping"))[0] - begun)

    def read(self, name: str, turn: int = 0) -> bool:
        """Whether the page was read; an error is an answer too."""
        where = f"{self._base}/{quote(name)}?{turn}"
        number = self._send("tools/call", {"name": "scrape_page", "arguments": {"url": where}})
        return self._wait(number)[1]

    def _send(self, method: str, params: dict[str, Any] | None = None) -> int:
        with self._lock:
            self._number += 1
            self._write(request(self._number, method, params))
            return self._number

    def _write(self, frame: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(frame + b"\n")
        self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            came, frame = time.perf_counter(), json.loads(line)
            if "id" in frame and "method" not in frame:
                read = not frame.get("result", {}).get("isError", "error" in frame)
                with self._arrived:
                    self._answers[frame["id"]] = (came, read)
                    self._arrived.notify_all()

    def _wait(self, number: int) -> tuple[float, bool]:
        with self._arrived:
            self._arrived.wait_for(lambda: number in self._answers, timeout=120)
            return self._answers.pop(number)


def hostile(subjects: Sequence[Subject]) -> Section:
    run = _measure(subjects[0])
    slowest, kept = max(run.busy_ms), run.after_mb - run.before_mb
    ratio = statistics.median(run.busy_ms) / statistics.median(run.idle_ms)
    rows = [
        ["ping of an idle server, median / worst", _show(run.idle_ms)],
        ["ping while hostile pages are read, median / worst", _show(run.busy_ms)],
        ["the medians beside each other", f"{ratio:.1f} times"],
        ["resident before, at most, after", f"{run.before_mb:.0f} / {run.peak_mb:.0f} / {run.after_mb:.0f} MB"],
        ["pages that ended as an error", f"{run.refused} of {CALLS}"],
        ["seconds for all", f"{run.seconds:.0f}"],
    ]  # fmt: skip
    return Section(
        title="Hostile pages",
        command="python -m benchmarks hostile",
        body=table((f"{CALLS} pages of {len(BUILDERS)} kinds, {IN_FLIGHT} at a time", ""), rows),
        notes=(
            f"One server over stdio, a page may take {LIMIT_SECONDS} s to be read. Memory is that of "
            f"the server and its workers, before when ordinary pages have been read, after "
            f"{SETTLE_SECONDS:.0f} s of rest. Pings go out every {1000 * PING_SECONDS:.0f} ms."
        ),
        goals=(
            Goal(
                text=f"the next ping within {MAX_PING_MS:.0f} ms while hostile pages are read",
                measured=f"{slowest:.0f} ms",
                met=slowest <= MAX_PING_MS,
            ),
            Goal(
                text=f"memory after {CALLS} hostile pages within {MAX_KEPT_MB:.0f} MB of before",
                measured=f"{kept:+.0f} MB",
                met=kept <= MAX_KEPT_MB,
            ),
        ),
    )


def _show(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} / {max(values):.0f} ms"


def _measure(subject: Subject) -> HostileRun:
    with _served_pages() as base, _own_home(subject, base) as own, own.piped() as process:
        talk = _Talk(process, base)
        talk.open()
        for caller in _start_callers(talk, ["ordinary"] * 4 * IN_FLIGHT, []):
            caller.join()  # all workers run now
        before = peak = resident(process)
        idle = [talk.ping() for _ in range(IDLE_PINGS)]
        names = (list(BUILDERS) * CALLS)[:CALLS]
        begun, busy, read = time.perf_counter(), list[float](), list[bool]()
        callers = _start_callers(talk, names, read)
        while any(caller.is_alive() for caller in callers):
            busy.append(talk.ping())
            peak = max(peak, resident(process))
            time.sleep(PING_SECONDS)
        seconds = time.perf_counter() - begun
        time.sleep(SETTLE_SECONDS)
        return HostileRun(
            idle_ms=idle,
            busy_ms=busy,
            before_mb=before,
            peak_mb=peak,
            after_mb=resident(process),
            refused=read.count(False),
            seconds=seconds,
        )


def _start_callers(talk: _Talk, names: Sequence[str], read: list[bool]) -> list[threading.Thread]:
    work = iter(list(enumerate(names)))

    def call() -> None:
        for turn, name in work:  # a list's iterator may be shared by threads
            read.append(talk.read(name, turn))

    callers = [threading.Thread(target=call, daemon=True) for _ in range(IN_FLIGHT)]
    for caller in callers:
        caller.start()
    return callers


@contextlib.contextmanager
def _served_pages() -> Iterator[str]:
    for name in BUILDERS:
        _build_answer(name)  # now, because building one keeps the client from timing pings
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextlib.contextmanager
def _own_home(subject: Subject, base: str) -> Iterator[Subject]:
    host = urlsplit(base).netloc
    allowed = ",".join(filter(None, (subject.env.get("CITEWELL_ALLOW_PRIVATE_HOSTS"), host)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        own = {
            "HOME": home,
            "CITEWELL_DATA_DIR": f"{home}/data",
            "CITEWELL_ALLOW_PRIVATE_HOSTS": allowed,
            "CITEWELL_PARSE_TIMEOUT": str(LIMIT_SECONDS),
            "CITEWELL_STEALTH": "false",
            "CACHE_MAX_MEMORY_MB": "1",  # what the cache keeps on purpose is not measured
            "CHROME_PATH": "disabled",
        }
        yield replace(subject, env={**subject.env, **own})


def _build_subject() -> Subject:
    """Citewell alone."""
    command = (sys.executable, "-m", "citewell", "serve")
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return Subject(name="citewell", stdio=command, http=command, endpoint="/mcp", env=env)


if __name__ == "__main__":
    section = hostile([_build_subject()])
    print(section.markdown())
    for goal in section.goals:
        print(f"- {goal.text}: {goal.measured} ({'met' if goal.met else 'missed'})")
