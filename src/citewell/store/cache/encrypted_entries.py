"""The encrypted form of a cache entry; its age and time to live are encrypted with the value."""

from __future__ import annotations

import struct
import zlib

from citewell.store.cache.timed_values import EntryKey, TimedValue
from citewell.store.keys.encryption import EncryptionKeyring, RowPlace

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


def _build_entry_place(spot: EntryKey, row: str) -> RowPlace:
    space, owner, _ = spot
    return RowPlace(owner=owner, table=f"{_ENTRY_TABLE}/{space}", row=row)
