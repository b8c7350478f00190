"""Errors of the store, and whether the shared storage can be used at present."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from citewell.core.errors import CitewellError, InternalError, Misconfigured

T = TypeVar("T")
D = TypeVar("D")
logger = logging.getLogger(__name__)
_RETRY_AFTER_SECONDS = 60.0  # pause before a failed storage is tried again


class StoreError(Misconfigured):
    """The store cannot be read or written; the message says why and what to change."""

    action = "inform_user"


class StoreUnreachable(StoreError):
    """The database server, or the connection to it, failed; a retry may succeed."""

    retryable = True
    action = "retry"
    default_delay = 1.0


class StoreFull(StoreError):
    """The disk is full, or the file has reached its size limit."""


class StoreReadOnly(StoreError):
    """The database server lets nobody write: it is a replica, or was configured so."""


class ServerTooOld(StoreError):
    """The database server is of a version that cannot hold the store."""


# They end when the database server, its disk or the way to it is mended; until then work waits.
PASSING_FAILURES = (StoreUnreachable, StoreFull, StoreReadOnly)


class DatabaseDamaged(StoreError):
    """The database file is corrupt."""


class DatabaseEmptied(StoreError):
    """The database file has no bytes, although it has been used; it is not begun anew."""


class SchemaTooNew(StoreError):
    """A newer version has migrated the store, so this one cannot read it."""


class DecryptionFailed(StoreError):
    """No available key decrypts the bytes: wrong key, another row, or altered content."""


class WrongMasterKey(StoreError):
    """The stored data is encrypted under a master key that is not available; nothing was changed."""


class MissingMasterKey(StoreError):
    """Data is stored, but the file with its master key is gone; nothing was changed."""


class WriteContended(StoreError):
    """Other writers kept changing the same rows; a retry may succeed."""

    retryable = True
    action = "retry"
    default_delay = 1.0


class EntryUnreachable(StoreError):
    """The entry may exist, but the place where it is kept does not answer; a retry may succeed."""

    retryable = True
    action = "retry"
    default_delay = 5.0


class BatchRolledBack(InternalError):
    """A statement changed another number of rows than expected; its whole batch was rolled back."""


# Whether the shared storage can be used at present, and messages about its failures.


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

    async def try_store(self, work: Callable[[], Awaitable[T]], *, otherwise: D) -> T | D:
        """The result of `work`; `otherwise` if the storage cannot be used now or fails."""
        if self.is_usable():
            try:
                return await work()
            except CitewellError as error:
                self.record_store_failure(error)
        return otherwise

    def record_event(self, what: str) -> None:
        self._event_counts[what] += 1

    def list_event_counts(self) -> Mapping[str, int]:
        return dict(self._event_counts)

    def list_failure_messages(self) -> tuple[str, ...]:
        return tuple(self._failure_messages)
