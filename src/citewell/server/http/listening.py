"""Listens on a port and runs uvicorn in this process until a signal ends it."""

from __future__ import annotations

import contextlib
import errno
import signal
import socket
import sys
import threading
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.http.connections.write_coalescing import CoalescingProtocol


def open_listening_sockets(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of `host`; raises Misconfigured if one cannot be opened."""
    opened: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, address in dict.fromkeys((entry[0], entry[4]) for entry in found):
            opened.append(socket.create_server(address[:2], family=family))
    except OSError as error:
        for listening in opened:
            listening.close()
        raise Misconfigured(
            _describe_listen_failure(error, host, port), action="inform_user"
        ) from None
    return opened


def _describe_listen_failure(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program. "
            "Stop that program, or choose another port with --port or PORT."
        )
    if error.errno == errno.EACCES:
        return (
            f"This user may not listen on port {port}. Choose one above 1023 with --port or PORT."
        )
    return (
        f"{host} is not an address of this machine that can be listened on ({error.strerror}). "
        "Choose another with --host or CITEWELL_HOST."
    )


def run_uvicorn(app: ASGIApp, listening: list[socket.socket], settings: Settings) -> int:
    """Serve `app` in this process until a signal stops it; 0, or 2 if it could not start."""
    server = AnnouncingServer(build_uvicorn_config(app, settings))
    server.run(listening)
    return 0 if server.started else 2


def build_uvicorn_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=CoalescingProtocol,  # httptools accepts header whitespace that conformance forbids
        ws="none",
        loop="asyncio" if sys.platform == "win32" else "uvloop",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # else X-Forwarded-For would replace the address that is trusted
        timeout_graceful_shutdown=max(1, round(settings.shutdown_timeout)),
    )


class AnnouncingServer(uvicorn.Server):
    """Prints its address once it listens, and exits normally after SIGTERM."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in (sock for server in self.servers for sock in server.sockets):
            host, port, *_ = listening.getsockname()
            shown = f"[{host}]" if ":" in host else host
            sys.stderr.write(f"citewell serves MCP at http://{shown}:{port}/mcp\n")

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Like uvicorn's, but does not raise the signal again after shutdown."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            sign: signal.signal(sign, self.handle_exit) for sign in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)
