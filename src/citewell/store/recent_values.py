"""The most recently used values, limited in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentValues(Generic[K, V]):
    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._held = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def find_recent_value(self, key: K) -> V | None:
        found = self._entries.get(key)
        if found is None:
            return None
        self._entries.move_to_end(key)
        return found[0]

    def add_recent_value(self, key: K, value: V, size: int) -> None:
        """Add a value, unless it is larger than a quarter of the limit."""
        self.drop_value(key)
        if size > self._max // 4:
            return
        self._entries[key] = (value, size)
        self._held += size
        while self._held > self._max:
            self._held -= self._entries.popitem(last=False)[1][1]

    def drop_value(self, key: K) -> None:
        found = self._entries.pop(key, None)
        if found is not None:
            self._held -= found[1]

    def drop_matching_values(self, belongs: Callable[[K], bool]) -> None:
        for key in [key for key in self._entries if belongs(key)]:
            self.drop_value(key)
