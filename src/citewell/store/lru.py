"""The memory tier: the most recently used entries, bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_OVERHEAD = 400  # what an entry costs besides its value and its names, roughly


@dataclass(frozen=True, slots=True)
class Kept:
    """A value, when it was made (wall clock, seconds) and for how long it holds."""

    value: bytes
    made: float
    ttl: float

    def fresh(self, now: float) -> bool:
        return now < self.made + self.ttl


Spot = tuple[str, str, str]  # space, owner, key


class Lru:
    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._held = 0
        self._entries: OrderedDict[Spot, Kept] = OrderedDict()

    @property
    def held(self) -> int:
        return self._held

    def get(self, spot: Spot) -> Kept | None:
        kept = self._entries.get(spot)
        if kept is not None:
            self._entries.move_to_end(spot)
        return kept

    def put(self, spot: Spot, kept: Kept) -> bool:
        """False when it is too large to be worth the room of many others."""
        self.drop(spot)
        cost = _cost(spot, kept)
        if cost > self._max // 4:
            return False
        self._entries[spot] = kept
        self._held += cost
        while self._held > self._max:
            self._held -= _cost(*self._entries.popitem(last=False))
        return True

    def drop(self, spot: Spot) -> None:
        kept = self._entries.pop(spot, None)
        if kept is not None:
            self._held -= _cost(spot, kept)

    def drop_if(self, belongs: Callable[[Spot], bool]) -> None:
        for spot in [spot for spot in self._entries if belongs(spot)]:
            self.drop(spot)


def _cost(spot: Spot, kept: Kept) -> int:
    return len(kept.value) + sum(map(len, spot)) + _OVERHEAD
