"""HTTP servers of our own on a thread, and raw connections to them, for tests of what real clients never send."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.core import config
from citewell.server.http.draining import CallDrain
from citewell.server.http.limits import ConnectionLimits, build_connection_limits
from citewell.server.http.listening import (
    DrainingServer,
    build_uvicorn_config,
    open_listening_sockets,
)
from citewell.server.http.observing.request_records import ServerState
from citewell.server.settings import ServerSettings

WAIT_SECONDS = 20.0  # longest wait for anything


class ThreadServer(uvicorn.Server):
    """A server for a thread of a test, which leaves no connection open.

    uvloop warns of open connections when it closes its loop. Where warnings are errors it closes
    neither: it raises "Device or resource busy", or waits for the other side.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)


class DrainingThreadServer(ThreadServer, DrainingServer):
    """The product's own server, likewise."""


@dataclass(slots=True, kw_only=True)
class ServerThread:
    """A server that listens; `server.handle_exit` does to it what a signal would."""

    port: int
    server: DrainingThreadServer
    drain: CallDrain
    state: ServerState
    limits: ConnectionLimits
    thread: threading.Thread

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_SECONDS)

    def exchange(self, request: bytes) -> bytes:
        """Everything that comes back until the server closes the connection."""
        with self.connect() as client:
            client.sendall(request)
            return read_to_end(client)


@contextlib.contextmanager
def serving(
    app: ASGIApp,
    settings: Mapping[str, str] | None = None,
    *,
    drain: CallDrain | None = None,
    per_address: bool = False,
    **values: str,
) -> Iterator[ServerThread]:
    """`app` on a port of its own, with these settings; `per_address` counts loopback addresses too."""
    values |= settings or {}
    loaded = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"} | values)
    state = ServerState()
    drain = drain or CallDrain(state)
    limits = build_connection_limits(loaded)
    if per_address:
        limits = replace(limits, is_shared_address=lambda _: False)
    listened = open_listening_sockets("127.0.0.1", 0)
    config_of_server = build_uvicorn_config(app, loaded, limits)
    server = DrainingThreadServer(config_of_server, drain, loaded[ServerSettings].shutdown_delay)
    thread = threading.Thread(target=server.run, args=(listened,), daemon=True)
    port = listened[0].getsockname()[1]
    thread.start()
    running = ServerThread(
        port=port, server=server, drain=drain, state=state, limits=limits, thread=thread
    )
    try:
        yield running
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(2 * WAIT_SECONDS)


def read_to_end(client: socket.socket) -> bytes:
    """All bytes until the other side closes; raises TimeoutError if it does not."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def read_until(client: socket.socket, mark: bytes) -> bytes:
    found = b""
    while mark not in found:
        part = client.recv(65536)
        assert part, f"the connection closed after {found!r}"
        found += part
    return found


def find_status(response: bytes) -> int:
    return int(response.split(b" ", 2)[1]) if response else 0


async def echo_body(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the method, the path and the size of the body."""
    if scope["type"] != "http":
        return
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    text = f"{scope['method']} {scope['path']} {size}".encode()
    headers = [(b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})
