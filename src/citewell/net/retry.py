"""What is worth asking again, and after how long."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from citewell.errors import CitewellError, NetworkFailed
from citewell.net.verdict import Overloaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """At most `attempts` in all, with full jitter between `first` and `longest` seconds."""

    attempts: int = 3
    first: float = 0.4
    longest: float = 4.0
    chance: Callable[[], float] = random.random  # noqa: S311 - spreads load, guards nothing

    def delay(self, error: CitewellError, *, attempt: int) -> float | None:
        """Seconds before the next attempt; None when there should be none."""
        if attempt >= self.attempts or not isinstance(error, NetworkFailed | Overloaded):
            return None
        pause: float = min(self.longest, self.first * 2 ** (attempt - 1)) * (
            0.5 + self.chance() / 2
        )
        if not isinstance(error, Overloaded) or error.retry_after is None:
            return pause
        # An upstream that names a long wait is not worth holding a caller for.
        return max(pause, error.retry_after) if error.retry_after <= self.longest else None
