"""Reads what a proxy's client asks for, and writes it the way its server expects it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from citewell.net.target import Target

HEAD_BYTES = 64 * 1024

_FIRST = re.compile(r"([A-Z]{3,10}) (\S+) HTTP/1\.[01]")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*)")
_HOP_BY_HOP = frozenset(
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
_REASONS = {
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    411: "Length Required",
    502: "Bad Gateway",
    503: "Service Unavailable",
}


class RejectionError(Exception):
    """The client gets this status, with an RFC 9209 error type, and the connection ends."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error

    def answer(self) -> bytes:
        lines = [
            f"HTTP/1.1 {self.status} {_REASONS[self.status]}",
            f"Proxy-Status: citewell; error={self.error}",
            "Content-Length: 0",
            "Connection: close",
        ]
        if self.status == 407:
            lines.append('Proxy-Authenticate: Basic realm="citewell"')
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    method: str
    where: str  # host:port for CONNECT, else a whole address
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]

    def body_length(self) -> int:
        if self.values("transfer-encoding"):
            raise RejectionError(411, "http_request_error")
        lengths = set(self.values("content-length")) or {"0"}
        length = lengths.pop()
        if lengths or not re.fullmatch(r"[0-9]{1,12}", length):
            raise RejectionError(400, "http_request_error")
        return int(length)

    def origin_form(self, target: Target) -> bytes:
        """The request without the headers of our hop, naming the host that was checked."""
        listed = ",".join(self.values("connection")).lower().split(",")
        dropped = _HOP_BY_HOP | {token.strip() for token in listed} | {"host"}
        kept = [f"{name}: {value}" for name, value in self.headers if name.lower() not in dropped]
        first = (f"{self.method} {target.path} HTTP/1.1", f"Host: {target.authority}")
        return "\r\n".join([*first, *kept, "Connection: close", "", ""]).encode("latin-1")


async def read_head(reader: asyncio.StreamReader) -> Head:
    """The request line and headers; RejectionError for what is not HTTP/1 or too long."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RejectionError(400, "http_request_error") from None
    first, *lines = raw.decode("latin-1").split("\r\n")[:-2]
    parts = _FIRST.fullmatch(first)
    fields = [_FIELD.fullmatch(line) for line in lines]
    if parts is None or not all(fields):
        raise RejectionError(400, "http_request_error")
    headers = tuple((field[1], field[2].rstrip()) for field in fields if field)
    return Head(method=parts[1], where=parts[2], headers=headers)
