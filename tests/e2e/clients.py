"""Real MCP clients over each transport, for tests that must hold on all of them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Any

from mcp import Client
from mcp.client.session import SamplingFnT
from mcp.client.stdio import StdioServerParameters

from citewell.core import config
from citewell.core.settings import CoreSettings
from citewell.core.tooling import build_local_owner
from citewell.server.app import App
from citewell.server.http.hosting import build_layered_app
from citewell.server.http.listening import build_uvicorn_config, open_listening_sockets
from citewell.server.protocol.sdk_server import build_sdk_server
from tests.http_servers import ThreadServer

TRANSPORTS = ("memory", "http", "stdio")


@contextlib.asynccontextmanager
async def connected(
    transport: str,
    environ: Mapping[str, str],
    *,
    mode: str = "auto",
    path: str = "/mcp",
    arguments: tuple[str, ...] = (),
    sampler: SamplingFnT | None = None,
) -> AsyncIterator[Client]:
    """A client talking to a server configured by `environ`; `sampler` is its own model, if it has one."""
    if transport == "stdio":
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "citewell", "serve", *arguments], env=dict(environ)
        )
        async with Client(command, mode=mode, sampling_callback=sampler) as client:
            yield client
    elif transport == "http":
        async with (
            listening(environ) as base,
            Client(base + path, mode=mode, sampling_callback=sampler) as client,
        ):
            yield client
    else:
        settings = config.load_settings(environ)
        app = App(settings, local_owner=build_local_owner(settings[CoreSettings].stdio_user))
        async with Client(build_sdk_server(app), mode=mode, sampling_callback=sampler) as client:
            yield client
        await app.aclose()


@contextlib.asynccontextmanager
async def listening(environ: Mapping[str, str], *, port: int = 0) -> AsyncIterator[str]:
    """The HTTP server on this port or one of its own; yields its base address."""
    settings = config.load_settings({"HTTP_SHUTDOWN_TIMEOUT": "1s"} | dict(environ))
    listened = open_listening_sockets("127.0.0.1", port)
    runner = ThreadServer(build_uvicorn_config(build_layered_app(App(settings)), settings))
    thread = threading.Thread(target=runner.run, args=(listened,), daemon=True)
    thread.start()
    async with asyncio.timeout(20):
        while not runner.started:  # noqa: ASYNC110 - uvicorn sets a flag and tells nobody
            await asyncio.sleep(0.01)
    port = runner.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        runner.should_exit = True
        await asyncio.to_thread(thread.join, 10)


def body(result: Any) -> dict[str, Any]:
    """A successful call's structured content."""
    assert not result.is_error, result.content[0].text
    structured: dict[str, Any] = result.structured_content
    return structured
