"""What one HTTP server is doing now; shared by its layers, its health routes and its metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.types import ASGIApp


class ServerTracing(Protocol):
    """The traces of one server, if it makes any."""

    def wrap_routes(self, inner: ASGIApp) -> ASGIApp: ...

    def adopt_message_trace(self, request_id: str, meta: Mapping[str, Any] | None) -> None: ...

    def close_tracing(self) -> None: ...


def _count_nothing() -> int:
    return 0


@dataclass(slots=True, kw_only=True)
class ServerState:
    """Counters and flags of one server process. Everything happens on its event loop."""

    is_draining: bool = False  # the server was asked to end and accepts no new work
    active_requests: int = 0
    # By method, kind of path, and status.
    responses: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    refusals: Counter[tuple[int, str]] = field(default_factory=Counter)  # by status and reason
    tracing: ServerTracing | None = None
    count_connections: Callable[[], int] = _count_nothing
    count_sessions: Callable[[], int] = _count_nothing  # MCP sessions of the handshake era
