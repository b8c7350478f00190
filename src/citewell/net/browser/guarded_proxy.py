"""A forward proxy on loopback for clients that open their own sockets: browser and stealth client.

The guard checks each connection, and the proxy connects to the checked address.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import re
import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Self

from citewell.core.errors import CitewellError, FailureReason, NetworkFailed, RefusedByPolicy
from citewell.net import url_grammar
from citewell.net.address_guard import Guard
from citewell.net.url_grammar import RequestTarget

# Error types of the Proxy-Status header (RFC 9209).
PROHIBITED_ERROR_TYPE = "destination_ip_prohibited"
UNAVAILABLE_ERROR_TYPE = "destination_unavailable"
_REASONS_BY_ERROR_TYPE = {
    "dns_error": FailureReason.DNS,
    "connection_timeout": FailureReason.TIMEOUT,
    UNAVAILABLE_ERROR_TYPE: FailureReason.CONNECT,
}

_PROXY_STATUS_PREFIX = "citewell;"

MAX_HEAD_BYTES = 64 * 1024

_REQUEST_LINE_PATTERN = re.compile(r"([A-Z]{3,10}) (\S+) HTTP/1\.[01]")
_HEADER_FIELD_PATTERN = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*+([^\r\n\x00]*)")
_HOP_BY_HOP_HEADERS = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "upgrade",
    }
)
_STATUS_REASONS = {
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    411: "Length Required",
    502: "Bad Gateway",
    503: "Service Unavailable",
}

_COPY_CHUNK_BYTES = 64 * 1024
_REJECTION_LINGER_SECONDS = 1.0
_PROXY_USER_NAME = "citewell"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyBounds:
    max_connections: int = 128
    head_seconds: float = 10.0  # for the request line and headers
    connect_seconds: float = 10.0
    idle_seconds: float = 60.0  # without data in either direction
    max_bytes: int = 256 * 2**20  # per connection and direction


@dataclass(frozen=True, slots=True)
class _ConnectionEnd:
    """One end of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def aclose(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


class GuardedProxy:
    """Usage: `async with GuardedProxy(guard) as proxy:`, and give `proxy.url` to the client."""

    def __init__(
        self,
        guard: Guard,
        *,
        page: bool = False,
        bounds: ProxyBounds | None = None,
        new_secret: Callable[[], str] = secrets.token_urlsafe,
    ) -> None:
        """With `page`, ALLOWED_DOMAINS applies to every connection, sub-resources included."""
        self._guard = guard
        self._page = page
        self._bounds = bounds or ProxyBounds()
        self._secret = new_secret()
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.start_listening()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def start_listening(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(
                self._accept_client, "127.0.0.1", 0, limit=MAX_HEAD_BYTES
            )

    async def aclose(self) -> None:
        """Stop listening and end every connection."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        await server.wait_closed()

    @property
    def address(self) -> str:
        """http://127.0.0.1:port, for a client that takes the credentials apart."""
        if self._server is None:
            raise RuntimeError("the proxy has not been started")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def credentials(self) -> tuple[str, str]:
        return _PROXY_USER_NAME, self._secret

    @property
    def url(self) -> str:
        """The address with the credentials in it; a secret."""
        return self.address.replace("http://", f"http://{_PROXY_USER_NAME}:{self._secret}@", 1)

    def _accept_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.ensure_future(self._handle_client(_ConnectionEnd(reader, writer)))
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)

    async def _handle_client(self, near: _ConnectionEnd) -> None:
        try:
            await self._serve_request(near)
        except ProxyRejection as rejection:
            await self._send_rejection(near, rejection)
        except (OSError, EOFError, TimeoutError):
            pass  # one of the two is gone or silent, and the other learns it by the close
        finally:
            await near.aclose()

    async def _send_rejection(self, near: _ConnectionEnd, rejection: ProxyRejection) -> None:
        """Send the rejection, then read for a moment: closing with unread data would discard it."""
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_REJECTION_LINGER_SECONDS):
                near.writer.write(rejection.encode_response())
                near.writer.write_eof()
                while await near.reader.read(_COPY_CHUNK_BYTES):
                    pass

    async def _serve_request(self, near: _ConnectionEnd) -> None:
        if len(self._clients) > self._bounds.max_connections:
            raise ProxyRejection(503, "connection_limit_reached")
        async with asyncio.timeout(self._bounds.head_seconds):
            head = await read_request_head(near.reader)
        pair = base64.b64encode(f"{_PROXY_USER_NAME}:{self._secret}".encode())
        given = ",".join(head.list_header_values("proxy-authorization")).encode("latin-1")
        if not hmac.compare_digest(given, b"Basic " + pair):
            raise ProxyRejection(407, "proxy_authentication_required")
        if head.method == "CONNECT":
            await self._tunnel_connection(
                near, self._check_destination(f"https://{head.destination}/")
            )
        else:
            await self._forward_request(near, head, self._check_destination(head.destination))

    def _check_destination(self, url: str) -> RequestTarget:
        try:
            return self._guard.check_url(url, page=self._page)
        except RefusedByPolicy:
            raise ProxyRejection(403, PROHIBITED_ERROR_TYPE) from None

    async def _tunnel_connection(self, near: _ConnectionEnd, target: RequestTarget) -> None:
        """Copy bytes in both directions until both ends finish or the idle timeout passes."""
        far = await self._connect_destination(target)
        near.writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
        try:
            async with asyncio.timeout(None) as idle:
                await _run_both_ways(
                    self._copy_bytes(near, far, idle), self._copy_bytes(far, near, idle)
                )
        finally:
            await far.aclose()

    async def _forward_request(
        self, near: _ConnectionEnd, head: ProxyRequestHead, target: RequestTarget
    ) -> None:
        """Forward one request and its response, then close: the next could be for another host."""
        length = head.parse_body_length()
        far = await self._connect_destination(target)
        far.writer.write(head.encode_origin_form(target))
        try:
            async with asyncio.timeout(None) as idle:
                await self._copy_bytes(near, far, idle, length=length)
                await self._copy_bytes(far, near, idle)
        finally:
            await far.aclose()

    async def _connect_destination(self, target: RequestTarget) -> _ConnectionEnd:
        try:
            async with asyncio.timeout(self._bounds.connect_seconds):
                return await self._open_checked_connection(target)
        except RefusedByPolicy:
            raise ProxyRejection(403, PROHIBITED_ERROR_TYPE) from None
        except (CitewellError, TimeoutError) as error:
            raise ProxyRejection(502, choose_error_type(error)) from None

    async def _open_checked_connection(self, target: RequestTarget) -> _ConnectionEnd:
        for candidate in await self._guard.resolve_checked(target.host, target.port):
            try:
                far = _ConnectionEnd(*await asyncio.open_connection(candidate, target.port))
            except OSError:
                continue
            if url_grammar.parse_ip_address(
                far.writer.get_extra_info("peername")[0]
            ) == url_grammar.parse_ip_address(candidate):
                return far
            await far.aclose()
            raise RefusedByPolicy("The connection did not reach the address that was checked.")
        raise NetworkFailed(
            f"The connection to {target.host} failed.", reason=FailureReason.CONNECT
        )

    async def _copy_bytes(
        self,
        source: _ConnectionEnd,
        sink: _ConnectionEnd,
        idle: asyncio.Timeout,
        *,
        length: int | None = None,
    ) -> None:
        """Copy `length` bytes, or without `length` everything up to the limit, then the end of stream."""
        left = self._bounds.max_bytes if length is None else length
        loop = asyncio.get_running_loop()
        while left > 0:
            idle.reschedule(loop.time() + self._bounds.idle_seconds)
            chunk = await source.reader.read(min(_COPY_CHUNK_BYTES, left))
            if not chunk:
                break
            sink.writer.write(chunk)
            await sink.writer.drain()
            left -= len(chunk)
        if length is None and left > 0 and not sink.writer.is_closing():
            sink.writer.write_eof()
        elif left > 0 or length is None:
            raise EOFError


async def _run_both_ways(*ways: Coroutine[None, None, None]) -> None:
    """Run both directions to their end; if one fails, the other is cancelled."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# Parses requests to our proxy and encodes them for the destination server.


class ProxyRejection(Exception):
    """Closes the connection with this status and an RFC 9209 error type."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error

    def encode_response(self) -> bytes:
        lines = [
            f"HTTP/1.1 {self.status} {_STATUS_REASONS[self.status]}",
            f"Proxy-Status: citewell; error={self.error}",
            "Content-Length: 0",
            "Connection: close",
        ]
        if self.status == 407:
            lines.append('Proxy-Authenticate: Basic realm="citewell"')
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRequestHead:
    method: str
    destination: str  # host:port for CONNECT, else an absolute URL
    headers: tuple[tuple[str, str], ...]

    def list_header_values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]

    def parse_body_length(self) -> int:
        if self.list_header_values("transfer-encoding"):
            raise ProxyRejection(411, "http_request_error")
        lengths = set(self.list_header_values("content-length")) or {"0"}
        length = lengths.pop()
        if lengths or not re.fullmatch(r"[0-9]{1,12}", length):
            raise ProxyRejection(400, "http_request_error")
        return int(length)

    def encode_origin_form(self, target: RequestTarget) -> bytes:
        """The request head for the server, without hop-by-hop headers and with the checked host."""
        listed = ",".join(self.list_header_values("connection")).lower().split(",")
        dropped = _HOP_BY_HOP_HEADERS | {token.strip() for token in listed} | {"host"}
        kept = [f"{name}: {value}" for name, value in self.headers if name.lower() not in dropped]
        first = (f"{self.method} {target.path} HTTP/1.1", f"Host: {target.authority}")
        return "\r\n".join([*first, *kept, "Connection: close", "", ""]).encode("latin-1")


async def read_request_head(reader: asyncio.StreamReader) -> ProxyRequestHead:
    """Read the request line and headers; ProxyRejection if they are too long or not HTTP/1."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise ProxyRejection(400, "http_request_error") from None
    first, *lines = raw.decode("latin-1").split("\r\n")[:-2]
    parts = _REQUEST_LINE_PATTERN.fullmatch(first)
    fields = [_HEADER_FIELD_PATTERN.fullmatch(line) for line in lines]
    if parts is None or not all(fields):
        raise ProxyRejection(400, "http_request_error")
    headers = tuple((field[1], field[2].rstrip()) for field in fields if field)
    return ProxyRequestHead(method=parts[1], destination=parts[2], headers=headers)


# Detects error responses of our own proxy, which look like the site's over plain HTTP.


def choose_error_type(error: CitewellError | TimeoutError) -> str:
    """The type under which the proxy reports that it could not connect."""
    reason = error.reason if isinstance(error, CitewellError) else FailureReason.TIMEOUT
    found = (kind for kind, known in _REASONS_BY_ERROR_TYPE.items() if known is reason)
    return next(found, UNAVAILABLE_ERROR_TYPE)


def check_proxy_status(host: str, headers: Mapping[str, str]) -> None:
    """Raise the error that our proxy reported; do nothing for a response from the site."""
    status = headers.get("proxy-status", "")
    if not status.startswith(_PROXY_STATUS_PREFIX):
        return
    kind = status.partition("error=")[2].strip()
    if kind == PROHIBITED_ERROR_TYPE:
        raise RefusedByPolicy(f"{host} does not lead to a public address.")
    reason = _REASONS_BY_ERROR_TYPE.get(kind, FailureReason.PROXY)
    raise NetworkFailed(f"The connection to {host} failed.", reason=reason)
