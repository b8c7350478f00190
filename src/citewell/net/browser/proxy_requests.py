"""Parses requests to our proxy and encodes them for the destination server."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from citewell.net.guard.url_grammar import RequestTarget

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
