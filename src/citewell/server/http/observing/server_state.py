"""What one HTTP server is doing now; shared by its layers, its health routes and its metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citewell.server.http.observing.tracing import RequestTracing


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
    tracing: RequestTracing | None = None
    count_connections: Callable[[], int] = _count_nothing
    count_sessions: Callable[[], int] = _count_nothing  # MCP sessions of the handshake era
