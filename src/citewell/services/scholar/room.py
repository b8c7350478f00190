"""Which provider has room for another question: by its pace, and by what it was asked and owes us."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from citewell.services.scholar.panel import Panel

_REQUESTS = 2  # of one question


class Room:
    """Counts what is under way: a registry slower than it should be is seen by its longer line."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._under_way: Counter[int] = Counter()

    def wait(self, name: str) -> float:
        """Seconds that another question would stand in line; for ever while it rests.

        Many ask a second time, more loosely, when they have found nothing: that counts, too.
        """
        if self._panel.rests(name):
            return math.inf
        spec = self._panel.spec(name)
        ahead = self._under_way[id(self._panel.provider(name))] + _REQUESTS - spec.burst
        return max(0, ahead) / spec.per_second if spec.per_second else 0.0

    def first(self, names: Sequence[str]) -> str:
        """The one with the shortest wait; of equals the one that was named first."""
        return names[0] if len(names) == 1 else min(names, key=self.wait)

    @contextmanager
    def taken(self, provider: object) -> Iterator[None]:
        """While a question to it is under way."""
        self._under_way[id(provider)] += 1
        try:
            yield
        finally:
            self._under_way[id(provider)] -= 1
