"""Lets calls to one upstream through no faster than it likes; parallel calls stand in line."""

from __future__ import annotations

import asyncio
import math

from citewell.errors import RateLimited
from citewell.net.limits import Headers, read_limits
from citewell.net.timing import Timing

_LONGEST_PAUSE = 3600.0  # after an hour one call may find out whether the upstream still means it


class Pace:
    """A generic cell rate: `burst` calls at once, then one every 1/`per_second`.

    What the upstream says in its headers takes the place of what we assumed.
    """

    def __init__(
        self, *, per_second: float | None = None, burst: int = 1, timing: Timing | None = None
    ) -> None:
        timing = timing or Timing()
        self._interval = 1 / per_second if per_second else 0.0
        self._burst = max(1, burst)
        self._clock, self._now, self._sleep = timing.clock, timing.now, timing.sleep
        self._next = -math.inf  # when the next call would come if all were evenly spread
        self._paused_until = -math.inf
        self._waiting = 0
        self._turn = asyncio.Lock()

    async def take(self, *, longest: float) -> None:
        """Wait for a turn; RateLimited with the delay when it would take over `longest` seconds.

        Nothing is taken until the turn has come, so a cancelled caller leaves no gap.
        """
        deadline = self._clock() + longest
        self._check(self._wait(ahead=self._waiting), deadline)
        self._waiting += 1
        try:
            async with self._turn:
                while (wait := self._wait()) > 0:
                    self._check(wait, deadline)
                    await self._sleep(wait)
                self._next = max(self._next, self._clock()) + self._interval
        finally:
            self._waiting -= 1

    def learn(self, headers: Headers) -> None:
        """Take over the limits an answer states."""
        limits = read_limits(headers, now=self._now)
        if limits.per_second is not None and limits.burst is not None:
            self._interval, self._burst = 1 / limits.per_second, limits.burst
        if limits.pause:
            until = self._clock() + min(limits.pause, _LONGEST_PAUSE)
            self._paused_until = max(self._paused_until, until)

    def _wait(self, *, ahead: int = 0) -> float:
        """Seconds until a call with `ahead` others before it may go."""
        now = self._clock()
        spread = max(self._next, now) + (ahead + 1 - self._burst) * self._interval
        return max(spread, self._paused_until) - now

    def _check(self, wait: float, deadline: float) -> None:
        if self._clock() + wait > deadline:
            raise RateLimited("The upstream's pace leaves no room for this call.", retry_after=wait)
