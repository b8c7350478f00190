"""Which providers were tried for one call, for the operator's eyes only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Trace:
    """Filled in while a call runs; shown in `_meta.routing`, never in content."""

    attempted: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    reason: str | None = None  # circuit_open or primary_unavailable

    def attempt(self, provider: str) -> None:
        if provider not in self.attempted:
            self.attempted.append(provider)

    def served(self, provider: str) -> None:
        if provider not in self.used:
            self.used.append(provider)

    def skipped(self, provider: str, *, reason: str) -> None:
        self.attempt(provider)
        self.reason = self.reason or reason

    def wire(self) -> dict[str, object]:
        """Empty when nothing was routed."""
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
