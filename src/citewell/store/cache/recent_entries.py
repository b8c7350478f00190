"""The memory tier of the cache: the most recently used entries, limited in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_ENTRY_OVERHEAD_BYTES = 400  # approximate size of an entry without its value and key


@dataclass(frozen=True, slots=True)
class TimedValue:
    """A value, when it was made (seconds since the epoch) and its time to live in seconds."""

    value: bytes
    made_at: float
    ttl: float

    def is_fresh(self, now: float) -> bool:
        return now < self.made_at + self.ttl


EntryKey = tuple[str, str, str]  # space, owner, key


class RecentEntries:
    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._held = 0
        self._entries: OrderedDict[EntryKey, TimedValue] = OrderedDict()

    @property
    def held_bytes(self) -> int:
        return self._held

    def find_entry(self, spot: EntryKey) -> TimedValue | None:
        kept = self._entries.get(spot)
        if kept is not None:
            self._entries.move_to_end(spot)
        return kept

    def add_entry(self, spot: EntryKey, kept: TimedValue) -> bool:
        """False if it is not stored, because it is larger than a quarter of the limit."""
        self.drop_entry(spot)
        cost = _measure_entry_bytes(spot, kept)
        if cost > self._max // 4:
            return False
        self._entries[spot] = kept
        self._held += cost
        while self._held > self._max:
            self._held -= _measure_entry_bytes(*self._entries.popitem(last=False))
        return True

    def drop_entry(self, spot: EntryKey) -> None:
        kept = self._entries.pop(spot, None)
        if kept is not None:
            self._held -= _measure_entry_bytes(spot, kept)

    def drop_matching_entries(self, belongs: Callable[[EntryKey], bool]) -> None:
        for spot in [spot for spot in self._entries if belongs(spot)]:
            self.drop_entry(spot)


def _measure_entry_bytes(spot: EntryKey, kept: TimedValue) -> int:
    return len(kept.value) + sum(map(len, spot)) + _ENTRY_OVERHEAD_BYTES
