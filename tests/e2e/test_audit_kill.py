"""The audit log of a real HTTP server: complete and verifiable after kill -9, restarts and a dead leader."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from citewell.audit.audit_verification import AuditVerification, verify_audit_log
from citewell.core import config
from citewell.server.state.state_store import StateStore
from tests.conditions import until
from tests.contract.states import ENGINES
from tests.requirements import requires

Environ = dict[str, str]
WAIT_SECONDS = 60
SERVER = """
from citewell.core import config
from citewell.server.http import hosting

hosting.DEFAULT_PORT = 0  # the system's choice
raise SystemExit(hosting.serve_http(config.load_settings()))
"""
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
}


@pytest.fixture(params=sorted(ENGINES))
def engine(request: pytest.FixtureRequest, environ: Environ) -> Environ:
    """The environment of servers on one store."""
    found = ENGINES[request.param]()
    url = found.get("database_url")
    return environ | ({"CITEWELL_DATABASE_URL": url} if url else {})


@contextlib.asynccontextmanager
async def running(environ: Environ) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A server process and its address."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SERVER,
        env=os.environ | environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert child.stderr
    drain: asyncio.Task[bytes] | None = None
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while b"citewell serves MCP at" not in (line := await child.stderr.readline()):
                assert line, "the server did not start"
        drain = asyncio.create_task(child.stderr.read())
        yield child, line.split()[-1].decode()
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()
        if drain is not None:
            await drain


def message(method: str, number: int | None = None, **params: Any) -> dict[str, Any]:
    named = {} if number is None else {"id": number}
    return {"jsonrpc": "2.0", "method": method, "params": params, **named}


async def begin(client: httpx2.AsyncClient, url: str) -> dict[str, str]:
    """The headers of a new MCP session."""
    info = {"name": "load", "version": "1"}
    hello = message("initialize", 0, protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
    response = await client.post(url, json=hello, headers=HEADERS)
    headers = HEADERS | {"mcp-session-id": response.headers["mcp-session-id"]}
    await client.post(url, json=message("notifications/initialized"), headers=headers)
    return headers


async def call_on(url: str, name: str, answered: list[str], *, calls: int = 10_000) -> None:
    """Call again and again, and note the id of each request that was answered, until the server is gone."""
    async with httpx2.AsyncClient(timeout=WAIT_SECONDS) as client:
        with contextlib.suppress(httpx2.TransportError):
            headers = await begin(client, url)
            for number in range(1, calls + 1):
                request_id = f"{name}-{number}"
                # Every other call is answered from memory, by the shorter way.
                query = "solar power" if number % 2 else ""
                response = await client.post(
                    url,
                    json=message(
                        "tools/call", number, name="web_search", arguments={"query": query}
                    ),
                    headers=headers | {"x-request-id": request_id},
                )
                assert '"content"' in response.text
                answered.append(request_id)


async def look(environ: Environ) -> tuple[AuditVerification, list[dict[str, Any]]]:
    state = StateStore(config.load_settings(environ))
    try:
        found = await verify_audit_log(state.audit)
        return found, [row.build_line() async for row in state.audit.iterate_rows()]
    finally:
        await state.aclose()


async def until_sealed(environ: Environ) -> AuditVerification:
    """Wait until a server has sealed everything."""
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            found, _ = await look(environ)
            if not found.waiting:
                return found
            await asyncio.sleep(0.1)


@requires("audit.durable", "audit.chain")
@pytest.mark.timeout(600)
def test_every_answered_call_is_in_the_log_after_kill_9(engine: Environ) -> None:
    answered: list[str] = []

    async def run() -> tuple[AuditVerification, list[dict[str, Any]]]:
        async with running(engine) as (child, url), asyncio.TaskGroup() as load:
            for caller in range(6):
                load.create_task(call_on(url, f"caller{caller}", answered))
            await until(lambda: len(answered) > 150)
            child.send_signal(signal.SIGKILL)
        killed = await look(engine)
        async with running(engine) as (child, _):
            await until_sealed(engine)
            child.send_signal(signal.SIGTERM)
            await child.wait()
        restarted, rows = await look(engine)
        assert killed[0].is_intact, killed[0].message
        assert not restarted.waiting
        return restarted, rows

    found, rows = asyncio.run(run())

    assert found.is_intact, found.message
    assert set(answered) <= {row["request_id"] for row in rows}
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["source_ip"] for row in rows} == {"127.0.0.1"}


@requires("audit.durable")
@pytest.mark.timeout(600)
def test_another_process_seals_when_the_leader_dies(engine: Environ) -> None:
    answered: list[str] = []

    async def run() -> tuple[AuditVerification, list[dict[str, Any]]]:
        async with running(engine) as (first, url):
            await call_on(url, "first", answered, calls=4)
            await until_sealed(engine)
            async with running(engine) as (second, other):
                await call_on(url, "again", answered, calls=3)
                first.send_signal(signal.SIGKILL)
                await call_on(other, "second", answered, calls=3)
                await until_sealed(engine)
                second.send_signal(signal.SIGTERM)
                await second.wait()
        return await look(engine)

    found, rows = asyncio.run(run())

    assert found.is_intact, found.message
    assert sorted(row["request_id"] for row in rows) == sorted(answered)


def test_a_server_that_ends_leaves_nothing_unsealed(environ: Environ) -> None:
    answered: list[str] = []

    async def run() -> tuple[AuditVerification, list[dict[str, Any]]]:
        async with running(environ) as (child, url):
            await call_on(url, "one", answered, calls=3)
            child.send_signal(signal.SIGTERM)
            await child.wait()
        return await look(environ)

    found, rows = asyncio.run(run())

    assert found.is_intact
    assert found.waiting == 0
    assert len(rows) == 3


@requires("audit.durable")
def test_a_call_whose_row_cannot_be_stored_is_not_answered(environ: Environ) -> None:
    async def run(settings: Environ) -> str:
        database = Path(settings["CITEWELL_DATA_DIR"]) / "state.db"
        async with running(settings) as (_, url), httpx2.AsyncClient(timeout=30) as client:
            headers = await begin(client, url)
            call = message("tools/call", 1, name="web_search", arguments={"query": "solar power"})
            await client.post(url, json=call, headers=headers)
            with contextlib.closing(sqlite3.connect(database)) as link:
                link.execute("DROP TABLE IF EXISTS audit_waiting")
                link.commit()
            return (await client.post(url, json=call, headers=headers)).text

    refused = asyncio.run(run(environ))
    told = json.loads(refused.partition("data: ")[2])["result"]
    elsewhere = environ | {"CITEWELL_DATA_DIR": environ["CITEWELL_DATA_DIR"] + "2"}
    relaxed = asyncio.run(run(elsewhere | {"CITEWELL_AUDIT_REQUIRED": "false"}))

    assert told["isError"]
    assert "the audit log cannot be written" in told["content"][0]["text"]
    assert '"isError":false' in relaxed
