"""Which providers were tried for one call, as diagnostics for the operator."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class RoutingTrace:
    """Filled while a call runs; returned in `_meta.routing`, not in the content."""

    attempted: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    reason: str | None = None  # circuit_open or primary_unavailable

    def record_attempt(self, provider: str) -> None:
        if provider not in self.attempted:
            self.attempted.append(provider)

    def record_success(self, provider: str) -> None:
        if provider not in self.used:
            self.used.append(provider)

    def record_skip(self, provider: str, *, reason: str) -> None:
        self.record_attempt(provider)
        self.reason = self.reason or reason

    def to_wire(self) -> dict[str, object]:
        """The trace as JSON; empty if no provider was tried."""
        if not self.attempted:
            return {}
        fallback = bool(self.used) and self.used[0] != self.attempted[0]
        wire: dict[str, object] = {}
        if self.used:
            wire["provider_used"] = self.used[0]
        wire["providers_attempted"] = list(self.attempted)
        wire["fallback"] = fallback
        if fallback:
            wire["fallback_reason"] = self.reason or "primary_unavailable"
        return wire
