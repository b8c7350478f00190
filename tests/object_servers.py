"""A real S3-compatible server (s3rver, from npm), and a door in front of it that can misbehave.

Set CITEWELL_TEST_OBJECT_STORE to the address of another server to run the same tests against it; it
must have the bucket `citewell` and accept the key S3RVER.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.node_packages import find_package, node_or_skip

BUCKET, KEY_ID, SECRET = "citewell", "S3RVER", "S3RVER"
_DENIAL = (
    b"<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message>"
    b"<AWSAccessKeyId>S3RVER</AWSAccessKeyId></Error>"
)


@contextlib.contextmanager
def start_object_server(folder: Path) -> Iterator[str]:
    """The address of a server with one bucket, which ends with the block."""
    if other := os.environ.get("CITEWELL_TEST_OBJECT_STORE"):
        yield other
        return
    program = find_package("s3rver") / "bin" / "s3rver.js"
    command = [
        *(node_or_skip(), str(program), "-d", str(folder), "-a", "127.0.0.1", "-p", "0"),
        *("--no-vhost-buckets", "--configure-bucket", BUCKET),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            while b"listening on" not in (line := process.stdout.readline()):
                assert line, "the object server did not start"
            port = int(line.rsplit(b":", 1)[1])
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@dataclass
class ObjectDoor:
    """Passes requests on to a server. `refuse` may answer one with a status, or with none (0)."""

    target: str
    refuse: Callable[[str, str], int | None] = lambda _method, _path: None
    truncate: bool = False  # end every answer in the middle of its body
    asked: list[tuple[str, str]] = field(default_factory=list)
    stalled: threading.Event = field(default_factory=threading.Event)
    resumed: threading.Event = field(default_factory=threading.Event)
    stall_on: Callable[[str, str], bool] = lambda _method, _path: False
    address: str = ""

    def count_asked(self, method: str) -> int:
        return sum(one == method for one, _ in self.asked)


class _DoorServer(ThreadingHTTPServer):
    def __init__(self, door: ObjectDoor) -> None:
        super().__init__(("127.0.0.1", 0), _DoorHandler)
        self.door = door


class _DoorHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _DoorServer

    def handle_request(self) -> None:
        door, method, path = self.server.door, self.command, self.path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        door.asked.append((method, path))
        if door.stall_on(method, path):
            door.stalled.set()
            door.resumed.wait(30)
            self.close_connection = True
            return
        refusal = door.refuse(method, path)
        if refusal is None:
            self.pass_on(body)
        elif refusal == 0:
            self.close_connection = True
        else:
            self.answer(refusal, {}, _DENIAL if refusal == 403 else b"")

    def pass_on(self, body: bytes) -> None:
        link = http.client.HTTPConnection(urlsplit(self.server.door.target).netloc, timeout=30)
        try:
            link.request(self.command, self.path, body, dict(self.headers.items()))
            got = link.getresponse()
            self.answer(got.status, dict(got.getheaders()), got.read())
        except OSError:
            self.close_connection = True
        finally:
            link.close()

    def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.server.door.truncate and self.command == "GET" and len(body) > 1
        with contextlib.suppress(OSError):
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut

    do_GET = do_PUT = do_POST = do_DELETE = handle_request  # noqa: N815 - names of http.server

    def log_message(self, *_: Any) -> None: ...


@contextlib.contextmanager
def open_object_door(target: str) -> Iterator[ObjectDoor]:
    door = ObjectDoor(target)
    with _DoorServer(door) as server:
        door.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
        try:
            yield door
        finally:
            door.resumed.set()
            server.shutdown()


def object_settings(endpoint: str, **changes: Any) -> dict[str, Any]:
    """Settings fields for a client of this server; it gives up after two seconds."""
    return {
        "object_store_endpoint": endpoint,
        "object_store_key_id": KEY_ID,
        "object_store_secret": SECRET,
        "object_store_timeout": 2.0,
    } | changes
