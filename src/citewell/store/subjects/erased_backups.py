"""Erases again, in a backup that is being restored, whoever was erased after it was made."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from citewell.store.failures import StoreError
from citewell.store.keys.encryption import LazyKeyring
from citewell.store.keys.key_vault import KeyVault
from citewell.store.sql.durable_tables import request_reindexing
from citewell.store.sql.sqlite_database import SqliteDatabase
from citewell.store.subjects.erasure_store import ErasureRecord, SqlErasureStore
from citewell.store.subjects.owner_tables import purge_owner_rows

logger = logging.getLogger(__name__)
_INSERT_RECORD = """
INSERT INTO erasure (number, id, owner, keychain, begun, finished, receipt)
SELECT COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, '' FROM erasure
WHERE true ON CONFLICT (id) DO NOTHING
"""


async def list_known_erasures(erasures: SqlErasureStore) -> tuple[ErasureRecord, ...]:
    """Everything that was erased from the state as it is now; nothing if it cannot be read."""
    try:
        return await erasures.list_erasures()
    except StoreError as error:
        logger.warning("The list of erased users cannot be read from the state. %s", error.message)
        return ()


async def erase_from_draft(draft: Path, keys: LazyKeyring, records: Sequence[ErasureRecord]) -> int:
    """Erase from `draft`, a copy of a backup, whoever the records name, and return how many there were.

    Keys are compared, not only names: somebody who came back after the erasure stays.
    """
    database = SqliteDatabase(draft, schema="state")
    try:
        vault = KeyVault(database, keys, clock=lambda: 0.0)
        gone = [one.owner for one in records if await _has_erased_keys(vault, one)]
    finally:
        await database.aclose()
    await asyncio.to_thread(_purge_draft, draft, gone, records)
    return len(gone)


async def _has_erased_keys(vault: KeyVault, record: ErasureRecord) -> bool:
    chain = await vault.load_tagged_keychain(record.owner) if record.keychain else None
    return chain is not None and chain.fingerprint == record.keychain


def _purge_draft(draft: Path, gone: Sequence[str], records: Sequence[ErasureRecord]) -> None:
    with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as link:
        link.execute("PRAGMA foreign_keys = ON")
        link.execute("BEGIN")
        for one in records:
            link.execute(_INSERT_RECORD, (one.id, one.owner, one.keychain, one.begun, one.finished))
        for tag in gone:
            purge_owner_rows(link, tag)
        if gone:
            request_reindexing(link)
        link.execute("COMMIT")
        if gone:
            link.execute("VACUUM")
        link.execute("PRAGMA journal_mode = DELETE")
