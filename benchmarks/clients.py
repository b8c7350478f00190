"""Two lean MCP clients, the same for every server: one over pipes, one over sockets."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from typing import Any

VERSION = "2025-11-25"
HELLO = {
    "protocolVersion": VERSION,
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
CALL = {"name": "web_search", "arguments": {"query": "sleep and memory", "num_results": 5}}


def request(number: int, method: str, params: dict[str, Any] | None = None) -> bytes:
    frame: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
    if params is not None:
        frame["params"] = params
    return json.dumps(frame, separators=(",", ":")).encode()


INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def result(frame: bytes) -> dict[str, Any]:
    """The result of a good answer; an error of any kind ends the benchmark."""
    answer = json.loads(frame)
    found = answer.get("result")
    if not isinstance(found, dict) or found.get("isError"):
        raise RuntimeError(f"not an answer: {frame[:300]!r}")
    return found


class Piped:
    """Frames over a process's stdin and stdout."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._in, self._out = process.stdin, process.stdout
        self._number = 0

    def open(self) -> None:
        self.ask("initialize", HELLO)
        self._in.write(INITIALIZED + b"\n")

    def ask(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        self._send(method, params)
        return self._answer()

    def rate(self, seconds: float, *, in_flight: int) -> float:
        """Calls per second with so many unanswered at any time."""
        for _ in range(in_flight):
            self._send("tools/call", CALL)
        begun, done = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - begun) < seconds:
            result(self._answer())
            done += 1
            self._send("tools/call", CALL)
        for _ in range(in_flight):
            result(self._answer())
        return done / elapsed

    def _send(self, method: str, params: dict[str, Any] | None) -> None:
        self._number += 1
        self._in.write(request(self._number, method, params) + b"\n")
        self._in.flush()

    def _answer(self) -> bytes:
        """The next response; logs and progress that come before it are passed over."""
        while line := self._out.readline():
            if b'"method"' not in line[:80]:
                return line
        raise RuntimeError("the server closed its output")


class Link(asyncio.Protocol):
    """One keep-alive connection with an MCP session of its own."""

    def __init__(self, port: int, endpoint: str, *, token: str = "") -> None:
        self._port, self._endpoint = port, endpoint
        self._session = f"Authorization: Bearer {token}\r\n" if token else ""
        self._held = bytearray()
        self._waiter: asyncio.Future[tuple[bytes, bytes]] | None = None
        self._number = 0

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", self._port)
        head, body = await self._post(request(0, "initialize", HELLO))
        result(message(body))
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"mcp-session-id":
                self._session += f"Mcp-Session-Id: {value.strip().decode()}\r\n"
        await self._post(INITIALIZED)

    async def call(self, asked: dict[str, Any] = CALL) -> bytes:
        self._number += 1
        _, body = await self._post(request(self._number, "tools/call", asked))
        frame = message(body)
        result(frame)
        return frame

    async def repeat(self, until: float) -> int:
        done = 0
        while time.perf_counter() < until:
            await self.call()
            done += 1
        return done

    def close(self) -> None:
        self._transport.close()

    async def _post(self, body: bytes) -> tuple[bytes, bytes]:
        head = (
            f"POST {self._endpoint} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Mcp-Protocol-Version: {VERSION}\r\n{self._session}Content-Length: {len(body)}\r\n\r\n"
        )
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(head.encode() + body)
        return await self._waiter

    def data_received(self, data: bytes) -> None:
        self._held += data
        answer = whole(self._held)
        if answer is not None and self._waiter and not self._waiter.done():
            self._held.clear()
            self._waiter.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_exception(RuntimeError(f"the server closed the connection: {exc}"))


def whole(held: bytearray) -> tuple[bytes, bytes] | None:
    """Head and body of an HTTP answer, or None while some of it is still to come."""
    end = held.find(b"\r\n\r\n")
    if end < 0:
        return None
    head, rest = bytes(held[:end]), bytes(held[end + 4 :])
    status = head.split(b" ", 2)[1]
    if status[:1] != b"2":
        raise RuntimeError(f"HTTP {status.decode()}: {rest[:300]!r}")
    fields = head.lower()
    if b"transfer-encoding: chunked" in fields:
        body = unchunked(rest)
        return None if body is None else (head, body)
    at = fields.find(b"content-length:")
    length = int(fields[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
    return (head, rest) if len(rest) >= length else None


def unchunked(rest: bytes) -> bytes | None:
    """The body of a chunked answer; None while its last chunk is missing."""
    parts: list[bytes] = []
    at = 0
    while (end := rest.find(b"\r\n", at)) >= 0:
        size = int(rest[at:end], 16)
        if size == 0:
            return b"".join(parts) if rest[end + 2 : end + 4] == b"\r\n" else None
        parts.append(rest[end + 2 : end + 2 + size])
        at = end + size + 4
        if at > len(rest):
            return None
    return None


def message(body: bytes) -> bytes:
    """The response in an SSE stream, which ends with it; a JSON body is one already."""
    if body[:1] == b"{":
        return body
    frames = [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:")]
    return frames[-1] if frames else b""
