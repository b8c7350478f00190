"""uvicorn's HTTP/1.1 protocol with time limits, strict parsing and a limited number of connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.server import ServerState

from citewell.server.http.limits import ConnectionLimits
from citewell.server.http.origins import parse_authority

_SINGLE_HEADERS = (b"host", b"content-length", b"transfer-encoding")
_VERSIONS = frozenset({b"1.0", b"1.1"})
_ABSOLUTE_FORMS = (b"http://", b"https://")
_NEXT_EVENT = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]

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


RETRY_SECONDS = 5  # told to clients for which there is no room
_TOO_MANY = b"Too many connections are open. Close some, or come back later.\n"
_FULL_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"retry-after: %d\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s"
) % (RETRY_SECONDS, len(_TOO_MANY), _TOO_MANY)


class BoundedProtocol(CoalescingProtocol):
    """One connection.

    One timer runs at a time for what is awaited from the client: the headers of a request, then
    its body. A second one runs while the client does not take in what is sent.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        limits: ConnectionLimits,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits
        self._strict = StrictConnection(limits.max_header_bytes)
        self.conn = self._strict
        self._address = ""
        self._is_admitted = False
        self._read_timer: asyncio.TimerHandle | None = None
        self._awaits_body = False  # what the read timer is for
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn's class
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._is_admitted = self._limits.admit_connection(self._address)
        if not self._is_admitted:
            self.transport.write(_FULL_RESPONSE)
            self._close_soon()
            return
        self._set_kernel_timeout(transport)
        self._follow_request()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_admitted:
            self._is_admitted = False
            self._limits.release_connection(self._address)
        self._limits.idle.pop(self.close_idle_connection, None)
        self._stop_read_timer()
        self._stop_write_timer()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        if not self._is_admitted:
            return
        self._limits.idle.pop(self.close_idle_connection, None)
        super().data_received(data)
        self._follow_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow_request()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_write_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_write_timer()

    @property
    def awaits_request(self) -> bool:
        """Whether a request may be on its way: none has arrived yet, or a part of one."""
        if self.transport.is_closing():
            return False
        return self.cycle is None or bool(self.conn.trailing_data[0])

    def shutdown(self) -> None:
        with contextlib.suppress(h11.LocalProtocolError):  # half a request has arrived
            super().shutdown()
        if self.cycle is None or self.cycle.response_complete:
            self._close_soon()

    def timeout_keep_alive_handler(self) -> None:
        with contextlib.suppress(h11.LocalProtocolError):
            super().timeout_keep_alive_handler()
        self._close_soon()

    def close_idle_connection(self) -> None:
        self.timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed, and close. uvicorn calls it for every error of the parser."""
        refusal = self._strict.refusal
        reason = f" The reason: {refusal}." if isinstance(refusal, RefusedRequest) else ""
        self._refuse_request(refusal.error_status_hint if refusal else 400, msg + reason)

    def _refuse_request(self, status: int, message: str) -> None:
        """Send this status if no response has begun, and close. The application sees a disconnect."""
        has_begun = self.cycle is not None and self.cycle.response_started
        if not has_begun or self.cycle.response_complete:
            body = message.encode("ascii", "replace") + b"\n"
            headers = [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]
            with contextlib.suppress(h11.LocalProtocolError):
                for event in (
                    h11.Response(
                        status_code=status, headers=headers, reason=STATUS_PHRASES[status]
                    ),
                    h11.Data(data=body),
                    h11.EndOfMessage(),
                ):
                    self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._close_soon()

    def _follow_request(self) -> None:
        """Set the timer for what the client has to send next."""
        if self.transport.is_closing():
            self._stop_read_timer()
            return
        awaits_body = self.conn.their_state is h11.SEND_BODY
        is_between = self.cycle is None or self.cycle.response_complete
        if awaits_body:
            self._start_read_timer(self._limits.timeouts.body, awaits_body=True)
        elif self.conn.their_state is h11.IDLE and is_between:
            self._await_headers()
        else:
            self._stop_read_timer()

    def _await_headers(self) -> None:
        """Between requests uvicorn's own timer runs, until the first byte of the next one."""
        if self.timeout_keep_alive_task is None:
            self._start_read_timer(self._limits.timeouts.header, awaits_body=False)
        else:
            self._stop_read_timer()
            self._limits.idle[self.close_idle_connection] = None

    def _start_read_timer(self, seconds: float, *, awaits_body: bool) -> None:
        if self._read_timer is not None and self._awaits_body is awaits_body:
            return  # a byte more does not give a client more time
        self._stop_read_timer()
        self._awaits_body = awaits_body
        if seconds:
            self._read_timer = self.loop.call_later(seconds, self._end_slow_request)

    def _end_slow_request(self) -> None:
        self._read_timer = None
        if self._awaits_body:
            self._refuse_request(408, "The body of the request did not arrive in time.")
        elif self.conn.trailing_data[0]:
            self._refuse_request(408, "The headers of the request did not arrive in time.")
        else:
            self._close_soon()

    def _start_write_timer(self) -> None:
        seconds = self._limits.timeouts.write
        if self._write_timer is None and seconds:
            self._write_timer = self.loop.call_later(seconds, self._abort_connection)

    def _close_soon(self) -> None:
        """Close after what is still to be sent, within the time that a client has to take it in."""
        self._stop_read_timer()
        self._start_write_timer()
        self.transport.close()

    def _abort_connection(self) -> None:
        self._write_timer = None
        self.transport.abort()

    def _stop_read_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _set_kernel_timeout(self, transport: asyncio.Transport) -> None:
        """Let the kernel end a connection whose client does not acknowledge; small answers pause nothing."""
        option: int | None = getattr(socket, "TCP_USER_TIMEOUT", None)
        connected = transport.get_extra_info("socket")
        seconds = self._limits.timeouts.write
        if option is None or not seconds or connected is None:
            return
        if connected.family in {socket.AF_INET, socket.AF_INET6}:
            connected.setsockopt(socket.IPPROTO_TCP, option, max(1, round(1000 * seconds)))


def build_protocol_class(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """What `uvicorn.Config(http=…)` takes: a class whose connections share these limits."""

    class LimitedProtocol(BoundedProtocol):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given, limits=limits)

    return LimitedProtocol


# h11's parser, changed to refuse what proxies and servers are known to read differently.


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
