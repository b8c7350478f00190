"""Which providers were tried for one call, as diagnostics for the operator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class RoutingTrace:
    """Filled while a call runs; returned in `_meta.routing`, not in the content."""

    attempted: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    receivers: list[str] = field(default_factory=list)  # providers that were sent a request
    replied: set[str] = field(default_factory=set)  # providers that answered, if only with nothing
    reason: str | None = None  # circuit_open or primary_unavailable

    def record_attempt(self, provider: str) -> None:
        if provider not in self.attempted:
            self.attempted.append(provider)

    def record_reply(self, provider: str) -> None:
        """Record that the provider answered; one that is not used had nothing."""
        self.replied.add(provider)

    def record_success(self, provider: str) -> None:
        if provider not in self.used:
            self.used.append(provider)

    def record_skip(self, provider: str, *, reason: str) -> None:
        self.record_attempt(provider)
        self.reason = self.reason or reason

    def to_wire(self) -> dict[str, object]:
        """The trace as JSON; empty if no provider was tried."""
        attempted = self.attempted or self.receivers
        if not attempted:
            return {}
        fallback = bool(self.used) and self.used[0] != attempted[0]
        wire: dict[str, object] = {}
        if self.used:
            wire["provider_used"] = self.used[0]
        wire["providers_attempted"] = list(attempted)
        wire["fallback"] = fallback
        if fallback and self.attempted[0] in self.replied:
            wire["fallback_reason"] = "primary_empty"
        elif fallback:
            wire["fallback_reason"] = self.reason or "primary_unavailable"
        if self.receivers:
            wire["seen_by"] = list(self.receivers)
        return wire


# The trace of the running call. Requests are sent far below the tool, some by services that know of no
# call; a forgotten argument there would hide a provider that saw the query.
_RUNNING_TRACE: ContextVar[RoutingTrace | None] = ContextVar("running_trace", default=None)


@contextmanager
def hold_trace(trace: RoutingTrace) -> Iterator[RoutingTrace]:
    """Record in this trace who is sent requests in the `with` block, also by tasks started in it."""
    token = _RUNNING_TRACE.set(trace)
    try:
        yield trace
    finally:
        _RUNNING_TRACE.reset(token)


def record_receiver(provider: str) -> None:
    """Record in the trace of the running call that a provider is sent a request."""
    trace = _RUNNING_TRACE.get()
    if trace is not None and provider not in trace.receivers:
        trace.receivers.append(provider)
