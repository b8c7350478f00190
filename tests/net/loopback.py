"""Loopback servers that behave as badly as a test asks, and names that lead to them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from citewell.core.config import Settings
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.network import GuardedClient

Handler = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Exchange:
    """One request as a server sees it."""

    head: str
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def method(self) -> str:
        return self.head.split(" ")[0]

    @property
    def path(self) -> str:
        return self.head.split(" ")[1]

    def header(self, name: str) -> str | None:
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.strip().lower() == name:
                return value.strip()
        return None

    async def reply(
        self, status: int = 200, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        fields = {"Content-Length": str(len(body)), **(headers or {})}
        lines = [f"HTTP/1.1 {status} X", *(f"{key}: {value}" for key, value in fields.items())]
        await self.raw(("\r\n".join(lines) + "\r\n\r\n").encode() + body)

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


@dataclass
class Server:
    port: int = 0
    connections: int = 0
    seen: list[Exchange] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "site.example.org") -> str:
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def serve(handler: Handler) -> AsyncIterator[Server]:
    """A keep-alive HTTP server on a port of the system's choice."""
    server = Server()
    tasks: set[asyncio.Task[None]] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            while not writer.is_closing():
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                exchange = Exchange(head, b"", reader, writer)
                exchange.body = await reader.readexactly(
                    int(exchange.header("content-length") or 0)
                )
                server.seen.append(exchange)
                await handler(exchange)
        except (OSError, EOFError):
            pass
        finally:
            await close(writer)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(converse(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listening = await asyncio.start_server(accept, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


class Names:
    """A resolver: each name has its answers, a list of lists is answered one after the other."""

    def __init__(
        self,
        names: Mapping[str, Sequence[str] | Sequence[Sequence[str]]],
        default: Sequence[str] = (),
    ) -> None:
        self._names = names
        self._default = default
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        answers: Any = self._names.get(host, self._default)
        if answers and not isinstance(answers[0], str):
            return answers[min(self.asked.count(host), len(answers)) - 1]
        return answers


LOOPBACK = Names({}, default=["127.0.0.1"])
EXEMPT = ("site.example.org", "other.example.org")


def settings(**fields: Any) -> Settings:
    return Settings(**{"allow_private_hosts": EXEMPT} | fields)


@asynccontextmanager
async def client(resolver: Names | None = None, **fields: object) -> AsyncIterator[GuardedClient]:
    """A client for which the EXEMPT names may lead to loopback."""
    guard = Guard(GuardRules.from_settings(settings(**fields)), resolver=resolver or LOOPBACK)
    carrier = GuardedClient(guard)
    try:
        yield carrier
    finally:
        await carrier.aclose()
