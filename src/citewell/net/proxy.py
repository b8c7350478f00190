"""A forward proxy on loopback for clients that open sockets themselves: browser and stealth client.

Each connection they ask for passes the guard and ends at the address that was checked.
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

from citewell.errors import CitewellError, NetworkFailed, Refused
from citewell.net import address
from citewell.net.forward import HEAD_BYTES, Head, RejectionError, read_head
from citewell.net.guard import Guard
from citewell.net.target import Target

_CHUNK = 64 * 1024
_LINGER = 1.0
_USER = "citewell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    connections: int = 128
    head_seconds: float = 10.0  # for the request line and headers
    connect_seconds: float = 10.0
    idle_seconds: float = 60.0  # without a byte either way
    most_bytes: int = 256 * 2**20  # each way, per connection


@dataclass(frozen=True, slots=True)
class _Side:
    """One end of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def aclose(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


class GuardedProxy:
    """`async with GuardedProxy(guard) as proxy:` and give `proxy.url` to the client."""

    def __init__(
        self,
        guard: Guard,
        *,
        page: bool = False,
        bounds: Bounds | None = None,
        new_secret: Callable[[], str] = secrets.token_urlsafe,
    ) -> None:
        """With `page`, ALLOWED_DOMAINS binds every connection, sub-resources included."""
        self._guard = guard
        self._page = page
        self._bounds = bounds or Bounds()
        self._secret = new_secret()
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def start(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(
                self._accept, "127.0.0.1", 0, limit=HEAD_BYTES
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
        return _USER, self._secret

    @property
    def url(self) -> str:
        """The address with the credentials in it; a secret."""
        return self.address.replace("http://", f"http://{_USER}:{self._secret}@", 1)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.ensure_future(self._handle(_Side(reader, writer)))
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)

    async def _handle(self, near: _Side) -> None:
        try:
            await self._serve(near)
        except RejectionError as rejection:
            await self._reject(near, rejection)
        except (OSError, EOFError, TimeoutError):
            pass  # one of the two is gone or silent, and the other learns it by the close
        finally:
            await near.aclose()

    async def _reject(self, near: _Side, rejection: RejectionError) -> None:
        """Answer, then listen a moment: closing on unread bytes would destroy the answer."""
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_LINGER):
                near.writer.write(rejection.answer())
                near.writer.write_eof()
                while await near.reader.read(_CHUNK):
                    pass

    async def _serve(self, near: _Side) -> None:
        if len(self._clients) > self._bounds.connections:
            raise RejectionError(503, "connection_limit_reached")
        async with asyncio.timeout(self._bounds.head_seconds):
            head = await read_head(near.reader)
        self._authenticate(head)
        if head.method == "CONNECT":
            await self._tunnel(near, self._judge(f"https://{head.where}/"))
        else:
            await self._forward(near, head, self._judge(head.where))

    def _authenticate(self, head: Head) -> None:
        pair = base64.b64encode(f"{_USER}:{self._secret}".encode())
        given = ",".join(head.values("proxy-authorization")).encode("latin-1")
        if not hmac.compare_digest(given, b"Basic " + pair):
            raise RejectionError(407, "proxy_authentication_required")

    def _judge(self, url: str) -> Target:
        try:
            return self._guard.target(url, page=self._page)
        except Refused:
            raise RejectionError(403, "destination_ip_prohibited") from None

    async def _tunnel(self, near: _Side, target: Target) -> None:
        """Pass bytes both ways until both sides are done, or silent for too long."""
        far = await self._connect(target)
        near.writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
        try:
            async with asyncio.timeout(None) as idle:
                await _both(self._copy(near, far, idle), self._copy(far, near, idle))
        finally:
            await far.aclose()

    async def _forward(self, near: _Side, head: Head, target: Target) -> None:
        """One request and its answer: what follows could be meant for another host."""
        length = head.body_length()
        far = await self._connect(target)
        far.writer.write(head.origin_form(target))
        try:
            async with asyncio.timeout(None) as idle:
                await self._copy(near, far, idle, length=length)
                await self._copy(far, near, idle)
        finally:
            await far.aclose()

    async def _connect(self, target: Target) -> _Side:
        try:
            async with asyncio.timeout(self._bounds.connect_seconds):
                return await self._open(target)
        except Refused:
            raise RejectionError(403, "destination_ip_prohibited") from None
        except (CitewellError, TimeoutError):
            raise RejectionError(502, "destination_unavailable") from None

    async def _open(self, target: Target) -> _Side:
        for candidate in await self._guard.addresses(target.host, target.port):
            try:
                far = _Side(*await asyncio.open_connection(candidate, target.port))
            except OSError:
                continue
            if address.read(far.writer.get_extra_info("peername")[0]) == address.read(candidate):
                return far
            await far.aclose()
            raise Refused("The connection did not reach the address that was checked.")
        raise NetworkFailed(f"The connection to {target.host} failed.")

    async def _copy(
        self, source: _Side, sink: _Side, idle: asyncio.Timeout, *, length: int | None = None
    ) -> None:
        """Pass on `length` bytes, or all there are up to the bound and then the end of them."""
        left = self._bounds.most_bytes if length is None else length
        loop = asyncio.get_running_loop()
        while left > 0:
            idle.reschedule(loop.time() + self._bounds.idle_seconds)
            chunk = await source.reader.read(min(_CHUNK, left))
            if not chunk:
                break
            sink.writer.write(chunk)
            await sink.writer.drain()
            left -= len(chunk)
        if length is None and left > 0 and not sink.writer.is_closing():
            sink.writer.write_eof()
        elif left > 0 or length is None:
            raise EOFError


async def _both(*ways: Coroutine[None, None, None]) -> None:
    """Run both ways to their end; one that fails ends the other."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
