"""The clocks and the sleep function in use, which tests replace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSource:
    clock: Callable[[], float] = time.monotonic  # for delays and deadlines
    now: Callable[[], float] = time.time  # for dates in responses
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
