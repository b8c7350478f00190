"""Connections over raw sockets: requests that can be read in two ways, slow clients, too many of them."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
from starlette.types import Receive, Scope, Send

from citewell.server.http.layers import BodyLimit
from tests.conditions import wait_until
from tests.http_servers import (
    ServerThread,
    echo_body,
    find_status,
    read_to_end,
    read_until,
    serving,
)
from tests.requirements import requires

CLOSE = b"Connection: close\r\n"
GET = b"GET /a HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /a HTTP/1.1\r\nHost: localhost\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

REFUSED = {
    "length and chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two equal lengths": POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nab",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\nab",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\nab",
    "a signed length": POST + b"Content-Length: +2\r\n\r\nab",
    "a negative length": POST + b"Content-Length: -2\r\n\r\nab",
    "a length in hex": POST + b"Content-Length: 0x2\r\n\r\nab",
    "an empty length": POST + b"Content-Length:\r\n\r\nab",
    "a length with an underscore": POST + b"Content-Length: 1_0\r\n\r\nabababababab",
    "a folded header": GET + b"X-A: 1\r\n  2\r\n\r\n",
    "a folded length": POST + b"Content-Length:\r\n 2\r\n\r\nab",
    "a folded first header": b"GET /a HTTP/1.1\r\n Host: localhost\r\nHost: localhost\r\n\r\n",
    "two hosts": GET + b"Host: localhost\r\n\r\n",
    "two different hosts": GET + b"Host: evil.com\r\n\r\n",
    "no host": b"GET /a HTTP/1.1\r\n\r\n",
    "a space before the colon": GET + b"Content-Length : 0\r\n\r\n",
    "a tab before the colon": POST + b"Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
    "a header without a colon": GET + b"X-A\r\n\r\n",
    "a header without a name": GET + b": x\r\n\r\n",
    "a NUL in a header": GET + b"X-A: a\x00b\r\n\r\n",
    "a CR in a header": GET + b"X-A: a\rX-B: b\r\n\r\n",
    "lines that end in LF": b"GET /a HTTP/1.1\nHost: localhost\n\n",
    "one line that ends in LF": GET + b"X-A: a\nX-B: b\r\n\r\n",
    "an encoding that is not chunked": POST + b"Transfer-Encoding: gzip\r\n\r\nab",
    "two encodings": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunked twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "an almost chunked": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a quoted encoding": POST + b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n',
    "chunks in HTTP/1.0": b"POST /a HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk size that is no number": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
    "a chunk size with 0x": POST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n",
    "a signed chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n",
    "a chunk size after a space": POST + b"Transfer-Encoding: chunked\r\n\r\n 2\r\nab\r\n0\r\n\r\n",
    "a chunk size with an underscore": POST + b"Transfer-Encoding: chunked\r\n\r\n1_0\r\nab\r\n0\r\n\r\n",
    "a chunk size of 30 digits": POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 30 + b"\r\nab",
    "a chunk longer than its size": POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
    "a target with another host": b"GET http://evil.com/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a target with a user": b"GET http://localhost@evil.com/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a target with another port": b"GET http://localhost:81/a HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
    "a target of CONNECT": b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
    "a target with a scheme only": b"GET ftp://localhost/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a target without a slash": b"GET a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "two spaces in the first line": b"GET  /a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HTTP/2 over the same port": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a version that is none": b"GET /a HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "large headers": GET + b"X-A: " + b"a" * 70_000 + b"\r\n\r\n",
}  # fmt: skip

ACCEPTED = {
    "a plain request": (GET + CLOSE + b"\r\n", b"GET /a 0"),
    "a body": (POST + CLOSE + b"Content-Length: 2\r\n\r\nab", b"POST /a 2"),
    "chunks": (POST + CLOSE + b"Transfer-Encoding: Chunked\r\n\r\n2;x=y\r\nab\r\n00\r\n\r\n", b"POST /a 2"),
    "a target with our host": (b"GET http://LOCALHOST/a?b HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + b"\r\n", b"GET /a 0"),
    "a target without a path": (b"GET http://localhost HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + b"\r\n", b"GET / 0"),
    "HTTP/1.0": (b"GET /a HTTP/1.0\r\nHost: localhost\r\n\r\n", b"GET /a 0"),
}  # fmt: skip


@pytest.fixture(scope="module")
def echo() -> Iterator[ServerThread]:
    with serving(echo_body) as running:
        yield running


@requires("http.smuggling")
@pytest.mark.parametrize("request_bytes", REFUSED.values(), ids=list(REFUSED))
def test_a_request_that_can_be_read_in_two_ways_is_refused(
    echo: ServerThread, request_bytes: bytes
) -> None:
    response = echo.exchange(request_bytes + SMUGGLED)

    assert find_status(response) in {400, 431, 501, 505}
    assert response.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in response.lower()
    assert b"smuggled" not in response


@pytest.mark.parametrize(("request_bytes", "answer"), ACCEPTED.values(), ids=list(ACCEPTED))
def test_an_ordinary_request_is_served(
    echo: ServerThread, request_bytes: bytes, answer: bytes
) -> None:
    response = echo.exchange(request_bytes)

    assert find_status(response) == 200
    assert response.endswith(answer)


def test_requests_sent_one_after_the_other_are_all_answered(echo: ServerThread) -> None:
    first = POST + b"Content-Length: 2\r\n\r\nab"

    response = echo.exchange(first + GET + b"\r\n" + GET + CLOSE + b"\r\n")

    assert response.count(b"HTTP/1.1 200") == 3


def test_a_bad_request_behind_a_good_one_is_noticed(echo: ServerThread) -> None:
    bad = POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nab"

    response = echo.exchange(GET + b"\r\n" + bad + SMUGGLED)

    assert response.count(b"HTTP/1.1 ") == 2
    assert response.count(b"HTTP/1.1 400") == 1


@requires("http.slow_clients")
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", 0),
        (b"G", 408),
        (b"GET /a HTTP/1.1\r\nHost: loc", 408),
        (POST + b"Content-Length: 10\r\n\r\nab", 408),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", 408),
        (POST + b"Content-Length: 10\r\nExpect: 100-continue\r\n\r\n", 408),
        (GET + b"\r\n", 200),
        (GET + b"\r\nGET /b HTTP/1.1\r\n", 200),
    ],
)
def test_a_connection_that_stops_halfway_is_closed(sent: bytes, status: int) -> None:
    with serving(
        echo_body,
        HTTP_READ_HEADER_TIMEOUT="200ms",
        HTTP_READ_TIMEOUT="200ms",
        HTTP_IDLE_TIMEOUT="1s",
    ) as running:
        response = running.exchange(sent)
        response = response.partition(b"\r\n\r\n")[2] if b" 100 " in response else response

        assert find_status(response) == status
        wait_until_none_is_open(running)


@requires("http.slow_clients")
@pytest.mark.parametrize(
    "start", [b"GET /a HTTP/1.1\r\nX: ", POST + b"Content-Length: 999\r\n\r\n"]
)
def test_a_byte_at_a_time_gives_no_more_time(start: bytes) -> None:
    with (
        serving(echo_body, HTTP_READ_HEADER_TIMEOUT="300ms", HTTP_READ_TIMEOUT="300ms") as running,
        running.connect() as client,
    ):
        client.sendall(start)
        client.settimeout(0.02)
        wait_until(lambda: not is_open_after(client, b"x"))


@requires("http.slow_clients")
def test_many_clients_that_stop_halfway_are_all_closed() -> None:
    with (
        serving(echo_body, HTTP_READ_HEADER_TIMEOUT="500ms", HTTP_READ_TIMEOUT="500ms") as running,
        contextlib.ExitStack() as stack,
    ):
        halves = [b"GET /a HTTP/1.1\r\nHo"] * 200 + [POST + b"Content-Length: 9\r\n\r\nab"] * 100
        clients = [stack.enter_context(running.connect()) for _ in halves]
        for client, half in zip(clients, halves, strict=True):
            client.sendall(half)

        assert [find_status(read_to_end(client)) for client in clients] == [408] * len(halves)
        wait_until_none_is_open(running)


@requires("http.slow_clients")
@pytest.mark.parametrize("size", [1 << 26, 1 << 21])
def test_a_client_that_never_reads_is_let_go(size: int) -> None:
    ended = threading.Event()

    async def pour(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await receive()
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(size >> 16):
                body = b"x" * (1 << 16)
                await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            ended.set()

    with (
        serving(pour, HTTP_WRITE_TIMEOUT="300ms", HTTP_IDLE_TIMEOUT="1s") as running,
        running.connect() as client,
    ):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(GET + CLOSE + b"\r\n")

        assert ended.wait(5)
        wait_until_none_is_open(running)


@requires("http.slow_clients")
def test_a_client_that_goes_on_sending_after_its_answer_is_closed() -> None:
    async def refuse(scope: Scope, _: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [(b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b""})

    with serving(refuse, HTTP_READ_TIMEOUT="300ms") as running, running.connect() as client:
        client.sendall(POST + b"Content-Length: 99999999\r\n\r\n")
        assert find_status(read_until(client, b"\r\n\r\n")) == 401
        client.settimeout(0.02)

        wait_until(lambda: not is_open_after(client, b"x"))


@requires("http.body_limit")
def test_a_client_that_is_still_sending_reads_that_its_body_is_too_large() -> None:
    with serving(BodyLimit(echo_body, 1000)) as running, running.connect() as client:
        client.sendall(POST + b"Content-Length: 20000000\r\n\r\n" + b" " * 20_000_000)

        assert find_status(read_until(client, b"\r\n\r\n")) == 413


@requires("http.connections")
def test_one_address_has_a_limited_number_of_connections() -> None:
    with (
        serving(echo_body, per_address=True, CITEWELL_HTTP_CONNECTIONS_PER_ADDRESS="3") as running,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(running.connect()) for _ in range(3)]
        for client in clients:
            client.sendall(GET + b"\r\n")
            read_until(client, b"GET /a 0")

        refused = running.exchange(b"")
        clients[0].close()
        wait_until(lambda: running.limits.total < 3)
        served = running.exchange(GET + CLOSE + b"\r\n")

    assert find_status(refused) == 503
    assert b"retry-after" in refused
    assert find_status(served) == 200


@requires("http.connections")
def test_a_full_server_closes_the_connection_that_is_idle_for_longest() -> None:
    with (
        serving(echo_body, CITEWELL_HTTP_CONNECTIONS="3") as running,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(running.connect()) for _ in range(3)]
        for client in clients:
            client.sendall(GET + b"\r\n")
            read_until(client, b"GET /a 0")

        newcomer = running.exchange(GET + CLOSE + b"\r\n")

        assert find_status(newcomer) == 200
        assert read_to_end(clients[0]) == b""
        clients[1].sendall(GET + CLOSE + b"\r\n")
        assert find_status(read_to_end(clients[1])) == 200


@requires("http.connections")
def test_a_server_full_of_requests_refuses_another_connection() -> None:
    with (
        serving(echo_body, CITEWELL_HTTP_CONNECTIONS="2") as running,
        running.connect() as first,
        running.connect() as second,
    ):
        for client in (first, second):
            client.sendall(POST + b"Content-Length: 2\r\n\r\n")
        wait_until(lambda: running.limits.total == 2)

        refused = running.exchange(b"")

        assert find_status(refused) == 503
        first.sendall(b"ab")
        assert find_status(read_until(first, b"POST /a 2")) == 200


def is_open_after(client: socket.socket, sent: bytes) -> bool:
    """Whether the connection is still open after these bytes."""
    try:
        client.sendall(sent)
        return client.recv(4096) != b""
    except TimeoutError:
        return True
    except ConnectionError:
        return False


def wait_until_none_is_open(running: ServerThread) -> None:
    wait_until(lambda: not running.limits.total)
