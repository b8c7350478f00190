"""Refused callers and actions of administrators are in the audit log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2

from citewell.core import config
from citewell.server.state.state_store import StateStore
from tests.e2e.clients import connected, listening
from tests.requirements import requires

Environ = dict[str, str]
KEY = {"x-admin-key": "an admin key of 16 characters"}
ADMIN = {"ADMIN_API_KEY": KEY["x-admin-key"], "AUDIT_ENABLED": "true"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


async def read_log(environ: Environ) -> list[dict[str, Any]]:
    state = StateStore(config.load_settings(environ))
    try:
        return [row.build_line() async for row in state.audit.iterate_rows()]
    finally:
        await state.aclose()


@requires("audit.events")
def test_admin_actions_and_wrong_admin_keys_are_audited(environ: Environ) -> None:
    settings = environ | ADMIN
    subject = {"tenant_id": "acme", "user_id": "somebody"}

    async def run() -> list[dict[str, Any]]:
        async with listening(settings) as base, httpx2.AsyncClient() as http:
            await http.get(f"{base}/admin/users", headers=KEY)
            await http.delete(f"{base}/admin/data", params=subject, headers=KEY)
            await http.delete(f"{base}/admin/data", params={"no": "field"}, headers=KEY)
            for _ in range(3):
                await http.get(f"{base}/admin/users", headers={"x-admin-key": "wrong" * 4})
            await http.get(f"{base}/admin/users")
            await http.get(f"{base}/health/live")
        return await read_log(settings)

    rows = asyncio.run(run())

    told = [
        (row["event_type"], row.get("error_code"), row["metadata"].get("action")) for row in rows
    ]
    assert told == [
        ("admin_action", None, "GET /admin/users"),
        ("admin_action", None, "DELETE /admin/data"),
        ("admin_action", "status_400", "DELETE /admin/data"),
        ("auth_refused", "admin_refused", "GET /admin/users"),
        ("auth_refused", "admin_refused", None),
    ]
    assert rows[-1]["metadata"] == {"repeats": 2}
    assert all(row["source_ip"] == "127.0.0.1" for row in rows)
    assert "somebody" not in json.dumps(rows)


@requires("audit.events")
def test_a_wrong_token_is_audited_and_its_bytes_are_not(environ: Environ) -> None:
    settings = environ | {"AUDIT_ENABLED": "true", "CITEWELL_API_TOKENS": "true"}
    token = "cw_" + "forged" * 8

    async def run() -> list[dict[str, Any]]:
        async with listening(settings) as base, httpx2.AsyncClient() as http:
            bearer = MCP | {"authorization": f"Bearer {token}"}
            for headers in (bearer, bearer, MCP):
                response = await http.post(f"{base}/mcp", json=PING, headers=headers)
                assert response.status_code == 401
        return await read_log(settings)

    rows = asyncio.run(run())

    assert [row["event_type"] for row in rows] == ["auth_refused"] * 2
    assert rows[0]["error_code"] not in {"no_credentials", "unknown"}
    assert rows[1]["metadata"] == {"repeats": 1}
    assert "forged" not in json.dumps(rows)


@requires("audit.erasure")
def test_an_erased_user_is_gone_from_the_file_of_lines(environ: Environ, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    settings = environ | ADMIN | {"AUDIT_OUTPUT_PATH": str(path)}
    subject = {"tenant_id": "default", "user_id": "anonymous"}

    async def run() -> dict[str, Any]:
        async with connected("http", settings) as client:
            await client.call_tool("web_search", {"query": "solar power"})
        async with listening(settings) as base, httpx2.AsyncClient(timeout=30) as http:
            erased = await http.delete(f"{base}/admin/data", params=subject, headers=KEY)
        receipt: dict[str, Any] = erased.json()
        return receipt

    receipt = asyncio.run(run())

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert receipt["deleted"]["audit_lines"] == 1
    assert [line["event_type"] for line in lines] == ["tool_call", "admin_action"]
    assert "anonymous" not in path.read_text()
