"""A clock that jumps ahead instead of waiting, for the pauses that the product makes itself."""

from __future__ import annotations

import asyncio
import time


class SkippedPauses:
    """Runs like the real clock; `sleep` sets it ahead, so that retries and paces cost no time."""

    def __init__(self) -> None:
        self._ahead_seconds = 0.0

    def clock(self) -> float:
        return time.monotonic() + self._ahead_seconds

    async def sleep(self, seconds: float) -> None:
        """Return at the time at which a real sleep would; those asleep together wait together."""
        end = self.clock() + seconds
        await asyncio.sleep(0)
        self._ahead_seconds = max(self._ahead_seconds, end - time.monotonic())
