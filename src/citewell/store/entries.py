"""A cached entry as it is kept outside memory: sealed, with its age and lifetime inside the seal."""

from __future__ import annotations

import struct
import zlib

from citewell.store.crypto import Keyring, Place
from citewell.store.lru import Kept, Spot

_TABLE = "entry"
_HEAD = struct.Struct(">?dd")  # packed?, made, ttl: sealed, so that nobody can lengthen a life
_PACK_ABOVE = 2048  # below, compression costs more than it saves


def seal_entry(ring: Keyring, spot: Spot, kept: Kept) -> bytes:
    packed = len(kept.value) > _PACK_ABOVE
    value = zlib.compress(kept.value, 1) if packed else kept.value
    plain = _HEAD.pack(packed, kept.made, kept.ttl) + value
    return ring.seal(_place(spot, ring.names(*spot)[0]), plain)


def open_entry(ring: Keyring, spot: Spot, row: str, body: bytes) -> Kept:
    plain = ring.open(_place(spot, row), body)
    packed, made, ttl = _HEAD.unpack_from(plain)
    value = plain[_HEAD.size :]
    return Kept(zlib.decompress(value) if packed else value, made, ttl)


def _place(spot: Spot, row: str) -> Place:
    space, owner, _ = spot
    return Place(owner=owner, table=f"{_TABLE}/{space}", row=row)
