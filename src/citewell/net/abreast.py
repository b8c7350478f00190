"""Lets only so many requests to one upstream be under way at the same time, where it says how many."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from citewell.errors import RateLimited

_MOST = 1000  # whoever states more means no limit
_HEADER = "x-concurrency-limit"  # Crossref's; it refuses what goes beyond it


class Abreast:
    """No limit until one is set or an answer states one; those who wait go in the order they came."""

    def __init__(self) -> None:
        self._limit: int | None = None
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def limit(self, most: int) -> None:
        """Take `most` for the limit, until an answer states another."""
        self._limit = max(1, most)
        self._wake()

    def learn(self, headers: Mapping[str, str]) -> None:
        stated = headers.get(_HEADER, "").strip()
        if stated.isascii() and stated.isdigit() and 0 < len(stated) <= 6 and int(stated):
            self.limit(min(int(stated), _MOST))

    @asynccontextmanager
    async def place(self, *, longest: float) -> AsyncIterator[None]:
        """While one request is under way; RateLimited when no place is free within `longest` seconds."""
        await self._enter(longest)
        try:
            yield
        finally:
            self._running -= 1
            self._wake()

    async def _enter(self, longest: float) -> None:
        if not self._waiting and self._free():
            self._running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(longest):
                await turn
        except TimeoutError:
            self._leave(turn)
            message = "The upstream takes few requests at a time, and none has ended."
            raise RateLimited(message, retry_after=longest) from None
        except asyncio.CancelledError:
            self._leave(turn)
            raise

    def _leave(self, turn: asyncio.Future[None]) -> None:
        """Whoever gives up passes on the place that it may just have been given."""
        if turn.done() and not turn.cancelled():
            self._running -= 1
        elif turn in self._waiting:
            self._waiting.remove(turn)
        self._wake()

    def _free(self) -> bool:
        return self._limit is None or self._running < self._limit

    def _wake(self) -> None:
        while self._waiting and self._free():
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)
