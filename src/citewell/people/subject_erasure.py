"""Erases one user from the state, the cache, the files beside them and restored backups, and makes a receipt."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from citewell.audit.settings import AuditSettings
from citewell.core.config import Settings
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.people.erasure_store import ErasureRecord, SqlErasureStore
from citewell.store.cache_store import CACHE_FILE, CacheStore
from citewell.store.encryption import LazyKeyring
from citewell.store.failures import DatabaseDamaged, StoreError
from citewell.store.key_vault import KeyVault
from citewell.store.master_keys import build_master_keyring
from citewell.store.owner_table import KEY_TABLE, OwnedTable
from citewell.store.settings import STATE_FILE, StoreSettings
from citewell.store.sql.database import SqlStatement
from citewell.store.sql.salvage import request_reindexing
from citewell.store.sql.sqlite_database import SqliteDatabase
from citewell.text.calendar_dates import format_utc_time

if TYPE_CHECKING:
    from citewell.server.state.state_store import StateStore

_INSERT_RECORD = """
INSERT INTO erasure (number, id, owner, keychain, begun, finished, receipt)
SELECT COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, '' FROM erasure
WHERE true ON CONFLICT (id) DO NOTHING
"""

logger = logging.getLogger(__name__)
_LOG_SUFFIXES = ("-wal", "-shm")

# What stays after an erasure, and why: a code for programs and a sentence for people.
KEPT_PARTS = {
    "audit": "Audit rows stay, because the chain covers them. Their personal parts were encrypted with the user's keys and can no longer be read; the user is a keyed hash in them.",
    "erasure": "This receipt, in which the user is a keyed hash, so that a restored backup can be erased again.",
    "backups": "Backups made before hold the user's rows and encrypted keys. `citewell restore` erases the user again; `citewell keys rotate --forget` makes the keys in them unreadable at once.",
    "limits": "Counters of rate limits and daily quotas, under keyed hashes, until they expire within a day.",
    "others": "What other members of a workspace contributed, and answers of others.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """What was erased and what is kept; of the user it holds a keyed hash only."""

    id: str
    subject: str
    begun: float
    erased: float | None  # None while the erasure is unfinished
    deleted: Mapping[str, int]
    files: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "receiptId": self.id,
            "subject": self.subject,
            "begunAt": format_utc_time(self.begun),
            "erasedAt": None if self.erased is None else format_utc_time(self.erased),
            "status": "unfinished" if self.erased is None else "erased",
            "deleted": dict(self.deleted),
            "cache": "The user's artifacts were deleted, and all shared answers and facts.",
            "files": dict(self.files),
            "kept": [{"what": what, "why": why} for what, why in KEPT_PARTS.items()],
        }


class SubjectEraser:
    def __init__(
        self,
        state: StateStore,
        cache: CacheStore,
        settings: Settings,
        *,
        erase_elsewhere: Callable[[Owner], Awaitable[Mapping[str, int]]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`erase_elsewhere` erases what neither store knows, and tells how much of what."""
        self._state = state
        self._cache = cache
        self._settings = settings
        self._erase_elsewhere = erase_elsewhere
        self._clock = clock

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        async def erase_audit_lines(owner: Owner) -> dict[str, int]:
            from citewell.audit.audit_files import erase_owner_lines

            path = kit.settings[AuditSettings].audit_path
            if path is None:
                return {}
            return {"audit_lines": await asyncio.to_thread(erase_owner_lines, path, owner)}

        return cls(kit.open_state(), kit.store, kit.settings, erase_elsewhere=erase_audit_lines)

    async def erase_subject(self, owner: Owner) -> ErasureReceipt:
        """Erase the user everywhere. If it is broken off, the next call completes it.

        Raises StoreError if a store fails; then the erasure stays recorded as unfinished.
        """
        name = str(owner)
        erasure = await self._state.erase_owner(name)
        await self._cache.erase_owner(name)
        keys = build_master_keyring(self._state.master_key_source)
        leftovers = await purge_leftover_files(self._settings, keys, name)
        further = await self._erase_elsewhere(owner) if self._erase_elsewhere else {}
        receipt = ErasureReceipt(
            id=erasure.id,
            subject=erasure.tag,
            begun=erasure.begun,
            erased=self._clock(),
            deleted={**erasure.deleted, **further},
            files={
                "purged": leftovers.purged,
                "deleted": leftovers.deleted,
                "unreadable": list(leftovers.unreadable),
            },
        )
        stored = {"deleted": dict(receipt.deleted), "files": dict(receipt.files)}
        await self._state.erasures.finish_erasure(erasure.id, stored)
        return receipt

    async def list_receipts(self) -> tuple[ErasureReceipt, ...]:
        """Every erasure, oldest first, also those that were broken off."""
        return tuple(
            ErasureReceipt(
                id=record.id,
                subject=record.owner,
                begun=record.begun,
                erased=record.finished,
                deleted=record.receipt.get("deleted", {}),
                files=record.receipt.get("files", {}),
            )
            for record in await self._state.erasures.list_erasures()
        )


# Files beside the state and the cache that still hold a user's keys or entries, and their removal.


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftoverSummary:
    """How many files lost the user's keys, how many were deleted, and which could not be read."""

    purged: int = 0
    deleted: int = 0
    unreadable: tuple[str, ...] = ()


async def purge_leftover_files(
    settings: Settings, keys: LazyKeyring, owner: str
) -> LeftoverSummary:
    """Take the owner's keys out of copies of the state; delete damaged copies and unused caches."""
    doomed = await asyncio.to_thread(lambda: list(_list_doomed_files(settings)))
    purged, unreadable = 0, []
    for path in await asyncio.to_thread(lambda: list(_list_state_copies(settings))):
        try:
            await _purge_state_copy(path, keys, owner)
        except DatabaseDamaged:
            doomed.append(path)
        except StoreError as error:
            logger.warning("%s was left as it is. %s", path.name, error.message)
            unreadable.append(path.name)
        else:
            purged += 1
    for path in doomed:
        for suffix in ("", *_LOG_SUFFIXES, ".lock"):
            await asyncio.to_thread(Path(f"{path}{suffix}").unlink, missing_ok=True)
    return LeftoverSummary(purged=purged, deleted=len(doomed), unreadable=tuple(unreadable))


def _list_state_copies(settings: Settings) -> Iterator[Path]:
    store_settings = settings[StoreSettings]
    folder = store_settings.data_path
    yield from _list_numbered(folder, f"{STATE_FILE}.replaced-")
    if store_settings.database_url and (folder / STATE_FILE).exists():
        yield folder / STATE_FILE


def _list_doomed_files(settings: Settings) -> Iterator[Path]:
    store_settings = settings[StoreSettings]
    yield from _list_numbered(store_settings.data_path, f"{STATE_FILE}.damaged-")
    yield from _list_numbered(store_settings.cache_path, f"{CACHE_FILE}.damaged-")
    is_unused = (
        store_settings.database_url
        or store_settings.redis_url
        or store_settings.cache_max_disk_mb <= 0
    )
    if is_unused and (store_settings.cache_path / CACHE_FILE).exists():
        yield store_settings.cache_path / CACHE_FILE


def _list_numbered(folder: Path, start: str) -> Iterator[Path]:
    """Files named `start` and a number; not their logs."""
    if folder.is_dir():
        yield from (
            path for path in folder.iterdir()
            if path.name.startswith(start) and path.name.removeprefix(start).isdigit()
        )  # fmt: skip


async def _purge_state_copy(path: Path, keys: LazyKeyring, owner: str) -> None:
    """Raises DatabaseDamaged, or WrongMasterKey if nobody here can read the copy anyway."""
    async with contextlib.aclosing(SqliteDatabase(path, schema="state")) as database:
        vault = KeyVault(database, keys, clock=lambda: 0.0)
        await database.erase_rows(await vault.build_key_erasure(owner), scrubbed=(KEY_TABLE,))


# Erases again, in a backup that is being restored, whoever was erased after it was made.


async def list_known_erasures(erasures: SqlErasureStore) -> tuple[ErasureRecord, ...]:
    """Everything that was erased from the state as it is now; nothing if it cannot be read."""
    try:
        return await erasures.list_erasures()
    except StoreError as error:
        logger.warning("The list of erased users cannot be read from the state. %s", error.message)
        return ()


async def erase_from_draft(
    draft: Path,
    keys: LazyKeyring,
    records: Sequence[ErasureRecord],
    tables: Sequence[OwnedTable],
) -> int:
    """Erase from `draft`, a copy of a backup, whoever the records name, and return how many there were.

    `tables` are all tables with rows of owners.

    Keys are compared, not only names: somebody who came back after the erasure stays.
    """
    gone = []
    async with contextlib.aclosing(SqliteDatabase(draft, schema="state")) as database:
        vault = KeyVault(database, keys, clock=lambda: 0.0)
        for record in records:
            chain = await vault.load_tagged_keychain(record.owner) if record.keychain else None
            if chain is not None and chain.fingerprint == record.keychain:
                gone.append(record.owner)
    erasures = [
        table.build_owner_erasure(tag) for tag in gone for table in tables if table.is_erased
    ]
    await asyncio.to_thread(_purge_draft, draft, erasures, records)
    return len(gone)


def _purge_draft(
    draft: Path, erasures: Sequence[SqlStatement], records: Sequence[ErasureRecord]
) -> None:
    with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as link:
        link.execute("PRAGMA foreign_keys = ON")
        link.execute("BEGIN")
        for record in records:
            values = (record.id, record.owner, record.keychain, record.begun, record.finished)
            link.execute(_INSERT_RECORD, values)
        for statement in erasures:
            link.execute(statement.sql, statement.params)
        if erasures:
            request_reindexing(link)
        link.execute("COMMIT")
        if erasures:
            link.execute("VACUUM")
        link.execute("PRAGMA journal_mode = DELETE")
