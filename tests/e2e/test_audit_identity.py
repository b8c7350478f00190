"""Who called is in the audit log: the verified owner, the request and where it came from."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.http.auth.caller import VerifiedCaller, attach_caller
from citewell.server.http.hosting import build_layered_app
from citewell.server.http.listening import build_uvicorn_config, open_listening_sockets
from tests.http_servers import ThreadServer
from tests.requirements import requires

Environ = dict[str, str]
ADA = Owner(tenant="acme", user="ada")


def verify_everybody(inner: ASGIApp) -> ASGIApp:
    """A layer that takes every caller for Ada, as authentication would."""

    async def layer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            attach_caller(scope, VerifiedCaller(owner=ADA))
        await inner(scope, receive, send)

    return layer


@contextlib.asynccontextmanager
async def serving(app: App) -> AsyncIterator[str]:
    listened = open_listening_sockets("127.0.0.1", 0)
    layered = verify_everybody(build_layered_app(app))
    runner = ThreadServer(build_uvicorn_config(layered, app.settings))
    thread = threading.Thread(target=runner.run, args=(listened,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listened[0].getsockname()[1]}/mcp"
    finally:
        runner.should_exit = True
        await asyncio.to_thread(thread.join, 10)


@requires("audit.identity")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_line_and_row_name_the_verified_caller(environ: Environ, tmp_path: Path, mode: str) -> None:
    path = tmp_path / "audit.jsonl"
    settings = config.load_settings(
        environ
        | {"AUDIT_OUTPUT_PATH": str(path), "HOSTNAME": "pod-7", "HTTP_SHUTDOWN_TIMEOUT": "1s"}
    )

    async def run() -> list[dict[str, Any]]:
        async with serving(App(settings)) as url:
            async with Client(url, mode=mode) as client:
                for _ in range(2):  # the second answer comes from the cache
                    await client.call_tool("web_search", {"query": "solar power"})
            async with httpx2.AsyncClient() as http:
                await http.get(url.replace("/mcp", "/health/live"))
        app = App(settings)
        try:
            return [row.build_line() async for row in app.open_state().audit.iterate_rows()]
        finally:
            await app.aclose()

    rows = asyncio.run(run())

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == len(lines) == 2
    for row, line in zip(rows, lines, strict=True):
        assert row == {"row": row["row"], "id": row["id"], **line}
        assert (line["tenant_id"], line["user_id"]) == ("acme", "ada")
        assert (line["source_ip"], line["pod_id"]) == ("127.0.0.1", "pod-7")
        assert len(line["request_id"]) == 32
        assert line["metadata"]["query_length"] == 11
        assert "solar" not in json.dumps(line)
    if mode == "legacy":
        assert lines[0]["session_id"]
