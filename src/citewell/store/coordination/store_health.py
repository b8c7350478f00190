"""Whether the shared storage can be used at present, and messages about its failures."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citewell.errors import CitewellError

logger = logging.getLogger(__name__)
_RETRY_AFTER_SECONDS = 60.0  # pause before a failed storage is tried again


@dataclass(slots=True)
class StoreHealth:
    """Shared by all users of one storage; after a failure they use memory only for a while."""

    clock: Callable[[], float]
    consequence: str = "For now, results are cached in memory only."
    _retry_at: float = 0.0
    _failure_messages: list[str] = field(default_factory=list)
    _event_counts: Counter[str] = field(default_factory=Counter)

    def is_usable(self) -> bool:
        return not self._retry_at or self.clock() >= self._retry_at

    def record_store_failure(self, error: CitewellError) -> None:
        """Make the storage unusable for a while; each message is logged once."""
        self._retry_at = self.clock() + _RETRY_AFTER_SECONDS
        if error.message not in self._failure_messages:
            self._failure_messages.append(error.message)
            logger.warning("%s %s", error.message, self.consequence)

    def record_event(self, what: str) -> None:
        self._event_counts[what] += 1

    def list_event_counts(self) -> Mapping[str, int]:
        return dict(self._event_counts)

    def list_failure_messages(self) -> tuple[str, ...]:
        return tuple(self._failure_messages)
