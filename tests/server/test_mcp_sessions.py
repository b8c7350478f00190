"""MCP sessions: how many a caller has, which one makes room, and who may use one."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.core.config import Settings
from citewell.core.tooling import Owner
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller, attach_caller
from citewell.server.http.listening import build_http_transport
from citewell.server.http.mcp_sessions import McpSession, McpSessionLimits, SessionBook, find_holder
from tests.clocks import Clock
from tests.requirements import requires

ACCEPT = {"accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


class NamedCallers:
    """Stands for authentication: believes the header x-user, and the header x-address."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        if user := headers.get(b"x-user"):
            owner = Owner(tenant="team", user=user.decode())
            attach_caller(scope, VerifiedCaller(owner=owner, proof=CallerProof.API_TOKEN))
        if address := headers.get(b"x-address"):
            scope["client"] = (address.decode(), 1)
        await self._inner(scope, receive, send)


class McpClients:
    """Clients that open and use sessions of a server in this process."""

    def __init__(self, http: httpx2.AsyncClient, book: SessionBook) -> None:
        self._http = http
        self.book = book

    async def open_session(self, **who: str) -> httpx2.Response:
        return await self._http.post("/mcp", json=INITIALIZE, headers=ACCEPT | _name(who))

    async def open_many(self, count: int, **who: str) -> list[str]:
        opened = [await self.open_session(**who) for _ in range(count)]
        return [response.headers["mcp-session-id"] for response in opened]

    async def use_session(self, session: str, method: str = "POST", **who: str) -> int:
        headers = ACCEPT | _name(who) | {"mcp-session-id": session}
        message = PING if method == "POST" else None
        return (await self._http.request(method, "/mcp", headers=headers, json=message)).status_code

    async def use_sessions(self, sessions: list[str], **who: str) -> int:
        """A request with all these session ids at once."""
        headers = [
            *(ACCEPT | _name(who)).items(),
            *(("mcp-session-id", session) for session in sessions),
        ]
        return (await self._http.post("/mcp", json=PING, headers=headers)).status_code


def _name(who: dict[str, str]) -> dict[str, str]:
    return {f"x-{key}": value for key, value in who.items()}


def run_clients(
    scene: Callable[[McpClients], Awaitable[Any]],
    *,
    total: int = 100,
    per_holder: int = 3,
    clock: Clock | None = None,
) -> Any:
    @contextlib.asynccontextmanager
    async def connect() -> AsyncIterator[McpClients]:
        routes = build_http_transport({"/mcp": Server("probe")}, Settings())
        book = SessionBook(
            max_total=total,
            max_per_holder=per_holder,
            idle_seconds=60,
            clock=clock or Clock(now=1000.0),
        )
        app = NamedCallers(McpSessionLimits(routes, book, {"/mcp"}))
        async with (
            routes.router.lifespan_context(routes),
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app), base_url="http://localhost"
            ) as http,
        ):
            yield McpClients(http, book)

    async def run() -> Any:
        async with connect() as clients:
            return await scene(clients)

    return asyncio.run(run())


@requires("http.sessions")
@pytest.mark.parametrize("who", [{"user": "flooder"}, {"address": "192.0.2.1"}])
def test_a_flooder_ends_its_own_oldest_sessions_only(who: dict[str, str]) -> None:
    async def scene(clients: McpClients) -> None:
        (quiet,) = await clients.open_many(1, user="quiet", address="192.0.2.9")
        flood = await clients.open_many(50, **who)

        assert clients.book.count_sessions() == 4
        assert await clients.use_session(quiet, user="quiet") == 200
        assert [await clients.use_session(session, **who) for session in flood[-4:]] == [
            404,
            200,
            200,
            200,
        ]

    run_clients(scene)


@requires("http.sessions")
def test_a_proxy_tells_for_whom_a_session_is_counted() -> None:
    scope = {"client": ("10.0.0.1", 1), "headers": [(b"x-forwarded-for", b"192.0.2.7")]}
    proxies = [ipaddress.ip_network("10.0.0.0/8")]

    assert find_holder(scope) == "10.0.0.1"
    assert find_holder(scope, proxies) == "192.0.2.7"


@requires("http.sessions")
def test_the_longest_unused_session_makes_room() -> None:
    async def scene(clients: McpClients) -> list[int]:
        first, second, third = await clients.open_many(3, user="a")
        await clients.use_session(first, user="a")
        (fourth,) = await clients.open_many(1, user="a")
        return [
            await clients.use_session(session, user="a")
            for session in (first, second, third, fourth)
        ]

    assert run_clients(scene) == [200, 404, 200, 200]


@requires("http.sessions")
def test_a_full_server_takes_from_whoever_has_most() -> None:
    async def scene(clients: McpClients) -> list[int]:
        many = await clients.open_many(3, user="many")
        (few,) = await clients.open_many(1, user="few")
        (new,) = await clients.open_many(1, user="new")
        return [
            await clients.use_session(many[0], user="many"),
            await clients.use_session(few, user="few"),
            await clients.use_session(new, user="new"),
        ]

    assert run_clients(scene, total=4, per_holder=10) == [404, 200, 200]


@requires("http.sessions")
def test_a_caller_whose_sessions_are_all_in_use_is_told_when_to_return() -> None:
    async def scene(clients: McpClients) -> None:
        for session in await clients.open_many(3, user="busy"):
            found = clients.book.find_session(session.encode())
            assert found is not None
            found.running = 1  # as an open stream does

        refused = await clients.open_session(user="busy")
        other = await clients.open_session(user="other")

        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert other.status_code == 200

    run_clients(scene)


@requires("http.session_owner")
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize("other", [{"user": "b"}, {}])
def test_a_session_of_another_caller_does_not_exist(method: str, other: dict[str, str]) -> None:
    async def scene(clients: McpClients) -> tuple[int, int]:
        (session,) = await clients.open_many(1, user="a")
        refused = await clients.use_session(session, method, **other)
        return refused, await clients.use_session(session, user="a")

    assert run_clients(scene) == (404, 200)


@requires("http.session_owner")
def test_a_caller_without_a_name_cannot_use_a_session_it_has_no_id_of() -> None:
    async def scene(clients: McpClients) -> tuple[int, int]:
        (session,) = await clients.open_many(1)
        guessed = session[:-1] + ("0" if session[-1] != "0" else "1")
        return await clients.use_session(guessed), await clients.use_session(session)

    assert run_clients(scene) == (404, 200)


@requires("http.session_owner")
def test_two_session_ids_in_one_request_are_refused() -> None:
    async def scene(clients: McpClients) -> int:
        (mine,) = await clients.open_many(1, user="a")
        (other,) = await clients.open_many(1, user="b")
        return await clients.use_sessions([other, mine], user="a")

    assert run_clients(scene) == 400


def test_a_request_that_opens_nothing_holds_no_place() -> None:
    async def scene(clients: McpClients) -> list[int]:
        for session in await clients.open_many(3, user="a"):
            found = clients.book.find_session(session.encode())
            assert found is not None
            found.running = 1
        return [await clients.use_sessions([], user="a")]

    assert run_clients(scene) == [400]


def test_an_ended_session_is_no_longer_counted() -> None:
    async def scene(clients: McpClients) -> int:
        sessions = await clients.open_many(2, user="a")
        await clients.use_session(sessions[0], "DELETE", user="a")
        return clients.book.count_sessions()

    assert run_clients(scene) == 1


def test_a_refused_opening_is_not_counted() -> None:
    async def scene(clients: McpClients) -> tuple[int, int]:
        statuses = [await clients.use_session("nonsense", user="a") for _ in range(5)]
        return statuses[0], clients.book.count_sessions()

    assert run_clients(scene) == (404, 0)


def test_a_session_that_expired_makes_room_by_itself() -> None:
    clock = Clock(now=1000.0)
    book = SessionBook(max_total=2, max_per_holder=2, idle_seconds=60, clock=clock)
    for number in range(2):
        identity = (Owner(tenant="team", user="a"), None)
        session_id = str(number).encode()
        book.add_session(
            McpSession(id=session_id, path="/mcp", holder="a", identity=identity, user=None)
        )

    assert not book.has_room("a")
    clock.now += 61
    assert book.has_room("a")
    assert book.count_sessions() == 0


def test_a_session_is_counted_once_as_soon_as_its_response_begins() -> None:
    book = SessionBook(max_total=2, max_per_holder=2, idle_seconds=60, clock=Clock(now=1000.0))
    rooms: list[bool] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"mcp-session-id", b"s1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def receive() -> Any:
        return {"type": "http.request", "body": b'{"method": "initialize"}', "more_body": False}

    async def send(_: Any) -> None:
        rooms.append(book.has_room("unknown"))

    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [],
        "client": None,
    }
    asyncio.run(McpSessionLimits(inner, book, {"/mcp"})(scope, receive, send))

    assert rooms == [True]
    assert book.count_sessions() == 1
