from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from typing import Any

import pytest

from citewell.core.errors import (
    FailureReason,
    InvalidInput,
    MalformedResponse,
    NetworkFailed,
    RefusedByPolicy,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.net.http.messages import HttpRequest, RedirectPolicy
from tests.net.loopback import LOOPBACK, Exchange, Names, client, close, serve
from tests.requirements import requires


def fetch(
    handler: Any, path: Any = "/", *, resolver: Any = None, fields: Any = None, **request: Any
) -> Any:
    """Send one request to a server with this handler; the response and the server."""

    async def run() -> Any:
        async with serve(handler) as server, client(resolver, **(fields or {})) as carrier:
            response = await carrier.send_request(
                HttpRequest(url=server.url(path), **{"timeout": 5.0, **request})
            )
            return response, server

    return asyncio.run(run())


async def hello(exchange: Exchange) -> None:
    await exchange.reply(200, b"hello", {"X-Twice": "a", "x-twice": "b"})


def redirect(places: Any, status: Any = 302) -> Any:
    """A handler that redirects the paths it knows; `{port}` stands for its own port."""

    async def handle(exchange: Exchange) -> None:
        port = exchange.writer.get_extra_info("sockname")[1]
        if exchange.path in places:
            place = places[exchange.path].replace("{port}", str(port))
            await exchange.reply(status, b"moved", {"Location": place})
        else:
            await exchange.reply(200, b"arrived")

    return handle


def raw(data: Any, *, close: Any = True) -> Any:
    async def handle(exchange: Exchange) -> None:
        await exchange.raw(data)
        if close:
            exchange.writer.close()

    return handle


def test_an_answer_comes_back_whole() -> None:
    response, server = fetch(hello, "/a?b=c")

    assert (response.status, response.body, response.url) == (200, b"hello", server.url("/a?b=c"))
    assert response.headers["x-twice"] == "a, b"
    assert server.seen[0].header("host") == f"site.example.org:{server.port}"


def test_requests_carry_an_honest_name_and_no_more_than_needed() -> None:
    _, server = fetch(hello)

    names = [
        line.partition(":")[0].lower() for line in server.seen[0].head.split("\r\n")[1:] if line
    ]
    assert server.seen[0].header("user-agent").startswith("citewell/")
    assert sorted(names) == ["accept", "accept-encoding", "accept-language", "host", "user-agent"]


def test_parameters_json_and_forms_are_encoded() -> None:
    _, server = fetch(hello, "/?x=1", params=[("q", "a b&c"), ("q", "ü")])
    assert server.seen[0].path == "/?x=1&q=a%20b%26c&q=%C3%BC"

    _, server = fetch(hello, method="POST", json={"q": "ü"})
    assert json.loads(server.seen[0].body) == {"q": "ü"}
    assert server.seen[0].header("content-type") == "application/json"

    _, server = fetch(hello, method="POST", form={"q": "a b"}, headers={"Content-Type": "x/y"})
    assert server.seen[0].body == b"q=a+b"
    assert server.seen[0].header("content-type") == "x/y"


def test_a_connection_is_reused_for_its_own_host_only() -> None:
    async def run() -> Any:
        async with serve(hello) as server, client() as carrier:
            for host in ("site.example.org", "site.example.org", "other.example.org"):
                await carrier.send_request(HttpRequest(url=server.url(host=host)))
            return server.connections

    assert asyncio.run(run()) == 2


def test_a_name_that_leads_inside_is_never_connected_to() -> None:
    async def run() -> Any:
        async with serve(hello) as server, client() as carrier:
            with pytest.raises(RefusedByPolicy):
                await carrier.send_request(
                    HttpRequest(url=server.url(host="elsewhere.example.org"))
                )
            return server.connections

    assert asyncio.run(run()) == 0


def test_a_name_that_turns_inward_is_refused_on_the_next_connection() -> None:
    names = Names({"elsewhere.example.org": [["127.0.0.1", "10.0.0.1"]]}, default=["127.0.0.1"])

    with pytest.raises(RefusedByPolicy):
        fetch(redirect({"/": "http://elsewhere.example.org:{port}/"}), resolver=names)


@pytest.mark.parametrize(
    "place",
    ["http://127.0.0.1:{port}/", "http://inside.example.org:{port}/", "http://[::1]:{port}/",
     "http://localhost:{port}/", "http://0x7f000001/", "//169.254.169.254/latest/meta-data",
     "file:///etc/passwd", "http://user:word@site.example.org:{port}/", "http://site.example.org:22/../",
     "gopher://site.example.org/"],
)  # fmt: skip
def test_a_redirect_into_private_space_is_refused(place: str) -> None:
    hosts = ("other.example.org",)

    async def run() -> Any:
        handler = redirect({"/start": place})
        async with serve(handler) as server, client(LOOPBACK, allow_private_hosts=hosts) as carrier:
            with pytest.raises(RefusedByPolicy):
                await carrier.send_request(
                    HttpRequest(url=server.url("/start", host="other.example.org"))
                )
            return server.seen

    assert len(asyncio.run(run())) == 1


def test_redirects_are_followed_and_remembered() -> None:
    response, server = fetch(redirect({"/": "/b c", "/b%20c": "d?e#f"}))

    assert response.body == b"arrived"
    assert response.hops == (server.url("/"), server.url("/b%20c"))
    assert response.url == server.url("/d?e")


def test_redirects_that_lead_nowhere_end() -> None:
    with pytest.raises(UpstreamUnavailable, match="circles"):
        fetch(redirect({"/": "/b", "/b": "/"}))
    with pytest.raises(UpstreamUnavailable, match="more than 5"):
        fetch(redirect({f"/{n}": f"/{n + 1}" for n in range(9)}), "/0")


def test_a_redirect_is_handed_back_when_none_is_wanted() -> None:
    response, server = fetch(redirect({"/": "/b"}), redirects=RedirectPolicy.NONE)

    assert response.status == 302
    assert len(server.seen) == 1


def test_another_origin_is_not_followed_where_the_origin_is_to_stay() -> None:
    handler = redirect({"/": "http://other.example.org:{port}/"})

    with pytest.raises(UpstreamUnavailable):
        fetch(handler, redirects=RedirectPolicy.SAME_ORIGIN)
    assert fetch(redirect({"/": "/b"}), redirects=RedirectPolicy.SAME_ORIGIN)[0].body == b"arrived"


def test_secrets_stay_with_their_origin() -> None:
    handler = redirect({"/": "/b", "/b": "http://other.example.org:{port}/c"})
    secret = {"X-Api-Key": "s3cret"}
    plain = {"Authorization": "Bearer s3cret", "Cookie": "a=s3cret", "X-Plain": "kept"}

    _, server = fetch(handler, secret_headers=secret, headers=plain)

    first, second, third = server.seen
    assert first.header("x-api-key") == second.header("x-api-key") == "s3cret"
    assert "s3cret" not in third.head
    assert third.header("x-plain") == "kept"


@pytest.mark.parametrize(
    ("status", "method", "body"), [(301, "GET", b""), (303, "GET", b""), (307, "POST", b"{}")]
)
def test_a_redirected_post_keeps_or_loses_its_body_by_the_status(
    status: int, method: str, body: bytes
) -> None:
    _, server = fetch(redirect({"/": "/b"}, status), method="POST", json={})

    assert (server.seen[1].method, server.seen[1].body) == (method, body)


def test_a_body_is_not_carried_to_another_origin() -> None:
    handler = redirect({"/": "http://other.example.org:{port}/b"}, 308)

    with pytest.raises(UpstreamUnavailable):
        fetch(handler, method="POST", json={"api_key": "s3cret"})


@requires("defect.redirect_domains")
def test_allowed_domains_bind_every_hop_of_a_page() -> None:
    handler = redirect({"/": "http://other.example.org:{port}/b"})
    fields = {"allowed_domains": ("site.example.org",)}

    assert fetch(handler, fields=fields)[0].body == b"arrived"
    with pytest.raises(RefusedByPolicy):
        fetch(handler, fields=fields, page=True)


def test_packed_bodies_are_unpacked_and_bombs_are_not() -> None:
    text, bomb = gzip.compress(b"text" * 100), gzip.compress(bytes(32 << 20))

    async def handle(exchange: Exchange) -> None:
        body = bomb if exchange.path == "/bomb" else text
        await exchange.reply(200, body, {"Content-Encoding": "gzip"})

    assert fetch(handle)[0].body == b"text" * 100
    with pytest.raises(TooLarge):
        fetch(handle, "/bomb", max_bytes=1 << 20)


def test_a_large_packed_body_is_unpacked_beside_the_loop() -> None:
    import random

    noise = random.Random(1).randbytes(200_000)

    async def handle(exchange: Exchange) -> None:
        await exchange.reply(200, gzip.compress(noise), {"Content-Encoding": "gzip"})

    assert fetch(handle)[0].body == noise


def test_a_body_cut_inside_its_packing_is_a_bad_shape() -> None:
    async def handle(exchange: Exchange) -> None:
        await exchange.reply(200, gzip.compress(b"text" * 100)[:-9], {"Content-Encoding": "gzip"})

    with pytest.raises(MalformedResponse):
        fetch(handle)


def test_a_body_over_the_cap_is_too_large_whether_announced_or_not() -> None:
    async def announced(exchange: Exchange) -> None:
        await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")

    async def endless(exchange: Exchange) -> None:
        await exchange.raw(b"HTTP/1.1 200 OK\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                await exchange.raw(bytes(65536))

    for handler in (announced, endless):
        with pytest.raises(TooLarge):
            fetch(handler, max_bytes=1 << 20)


async def _silent(exchange: Exchange) -> None:
    await asyncio.Event().wait()


async def _stalling(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    await asyncio.Event().wait()


async def _dripping(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\n\r\n")
    with contextlib.suppress(OSError):
        while True:
            await exchange.raw(b".")
            await asyncio.sleep(0.01)


async def _dripping_head(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\n")
    with contextlib.suppress(OSError):
        while True:
            await exchange.raw(b"X: y\r\n")
            await asyncio.sleep(0.01)


async def _never_final(exchange: Exchange) -> None:
    with contextlib.suppress(OSError):
        while True:
            await exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\n")
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("handler", [_silent, _stalling, _dripping, _dripping_head, _never_final])
def test_whatever_does_not_end_ends_at_the_deadline(handler: Any) -> None:
    with pytest.raises(NetworkFailed) as caught:
        fetch(handler, timeout=0.2)

    assert caught.value.reason is FailureReason.TIMEOUT


@pytest.mark.parametrize(
    "data",
    [b"", b"<html>an answer of 1991</html>", b"SSH-2.0-OpenSSH\r\n",
     b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", b"HTTP/1.1 200 OK\r\nContent-Len",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello",
     b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
     b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
     b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(20_000)) + b"\r\n"],
)  # fmt: skip
def test_what_is_not_http_is_no_answer(data: bytes) -> None:
    with pytest.raises(NetworkFailed):
        fetch(raw(data))


def test_a_port_where_nobody_listens_is_no_answer() -> None:
    async def run() -> None:
        async with serve(hello) as server:
            port = server.port
        async with client() as carrier:
            await carrier.send_request(HttpRequest(url=f"http://site.example.org:{port}/"))

    with pytest.raises(NetworkFailed):
        asyncio.run(run())


def test_a_server_without_tls_gives_no_secure_connection() -> None:
    async def plain(reader: Any, writer: Any) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await close(writer)

    async def run() -> None:
        async with client() as carrier, await asyncio.start_server(plain, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await carrier.send_request(HttpRequest(url=f"https://site.example.org:{port}/"))

    with pytest.raises(NetworkFailed):
        asyncio.run(run())


@pytest.mark.parametrize("value", ["s3cret\r\nX: y", "s3cret\u201d"])
def test_a_header_that_cannot_be_sent_is_not_quoted(value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        fetch(hello, secret_headers={"X-Key": value})

    assert "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_cancelled_request_leaves_the_client_working() -> None:
    asked = asyncio.Event()

    async def handle(exchange: Exchange) -> None:
        asked.set()
        await (_silent if exchange.path == "/slow" else hello)(exchange)

    async def run() -> Any:
        async with serve(handle) as server, client() as carrier:
            slow = asyncio.ensure_future(carrier.send_request(HttpRequest(url=server.url("/slow"))))
            await asyncio.wait_for(asked.wait(), 5)
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            return await carrier.send_request(HttpRequest(url=server.url("/")))

    assert asyncio.run(run()).body == b"hello"


def test_a_head_request_and_an_empty_answer_have_no_body() -> None:
    async def handle(exchange: Exchange) -> None:
        if exchange.method == "HEAD":
            await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        else:
            await exchange.raw(b"HTTP/1.1 204 No Content\r\n\r\n")

    assert fetch(handle, method="HEAD")[0].body == b""
    assert fetch(handle)[0].status == 204
