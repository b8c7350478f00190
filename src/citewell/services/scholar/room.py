"""Which provider has room for another question: by its pace, and by what it was asked and owes us."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from citewell.services.scholar.panel import Panel

_REQUESTS = 2  # of one question: many ask again, more loosely, when they have found nothing


class Room:
    """Counts along with the pace that providers ask for; who is slower is seen by its longer line."""

    def __init__(self, panel: Panel, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._panel = panel
        self._clock = clock
        self._under_way: Counter[str] = Counter()
        self._next: defaultdict[str, float] = defaultdict(lambda: -math.inf)

    def wait(self, name: str) -> float:
        """Seconds that another question would stand in line; for ever while it rests."""
        if self._panel.rests(name):
            return math.inf
        spec = self._panel.spec(name)
        if not spec.per_second:
            return 0.0
        paced = (self._next[name] - self._clock()) * spec.per_second
        return (
            max(0.0, max(paced, self._under_way[name]) + _REQUESTS - spec.burst) / spec.per_second
        )

    def first(self, names: Sequence[str]) -> str:
        """The one with the shortest wait; of equals the one that was named first."""
        return names[0] if len(names) == 1 else min(names, key=self.wait)

    @contextmanager
    def taken(self, names: Sequence[str]) -> Iterator[None]:
        """While a question to them is under way; from the choice on, so that others choose otherwise."""
        for name in names:
            pace = self._panel.spec(name).per_second
            if pace:
                self._next[name] = max(self._next[name], self._clock()) + 1 / pace
        self._under_way.update(names)
        try:
            yield
        finally:
            self._under_way.subtract(names)
