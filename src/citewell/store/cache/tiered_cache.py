"""Cached entries: looked up in memory, then on disk; in memory only while the disk fails."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from citewell.core.errors import CitewellError
from citewell.store.failures import DecryptionFailed, EntryUnreachable, StoreHealth

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_ENTRY_OVERHEAD_BYTES = 400  # approximate size of an entry without its value and key


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """A cached value with its age and its time to live, both in seconds."""

    value: bytes
    age_seconds: float
    ttl: float


class ResultCache:
    """Stores nothing, for when caching is switched off; `TieredCache` stores.

    Every call names an owner, and no owner can read another owner's entries.
    """

    async def look_up_entry(self, owner: str, key: str) -> CacheEntry | None:  # noqa: ARG002 - for subclasses
        """The entry; None if there is none, it has expired, or it cannot be decrypted.

        Raises EntryUnreachable if it may be in an object store that does not answer.
        """
        return None

    def find_held_entry(self, owner: str, key: str) -> CacheEntry | None:  # noqa: ARG002 - for subclasses
        """The fresh entry in memory; None if there is none. It is not counted as a hit or a miss."""
        return None

    def count_held_use(self) -> None:
        """Count a hit: an entry that `find_held_entry` found is used."""

    async def store_entry(self, owner: str, key: str, value: bytes, *, ttl: float) -> bool:  # noqa: ARG002 - for subclasses
        """Store a value; True once it is stored, and then it survives kill -9 if there is a disk tier.

        False if it was not stored at all, because it is too large or `ttl` is not positive.
        """
        return False

    async def remove_entry(self, owner: str, key: str) -> None: ...

    async def clear_entries(self, owner: str | None = None) -> None:
        """Remove all entries of one owner, or of every owner."""


class CacheTier(Protocol):
    """Storage for entries outside memory; every method raises StoreError if the storage fails."""

    async def load_entry(self, spot: EntryKey) -> TimedValue | None:
        """The entry, even if it has expired; raises DecryptionFailed."""
        ...

    async def save_entry(self, spot: EntryKey, kept: TimedValue) -> bool:
        """True once it is stored; False if it is too large."""
        ...

    async def delete_entry(self, spot: EntryKey) -> None: ...

    async def clear_space(self, space: str, owner: str | None) -> None: ...

    async def erase_entries(self, owner: str, *, private_space: str) -> None:
        """Delete the owner's entries of `private_space` and all entries of the other spaces for good."""
        ...

    def iterate_entries(self, space: str, owner: str) -> AsyncIterator[TimedValue]:
        """The entries of one owner that have not expired; those that cannot be decrypted are left out."""
        ...


class TieredCache(ResultCache):
    """One named space of entries on shared tiers; a space cannot see the entries of another."""

    def __init__(
        self,
        space: str,
        *,
        memory: RecentValues[EntryKey, TimedValue],
        disk: CacheTier | None,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        self._space = space
        self._memory = memory
        self._disk = disk
        self._health = health
        self._clock = clock
        self._changes = 0  # a disk read that began before a change must not put the old value back

    async def look_up_entry(
        self, owner: str, key: str, *, disk_first: bool = False
    ) -> CacheEntry | None:
        """With `disk_first` the memory is asked last, so that values of other processes are seen."""
        spot = (self._space, owner, key)
        kept, tier = None if disk_first else self._memory.find_recent_value(spot), "memory"
        if kept is None:
            kept, tier = await self._read_from_disk(spot), "disk"
        if kept is None and disk_first:
            kept, tier = self._memory.find_recent_value(spot), "memory"
        now = self._clock()
        if kept is None or not kept.is_fresh(now):
            self._health.record_event("misses")
            return None
        self._health.record_event(tier)
        return _build_entry(kept, now)

    def find_held_entry(self, owner: str, key: str) -> CacheEntry | None:
        kept = self._memory.find_recent_value((self._space, owner, key))
        now = self._clock()
        return _build_entry(kept, now) if kept is not None and kept.is_fresh(now) else None

    def count_held_use(self) -> None:
        self._health.record_event("memory")

    async def store_entry(self, owner: str, key: str, value: bytes, *, ttl: float) -> bool:
        spot = (self._space, owner, key)
        kept = TimedValue(value, self._clock(), ttl)
        if ttl <= 0:
            return False
        self._changes += 1
        remembered = self._keep_in_memory(spot, kept)
        if (disk := self._disk) is None:
            return remembered
        stored = await self._health.try_store(lambda: disk.save_entry(spot, kept), otherwise=False)
        return stored or remembered

    async def remove_entry(self, owner: str, key: str) -> None:
        spot = (self._space, owner, key)
        self._changes += 1
        self._memory.drop_value(spot)
        if (disk := self._disk) is not None:
            await self._health.try_store(lambda: disk.delete_entry(spot), otherwise=None)

    async def clear_entries(self, owner: str | None = None) -> None:
        self.forget_recent(owner)
        if (disk := self._disk) is not None:
            await self._health.try_store(
                lambda: disk.clear_space(self._space, owner), otherwise=None
            )

    def forget_recent(self, owner: str | None = None) -> None:
        """Drop the entries of one owner, or of every owner, from memory alone."""
        self._changes += 1
        self._memory.drop_matching_values(
            lambda spot: spot[0] == self._space and (owner is None or spot[1] == owner)
        )

    async def _read_from_disk(self, spot: EntryKey) -> TimedValue | None:
        if self._disk is None or not self._health.is_usable():
            return None
        changes = self._changes
        try:
            kept = await self._disk.load_entry(spot)
        except DecryptionFailed:
            self._health.record_event("unreadable")
            return None
        except EntryUnreachable:
            raise  # a failure of one place alone: to answer that there is no entry would be false
        except CitewellError as error:
            self._health.record_store_failure(error)
            return None
        if kept is not None and changes == self._changes:
            self._keep_in_memory(spot, kept)
        return kept

    def _keep_in_memory(self, spot: EntryKey, kept: TimedValue) -> bool:
        """False if it is too large for the memory."""
        return self._memory.add_recent_value(spot, kept, measure_entry_bytes(spot, kept))


def _build_entry(kept: TimedValue, now: float) -> CacheEntry:
    return CacheEntry(value=kept.value, age_seconds=max(0.0, now - kept.made_at), ttl=kept.ttl)


# A cached value with its age, and how many bytes it counts for in memory.


@dataclass(frozen=True, slots=True)
class TimedValue:
    """A value, when it was made (seconds since the epoch) and its time to live in seconds."""

    value: bytes
    made_at: float
    ttl: float

    def is_fresh(self, now: float) -> bool:
        return now < self.made_at + self.ttl


EntryKey = tuple[str, str, str]  # space, owner, key


def measure_entry_bytes(spot: EntryKey, kept: TimedValue) -> int:
    """The bytes that an entry takes in memory, approximately: its value, its key and the overhead."""
    return len(kept.value) + sum(map(len, spot)) + _ENTRY_OVERHEAD_BYTES


# The most recently used values, limited in bytes.


class RecentValues(Generic[K, V]):
    """Values by key. When they are more than `max_bytes` together, the least recently used go."""

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._held = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    @property
    def held_bytes(self) -> int:
        return self._held

    def find_recent_value(self, key: K) -> V | None:
        found = self._entries.get(key)
        if found is None:
            return None
        self._entries.move_to_end(key)
        return found[0]

    def list_keys(self) -> list[K]:
        return list(self._entries)

    def add_recent_value(self, key: K, value: V, size: int) -> bool:
        """False if it is not added, because it is larger than a quarter of the limit."""
        self.drop_value(key)
        if size > self._max // 4:
            return False
        self._entries[key] = (value, size)
        self._held += size
        while self._held > self._max:
            self._held -= self._entries.popitem(last=False)[1][1]
        return True

    def drop_value(self, key: K) -> None:
        found = self._entries.pop(key, None)
        if found is not None:
            self._held -= found[1]

    def drop_matching_values(self, belongs: Callable[[K], bool]) -> None:
        for key in [key for key in self._entries if belongs(key)]:
            self.drop_value(key)
