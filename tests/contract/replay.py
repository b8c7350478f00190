"""A loopback server that replays one answer over a real socket, or misbehaves as told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False  # accepts the request and never answers
    cut: bool = False  # promises the whole body and hangs up in the middle
    also: Mapping[str, bytes] = field(default_factory=dict)  # other paths of the same server


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def content(self) -> Any:
        """The body: a form as a dict of its fields, anything else as JSON."""
        if self.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return dict(parse_qsl(self.body.decode(), keep_blank_values=True))
        return json.loads(self.body) if self.body else None


class Server:
    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self.seen: list[Seen] = []
        self.closing = asyncio.Event()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (seen := await _read(reader)) is not None:
                self.seen.append(seen)
                if self._behaviour.silent:
                    await self.closing.wait()
                    break
                writer.write(self._answer(seen))
                await writer.drain()
                if self._behaviour.cut:
                    break
        except ConnectionError:
            pass  # the caller gave up, as some tests want it to
        finally:
            writer.close()

    def _answer(self, seen: Seen) -> bytes:
        behaviour = self._behaviour
        body = next(
            (behaviour.also[end] for end in behaviour.also if seen.path.endswith(end)), None
        )
        content = behaviour.body if body is None else body
        headers = {**behaviour.headers, "content-length": str(len(content))}
        lines = [f"HTTP/1.1 {behaviour.status} Status"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join([*lines, "", ""]).encode()
        return head + (content[: len(content) // 2] if behaviour.cut else content)


async def _read(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, target, _ = head[0].split(" ")
    headers = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    return Seen(
        method=method,
        path=unquote(parts.path),
        params=dict(parse_qsl(parts.query, keep_blank_values=True)),
        headers=headers,
        body=body,
    )


@asynccontextmanager
async def serving(behaviour: Behaviour) -> AsyncIterator[tuple[Server, str]]:
    """The running server and its address, on a port that the system chose."""
    server = Server(behaviour)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    try:
        yield server, f"http://127.0.0.1:{port}"
    finally:
        server.closing.set()
        listener.close()
        await asyncio.sleep(0)
