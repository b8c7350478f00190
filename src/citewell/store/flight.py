"""Single flight: whoever asks for the same thing at the same time shares one piece of work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from citewell.errors import InternalError
from citewell.store.cache import Cache, Entry
from citewell.store.leases import Leases

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.25


@dataclass(slots=True)
class _Work:
    task: asyncio.Task[Any]
    callers: int = 0


class Flight:
    """Cancelling one caller never disturbs the others; when the last is gone the work is cancelled."""

    def __init__(self) -> None:
        self._running: dict[Hashable, _Work] = {}

    async def share(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result, or the very exception, of the one run of `work` under this key."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Work(asyncio.create_task(work()))
            running.task.add_done_callback(lambda task: self._land(key, task))
        running.callers += 1
        try:
            result: T = await asyncio.shield(running.task)
        except asyncio.CancelledError:
            if _was_cancelled():
                raise
            raise InternalError("The shared work was stopped from inside.") from None
        finally:
            running.callers -= 1
            if not running.callers and not running.task.done():
                self._leave(key, running)
                running.task.cancel()
        return result

    def _land(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        running = self._running.get(key)
        if running is not None and running.task is task:
            del self._running[key]
        if not task.cancelled():
            task.exception()  # seen, even when nobody waited for it

    def _leave(self, key: Hashable, running: _Work) -> None:
        """Nobody new may board work that is being cancelled."""
        if self._running.get(key) is running:
            del self._running[key]


def _was_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """What a piece of work made, and for how long it holds; zero seconds keeps it from the cache."""

    value: bytes
    ttl: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    entry: Entry
    cached: bool


class Loader:
    """Get it from the cache or make it once, however many callers and processes ask for it."""

    def __init__(
        self,
        cache: Cache,
        leases: Leases,
        *,
        patience: float = 20.0,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._cache = cache
        self._leases = leases
        self._patience = patience  # a lease lasts as long as others are willing to wait for it
        self._pause = pause
        self._flight = Flight()

    def held(self, owner: str, key: str) -> int:
        return self._cache.held(owner, key)

    async def load(
        self, owner: str, key: str, make: Callable[[], Coroutine[Any, Any, Fresh]]
    ) -> Loaded:
        entry = await self._cache.get(owner, key)
        if entry is not None:
            return Loaded(entry=entry, cached=True)
        return await self._flight.share((owner, key), lambda: self._once(owner, key, make))

    async def _once(
        self, owner: str, key: str, make: Callable[[], Coroutine[Any, Any, Fresh]]
    ) -> Loaded:
        name = f"{len(owner)}:{owner}:{key}"
        try:
            entry = await self._await_turn(owner, key, name)
            if entry is not None:
                return Loaded(entry=entry, cached=True)
            fresh = await make()
            if fresh.ttl > 0:
                await self._cache.put(owner, key, fresh.value, ttl=fresh.ttl)
        finally:
            await self._leases.give_back(name)
        return Loaded(entry=Entry(value=fresh.value, age_seconds=0.0, ttl=fresh.ttl), cached=False)

    async def _await_turn(self, owner: str, key: str, name: str) -> Entry | None:
        """What another process has made meanwhile; None when it is our turn.

        It is our turn with the lease, or when patience is at an end: work done twice is the
        lesser evil.
        """
        waited, step = 0.0, _FIRST_PAUSE
        while True:
            mine = await self._leases.take(name, seconds=self._patience)
            entry = await self._cache.get(owner, key)
            if mine or entry is not None or waited >= self._patience:
                return entry
            await self._pause(step)
            waited += step
            step = min(step * 1.5, _LONGEST_PAUSE)
