"""Waiting until something comes true that another thread or process brings about."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

import psutil

WAIT_SECONDS = 180.0  # far more than a condition needs on a busy machine


def wait_until(condition: Callable[[], bool], *, seconds: float = WAIT_SECONDS) -> None:
    """Return as soon as it is true; fail when it is not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not come true within {seconds:g} s"
        time.sleep(0.01)


async def until(
    condition: Callable[[], object | Awaitable[object]], *, seconds: float = WAIT_SECONDS
) -> None:
    """Return as soon as it is true; fail when it is not in time."""
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if await found if inspect.isawaitable(found) else found:
                return
            await asyncio.sleep(0.005)


def has_ended(pid: int) -> bool:
    """Whether a process has ended, also when nobody has asked for its end yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
