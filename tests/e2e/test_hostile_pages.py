"""Pages that cost too much end as an answer or error for their caller; everybody else is served."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.e2e.test_stdio import Environ, legacy, request, start, tell
from tests.reading.hostile_pages import (
    BUILDERS,
    COUNTS,
    WORDS,
    HostileAnswer,
    build_ordinary_answer,
)

PARTS = 4
SHRINK = 16  # most pages are so much smaller than at full size, so that the test is short
WHOLE = {"attributes of one tag", "last of its type"}  # the costliest stay at full size
SETTINGS = {
    "CITEWELL_PROFILE": "all",
    "CITEWELL_PARSE_TIMEOUT": "20",
}
NAMES = list(BUILDERS)
ORDINARY = "ordinary"


class _HostileHandler(BaseHTTPRequestHandler):
    """Answers each name with its page; there is no robots.txt."""

    def do_GET(self) -> None:
        name = unquote(self.path.lstrip("/"))
        if name not in BUILDERS and name != ORDINARY:
            self.send_error(404)
            return
        answer = build_shrunk_answer(name)
        self.send_response(200)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for key, value in answer.headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _HostileServer(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A caller who hangs up early is no surprise here."""


def build_shrunk_answer(name: str) -> HostileAnswer:
    if name == ORDINARY:
        return build_ordinary_answer()
    count = COUNTS[name]
    return BUILDERS[name](count if name in WHOLE or count < 100 else count // SHRINK)


@pytest.fixture(scope="module")
def hostile_web() -> Iterator[str]:
    """The host and port of a server with all the hostile pages."""
    server = _HostileServer(("127.0.0.1", 0), _HostileHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def read_frame(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The next answer, whatever notifications come before it."""
    assert process.stdout
    while line := process.stdout.readline():
        frame: dict[str, Any] = json.loads(line)
        if "id" in frame:
            return frame
    raise AssertionError("the server ended")


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.timeout(600)  # a quarter of it on two free processors; others may need them too
@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_pages_stop_nobody_but_their_callers(
    part: int, environ: Environ, hostile_web: str
) -> None:
    names = [*NAMES[part::PARTS], ORDINARY]
    allowed = f"{environ['CITEWELL_ALLOW_PRIVATE_HOSTS']},{hostile_web}"
    process = start(environ | SETTINGS | {"CITEWELL_ALLOW_PRIVATE_HOSTS": allowed})
    tell(process, *legacy())
    assert read_frame(process)["id"] == 1
    calls = [
        request(
            name,
            "tools/call",
            {"name": "scrape_page", "arguments": {"url": f"http://{hostile_web}/{quote(name)}"}},
        )
        for name in names
    ]

    tell(process, *calls, request("ping", "ping"))
    answers: dict[str, Any] = {}
    pings = 0
    while not answers.keys() >= set(names):
        frame = read_frame(process)
        if str(frame["id"]).startswith("ping"):
            pings += 1
        else:
            answers[frame["id"]] = frame["result"]
            tell(process, request(f"ping {len(answers)}", "ping"))
            assert pings, "a hostile page was read before a ping was answered"
    while pings <= len(names):
        assert str(read_frame(process)["id"]).startswith("ping")
        pings += 1
    _, errors = process.communicate(timeout=15)

    assert process.returncode == 0, errors.decode()
    assert WORDS.strip() in answers[ORDINARY]["structuredContent"]["content"]
    for name, result in answers.items():
        if result.get("isError"):
            told = json.loads(result["content"][0]["text"].partition("\n\n")[2])["error"]
            assert told["kind"] != "internal", (name, errors.decode())
        else:
            assert result["structuredContent"]["url"], name
