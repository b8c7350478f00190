"""What operators see of a server: request ids, health, metrics, logs and refusals to start."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from citewell.core import config
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from tests.e2e.clients import connected, listening
from tests.requirements import requires

Environ = dict[str, str]


@requires("http.request_id")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_one_id_is_in_the_response_the_audit_line_and_the_error(
    environ: Environ, tmp_path: Path, mode: str
) -> None:
    audit = tmp_path / "audit.jsonl"
    settings = environ | {"AUDIT_ENABLED": "true", "AUDIT_OUTPUT_PATH": str(audit)}
    seen: list[str] = []

    async def note(response: httpx2.Response) -> None:
        seen.append(response.headers["x-request-id"])

    async def run() -> Any:
        async with (
            listening(settings) as base,
            Client(f"{base}/mcp/all", mode=mode) as client,
            httpx2.AsyncClient(event_hooks={"response": [note]}) as http,
        ):
            await http.get(base + "/nothing")
            return await client.call_tool("read_artifact", {"id": "0" * 64})

    result = asyncio.run(run())

    (line,) = [json.loads(text) for text in audit.read_text().splitlines()]
    assert result.is_error
    assert line["request_id"] == result.meta["requestId"]
    assert len(line["request_id"]) == 32
    assert len(seen) == 1
    assert len(seen[0]) == 32


def damage(data: Path, how: str) -> None:
    for leftover in data.glob("state.db-*"):
        leftover.unlink()
    if how == "wrong_master_key":
        (data / "state.key").write_text("ab" * 32 + "\n")
    elif how == "missing_master_key":
        (data / "state.key").unlink()
    else:
        (data / "state.db").write_bytes(b"" if how == "emptied" else b"\x5a" * 40_000)


FAULTS = ["wrong_master_key", "missing_master_key", "emptied", "damaged"]


def keep_something(environ: Environ) -> Path:
    async def run() -> None:
        state = StateStore(config.load_settings(environ))
        await state.vault.ensure_keychain("default/anonymous")
        await state.aclose()

    asyncio.run(run())
    return config.load_settings(environ)[StoreSettings].data_path


async def ask_readiness(environ: Environ) -> httpx2.Response:
    async with listening(environ) as base, httpx2.AsyncClient() as http, asyncio.timeout(30):
        while "timeout" in (response := await http.get(base + "/health/ready")).text:  # noqa: ASYNC110 - a server tells nobody
            await asyncio.sleep(0.1)
        return response


@requires("http.ready")
def test_a_server_with_its_store_and_key_is_ready(environ: Environ) -> None:
    keep_something(environ)

    response = asyncio.run(ask_readiness(environ))

    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "checks": {
            name: {"status": "ok"} for name in ("drain", "store", "keys", "workers", "providers")
        },
    }


@requires("http.ready", "store.unusable")
@pytest.mark.parametrize("how", FAULTS)
def test_a_store_that_cannot_be_used_makes_the_server_unready(environ: Environ, how: str) -> None:
    damage(keep_something(environ), how)

    response = asyncio.run(ask_readiness(environ))

    assert response.status_code == 503
    reasons = {check.get("reason") for check in response.json()["checks"].values()}
    assert how in reasons
    assert environ["CITEWELL_DATA_DIR"] not in response.text


@requires("store.unusable")
@pytest.mark.parametrize("how", FAULTS)
def test_over_http_the_server_refuses_to_start_with_it(environ: Environ, how: str) -> None:
    data = keep_something(environ)
    damage(data, how)

    done = run_command(environ, "serve", "--http", "--port", "1")

    assert done.returncode == 2
    assert done.stderr.startswith("citewell: ")
    assert str(data) in done.stderr or "master key" in done.stderr
    assert "serves MCP" not in done.stderr


@requires("store.unusable")
@pytest.mark.parametrize("how", ["wrong_master_key", "damaged"])
def test_the_doctor_tells_of_it_and_fails(environ: Environ, how: str) -> None:
    damage(keep_something(environ), how)

    done = run_command(environ, "doctor", "--offline", "--json")

    failed = [check for check in json.loads(done.stdout)["checks"] if check["state"] == "failed"]
    assert done.returncode == 1
    assert [check["name"] for check in failed] == ["master key" if "key" in how else "stored state"]
    assert ("restore" in failed[0]["change"]) == ("key" not in how)


@requires("store.unusable")
@pytest.mark.parametrize(
    ("transport", "how"),
    [
        ("stdio", "missing_master_key"),
        ("stdio", "damaged"),
        ("memory", "wrong_master_key"),
        ("memory", "emptied"),
    ],
)
def test_tools_that_need_no_store_still_work(environ: Environ, transport: str, how: str) -> None:
    damage(keep_something(environ), how)
    settings = environ | {"CITEWELL_PROFILE": "all", "AUDIT_ENABLED": "false"}

    async def run() -> tuple[Any, Any]:
        async with connected(transport, settings) as client:
            found = await client.call_tool("web_search", {"query": "http caching"})
            kept = await client.call_tool("list_threads", {})
            return found, kept

    found, kept = asyncio.run(run())

    assert not found.is_error
    assert kept.is_error
    assert '"kind":"config"' in kept.content[0].text


def run_command(environ: Environ, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "citewell", *arguments],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@requires("start.settings")
@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ({"CITEWELL_TOOL_TIMEOUT": "soon"}, ()),
        ({"CITEWELL_TOOLSETS": "nope"}, ()),
        ({}, ("--profile", "nope")),
        ({"CITEWELL_FRONT": "0", "REDIS_URL": "nope"}, ()),
    ],
)
def test_over_stdio_wrong_settings_end_with_an_exit_code(
    environ: Environ, settings: Environ, arguments: tuple[str, ...]
) -> None:
    done = run_command(environ | settings, "serve", *arguments)

    assert done.returncode == 2
    assert done.stderr.startswith("citewell: ")
    assert not done.stdout


@requires("http.health", "http.metrics")
def test_health_and_metrics_need_no_token_of_a_caller(environ: Environ) -> None:
    settings = environ | {"CITEWELL_API_TOKENS": "true", "ADMIN_API_KEY": "0123456789abcdef"}

    async def run() -> list[int]:
        async with listening(settings) as base, httpx2.AsyncClient(base_url=base) as http:
            key = {"x-admin-key": "0123456789abcdef"}
            answers = [
                await http.get("/health/live"),
                await http.get("/health/ready"),
                await http.get("/metrics"),
                await http.get("/metrics", headers=key),
                await http.post("/mcp", json={}),
            ]
            return [answer.status_code for answer in answers]

    assert asyncio.run(run()) == [200, 200, 401, 200, 401]


@requires("log.json", "http.access_log")
def test_a_served_request_is_one_json_line_on_stderr(environ: Environ) -> None:
    settings = environ | {"LOG_FORMAT": "json", "CITEWELL_ACCESS_LOG": "info", "PORT": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "citewell", "serve", "--http", "--port", str(find_free_port())],
        env=settings,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        base = process.stderr.readline().split(" at ")[1].strip().removesuffix("/mcp")
        asked = httpx2.get(f"{base}/nowhere?q=zanzibar", headers={"x-request-id": "mine-1"})
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)

    lines = [json.loads(text) for text in errors.splitlines() if text.startswith("{")]
    (access,) = [line for line in lines if line.get("logger") == "citewell.access"]
    assert asked.headers["x-request-id"] == access["request_id"] == "mine-1"
    assert (access["method"], access["path"], access["status"]) == ("GET", "/nowhere", 404)
    assert access["tenant"] == "default"
    assert "zanzibar" not in errors
    assert process.returncode == 0


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
