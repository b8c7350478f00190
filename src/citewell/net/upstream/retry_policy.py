"""Which failed requests are retried, and after what delay."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from citewell.errors import CitewellError, FailureReason, NetworkFailed
from citewell.net.http.status_errors import GatewayOverloaded


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """At most `max_attempts`, with delays that double from `first_delay` to `max_delay`, with jitter."""

    max_attempts: int = 3
    first_delay: float = 0.4
    max_delay: float = 4.0
    random_fraction: Callable[[], float] = random.random  # noqa: S311 - spreads load, no security purpose

    def choose_delay(self, error: CitewellError, *, attempt: int) -> float | None:
        """Seconds before the next attempt; None if the request should not be retried."""
        if attempt >= self.max_attempts or not isinstance(error, NetworkFailed | GatewayOverloaded):
            return None
        if error.reason is FailureReason.OFFLINE:
            return None
        pause: float = min(self.max_delay, self.first_delay * 2 ** (attempt - 1)) * (
            0.5 + self.random_fraction() / 2
        )
        if not isinstance(error, GatewayOverloaded) or error.retry_after is None:
            return pause
        # If the upstream asks for a long wait, the caller should not be kept waiting.
        return max(pause, error.retry_after) if error.retry_after <= self.max_delay else None
