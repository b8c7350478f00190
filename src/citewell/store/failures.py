"""Errors of the store."""

from __future__ import annotations

from citewell.errors import InternalError, Misconfigured


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
