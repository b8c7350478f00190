"""A forward proxy on loopback for clients that open their own sockets: browser and stealth client.

The guard checks each connection, and the proxy connects to the checked address.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Self

from citewell.errors import CitewellError, FailureReason, NetworkFailed, RefusedByPolicy
from citewell.net.browser.proxy_refusals import PROHIBITED_ERROR_TYPE, choose_error_type
from citewell.net.browser.proxy_requests import (
    MAX_HEAD_BYTES,
    ProxyRejection,
    ProxyRequestHead,
    read_request_head,
)
from citewell.net.guard import ip_addresses
from citewell.net.guard.address_guard import Guard
from citewell.net.guard.url_grammar import RequestTarget

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
        self._check_credentials(head)
        if head.method == "CONNECT":
            await self._tunnel_connection(
                near, self._check_destination(f"https://{head.destination}/")
            )
        else:
            await self._forward_request(near, head, self._check_destination(head.destination))

    def _check_credentials(self, head: ProxyRequestHead) -> None:
        pair = base64.b64encode(f"{_PROXY_USER_NAME}:{self._secret}".encode())
        given = ",".join(head.list_header_values("proxy-authorization")).encode("latin-1")
        if not hmac.compare_digest(given, b"Basic " + pair):
            raise ProxyRejection(407, "proxy_authentication_required")

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
            if ip_addresses.parse_ip_address(
                far.writer.get_extra_info("peername")[0]
            ) == ip_addresses.parse_ip_address(candidate):
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
