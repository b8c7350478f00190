"""uvicorn's HTTP/1.1 protocol, changed to send the head and body of a response in one system call."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_BUFFERED_BYTES = (
    1 << 16
)  # more is passed on at once, so that the transport can apply its flow control


class CoalescingTransport:
    """A transport that joins the writes of one event loop turn; all else is forwarded to the real one."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        if not data:
            return
        if not self._parts:
            self._loop.call_soon(self.flush_writes)
        self._parts.append(data)
        self._size += len(data)
        if self._size >= MAX_BUFFERED_BYTES:
            self.flush_writes()

    def flush_writes(self) -> None:
        if self._parts:
            parts, self._parts, self._size = self._parts, [], 0
            self._transport.write(b"".join(parts))

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def close(self) -> None:
        self.flush_writes()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class CoalescingProtocol(H11Protocol):
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn types the loop's own transport
        super().connection_made(CoalescingTransport(transport, self.loop))  # type: ignore[arg-type]  # what it lacks is forwarded
