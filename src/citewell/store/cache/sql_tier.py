"""The SQL tier of the cache: encrypted entries in a table of limited size, least recently used dropped."""

from __future__ import annotations

import logging
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from citewell.store.cache.tiered_cache import EntryKey, TimedValue
from citewell.store.encryption import (
    EncryptionKeyring,
    LazyKeyring,
    RowPlace,
    run_off_loop_if_large,
)
from citewell.store.failures import DecryptionFailed
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement, change_rows

_MEASURE_ENTRIES = "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM entry"

logger = logging.getLogger(__name__)

_ENTRY_TABLE = "entry"
_ENTRY_HEAD = struct.Struct(
    ">?dd"
)  # compressed?, made, ttl: encrypted, so that no one can extend them
_COMPRESS_ABOVE_BYTES = 2048  # smaller values are not worth compressing

_ROW_OVERHEAD_BYTES = 256  # approximate size of a row without its body
_SWEEP_INTERVAL_SECONDS = 600.0
_MAX_PENDING_USES = 64

_SELECT_ENTRY = "SELECT id, body FROM entry WHERE id = :id OR id = :old"
_UPSERT_ENTRY = """
INSERT INTO entry (id, space, owner, body, size, expires, used)
VALUES (:id, :space, :owner, :body, :size, :expires, :used)
ON CONFLICT (id) DO UPDATE SET
    body = excluded.body, size = excluded.size, expires = excluded.expires, used = excluded.used
"""
_UPDATE_LAST_USE = "UPDATE entry SET used = :used WHERE id = :id"
_DELETE_ENTRY = "DELETE FROM entry WHERE id = :id OR id = :old"
_DELETE_SPACE = "DELETE FROM entry WHERE space = :space"
_DELETE_OWNER_ENTRIES = (
    "DELETE FROM entry WHERE space = :space AND (owner = :owner OR owner = :old)"
)
_SELECT_OWNER_IDS = """
SELECT id FROM entry WHERE space = :space AND (owner = :owner OR owner = :old) AND expires > :now
ORDER BY id
"""
_ERASE_ENTRIES = "DELETE FROM entry WHERE space <> :space OR owner = :owner OR owner = :old"
_DELETE_EXPIRED_ENTRIES = "DELETE FROM entry WHERE expires <= :now"
_DELETE_EXPIRED_LEASES = "DELETE FROM lease WHERE expires <= {now}"
_DELETE_EXPIRED_PACES = "DELETE FROM pace WHERE due <= {now}"
_SELECT_TOTAL_BYTES = "SELECT COALESCE(SUM(size), 0) FROM entry"
_DELETE_LEAST_USED = """
DELETE FROM entry WHERE id IN (
    SELECT id FROM (
        SELECT id, SUM(size) OVER (ORDER BY used DESC, id) AS running FROM entry
    ) AS ranked WHERE running > :keep
)
"""


class SqlCacheTier:
    """Entries of every space; keys and owners are stored only as keyed hashes."""

    def __init__(
        self,
        database: SqlDatabase,
        keys: LazyKeyring,
        *,
        clock: Callable[[], float],
        max_bytes: int,
    ) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock
        self._max = max_bytes
        self._written = max_bytes  # so that the first write sweeps
        self._swept = clock()
        self._touched: dict[str, float] = {}

    async def load_entry(self, spot: EntryKey) -> TimedValue | None:
        """The entry, even if it has expired; raises DecryptionFailed."""
        ring = await self._keys.load_keyring()
        names = ring.hash_names(*spot)
        rows = await self._database.select_rows(_SELECT_ENTRY, {"id": names[0], "old": names[-1]})
        if not rows:
            return None
        row, body = min(rows, key=lambda found: names.index(found[0]))
        kept = await run_off_loop_if_large(len(body), lambda: decrypt_entry(ring, spot, row, body))
        # Uses are written with the next change or in groups, so that a lookup does not write.
        self._touched[row] = self._clock()
        if len(self._touched) >= _MAX_PENDING_USES:
            await self._database.execute_batch(self._take_use_updates())
        return kept

    async def save_entry(self, spot: EntryKey, kept: TimedValue) -> bool:
        """True once it is durable; False if it is too large."""
        ring = await self._keys.load_keyring()
        size = len(kept.value)
        body = await run_off_loop_if_large(size, lambda: encrypt_entry(ring, spot, kept))
        if len(body) + _ROW_OVERHEAD_BYTES > self._max // 4:
            await self.delete_entry(spot)  # otherwise the older value would be found again
            return False
        await self._database.execute_batch(
            [*self._take_use_updates(), self._build_entry_upsert(ring, spot, kept, body)]
        )
        self._written += len(body) + _ROW_OVERHEAD_BYTES
        if (
            self._written >= self._max // 32
            or self._clock() >= self._swept + _SWEEP_INTERVAL_SECONDS
        ):
            await self.sweep_entries()
        return True

    async def delete_entry(self, spot: EntryKey) -> None:
        names = (await self._keys.load_keyring()).hash_names(*spot)
        await change_rows(self._database, _DELETE_ENTRY, id=names[0], old=names[-1])

    async def clear_space(self, space: str, owner: str | None) -> None:
        if owner is None:
            await change_rows(self._database, _DELETE_SPACE, space=space)
            return
        names = (await self._keys.load_keyring()).hash_names(owner)
        params = {"space": space, "owner": names[0], "old": names[-1]}
        await self._database.execute_batch([SqlStatement(sql=_DELETE_OWNER_ENTRIES, params=params)])

    async def erase_entries(self, owner: str, *, private_space: str) -> None:
        names = (await self._keys.load_keyring()).hash_names(owner)
        params = {"space": private_space, "owner": names[0], "old": names[-1]}
        self._touched.clear()
        await self._database.erase_rows(
            [SqlStatement(sql=_ERASE_ENTRIES, params=params)], scrubbed=("entry",)
        )

    async def iterate_entries(self, space: str, owner: str) -> AsyncIterator[TimedValue]:
        ring = await self._keys.load_keyring()
        names = ring.hash_names(owner)
        params: dict[str, SqlScalar] = {
            "space": space,
            "owner": names[0],
            "old": names[-1],
            "now": self._clock(),
        }
        # One body at a time, however many there are.
        for (row,) in await self._database.select_rows(_SELECT_OWNER_IDS, params):
            found = await self._database.select_rows(_SELECT_ENTRY, {"id": row, "old": row})
            for _, body in found:
                kept = await decrypt_owner_entry(ring, (space, owner, ""), row, body)
                if kept is not None:
                    yield kept

    async def sweep_entries(self) -> None:
        """Delete expired entries, leases and limits, then the least recently used entries over the limit."""
        self._written, self._swept = 0, self._clock()
        now = {"now": self._swept}
        shared = self._database.dialect.now_expression
        expiring = (
            _DELETE_EXPIRED_ENTRIES,
            _DELETE_EXPIRED_LEASES.format(now=shared),
            _DELETE_EXPIRED_PACES.format(now=shared),
        )
        expire = [SqlStatement(sql=sql, params=now) for sql in expiring]
        await self._database.execute_batch([*self._take_use_updates(), *expire])
        ((total,),) = await self._database.select_rows(_SELECT_TOTAL_BYTES)
        if total > self._max - self._max // 32:
            # Down to 90 %, so that the next writes need not evict again.
            await change_rows(self._database, _DELETE_LEAST_USED, keep=self._max * 9 // 10)

    def _build_entry_upsert(
        self, ring: EncryptionKeyring, spot: EntryKey, kept: TimedValue, body: bytes
    ) -> SqlStatement:
        space, owner, _ = spot
        params: dict[str, SqlScalar] = {
            "id": ring.hash_names(*spot)[0],
            "space": space,
            "owner": ring.hash_names(owner)[0],
            "body": body,
            "size": len(body) + _ROW_OVERHEAD_BYTES,
            "expires": kept.made_at + kept.ttl,
            "used": self._clock(),
        }
        return SqlStatement(sql=_UPSERT_ENTRY, params=params)

    def _take_use_updates(self) -> list[SqlStatement]:
        """Statements for all pending uses, sorted by id so that two processes cannot deadlock."""
        touched, self._touched = sorted(self._touched.items()), {}
        return [
            SqlStatement(sql=_UPDATE_LAST_USE, params={"id": row, "used": used})
            for row, used in touched
        ]


# The encrypted form of a cache entry; its age and time to live are encrypted with the value.


def encrypt_entry(ring: EncryptionKeyring, spot: EntryKey, kept: TimedValue) -> bytes:
    packed = len(kept.value) > _COMPRESS_ABOVE_BYTES
    value = zlib.compress(kept.value, 1) if packed else kept.value
    plain = _ENTRY_HEAD.pack(packed, kept.made_at, kept.ttl) + value
    return ring.encrypt_bytes(_build_entry_place(spot, ring.hash_names(*spot)[0]), plain)


def decrypt_entry(ring: EncryptionKeyring, spot: EntryKey, row: str, body: bytes) -> TimedValue:
    plain = ring.decrypt_bytes(_build_entry_place(spot, row), body)
    packed, made, ttl = _ENTRY_HEAD.unpack_from(plain)
    value = plain[_ENTRY_HEAD.size :]
    return TimedValue(zlib.decompress(value) if packed else value, made, ttl)


async def decrypt_owner_entry(
    ring: EncryptionKeyring, spot: EntryKey, row: str, body: bytes
) -> TimedValue | None:
    """An entry for an archive, of which only the space and owner have to be known; None if it cannot be decrypted."""
    try:
        return await run_off_loop_if_large(len(body), lambda: decrypt_entry(ring, spot, row, body))
    except DecryptionFailed as error:
        logger.warning("An entry is left out. %s", error.message)
        return None


def _build_entry_place(spot: EntryKey, row: str) -> RowPlace:
    space, owner, _ = spot
    return RowPlace(owner=owner, table=f"{_ENTRY_TABLE}/{space}", row=row)


# How much the cache holds on disk, for operators.


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheTotals:
    entries: int
    size_bytes: int


async def load_cache_totals(database: SqlDatabase) -> CacheTotals:
    """Entries of all owners and kinds, with those that have expired and were not swept yet."""
    ((count, size),) = await database.select_rows(_MEASURE_ENTRIES)
    return CacheTotals(entries=int(count), size_bytes=int(size))
