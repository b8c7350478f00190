"""The encrypted form of a cache entry; its age and time to live are encrypted with the value."""

from __future__ import annotations

import logging
import struct
import zlib

from citewell.store.body_compression import run_off_loop_if_large
from citewell.store.cache.timed_values import EntryKey, TimedValue
from citewell.store.failures import DecryptionFailed
from citewell.store.keys.encryption import EncryptionKeyring, RowPlace

logger = logging.getLogger(__name__)

_ENTRY_TABLE = "entry"
_ENTRY_HEAD = struct.Struct(
    ">?dd"
)  # compressed?, made, ttl: encrypted, so that no one can extend them
_COMPRESS_ABOVE_BYTES = 2048  # smaller values are not worth compressing


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
