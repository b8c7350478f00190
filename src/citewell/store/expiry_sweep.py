"""Deletes what is past its time, for all users, every hour while the process runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from citewell.core.errors import CitewellError

logger = logging.getLogger(__name__)
SWEEP_INTERVAL_SECONDS = 3600.0


class ExpirySweep:
    """Runs `delete_expired` at once and then every hour; reads hide what is expired in any case."""

    def __init__(
        self,
        delete_expired: Callable[[], Awaitable[int]],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._delete_expired = delete_expired
        self._pause = pause
        self._task: asyncio.Task[None] | None = None

    def keep_sweeping(self) -> None:
        """Begin, if it has not begun; needs a running event loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._sweep_forever())

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _sweep_forever(self) -> None:
        while True:
            try:
                await self._delete_expired()
            except CitewellError as error:
                logger.warning("What is past its time was not deleted. %s", error.message)
            await self._pause(SWEEP_INTERVAL_SECONDS)
