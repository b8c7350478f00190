"""Whether the disk can be asked at present, and what the operator should know about it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citewell.errors import CitewellError

_log = logging.getLogger(__name__)
_REST = 60.0  # seconds before a failed disk is tried again


@dataclass(slots=True)
class Health:
    """Shared by everything that is kept in one place: after a failure it lives in memory only."""

    clock: Callable[[], float]
    _resume: float = 0.0
    _said: list[str] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)

    def usable(self) -> bool:
        return not self._resume or self.clock() >= self._resume

    def failed(self, error: CitewellError) -> None:
        """Rest for a while; each reason is logged once."""
        self._resume = self.clock() + _REST
        if error.message not in self._said:
            self._said.append(error.message)
            _log.warning("%s Until that changes, answers are kept in memory only.", error.message)

    def count(self, what: str) -> None:
        self._counts[what] += 1

    def counts(self) -> Mapping[str, int]:
        return dict(self._counts)

    def warnings(self) -> tuple[str, ...]:
        return tuple(self._said)
