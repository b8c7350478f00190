"""uvicorn's HTTP/1.1 protocol with time limits, strict parsing and a limited number of connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES
from uvicorn.server import ServerState

from citewell.server.http.connections.connection_limits import ConnectionLimits
from citewell.server.http.connections.strict_connection import RefusedRequest, StrictConnection
from citewell.server.http.connections.write_coalescing import CoalescingProtocol

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
        self._limits.idle.pop(self, None)
        self._stop_read_timer()
        self._stop_write_timer()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        if not self._is_admitted:
            return
        self._limits.idle.pop(self, None)
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
            self._limits.idle[self] = None

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
