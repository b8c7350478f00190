"""Limits the rate of requests to one upstream; concurrent callers wait in a queue."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from citewell.errors import RateLimited
from citewell.net.http.rate_limit_headers import ResponseHeaders, read_stated_limits

_MAX_PAUSE_SECONDS = 3600.0  # seconds; after that, one call tests whether the limit still holds


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSource:
    """The clocks and the sleep function in use, which tests replace."""

    clock: Callable[[], float] = time.monotonic  # for delays and deadlines
    now: Callable[[], float] = time.time  # for dates in responses
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class RequestPace:
    """A rate limit (GCRA): `burst` calls at once, then one every 1/`per_second` seconds.

    Limits that the upstream states in its headers replace these values.
    """

    def __init__(
        self, *, per_second: float | None = None, burst: int = 1, timing: TimeSource | None = None
    ) -> None:
        timing = timing or TimeSource()
        self._interval = 1 / per_second if per_second else 0.0
        self._burst = max(1, burst)
        self._clock, self._now, self._sleep = timing.clock, timing.now, timing.sleep
        self._next = -math.inf  # the time of the next call if calls were evenly spaced
        self._paused_until = -math.inf
        self._waiting = 0
        self._turn = asyncio.Lock()

    async def take_turn(self, *, max_wait: float) -> None:
        """Wait for a turn; RateLimited, with the delay, if it would take over `max_wait` seconds.

        A turn is counted only when it comes, so a cancelled caller uses none.
        """
        deadline = self._clock() + max_wait
        self._check_deadline(self._measure_wait(ahead=self._waiting), deadline)
        self._waiting += 1
        try:
            async with self._turn:
                while (wait := self._measure_wait()) > 0:
                    self._check_deadline(wait, deadline)
                    await self._sleep(wait)
                self._next = max(self._next, self._clock()) + self._interval
        finally:
            self._waiting -= 1

    def learn_stated_pace(self, headers: ResponseHeaders) -> None:
        """Adopt the limits that a response states."""
        limits = read_stated_limits(headers, now=self._now)
        if limits.per_second is not None and limits.burst is not None:
            self._interval, self._burst = 1 / limits.per_second, limits.burst
        if limits.pause_seconds:
            until = self._clock() + min(limits.pause_seconds, _MAX_PAUSE_SECONDS)
            self._paused_until = max(self._paused_until, until)

    def _measure_wait(self, *, ahead: int = 0) -> float:
        """Seconds until a call may start, with `ahead` callers before it in the queue."""
        now = self._clock()
        spread = max(self._next, now) + (ahead + 1 - self._burst) * self._interval
        return max(spread, self._paused_until) - now

    def _check_deadline(self, wait: float, deadline: float) -> None:
        if self._clock() + wait > deadline:
            raise RateLimited(
                "The upstream's rate limit leaves no time for this call.", retry_after=wait
            )
