"""Files beside the state and the cache that still hold a user's keys or entries, and their removal.

They are left by a restore (`state.db.replaced-1`), by the repair of a damaged file
(`state.db.damaged-1`), and by a move to PostgreSQL or Redis.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citewell.config import Settings
from citewell.store.cache_store import CACHE_FILE
from citewell.store.failures import DatabaseDamaged, StoreError
from citewell.store.keys.encryption import LazyKeyring
from citewell.store.keys.key_vault import KeyVault
from citewell.store.sql.sqlite_database import SqliteDatabase
from citewell.store.state_store import STATE_FILE
from citewell.store.subjects.owner_tables import KEY_TABLE

logger = logging.getLogger(__name__)
_LOG_SUFFIXES = ("-wal", "-shm")


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
        await asyncio.to_thread(_delete_with_log, path)
    return LeftoverSummary(purged=purged, deleted=len(doomed), unreadable=tuple(unreadable))


def _list_state_copies(settings: Settings) -> Iterator[Path]:
    folder = settings.data_path
    yield from _list_numbered(folder, f"{STATE_FILE}.replaced-")
    if settings.database_url and (folder / STATE_FILE).exists():
        yield folder / STATE_FILE


def _list_doomed_files(settings: Settings) -> Iterator[Path]:
    yield from _list_numbered(settings.data_path, f"{STATE_FILE}.damaged-")
    yield from _list_numbered(settings.cache_path, f"{CACHE_FILE}.damaged-")
    is_unused = settings.database_url or settings.redis_url or settings.cache_max_disk_mb <= 0
    if is_unused and (settings.cache_path / CACHE_FILE).exists():
        yield settings.cache_path / CACHE_FILE


def _list_numbered(folder: Path, start: str) -> Iterator[Path]:
    """Files named `start` and a number; not their logs."""
    if folder.is_dir():
        yield from (
            path for path in folder.iterdir()
            if path.name.startswith(start) and path.name.removeprefix(start).isdigit()
        )  # fmt: skip


async def _purge_state_copy(path: Path, keys: LazyKeyring, owner: str) -> None:
    """Raises DatabaseDamaged, or WrongMasterKey if nobody here can read the copy anyway."""
    database = SqliteDatabase(path, schema="state")
    try:
        vault = KeyVault(database, keys, clock=lambda: 0.0)
        await database.erase_rows(await vault.build_key_erasure(owner), scrubbed=(KEY_TABLE,))
    finally:
        await database.aclose()


def _delete_with_log(path: Path) -> None:
    for suffix in ("", *_LOG_SUFFIXES, ".lock"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
