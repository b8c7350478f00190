"""Answers kept for reuse: memory first, then the disk, and memory alone when the disk fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError
from citewell.store.failures import Unreadable
from citewell.store.health import Health
from citewell.store.lru import Kept, Lru, Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A kept value with its age and the lifetime it was given."""

    value: bytes
    age_seconds: float
    ttl: float


class Cache(Protocol):
    """Every call names an owner; nobody reads what another owner put."""

    async def get(self, owner: str, key: str) -> Entry | None:
        """The entry while it is fresh; None otherwise, and None when it cannot be opened."""
        ...

    def held(self, owner: str, key: str) -> int:
        """The bytes `get` would give without waiting for anything; 0 for none. Asking counts for nothing."""
        ...

    async def put(self, owner: str, key: str, value: bytes, *, ttl: float) -> bool:
        """Keep it; once this returns True it outlives kill -9, as far as there is a disk.

        False says that it was not kept at all, for want of room.
        """
        ...

    async def forget(self, owner: str, key: str) -> None: ...

    async def clear(self, owner: str | None = None) -> None:
        """Forget everything of one owner, or of all."""
        ...

    def warnings(self) -> tuple[str, ...]:
        """What the operator should know, such as a disk that cannot be written."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How often memory, disk or nothing answered, and how many entries did not open."""
        ...


class Tier(Protocol):
    """Where entries are kept outside memory; raises StoreError where that fails."""

    async def get(self, spot: Spot) -> Kept | None:
        """The entry, fresh or not; raises Unreadable when it does not open."""
        ...

    async def put(self, spot: Spot, kept: Kept) -> bool:
        """True once it is kept; False when it is too large for that."""
        ...

    async def forget(self, spot: Spot) -> None: ...

    async def clear(self, space: str, owner: str | None) -> None: ...


class TieredCache:
    """One space of entries on the shared tiers; spaces never see one another."""

    def __init__(
        self,
        space: str,
        *,
        memory: Lru,
        disk: Tier | None,
        health: Health,
        clock: Callable[[], float],
    ) -> None:
        self._space = space
        self._memory = memory
        self._disk = disk
        self._health = health
        self._clock = clock
        self._changes = 0  # a read that began before a change must not bring the old value back

    async def get(self, owner: str, key: str) -> Entry | None:
        return await self._get(owner, key, disk_first=False)

    def held(self, owner: str, key: str) -> int:
        kept = self._memory.get((self._space, owner, key))
        return len(kept.value) if kept is not None and kept.fresh(self._clock()) else 0

    async def latest(self, owner: str, key: str) -> Entry | None:
        """Like `get`, but another process's newer value wins over what this one remembers."""
        return await self._get(owner, key, disk_first=True)

    async def put(self, owner: str, key: str, value: bytes, *, ttl: float) -> bool:
        spot = (self._space, owner, key)
        kept = Kept(value, self._clock(), ttl)
        if ttl <= 0:
            return False
        self._changes += 1
        remembered = self._memory.put(spot, kept)
        return await self._write(spot, kept) or remembered

    async def forget(self, owner: str, key: str) -> None:
        spot = (self._space, owner, key)
        self._changes += 1
        self._memory.drop(spot)
        if self._disk is not None and self._health.usable():
            try:
                await self._disk.forget(spot)
            except CitewellError as error:
                self._health.failed(error)

    async def clear(self, owner: str | None = None) -> None:
        self._changes += 1
        self._memory.drop_if(
            lambda spot: spot[0] == self._space and (owner is None or spot[1] == owner)
        )
        if self._disk is not None and self._health.usable():
            try:
                await self._disk.clear(self._space, owner)
            except CitewellError as error:
                self._health.failed(error)

    def warnings(self) -> tuple[str, ...]:
        return self._health.warnings()

    def counts(self) -> Mapping[str, int]:
        return self._health.counts()

    async def _get(self, owner: str, key: str, *, disk_first: bool) -> Entry | None:
        spot = (self._space, owner, key)
        kept, tier = None if disk_first else self._memory.get(spot), "memory"
        if kept is None:
            kept, tier = await self._read(spot), "disk"
        if kept is None and disk_first:
            kept, tier = self._memory.get(spot), "memory"
        now = self._clock()
        if kept is None or not kept.fresh(now):
            self._health.count("misses")
            return None
        self._health.count(tier)
        return Entry(value=kept.value, age_seconds=max(0.0, now - kept.made), ttl=kept.ttl)

    async def _read(self, spot: Spot) -> Kept | None:
        if self._disk is None or not self._health.usable():
            return None
        changes = self._changes
        try:
            kept = await self._disk.get(spot)
        except Unreadable:
            self._health.count("unreadable")
            return None
        except CitewellError as error:
            self._health.failed(error)
            return None
        if kept is not None and changes == self._changes:
            self._memory.put(spot, kept)
        return kept

    async def _write(self, spot: Spot, kept: Kept) -> bool:
        if self._disk is None or not self._health.usable():
            return False
        try:
            return await self._disk.put(spot, kept)
        except CitewellError as error:
            self._health.failed(error)
            return False


class NoCache:
    """What stands in when the operator wants nothing kept."""

    async def get(self, owner: str, key: str) -> Entry | None:  # noqa: ARG002 - the port's signature
        return None

    def held(self, owner: str, key: str) -> int:  # noqa: ARG002 - the port's signature
        return 0

    async def put(self, owner: str, key: str, value: bytes, *, ttl: float) -> bool:  # noqa: ARG002 - the port's signature
        return False

    async def forget(self, owner: str, key: str) -> None: ...

    async def clear(self, owner: str | None = None) -> None: ...

    def warnings(self) -> tuple[str, ...]:
        return ()

    def counts(self) -> Mapping[str, int]:
        return {}
