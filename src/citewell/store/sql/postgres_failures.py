"""Our errors for those of a PostgreSQL server, a connection pooler, or the driver."""

from __future__ import annotations

from typing import Any

from citewell.core.errors import CitewellError, InternalError, Misconfigured
from citewell.store.failures import (
    BatchRolledBack,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnreachable,
)

# What is raised for the driver's error of this name, and for its subclasses.
_ERROR_KINDS: dict[str, tuple[type[CitewellError], str]] = {
    "IntegrityConstraintViolationError": (
        BatchRolledBack,
        "A database constraint refused the batch.",
    ),
    "DiskFullError": (
        StoreFull,
        (
            "The database's disk is full, so nothing new can be stored. Free space on the disk of"
            " the PostgreSQL server, or make it larger; Citewell goes on by itself then."
        ),
    ),
    "ReadOnlySQLTransactionError": (
        StoreReadOnly,
        (
            "The database is read-only: it is a replica, or was configured so."
            " {setting} must name a server that can be written."
        ),
    ),
    "InvalidAuthorizationSpecificationError": (
        StoreError,
        "The database refused the user or password in {setting}.",
    ),
    "InvalidCatalogNameError": (
        StoreError,
        "The database that {setting} names does not exist.",
    ),
    "InsufficientPrivilegeError": (
        StoreError,
        "The database user may not do this; it must own its schema.",
    ),
    "TooManyConnectionsError": (
        StoreUnreachable,
        (
            "The database has no free connection. Allow it more, put PgBouncer before it, or lower"
            " CITEWELL_DATABASE_CONNECTIONS."
        ),
    ),
    "ProtocolViolationError": (
        StoreError,
        (
            "The connection pooler that {setting} names refused: it does not know the user or the"
            " database, has no free connection, or is not in transaction or session mode."
        ),
    ),
    "TimeoutError": (
        StoreUnreachable,
        (
            "The database did not answer in time, or all connections of this process are in use"
            " (CITEWELL_DATABASE_CONNECTIONS)."
        ),
    ),
    "CannotConnectNowError": (
        StoreUnreachable,
        "The database is starting or stopping. Try again.",
    ),
    "SyntaxOrAccessError": (InternalError, "The database cannot run a statement ({code})."),
    "DataError": (InternalError, "The database cannot run a statement ({code})."),
}


class PoolerFound(StoreError):
    """The connection goes through a pooler, which may run each transaction in another session."""


def list_undone_errors(driver: Any, *, is_read: bool) -> tuple[type[Exception], ...]:
    """After which work can be done again, because nothing of it is stored.

    That is so after a deadlock or serialization failure, and if the server had ended the connection
    before the statement was sent. Reading can be done again whenever the connection was lost.
    """
    undone = (
        driver.DeadlockDetectedError,
        driver.SerializationError,
        driver.InternalClientError,  # the driver has not noticed yet that the connection is closed
        driver.InterfaceError,  # it has
    )
    lost = (
        driver.PostgresConnectionError,
        driver.AdminShutdownError,
        driver.CrashShutdownError,
        driver.CannotConnectNowError,
        ConnectionError,
    )
    return (*undone, *lost) if is_read else undone


def import_driver() -> Any:
    try:
        import asyncpg
    except ImportError:
        raise Misconfigured(
            'CITEWELL_DATABASE_URL needs a driver: pip install "citewell[postgres]".',
            action="inform_user",
        ) from None
    return asyncpg


def explain_postgres_error(
    error: Exception, *, setting: str = "CITEWELL_DATABASE_URL"
) -> CitewellError:
    """Our error for an error of the server, whose own message may quote stored data.

    `setting` is the one with the address that was used.
    """
    code = getattr(error, "sqlstate", None) or type(error).__name__
    for kind in type(error).__mro__:
        if kind.__name__ in _ERROR_KINDS:
            made, message = _ERROR_KINDS[kind.__name__]
            return made(message.format(setting=setting, code=code))
    return StoreUnreachable(f"The database cannot be reached or used ({code}).")
