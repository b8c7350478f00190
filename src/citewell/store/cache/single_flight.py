"""Single flight: concurrent callers that need the same value share one piece of work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from citewell.core.errors import InternalError
from citewell.store.cache.tiered_cache import CacheEntry, ResultCache
from citewell.store.coordination.leases import LeaseTable

T = TypeVar("T")

SHARED_OWNER = "shared"  # the owner of cached entries that all tenants read

_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.02, 0.25


@dataclass(slots=True)
class _SharedTask:
    task: asyncio.Task[Any]
    callers: int = 0


class SingleFlight:
    """Shares running work by key; work is cancelled only when its last caller is cancelled."""

    def __init__(self) -> None:
        self._running: dict[Hashable, _SharedTask] = {}

    async def share_work(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the one run of `work` under this key; raises what that run raises."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _SharedTask(asyncio.create_task(work()))
            running.task.add_done_callback(lambda task: self._handle_task_done(key, task))
        running.callers += 1
        try:
            result: T = await asyncio.shield(running.task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling() > 0:
                raise
            raise InternalError("The shared work cancelled itself.") from None
        finally:
            running.callers -= 1
            if not running.callers and not running.task.done():
                # So that no new caller joins work that is being cancelled.
                if self._running.get(key) is running:
                    del self._running[key]
                running.task.cancel()
        return result

    def _handle_task_done(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        running = self._running.get(key)
        if running is not None and running.task is task:
            del self._running[key]
        if not task.cancelled():
            task.exception()  # marks it as retrieved, even if no caller is left


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshValue:
    """A newly made value and its time to live in seconds; with 0 it is not cached."""

    value: bytes
    ttl: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedEntry:
    entry: CacheEntry
    is_cached: bool


class CachedLoader:
    """Returns a cached value, or makes it once for all callers in all processes."""

    def __init__(
        self,
        cache: ResultCache,
        leases: LeaseTable,
        *,
        max_wait_seconds: float = 20.0,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._cache = cache
        self._leases = leases
        self._patience = max_wait_seconds  # seconds a lease lasts, and others wait for it
        self._pause = pause
        self._flight = SingleFlight()

    def find_held_entry(self, owner: str, key: str) -> CacheEntry | None:
        """The fresh entry in memory; `count_held_use` once it is used."""
        return self._cache.find_held_entry(owner, key)

    def count_held_use(self) -> None:
        self._cache.count_held_use()

    async def load_or_make(
        self, owner: str, key: str, make: Callable[[], Coroutine[Any, Any, FreshValue]]
    ) -> LoadedEntry:
        entry = await self._cache.look_up_entry(owner, key)
        if entry is not None:
            return LoadedEntry(entry=entry, is_cached=True)
        return await self._flight.share_work(
            (owner, key), lambda: self._make_under_lease(owner, key, make)
        )

    async def _make_under_lease(
        self, owner: str, key: str, make: Callable[[], Coroutine[Any, Any, FreshValue]]
    ) -> LoadedEntry:
        name = f"{len(owner)}:{owner}:{key}"
        try:
            entry = await self._wait_for_lease(owner, key, name)
            if entry is not None:
                return LoadedEntry(entry=entry, is_cached=True)
            fresh = await make()
            if fresh.ttl > 0:
                await self._cache.store_entry(owner, key, fresh.value, ttl=fresh.ttl)
        finally:
            await self._leases.release_lease(name)
        return LoadedEntry(
            entry=CacheEntry(value=fresh.value, age_seconds=0.0, ttl=fresh.ttl), is_cached=False
        )

    async def _wait_for_lease(self, owner: str, key: str, name: str) -> CacheEntry | None:
        """The entry another process has made in the meantime; None if this process must make it.

        It must if it has the lease, or if it has waited long enough: making a value twice is
        better than failing.
        """
        waited, step = 0.0, _FIRST_PAUSE_SECONDS
        while True:
            mine = await self._leases.take_lease(name, seconds=self._patience)
            entry = await self._cache.look_up_entry(owner, key)
            if mine or entry is not None or waited >= self._patience:
                return entry
            await self._pause(step)
            waited += step
            step = min(step * 1.5, _MAX_PAUSE_SECONDS)
