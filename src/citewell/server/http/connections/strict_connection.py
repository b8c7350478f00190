"""h11's parser, changed to refuse what proxies and servers are known to read differently.

Such a request could be one request for a proxy and two for the server behind it (request
smuggling), or name one host to the proxy and another to the server.
"""

from __future__ import annotations

from typing import Any

import h11

from citewell.server.http.origins.authority import parse_authority

_SINGLE_HEADERS = (b"host", b"content-length", b"transfer-encoding")
_VERSIONS = frozenset({b"1.0", b"1.1"})
_ABSOLUTE_FORMS = (b"http://", b"https://")
_NEXT_EVENT = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]


class RefusedRequest(h11.RemoteProtocolError):
    """A request that h11 would accept. The message repeats nothing of what the client sent."""


class StrictConnection(h11.Connection):
    """The server's side of one connection. `refusal` is the fault in what the client sent, if any."""

    def __init__(self, max_header_bytes: int) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=max_header_bytes)
        self._max_header_bytes = max_header_bytes
        self.refusal: h11.RemoteProtocolError | None = None

    def next_event(self) -> _NEXT_EVENT:
        """Like h11's; also raises RemoteProtocolError for a request that can be read in two ways."""
        before = self.trailing_data[0] if self.their_state is h11.IDLE else b""
        try:
            event = super().next_event()
            if isinstance(event, h11.Request):
                head = before[: len(before) - len(self.trailing_data[0])]
                return check_request_head(event, head, self._max_header_bytes)
        except h11.RemoteProtocolError as error:
            self.refusal = error
            raise
        return event


def check_request_head(event: h11.Request, head: bytes, max_bytes: int) -> h11.Request:
    """The request, its target in the usual form; raises RemoteProtocolError if it is ambiguous.

    `head` are the bytes from which it was parsed.
    """
    if event.http_version not in _VERSIONS:
        raise RefusedRequest("the version of HTTP is not supported", error_status_hint=505)
    if len(head) > max_bytes:
        raise RefusedRequest("the headers are too large", error_status_hint=431)
    if head.count(b"\n") != head.count(b"\r\n") or head.count(b"\r") != head.count(b"\r\n"):
        raise RefusedRequest("a line does not end in CR LF")
    if b"\r\n " in head or b"\r\n\t" in head:
        raise RefusedRequest("a header is continued on a second line")
    _check_body_length(head.lower(), event.http_version)
    return _normalize_target(event)


def _check_body_length(head: bytes, http_version: bytes) -> None:
    """`head` is in lower case; h11 has made sure that a name ends at its colon."""
    counts = {name: head.count(b"\r\n" + name + b":") for name in _SINGLE_HEADERS}
    length = head.rpartition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0].strip(b" \t")
    if counts[b"content-length"] and not length.isdigit():
        raise RefusedRequest("the length of the body is not one number")
    for name, count in counts.items():
        if count > 1:
            raise RefusedRequest(f"the header {name.decode()} is repeated")
    if counts[b"transfer-encoding"] and (counts[b"content-length"] or http_version != b"1.1"):
        raise RefusedRequest("the length of the body is stated in two ways")


def _normalize_target(event: h11.Request) -> h11.Request:
    """Turn `http://host/path` into `/path` if Host names the same host."""
    target = event.target
    if target.lower().startswith(_ABSOLUTE_FORMS):
        authority, slash, rest = target.partition(b"://")[2].partition(b"/")
        host = dict(event.headers).get(b"host", b"")
        named = parse_authority(authority.decode("ascii"))
        if named is None or named != parse_authority(host.decode("latin-1")):
            raise RefusedRequest("the target and Host name different hosts")
        changed: dict[str, Any] = {"target": b"/" + rest if slash else b"/"}
        return h11.Request(
            method=event.method,
            headers=event.headers.raw_items(),
            http_version=event.http_version,
            **changed,
        )
    if not target.startswith(b"/") and target != b"*":
        raise RefusedRequest("the target is not a path")
    return event
