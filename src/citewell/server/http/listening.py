"""Listens on a port and runs uvicorn in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import math
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

import uvicorn
from sse_starlette.sse import AppStatus
from starlette.types import ASGIApp

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.http.connections.bounded_protocol import (
    BoundedProtocol,
    build_protocol_class,
)
from citewell.server.http.connections.connection_limits import (
    ConnectionLimits,
    build_connection_limits,
)
from citewell.server.http.draining import CallDrain
from citewell.server.http.start_message import describe_addresses

FORCED_EXIT_SECONDS = 2.0  # after a second signal, for threads and files to be closed
POLL_SECONDS = 0.1
FIRST_REQUEST_SECONDS = 1.0  # for a request on its way over a connection that was just opened
SPARE_FILES = (
    512  # for files, databases and connections to upstreams, besides connections of clients
)
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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


def raise_file_limit(connections: int) -> None:
    """Let this process open a file for each connection, and some more, as far as the system permits."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def build_uvicorn_config(
    app: ASGIApp, settings: Settings, limits: ConnectionLimits | None = None
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        # httptools accepts header whitespace that conformance forbids.
        http=build_protocol_class(limits or build_connection_limits(settings)),
        ws="none",
        loop="asyncio" if sys.platform == "win32" else "uvloop",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # else X-Forwarded-For would replace the address that is trusted
        timeout_keep_alive=math.ceil(settings.idle_timeout),
        timeout_graceful_shutdown=math.ceil(settings.shutdown_timeout),
    )


class DrainingServer(uvicorn.Server):
    """Prints its address once it listens, and lets running calls finish after SIGTERM or SIGINT.

    A second signal ends it at once; `forced_by` is then that signal.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        drain: CallDrain,
        shutdown_delay: float = 0.0,
        describe: Callable[[list[tuple[str, int]]], str] = describe_addresses,
    ) -> None:
        super().__init__(config)
        # It would cut the streams of running calls off at the first signal; `drain` ends them.
        AppStatus.enable_automatic_graceful_drain = False
        self._drain = drain
        self._shutdown_delay = shutdown_delay
        self._describe = describe  # what to print for the host and port of each socket
        self.forced_by: int | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        names = [sock.getsockname() for server in self.servers for sock in server.sockets]
        if names:
            addresses = [(name[0], name[1]) for name in names]
            sys.stderr.write(self._describe(addresses))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._drain.announce_end()
        await self._wait_for_balancers()
        await self._stop_listening(sockets or ())
        await self._wait_for_requests()
        self._drain.close_streams()
        await super().shutdown(sockets)

    async def _wait_for_balancers(self) -> None:
        """Serve on for the configured time, so that load balancers see that this server is not ready."""
        clock = asyncio.get_running_loop().time
        end = clock() + self._shutdown_delay
        while not self.force_exit and clock() < end:  # noqa: ASYNC110 - a signal handler sets a flag
            await asyncio.sleep(POLL_SECONDS)

    async def _stop_listening(self, sockets: Iterable[socket.socket]) -> None:
        """Accept what the system has connected already, which it would reset, and nothing after it."""
        for _ in range(2):
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        for listening in sockets:
            listening.close()

    async def _wait_for_requests(self) -> None:
        """Give requests on their way a moment: closing their connection now would lose them."""
        clock = asyncio.get_running_loop().time
        end = clock() + FIRST_REQUEST_SECONDS
        while not self.force_exit and clock() < end and self._awaits_requests():  # noqa: ASYNC110 - a signal handler sets a flag
            await asyncio.sleep(POLL_SECONDS)

    def _awaits_requests(self) -> bool:
        return any(
            isinstance(one, BoundedProtocol) and one.awaits_request
            for one in self.server_state.connections
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as in uvicorn's class
        if not self.should_exit:
            self.should_exit = True
            self._drain.announce_end()
            return
        self.force_exit = True
        self.forced_by = sig
        # Threads that wait for something outside would keep the process alive.
        last_resort = threading.Timer(FORCED_EXIT_SECONDS, os._exit, (_make_exit_code(sig),))
        last_resort.daemon = True
        last_resort.start()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Like uvicorn's, but does not raise the signal again after shutdown."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {sign: signal.signal(sign, self.handle_exit) for sign in _SIGNALS}
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)


def run_server(server: DrainingServer, listening: list[socket.socket]) -> int:
    """Serve until a signal; 0, 2 if it could not start, or what a shell says of a process ended by a signal."""
    server.run(listening)
    if server.forced_by is not None:
        return _make_exit_code(server.forced_by)
    return 0 if server.started else 2


def _make_exit_code(sig: int) -> int:
    return 128 + sig
