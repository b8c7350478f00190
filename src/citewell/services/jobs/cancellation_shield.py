"""Lets a piece of work finish although the waiting task is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def finish_despite_cancellation(work: Coroutine[Any, Any, T]) -> T:
    """Await the work to its end, then raise CancelledError if a cancellation came meanwhile.

    An error of the work itself is raised instead of the cancellation.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and not task.cancelled() and task.exception() is None:
        raise asyncio.CancelledError
    return task.result()
