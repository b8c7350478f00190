"""A clock for what takes its time as an argument."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass
class Clock:
    """Time that passes only where somebody sleeps, or a test says so."""

    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        if seconds:
            self.slept.append(seconds)
        await asyncio.sleep(0)
