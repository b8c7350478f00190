"""The most recently used values, limited in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


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
