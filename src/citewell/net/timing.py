"""Where time comes from, so that tests can bring their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    clock: Callable[[], float] = time.monotonic  # for waits and deadlines
    now: Callable[[], float] = time.time  # for dates that upstreams name
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
