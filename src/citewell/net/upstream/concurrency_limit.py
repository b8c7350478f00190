"""Limits how many requests to one upstream run at the same time, if the upstream states a limit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from citewell.errors import RateLimited

_MAX_STATED_LIMIT = 1000  # a larger stated limit is reduced to this
_LIMIT_HEADER = "x-concurrency-limit"  # sent by Crossref, which rejects requests beyond it


class ConcurrencyLimit:
    """Slots for concurrent requests: unlimited until a limit is set or learnt; first come, first served."""

    def __init__(self) -> None:
        self._limit: int | None = None
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set_limit(self, max_running: int) -> None:
        """Allow `max_running` requests at a time, until a response states another limit."""
        self._limit = max(1, max_running)
        self._wake_waiting()

    def learn_stated_limit(self, headers: Mapping[str, str]) -> None:
        stated = headers.get(_LIMIT_HEADER, "").strip()
        if stated.isascii() and stated.isdigit() and 0 < len(stated) <= 6 and int(stated):
            self.set_limit(min(int(stated), _MAX_STATED_LIMIT))

    @asynccontextmanager
    async def hold_slot(self, *, max_wait: float) -> AsyncIterator[None]:
        """Hold a slot while one request runs; RateLimited if none is free within `max_wait` seconds."""
        await self._wait_for_slot(max_wait)
        try:
            yield
        finally:
            self._running -= 1
            self._wake_waiting()

    async def _wait_for_slot(self, max_wait: float) -> None:
        if not self._waiting and self._has_free_slot():
            self._running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(max_wait):
                await turn
        except TimeoutError:
            self._leave_queue(turn)
            message = "The upstream limits concurrent requests, and no slot became free in time."
            raise RateLimited(message, retry_after=max_wait) from None
        except asyncio.CancelledError:
            self._leave_queue(turn)
            raise

    def _leave_queue(self, turn: asyncio.Future[None]) -> None:
        """Leave the queue; a slot that was already granted is passed on to the next."""
        if turn.done() and not turn.cancelled():
            self._running -= 1
        elif turn in self._waiting:
            self._waiting.remove(turn)
        self._wake_waiting()

    def _has_free_slot(self) -> bool:
        return self._limit is None or self._running < self._limit

    def _wake_waiting(self) -> None:
        while self._waiting and self._has_free_slot():
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)
