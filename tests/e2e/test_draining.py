"""A server that is asked to end finishes the calls under way, in both protocol eras."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

from citewell.core.config import Settings
from citewell.server.http import listening
from citewell.server.http.draining import CallDrain, CallDraining
from citewell.server.http.listening import build_http_transport
from citewell.server.http.observing.request_records import ServerState
from tests.conditions import wait_until
from tests.http_servers import (
    WAIT_SECONDS,
    ServerThread,
    echo_body,
    find_status,
    read_to_end,
    read_until,
    serving,
)
from tests.internet.faults import Fault
from tests.internet.world import World
from tests.requirements import requires

ACCEPT = {"accept": "application/json, text/event-stream"}
MODERN_VERSION = "2026-07-28"
MODERN_META = {
    types.PROTOCOL_VERSION_META_KEY: MODERN_VERSION,
    types.CLIENT_CAPABILITIES_META_KEY: {},
}
LISTEN: dict[str, Any] = {
    "headers": ACCEPT
    | {"mcp-protocol-version": MODERN_VERSION, "mcp-method": "subscriptions/listen"},
    "json": {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": True}, "_meta": MODERN_META},
    },
}


class HeldTool:
    """A server whose only tool answers when the test says so."""

    def __init__(self) -> None:
        self.is_running = threading.Event()
        self.may_end = threading.Event()

    def build_server(self) -> Server[Any]:
        return Server(
            "held",
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
        )

    async def _list_tools(self, _context: Any, _params: Any) -> types.ListToolsResult:
        schema = {"type": "object"}
        return types.ListToolsResult(tools=[types.Tool(name="held", input_schema=schema)])

    async def _call_tool(self, context: Any, _params: Any) -> types.CallToolResult:
        await context.session.report_progress(0.5)
        self.is_running.set()
        await asyncio.to_thread(self.may_end.wait, WAIT_SECONDS)
        return types.CallToolResult(content=[types.TextContent(type="text", text="answer")])


@contextlib.contextmanager
def held_server(tool: HeldTool, shutdown_timeout: str = "30s") -> Iterator[ServerThread]:
    drain = CallDrain(ServerState())
    app = build_http_transport({"/mcp": tool.build_server()}, Settings())
    limits = {"HTTP_SHUTDOWN_TIMEOUT": shutdown_timeout}
    with serving(CallDraining(app, drain), drain=drain, settings=limits) as running:
        yield running


def is_listening(running: ServerThread) -> bool:
    try:
        running.connect().close()
    except ConnectionRefusedError:
        return False
    return True


@requires("http.drain")
@pytest.mark.parametrize("mode", ["legacy", "modern"])
@pytest.mark.parametrize("has_progress", [False, True])
def test_a_running_call_gets_its_answer_after_the_signal(mode: str, has_progress: bool) -> None:
    tool = HeldTool()

    async def call(running: ServerThread) -> str:
        base = f"http://127.0.0.1:{running.port}/mcp"
        async with httpx2.AsyncClient() as http:
            calling = asyncio.create_task(
                call_tool(http, base, "held", mode=mode, has_progress=has_progress)
            )
            await asyncio.to_thread(tool.is_running.wait, WAIT_SECONDS)
            running.server.handle_exit(signal.SIGTERM, None)
            await asyncio.to_thread(wait_until, lambda: not is_listening(running))
            tool.may_end.set()
            return await calling

    with held_server(tool) as running:
        answer = asyncio.run(call(running))
        running.thread.join(WAIT_SECONDS)

        assert '"text":"answer"' in answer.replace(" ", "")
        assert not running.thread.is_alive()


async def call_tool(
    http: httpx2.AsyncClient,
    base: str,
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    mode: str,
    has_progress: bool = False,
) -> str:
    """The whole response to a call, in the older protocol with a session or in the newer one."""
    meta: dict[str, Any] = {"progressToken": "p"} if has_progress else {}
    headers = dict(ACCEPT)
    if mode == "legacy":
        headers["mcp-session-id"] = await open_session(http, base)
    else:
        meta |= MODERN_META
        headers |= {"mcp-protocol-version": MODERN_VERSION}
        headers |= {"mcp-method": "tools/call", "mcp-name": name}
    params = {"name": name, "arguments": arguments or {}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    response = await http.post(base, json=message, headers=headers, timeout=2 * WAIT_SECONDS)
    assert response.status_code == 200, response.text
    return response.text


@requires("http.drain")
def test_idle_streams_of_both_eras_end_properly() -> None:
    """A stream that breaks off raises an error; one that ends properly can be read to its end."""

    async def listen(running: ServerThread) -> None:
        base = f"http://127.0.0.1:{running.port}/mcp"
        async with httpx2.AsyncClient(timeout=WAIT_SECONDS) as http:
            session = await open_session(http, base)
            headers = {"accept": "text/event-stream", "mcp-session-id": session}
            async with (
                http.stream("GET", base, headers=headers) as older,
                http.stream("POST", base, **LISTEN) as newer,
            ):
                assert (older.status_code, newer.status_code) == (200, 200)
                running.server.handle_exit(signal.SIGTERM, None)
                await older.aread()
                await newer.aread()

    with held_server(HeldTool()) as running:
        asyncio.run(listen(running))
        running.thread.join(WAIT_SECONDS)

        assert not running.thread.is_alive()


async def open_session(http: httpx2.AsyncClient, base: str) -> str:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    response = await http.post(base, json=message, headers=ACCEPT)
    return response.headers["mcp-session-id"]


@requires("http.drain")
def test_readiness_turns_false_before_the_port_closes() -> None:
    with serving(echo_body, CITEWELL_HTTP_SHUTDOWN_DELAY="60s") as running:
        running.server.handle_exit(signal.SIGTERM, None)

        assert running.state.is_draining
        response = running.exchange(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        assert find_status(response) == 200


@requires("http.drain")
def test_a_call_that_takes_too_long_is_cut_off() -> None:
    tool = HeldTool()

    async def call(running: ServerThread) -> None:
        base = f"http://127.0.0.1:{running.port}/mcp"
        async with httpx2.AsyncClient() as http:
            calling = asyncio.create_task(call_tool(http, base, "held", mode="legacy"))
            await asyncio.to_thread(tool.is_running.wait, WAIT_SECONDS)
            running.server.handle_exit(signal.SIGTERM, None)
            with pytest.raises(httpx2.HTTPError):
                await calling

    with held_server(tool, shutdown_timeout="1s") as running:
        asyncio.run(call(running))
        tool.may_end.set()
        running.thread.join(WAIT_SECONDS)

        assert not running.thread.is_alive()


@requires("http.drain")
def test_a_second_signal_ends_the_server_at_once() -> None:
    tool = HeldTool()

    async def call(running: ServerThread) -> None:
        base = f"http://127.0.0.1:{running.port}/mcp"
        async with httpx2.AsyncClient() as http:
            calling = asyncio.create_task(call_tool(http, base, "held", mode="modern"))
            await asyncio.to_thread(tool.is_running.wait, WAIT_SECONDS)
            running.server.handle_exit(signal.SIGTERM, None)
            running.server.force_exit = True  # what the second signal sets, without its last resort
            with pytest.raises((httpx2.HTTPError, AssertionError)):  # cut off, or an error
                await calling

    with held_server(tool) as running:
        asyncio.run(call(running))
        tool.may_end.set()
        running.thread.join(WAIT_SECONDS)

        assert not running.thread.is_alive()


@requires("http.drain")
@pytest.mark.parametrize("sent_before", [b"", b"GET / HTTP/1.1\r\nHo"])
def test_a_request_on_its_way_is_answered_although_the_port_is_closed(
    sent_before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a balancer that connected just before the server stopped listening."""
    monkeypatch.setattr(listening, "FIRST_REQUEST_SECONDS", WAIT_SECONDS)
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    drain = CallDrain(ServerState())

    with serving(CallDraining(echo_body, drain), drain=drain) as running:
        with running.connect() as early:
            early.sendall(sent_before)
            wait_until(lambda: running.limits.total == 1)
            running.server.handle_exit(signal.SIGTERM, None)
            wait_until(lambda: not is_listening(running))
            early.sendall(request.removeprefix(sent_before))
            answer = read_to_end(early)
        running.thread.join(WAIT_SECONDS)

        assert (find_status(answer), b"GET / 0" in answer) == (200, True)
        assert not running.thread.is_alive()


@requires("http.drain")
def test_while_it_drains_the_server_ends_a_connection_with_its_next_response() -> None:
    drain = CallDrain(ServerState())
    settings = {"CITEWELL_HTTP_SHUTDOWN_DELAY": "60s"}
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    with (
        serving(CallDraining(echo_body, drain), settings, drain=drain) as running,
        running.connect() as client,
    ):
        client.sendall(request)
        before = read_until(client, b"GET / 0")
        running.server.handle_exit(signal.SIGTERM, None)
        client.sendall(request)
        after = read_to_end(client)

    assert b"connection: close" not in before.lower()
    assert b"connection: close" in after.lower()
    assert after.endswith(b"GET / 0")


def test_a_client_halfway_through_a_request_does_not_disturb_the_end() -> None:
    with serving(echo_body) as running, running.connect() as half, running.connect() as idle:
        half.sendall(b"GET / HTTP/1.1\r\nHo")
        idle.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read_until(idle, b"GET / 0")
        wait_until(lambda: running.limits.total == 2)
        running.server.handle_exit(signal.SIGTERM, None)

        assert read_to_end(half) == b""
        assert read_to_end(idle) == b""
        running.thread.join(WAIT_SECONDS)
        assert not running.thread.is_alive()


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def served_process(environ: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = find_free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "citewell", "serve", "--http", "--port", str(port)],
        env=os.environ | environ,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        while b"serves MCP" not in process.stderr.readline():
            assert process.poll() is None
        yield process, f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.communicate()


SEARCH = {"query": "http caching", "fetch_content": True, "num_results": 1}


@requires("http.drain")
@pytest.mark.parametrize("mode", ["legacy", "modern"])
def test_a_process_ends_with_0_after_its_calls(
    mode: str, environ: dict[str, str], world: World
) -> None:
    world.fail("pages", Fault(delay=1.0))

    async def call(process: subprocess.Popen[bytes], base: str) -> str:
        async with httpx2.AsyncClient() as http:
            calling = asyncio.create_task(call_tool(http, base, "web_search", SEARCH, mode=mode))
            await asyncio.to_thread(wait_until, lambda: bool(world.calls["pages"]))
            process.send_signal(signal.SIGTERM)
            return await calling

    with served_process(environ) as (process, base):
        answer = asyncio.run(call(process, base))

        assert "structuredContent" in answer
        assert process.wait(WAIT_SECONDS) == 0


@requires("http.drain")
def test_a_process_that_is_asked_to_end_says_that_it_is_not_ready(environ: dict[str, str]) -> None:
    delayed = environ | {"CITEWELL_HTTP_SHUTDOWN_DELAY": "60s"}

    with served_process(delayed) as (process, base), httpx2.Client() as http:
        address = base.removesuffix("/mcp") + "/health/ready"
        before = http.get(address)
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: http.get(address).status_code != before.status_code)
        after = http.get(address)
        process.send_signal(signal.SIGTERM)

        assert (before.status_code, after.status_code) == (200, 503)
        assert "draining" in after.text
        assert process.wait(WAIT_SECONDS) == 128 + signal.SIGTERM


@requires("http.drain")
def test_a_process_is_ended_by_a_second_signal(environ: dict[str, str], world: World) -> None:
    world.fail("pages", Fault(delay=10.0))

    async def call(process: subprocess.Popen[bytes], base: str) -> int:
        async with httpx2.AsyncClient() as http:
            calling = asyncio.create_task(
                call_tool(http, base, "web_search", SEARCH, mode="modern")
            )
            await asyncio.to_thread(wait_until, lambda: bool(world.calls["pages"]))
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            with pytest.raises(
                (httpx2.HTTPError, AssertionError)
            ):  # cut off, or an error of the server
                await calling
            return await asyncio.to_thread(process.wait, WAIT_SECONDS)

    with served_process(environ) as (process, base):
        code = asyncio.run(call(process, base))

        assert code in {128 + signal.SIGINT, 128 + signal.SIGTERM}
