from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import Any

import pytest

from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser.guarded_proxy import GuardedProxy, ProxyBounds
from tests.net.loopback import LOOPBACK, Exchange, Names, Server, close, serve, settings


def credentials(secret: str = "s3cret") -> str:
    return "Basic " + base64.b64encode(f"citewell:{secret}".encode()).decode()


AUTH = f"Proxy-Authorization: {credentials()}\r\n"


async def hello(exchange: Exchange) -> None:
    await exchange.reply(200, b"hello " + exchange.body)


def use(
    act: Callable[..., Any],
    *,
    handler: Callable[..., Any] = hello,
    fields: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Run `act(proxy, server)` with a proxy whose secret is known."""

    async def run() -> Any:
        guard = Guard(GuardRules.from_settings(settings(**(fields or {}))), resolver=LOOPBACK)
        made = GuardedProxy(guard, new_secret=lambda: "s3cret", **options)
        async with serve(handler) as server, made as proxy:
            return await act(proxy, server)

    return asyncio.run(run())


async def talk(proxy: GuardedProxy, *parts: Any) -> str:
    """Send the parts, each after an answer to the one before, and read to the end."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", int(proxy.address.rpartition(":")[2])
    )
    answers = []
    try:
        for number, part in enumerate(parts):
            writer.write(part.encode())
            await writer.drain()
            final = number == len(parts) - 1
            answers.append(await (reader.read() if final else reader.readuntil(b"\r\n\r\n")))
    finally:
        await close(writer)
    return b"".join(answers).decode("latin-1")


def ask(template: str, *more: Any, **options: Any) -> tuple[Any, ...]:
    """One conversation; `{port}` in the templates is the server's port. The answer and the server."""

    async def act(proxy: GuardedProxy, server: Server) -> tuple[Any, ...]:
        parts = [part.replace("{port}", str(server.port)) for part in (template, *more)]
        return await asyncio.wait_for(talk(proxy, *parts), 5), server

    return use(act, **options)


CLOSE = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_tunnel_reaches_an_allowed_host() -> None:
    async def once(exchange: Exchange) -> None:
        await exchange.reply(200, b"hello")
        exchange.writer.close()

    answer, server = ask(
        f"CONNECT site.example.org:{{port}} HTTP/1.1\r\n{AUTH}\r\n", CLOSE, handler=once
    )

    assert answer.startswith("HTTP/1.1 200 Connection Established\r\n\r\nHTTP/1.1 200")
    assert answer.endswith("hello")
    assert server.seen[0].path == "/a"


def test_a_plain_request_is_forwarded_in_its_servers_form() -> None:
    answer, server = ask(
        f"POST http://site.example.org:{{port}}/a?b HTTP/1.1\r\nHost: lie.example.org\r\n{AUTH}"
        "Proxy-Connection: keep-alive\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Kept: 2\r\nContent-Length: 4\r\n\r\nbody"
        "GET http://10.0.0.1/ HTTP/1.1\r\n\r\n",
        handler=_closing,
    )

    seen = server.seen[0]
    assert answer.endswith("hello body")
    assert (seen.path, seen.header("host"), seen.header("x-kept")) == (
        "/a?b",
        f"site.example.org:{server.port}",
        "2",
    )
    assert seen.header("connection") == "close"
    assert {
        seen.header("x-hop"),
        seen.header("proxy-authorization"),
        seen.header("proxy-connection"),
    } == {None}
    assert len(server.seen) == 1


async def _closing(exchange: Exchange) -> None:
    await hello(exchange)
    exchange.writer.close()


@pytest.mark.parametrize(
    "first",
    ["CONNECT 127.0.0.1:{port}", "CONNECT inside.example.org:{port}", "CONNECT [::1]:{port}",
     "CONNECT localhost:{port}", "CONNECT 169.254.169.254:80", "CONNECT site.example.org.local:443",
     "CONNECT 2130706433:{port}", "CONNECT public.example.org:25", "CONNECT user@site.example.org:{port}",
     "GET http://127.0.0.1:{port}/", "GET http://inside.example.org:{port}/", "GET /relative",
     "GET ftp://site.example.org/", "CONNECT site.example.org:{port}/path@10.0.0.1"],
)  # fmt: skip
def test_a_private_target_is_refused(first: str) -> None:
    answer, server = ask(
        f"{first} HTTP/1.1\r\n{AUTH}\r\n", fields={"allow_private_hosts": ("site.example.org:1",)}
    )

    assert answer.startswith("HTTP/1.1 403 ")
    assert "Proxy-Status: citewell; error=destination_ip_prohibited" in answer
    assert server.connections == 0


@pytest.mark.parametrize(
    "header",
    [
        "",
        f"Proxy-Authorization: {credentials('wrong')}\r\n",
        "Proxy-Authorization: Basic\r\n",
        AUTH + AUTH,
    ],
)
def test_without_the_secret_nothing_is_done(header: Any) -> None:
    answer, server = ask(f"CONNECT site.example.org:{{port}} HTTP/1.1\r\n{header}\r\n")

    assert answer.startswith("HTTP/1.1 407 ")
    assert "Proxy-Authenticate: Basic" in answer
    assert server.connections == 0


@pytest.mark.parametrize(
    ("text", "status"),
    [("rubbish\r\n\r\n", 400), ("GET http://site.example.org/ HTTP/2\r\n\r\n", 400), ("X" * 100_000, 400),
     (f"GET http://site.example.org/ HTTP/1.1\r\nbad header\r\n{AUTH}\r\n", 400),
     (f"POST http://site.example.org/ HTTP/1.1\r\n{AUTH}Transfer-Encoding: chunked\r\n\r\n", 411),
     (f"POST http://site.example.org/ HTTP/1.1\r\n{AUTH}Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
     (f"CONNECT site.example.org:1 HTTP/1.1\r\n{AUTH}\r\n", 502)],
)  # fmt: skip
def test_what_cannot_be_done_is_said(text: str, status: int) -> None:
    assert ask(text, handler=hello)[0].startswith(f"HTTP/1.1 {status} ")


def test_allowed_domains_can_bind_the_proxy() -> None:
    fields = {"allowed_domains": ("other.example.org",)}

    answer, _ = ask(
        f"CONNECT site.example.org:{{port}} HTTP/1.1\r\n{AUTH}\r\n", fields=fields, page=True
    )

    assert answer.startswith("HTTP/1.1 403 ")


async def _silent(exchange: Exchange) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    "bounds", [ProxyBounds(idle_seconds=0.1), ProxyBounds(max_bytes=100)], ids=["silence", "bytes"]
)
def test_a_tunnel_ends_at_its_bounds(bounds: Any) -> None:
    async def endless(exchange: Exchange) -> None:
        while True:
            await exchange.raw(bytes(1000))

    handler = _silent if bounds.max_bytes > 1000 else endless
    answer, _ = ask(
        f"CONNECT site.example.org:{{port}} HTTP/1.1\r\n{AUTH}\r\n",
        CLOSE,
        handler=handler,
        bounds=bounds,
    )

    assert answer.startswith("HTTP/1.1 200")
    assert len(answer) < 1000


def test_a_client_that_never_asks_is_hung_up_on() -> None:
    assert ask("CONNECT", bounds=ProxyBounds(head_seconds=0.1))[0] == ""


def test_too_many_connections_are_turned_away() -> None:
    answer, _ = ask(
        f"CONNECT site.example.org:{{port}} HTTP/1.1\r\n{AUTH}\r\n",
        bounds=ProxyBounds(max_connections=0),
    )

    assert answer.startswith("HTTP/1.1 503 ")


def test_closing_ends_open_tunnels() -> None:
    async def act(proxy: GuardedProxy, server: Server) -> bytes:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", int(proxy.address.rpartition(":")[2])
        )
        writer.write(f"CONNECT site.example.org:{server.port} HTTP/1.1\r\n{AUTH}\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        await proxy.aclose()
        rest = await asyncio.wait_for(reader.read(), 5)
        await close(writer)
        return rest

    assert use(act, handler=_silent) == b""


def test_starting_and_closing_twice_does_no_harm() -> None:
    async def act(proxy: GuardedProxy, server: Server) -> None:
        before = proxy.address
        await proxy.start_listening()
        assert proxy.address == before
        await proxy.aclose()

    use(act)


def test_a_connection_that_lands_elsewhere_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system is made to connect to another address than the one it was given."""
    connect = asyncio.open_connection

    async def misled(host: str, port: int) -> tuple[Any, ...]:
        return await connect("127.0.0.1", port)

    async def act(proxy: GuardedProxy, server: Server) -> bytes:
        text = f"CONNECT far.example.org:{server.port} HTTP/1.1\r\n{AUTH}\r\n"
        reader, writer = await connect("127.0.0.1", int(proxy.address.rpartition(":")[2]))
        writer.write(text.encode())
        answer = await asyncio.wait_for(reader.read(), 5)
        await close(writer)
        return answer

    async def run() -> bytes:
        guard = Guard(GuardRules(), resolver=Names({}, default=["93.184.216.34"]))
        made = GuardedProxy(guard, new_secret=lambda: "s3cret")
        async with serve(hello) as server, made as proxy:
            return await act(proxy, server)

    monkeypatch.setattr(asyncio, "open_connection", misled)

    assert asyncio.run(run()).startswith(b"HTTP/1.1 403 ")


def test_the_address_carries_the_secret_and_each_proxy_has_its_own() -> None:
    async def act(proxy: GuardedProxy, server: Server) -> tuple[Any, ...]:
        return proxy.url, proxy.credentials

    url, pair = use(act)
    guard = Guard(GuardRules())

    assert url.startswith("http://citewell:s3cret@127.0.0.1:")
    assert pair == ("citewell", "s3cret")
    assert GuardedProxy(guard).credentials != GuardedProxy(guard).credentials
    with pytest.raises(RuntimeError):
        GuardedProxy(guard).url  # noqa: B018 - the property is what raises
