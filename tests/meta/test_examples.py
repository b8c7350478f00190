"""The examples of the guides run, and do what the guides say."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import uvicorn

from citewell.core import config
from citewell.core.config import Settings
from citewell.core.tooling import Tool, ToolCall
from citewell.server.app import App
from citewell.server.capabilities.tool_schema import build_tool_wire
from citewell.server.http.hosting import build_asgi_app
from tests.http_servers import ThreadServer
from tests.internet.serve import Internet

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def run(name: str, *arguments: str, environ: dict[str, str]) -> str:
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env=environ | {"PYTHONPATH": path, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_run_here_or_by_the_new_provider() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "stdio_client",
        "http_client",
        "provider",
        "tool",
    }


def test_the_stdio_client_searches(environ: dict[str, str], internet: Internet) -> None:
    out = run("stdio_client.py", "sleep and memory", environ=environ)

    assert internet.page("sleep.example.org", "sleep-and-memory") in out


def test_the_http_client_lists_tools_and_searches(
    environ: dict[str, str], internet: Internet
) -> None:
    with serving(environ) as address:
        out = run("http_client.py", f"{address}/mcp", "sleep and memory", environ=environ)

    assert out.startswith("tools: academic_search, ")
    assert internet.page("sleep.example.org", "sleep-and-memory") in out


def test_the_example_tool_has_a_flat_schema_and_runs(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = loaded("tool", monkeypatch).TOOL

    wire = build_tool_wire("count_results", tool)
    result = asyncio.run(_called(tool, config.load_settings(environ)))

    assert wire["inputSchema"]["required"] == ["first", "second"]
    assert result["first"] > 0
    assert result["second"] == 0


async def _called(tool: Tool, settings: Settings) -> dict[str, Any]:
    app = App(settings)
    try:
        args = tool.args.model_validate({"first": "sleep and memory", "second": "qqqzzzxxyy"})
        result = await tool.run(args, ToolCall(require_service=app.require_service))
    finally:
        await app.aclose()
    return result.to_wire()


@contextmanager
def serving(environ: dict[str, str]) -> Iterator[str]:
    """The product over HTTP, at a port of the system's choice."""
    settings = config.load_settings(environ, audit_enabled=False)
    server = ThreadServer(
        uvicorn.Config(
            build_asgi_app(App(settings)), port=0, http="h11", log_config=None, access_log=False
        )
    )
    thread = threading.Thread(target=server.run, daemon=True)
    started = threading.Event()
    original = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await original(sockets)
        started.set()

    server.startup = startup  # type: ignore[method-assign]  # the moment it is listening
    thread.start()
    assert started.wait(10)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
