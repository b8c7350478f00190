"""A cached value with its age, and how many bytes it counts for in memory."""

from __future__ import annotations

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


def measure_entry_bytes(spot: EntryKey, kept: TimedValue) -> int:
    """The bytes that an entry takes in memory, approximately: its value, its key and the overhead."""
    return len(kept.value) + sum(map(len, spot)) + _ENTRY_OVERHEAD_BYTES
