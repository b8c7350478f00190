"""Listens on a port and runs uvicorn in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import math
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from types import FrameType
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.server.http.auth.auth_ways import WAYS_HELP, check_auth_settings, list_auth_ways
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.bounded_protocol import BoundedProtocol, build_protocol_class
from citewell.server.http.draining import CallDrain
from citewell.server.http.limits import ConnectionLimits, build_connection_limits
from citewell.server.http.origins import bracket_ipv6
from citewell.server.settings import ServerSettings

_CALLERS = {
    CallerProof.OAUTH: "whoever signs in with your identity provider (OAuth)",
    CallerProof.API_TOKEN: "holders of a token made by `citewell users token create`",
    CallerProof.PROXY: "whoever your proxy has logged in",
}


def describe_addresses(addresses: list[tuple[str, int]]) -> str:
    """A line for the host and port of each socket."""
    return "".join(f"citewell serves MCP at {_build_url(*pair)}/mcp\n" for pair in addresses)


def describe_start(settings: Settings, addresses: list[tuple[str, int]]) -> str:
    """The whole message."""
    server_settings = settings[ServerSettings]
    if server_settings.public_url:
        base = server_settings.public_url.rstrip("/")
    else:  # an address that a browser on this machine can open
        host, port = addresses[0]
        base = _build_url({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)  # noqa: S104 - compared, not bound
    dashboard = (
        f"{base}/dashboard (log in with ADMIN_API_KEY)"
        if server_settings.admin_key
        else "off; set ADMIN_API_KEY to switch it on"
    )
    return (
        f"{describe_addresses(addresses)}"
        f"  Connect a client:  {base}/ shows how\n"
        f"  Who may call:      {_describe_callers(settings)}\n"
        f"  Dashboard:         {dashboard}\n"
    )


def _build_url(host: str, port: int) -> str:
    return f"http://{bracket_ipv6(host)}:{port}"


def _describe_callers(settings: Settings) -> str:
    ways = list_auth_ways(settings)
    if ways:
        return "; ".join(_CALLERS[way] for way in ways)
    if is_loopback_host(settings[ServerSettings].host):
        return "anyone on this machine, without signing in"
    return "ANYONE who can reach this address, without signing in"


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
    server_settings = settings[ServerSettings]
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
        timeout_keep_alive=math.ceil(server_settings.idle_timeout),
        timeout_graceful_shutdown=math.ceil(server_settings.shutdown_timeout),
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
        clock = asyncio.get_running_loop().time
        end = clock() + self._shutdown_delay
        while not self.force_exit and clock() < end:  # noqa: ASYNC110 - a signal handler sets a flag
            await asyncio.sleep(POLL_SECONDS)
        await self._stop_listening(sockets or ())
        # Requests on their way get a moment: closing their connection now would lose them.
        end = clock() + FIRST_REQUEST_SECONDS
        while not self.force_exit and clock() < end and self._awaits_requests():  # noqa: ASYNC110 - a signal handler sets a flag
            await asyncio.sleep(POLL_SECONDS)
        self._drain.close_streams()
        await super().shutdown(sockets)

    async def _stop_listening(self, sockets: Iterable[socket.socket]) -> None:
        """Accept what the system has connected already, which it would reset, and nothing after it."""
        for _ in range(2):
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        for listening in sockets:
            listening.close()

    def _awaits_requests(self) -> bool:
        return any(
            isinstance(connection, BoundedProtocol) and connection.awaits_request
            for connection in self.server_state.connections
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


# The ASGI app for MCP over streamable HTTP.


def build_http_transport(
    servers: Mapping[str, Server[Any]],
    settings: Settings,
    *,
    routes: list[BaseRoute] | None = None,
    error_handlers: Mapping[Any, Any] | None = None,
    background: Callable[[], AbstractAsyncContextManager[None]] = contextlib.nullcontext,
    on_close: Callable[[], Awaitable[None]] | None = None,
) -> Starlette:
    """The ASGI app: each server at its path. Host and Origin are checked by the layers around it.

    `background` is open while requests are accepted; `on_close` is awaited at shutdown.
    """
    server_settings = settings[ServerSettings]
    managers = {
        path: StreamableHTTPSessionManager(
            app=server,
            json_response=False,  # JSON responses lose progress messages and do not notice disconnects
            session_idle_timeout=server_settings.mcp_session_idle_timeout,
            max_request_body_size=server_settings.max_request_bytes,
        )
        for path, server in servers.items()
    }

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for manager in managers.values():
                await stack.enter_async_context(manager.run())
            async with background():
                yield
        if on_close is not None:
            await on_close()

    mounted: list[BaseRoute] = [
        Route(path, endpoint=StreamableHTTPASGIApp(manager)) for path, manager in managers.items()
    ]
    served = Starlette(
        routes=mounted + (routes or []), lifespan=lifespan, exception_handlers=error_handlers
    )
    served.router.redirect_slashes = False  # would redirect to whatever Host the request names
    return served


def check_listen_address(settings: Settings, *, insecure: bool) -> None:
    """Raise Misconfigured for a public interface without authentication, unless `insecure`.

    Also raises it if the settings of the authentication do not fit together.
    """
    server_settings = settings[ServerSettings]
    check_auth_settings(settings)
    if list_auth_ways(settings) or is_loopback_host(server_settings.host):
        return
    if insecure:
        sys.stderr.write(
            f"WARNING: citewell listens on {server_settings.host} without authentication. Anyone who can "
            f"reach the port can use this server, its keys and everything it keeps. {WAYS_HELP}.\n"
        )
        return
    raise Misconfigured(
        f"Citewell does not listen on {server_settings.host}: anyone who can reach the port could use this server. "
        f"{WAYS_HELP}. Or listen on 127.0.0.1, or add --insecure to listen anyway.",
        action="inform_user",
    )


def is_loopback_host(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
