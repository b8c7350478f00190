"""Counts the calls that run at the same time in this process, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyCap:
    """At most `calls` at the same time; 0 for any number."""

    name: str
    calls: int


class ConcurrentCalls:
    """What a running call needs (memory, readers of pages, connections) is this process's own.

    So the caps are, too: nothing is written to a store, and nothing is left over from a process
    that died.
    """

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()

    def take_slots(self, caps: Sequence[ConcurrencyCap], *, calls: int = 1) -> str | None:
        """Take a slot of every cap, or none of any; the name of a cap that is reached, or None."""
        for cap in caps:
            if cap.calls and self._running[cap.name] + calls > cap.calls:
                return cap.name
        for cap in caps:
            self._running[cap.name] += calls
        return None

    def release_slots(self, caps: Sequence[ConcurrencyCap], *, calls: int = 1) -> None:
        for cap in caps:
            self._running[cap.name] -= calls
            if self._running[cap.name] <= 0:
                del self._running[cap.name]

    def count_running(self, name: str) -> int:
        return self._running.get(name, 0)
