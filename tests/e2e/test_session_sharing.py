"""Two servers on one PostgreSQL database: a session opened on one of them continues on the other."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.conditions import until
from tests.e2e.clients import listening
from tests.internet.faults import Fault
from tests.internet.serve import Internet
from tests.services import postgres_or_skip

VERSION = "2025-11-25"
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": VERSION,
}
OPENING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": VERSION,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
CALL = {"name": "web_search", "arguments": {"query": "How do batteries age?"}}
PROXY = {
    "CITEWELL_PROXY_USER_HEADER": "X-Forwarded-User",
    "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
}


@dataclass(kw_only=True)
class TwoServers:
    http: httpx2.AsyncClient
    first: str
    second: str

    async def post(
        self, base: str, message: dict[str, Any], session: str = "", user: str = "anna"
    ) -> httpx2.Response:
        named = {"mcp-session-id": session} if session else {}
        headers = HEADERS | named | {"x-forwarded-user": user}
        return await self.http.post(f"{base}/mcp", json=message, headers=headers)

    async def open_session(self, user: str = "anna") -> str:
        opened = await self.post(self.first, OPENING, user=user)
        assert opened.status_code == 200, opened.text
        return opened.headers["mcp-session-id"]

    async def call(self, base: str, session: str, **more: Any) -> httpx2.Response:
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": CALL}
        return await self.post(base, message, session, **more)

    async def end_session(self, base: str, session: str) -> httpx2.Response:
        headers = HEADERS | {"mcp-session-id": session, "x-forwarded-user": "anna"}
        return await self.http.delete(f"{base}/mcp", headers=headers)


@contextlib.asynccontextmanager
async def two_servers(environ: dict[str, str], **more: str) -> AsyncIterator[TwoServers]:
    url = postgres_or_skip().new()
    shared = environ | PROXY | {"CITEWELL_DATABASE_URL": url, "CITEWELL_MASTER_KEY": "5a" * 32}
    async with (
        listening(shared | more) as first,
        listening(shared | more | {"CITEWELL_DATA_DIR": environ["HOME"] + "/other"}) as second,
        httpx2.AsyncClient(timeout=20) as http,
    ):
        yield TwoServers(http=http, first=first, second=second)


def read_result(response: httpx2.Response) -> dict[str, Any]:
    """The last message of a response, which is a stream of events or one JSON object."""
    lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: {")]
    found: dict[str, Any] = json.loads(lines[-1] if lines else response.text)
    return found


def test_a_session_continues_on_the_other_server_under_its_own_id(environ: dict[str, str]) -> None:
    async def run() -> Any:
        async with two_servers(environ) as servers:
            session = await servers.open_session()
            return session, [
                await servers.call(base, session) for base in (servers.second, servers.first)
            ]

    session, answers = asyncio.run(run())

    assert [answer.status_code for answer in answers] == [200, 200]
    assert {answer.headers["mcp-session-id"] for answer in answers} == {session}
    assert all(read_result(answer)["result"]["structuredContent"]["urls"] for answer in answers)


def test_a_session_that_is_ended_on_one_server_is_gone_on_both(environ: dict[str, str]) -> None:
    async def run() -> Any:
        async with two_servers(environ) as servers:
            session = await servers.open_session()
            await servers.call(servers.second, session)
            ended = await servers.end_session(servers.second, session)
            async with asyncio.timeout(20):
                while (await servers.call(servers.first, session)).status_code != 404:  # noqa: ASYNC110 - the other server tells it
                    await asyncio.sleep(0.02)
            return ended, await servers.call(servers.second, session)

    ended, after = asyncio.run(run())

    assert ended.status_code == 200
    assert after.status_code == 404


def test_a_session_of_another_user_is_found_on_no_server(environ: dict[str, str]) -> None:
    async def run() -> Any:
        async with two_servers(environ) as servers:
            session = await servers.open_session()
            return [
                (await servers.call(base, session, user="otto")).status_code
                for base in (servers.first, servers.second)
            ]

    assert asyncio.run(run()) == [404, 404]


def test_a_call_is_cancelled_by_a_message_that_reaches_the_other_server(
    environ: dict[str, str], internet: Internet
) -> None:
    internet.world.faults.add("searxng", Fault(delay=60), times=100)

    async def run() -> httpx2.Response:
        async with two_servers(environ) as servers:
            session = await servers.open_session()
            calling = asyncio.create_task(servers.call(servers.first, session))
            await until(lambda: internet.world.faults.calls["searxng"] > 0)
            cancel = {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 7},
            }
            told = await servers.post(servers.second, cancel, session)
            assert told.status_code == 202
            return await asyncio.wait_for(calling, 20)

    answer = asyncio.run(run())

    assert read_result(answer)["error"]["code"] == -32800


def test_the_number_of_sessions_of_a_caller_is_that_on_all_servers(environ: dict[str, str]) -> None:
    async def run() -> list[int]:
        async with two_servers(environ, CITEWELL_HTTP_SESSIONS_PER_CALLER="2") as servers:
            return [
                (await servers.post(base, OPENING)).status_code
                for base in (servers.first, servers.second, servers.first)
            ]

    assert asyncio.run(run()) == [200, 200, 503]


def test_servers_with_different_master_keys_do_not_share_a_database(
    environ: dict[str, str],
) -> None:
    from citewell.core import config
    from citewell.server.http.hosting import try_starting
    from citewell.store.failures import WrongMasterKey

    url = postgres_or_skip().new()
    shared = environ | {"CITEWELL_DATABASE_URL": url}

    async def run() -> None:
        async with (
            listening(shared | {"CITEWELL_MASTER_KEY": "5a" * 32}) as first,
            httpx2.AsyncClient(timeout=20) as http,
        ):
            await TwoServers(http=http, first=first, second="").open_session()

    asyncio.run(run())

    with pytest.raises(WrongMasterKey, match="CITEWELL_MASTER_KEY"):
        try_starting(config.load_settings(shared | {"CITEWELL_MASTER_KEY": "6b" * 32, "PORT": "1"}))
