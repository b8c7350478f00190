"""Keeps one caller from using up what all callers share."""

from __future__ import annotations

from collections import Counter

from citewell.store.coordination.rate_limits import RateLimit


class FairShares:
    """Equal shares of a rate limit for those who ask at the same time, within one process.

    While more than half of the limit is left, everybody may take from it. After that, whoever has
    had an equal share in the running window waits for the next one, and the rest is for others.
    """

    def __init__(self) -> None:
        self._started = 0.0
        self._asked: set[str] = set()
        self._asked_before: set[str] = set()
        self._taken: Counter[str] = Counter()
        self._left = (0.0, 0.0)  # how many calls were left, and when

    def measure_share_wait(self, limit: RateLimit, caller: str, *, now: float) -> float:
        """Seconds that the caller must leave to others; 0 if it may ask."""
        self._begin_window(limit, now)
        self._asked.add(caller)
        if self._estimate_left(limit, now) * 2 > limit.calls:
            return 0.0
        callers = len(self._asked | self._asked_before)
        if self._taken[caller] < max(1, limit.calls // callers):
            return 0.0
        return self._started + limit.seconds - now

    def record_taken_calls(self, caller: str, calls: int, *, left: int, now: float) -> None:
        """Note what the caller got, and how many calls the limit has left after it."""
        self._taken[caller] += calls
        self._left = (left, now)

    def _begin_window(self, limit: RateLimit, now: float) -> None:
        age = now - self._started
        if 0 <= age < limit.seconds:
            return
        recent = 0 <= age < 2 * limit.seconds
        self._asked_before = self._asked if recent else set()
        self._asked, self._taken, self._started = set(), Counter(), now

    def _estimate_left(self, limit: RateLimit, now: float) -> float:
        left, then = self._left
        return left + (now - then) / limit.interval
