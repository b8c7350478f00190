"""The layer that names every HTTP request, counts its response and writes the access log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server.http.auth.caller import find_caller
from citewell.server.http.client_address import read_client_address
from citewell.server.http.header_values import find_header_values
from citewell.server.http.observing.request_ids import (
    ID_HEADERS,
    REQUEST_ID_HEADER,
    choose_request_id,
    create_request_id,
)
from citewell.server.http.observing.server_state import ServerState
from citewell.server.log_output import LogContext, hold_log_context

logger = logging.getLogger("citewell.access")
_SCOPE_KEY = "citewell.request"  # where the record stands in the ASGI scope of a request
_NO_RESPONSE = 499  # the caller left before a response began
_FAULT = 500
UNKNOWN_REFUSAL = "unknown"
_KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})
_PATH_KINDS = ("mcp", "health", "metrics", "admin", "dashboard", ".well-known")
_QUIET_KINDS = frozenset({"health", "metrics"})  # asked by machines all the time


@dataclass(slots=True, kw_only=True)
class RequestRecord:
    """One HTTP request while it is answered."""

    id: str
    status: int = 0  # 0 until a response has begun
    refusal: str = UNKNOWN_REFUSAL  # why a layer refused it, as a code; only read for a refusal


def find_request_record(scope: MutableMapping[str, Any]) -> RequestRecord:
    """The record of this request; a new one for a request that did not pass the layer."""
    record = scope.get(_SCOPE_KEY)
    return record if isinstance(record, RequestRecord) else RequestRecord(id=create_request_id())


def note_refusal(scope: MutableMapping[str, Any], reason: str) -> None:
    """Say why a layer refuses this request: a short code out of a fixed list, for the metrics."""
    find_request_record(scope).refusal = reason


def find_path_kind(path: str) -> str:
    """What a path leads to, out of a fixed list, so that strange paths make no new metrics."""
    first = path.strip("/").partition("/")[0]
    if not first:
        return "home"
    return first if first in _PATH_KINDS else "other"


class RequestRecorder:
    """Gives every request an id, which is sent back as X-Request-Id, and records its end."""

    def __init__(
        self,
        inner: ASGIApp,
        state: ServerState,
        *,
        access_level: int | None = None,
        new_id: Callable[[], str] = create_request_id,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`access_level` is the log level of access lines; None writes none."""
        self._inner = inner
        self._state = state
        self._access_level = access_level
        self._new_id = new_id
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        record = RequestRecord(id=self._choose_id(scope))
        scope[_SCOPE_KEY] = record
        started = self._clock()
        self._state.active_requests += 1
        try:
            with hold_log_context(LogContext(request_id=record.id)):
                await self._inner(scope, receive, _name_response(record, send))
        except Exception:
            record.status = record.status or _FAULT
            raise
        finally:
            self._state.active_requests -= 1
            self._count_response(scope, record)
            self._write_access_line(scope, record, self._clock() - started)

    def _choose_id(self, scope: Scope) -> str:
        if any(find_header_values(scope, name) for name in ID_HEADERS):
            return choose_request_id(scope["headers"], new_id=self._new_id)
        return self._new_id()

    def _count_response(self, scope: Scope, record: RequestRecord) -> None:
        method = scope["method"] if scope["method"] in _KNOWN_METHODS else "other"
        status = record.status or _NO_RESPONSE
        self._state.responses[method, find_path_kind(scope["path"]), status] += 1
        if status in {401, 403, 429} or record.refusal != UNKNOWN_REFUSAL:
            self._state.refusals[status, record.refusal] += 1

    def _write_access_line(self, scope: Scope, record: RequestRecord, seconds: float) -> None:
        """One line without the query of the address, which may hold what somebody searches."""
        level = self._access_level
        if level is None or not logger.isEnabledFor(level):
            return
        if find_path_kind(scope["path"]) in _QUIET_KINDS:
            level = logging.DEBUG
        status = record.status or _NO_RESPONSE
        with hold_log_context(LogContext(request_id=record.id, owner=find_caller(scope).owner)):
            logger.log(
                level,
                "%s %s %d %d ms",
                scope["method"],
                ascii(scope["path"])[1:-1][:200],
                status,
                round(1000 * seconds),
                extra={
                    "fields": {
                        "method": scope["method"],
                        "path": scope["path"][:200],
                        "status": status,
                        "duration_ms": round(1000 * seconds),
                        "remote_address": str(read_client_address(scope) or ""),
                    }
                },
            )


def _name_response(record: RequestRecord, send: Send) -> Send:
    """A `send` that adds the request's id to the response and notes its status."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            record.status = message["status"]
            kept = [pair for pair in message.get("headers", ()) if pair[0] != REQUEST_ID_HEADER]
            message["headers"] = [*kept, (REQUEST_ID_HEADER, record.id.encode("ascii"))]
        await send(message)

    return named
