"""Deletes what is past its time, for all users, at most once an hour."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

SWEEP_INTERVAL_SECONDS = 3600.0


class ExpirySweep:
    """Runs `delete_expired` when it is due; reads hide what is expired in any case."""

    def __init__(
        self, delete_expired: Callable[[], Awaitable[int]], clock: Callable[[], float]
    ) -> None:
        self._delete_expired = delete_expired
        self._clock = clock
        self._due = 0.0

    async def run_if_due(self) -> None:
        now = self._clock()
        if now >= self._due:
            self._due = now + SWEEP_INTERVAL_SECONDS
            await self._delete_expired()
