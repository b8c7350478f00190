"""Estimates how long a provider would keep a question waiting, from its rate and open requests."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from citewell.services.routing.provider_panel import ProviderPanel

_REQUESTS_PER_QUESTION = (
    2  # per question: many providers search again, more loosely, if nothing is found
)


class ProviderCapacity:
    """Counts open requests and the rate limit of each provider."""

    def __init__(
        self, panel: ProviderPanel, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._panel = panel
        self._clock = clock
        self._requests_open: Counter[str] = Counter()
        self._next_free: defaultdict[str, float] = defaultdict(lambda: -math.inf)

    def estimate_wait(self, name: str) -> float:
        """Seconds that another question would wait; infinite while the provider rests."""
        if self._panel.is_resting(name):
            return math.inf
        spec = self._panel.find_provider_spec(name)
        if not spec.per_second:
            return 0.0
        paced = (self._next_free[name] - self._clock()) * spec.per_second
        return (
            max(0.0, max(paced, self._requests_open[name]) + _REQUESTS_PER_QUESTION - spec.burst)
            / spec.per_second
        )

    def choose_shortest_wait(self, names: Sequence[str]) -> str:
        """The provider with the shortest wait; the first of equals."""
        return names[0] if len(names) == 1 else min(names, key=self.estimate_wait)

    @contextmanager
    def reserve_requests(self, names: Sequence[str]) -> Iterator[None]:
        """Count a question to these providers as open inside the `with` block."""
        for name in names:
            pace = self._panel.find_provider_spec(name).per_second
            if pace:
                self._next_free[name] = max(self._next_free[name], self._clock()) + 1 / pace
        self._requests_open.update(names)
        try:
            yield
        finally:
            self._requests_open.subtract(names)
