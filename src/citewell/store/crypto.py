"""Encryption of what is kept: AES-256-GCM bound to the row, and keyed hashes for names.

An envelope is `version(1) | key id(4) | nonce(12) | ciphertext and tag`. The key id is the
generation: it is part of what is authenticated, and it tells which key opens the row.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import hmac
import os
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citewell.errors import Misconfigured
from citewell.store.failures import Unreadable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = b"\x01"
_ID, _NONCE, _TAG = 4, 12, 16
_HEAD = len(_VERSION) + _ID + _NONCE

Randomness = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a sealed body belongs; it opens nowhere else."""

    owner: str
    table: str
    row: str


class Key:
    """One master key, as the two keys derived from it: one seals, the other names."""

    def __init__(self, master: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.id = derived(master, b"key id")[:_ID]
        self.cipher: AESGCM = AESGCM(derived(master, b"seal"))
        self._names = hmac.new(derived(master, b"names"), digestmod=hashlib.sha256)

    def name(self, *parts: str) -> str:
        """A name that says nothing about its parts without the key."""
        named = self._names.copy()
        named.update(joined(part.encode("utf-8", "surrogatepass") for part in parts))
        return named.hexdigest()[:40]


class Keyring:
    """The first key seals and names; all of them open."""

    def __init__(self, masters: Iterable[bytes], *, randomness: Randomness = os.urandom) -> None:
        self.keys = tuple(Key(master) for master in masters)
        self._by_id = {key.id: key for key in self.keys}
        self._randomness = randomness

    @property
    def current(self) -> str:
        """The id of the key that seals, in hexadecimal; it tells nothing of the key."""
        return self.keys[0].id.hex()

    def under(self, key_id: str) -> Keyring | None:
        """A ring of the same keys that seals with the one of this id; None where it is missing."""
        ring = copy.copy(self)
        ring.keys = tuple(sorted(self.keys, key=lambda key: key.id.hex() != key_id))
        return ring if ring.current == key_id else None

    @staticmethod
    def sealer(sealed: bytes) -> str:
        """The id of the key that a body was sealed with."""
        return sealed[1 : 1 + _ID].hex()

    def names(self, *parts: str) -> tuple[str, ...]:
        """The name of a thing under each key, the current one first."""
        return tuple(key.name(*parts) for key in self.keys)

    def seal(self, place: Place, plain: bytes) -> bytes:
        key = self.keys[0]
        nonce = self._randomness(_NONCE)
        sealed = key.cipher.encrypt(nonce, plain, bound(place, key.id))
        return b"".join((_VERSION, key.id, nonce, sealed))

    def open(self, place: Place, sealed: bytes) -> bytes:
        """The plain bytes; raises Unreadable for another key, place or content."""
        from cryptography.exceptions import InvalidTag

        key = self._by_id.get(sealed[1 : 1 + _ID])
        if sealed[:1] != _VERSION or key is None or len(sealed) < _HEAD + _TAG:
            raise Unreadable("A kept entry was sealed with another key.")
        nonce = sealed[1 + _ID : _HEAD]
        try:
            return key.cipher.decrypt(nonce, sealed[_HEAD:], bound(place, key.id))
        except InvalidTag:
            raise Unreadable("A kept entry was altered, or belongs elsewhere.") from None


@dataclass(slots=True)
class Keys:
    """A keyring fetched on first use, once, from whichever thread comes first."""

    fetch: Callable[[], Iterable[bytes]]
    _ring: Keyring | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def ring(self) -> Keyring:
        """May read or create the key file; raises Misconfigured or StoreError."""
        if self._ring is None:
            return await asyncio.to_thread(self._load)
        return self._ring

    async def reload(self) -> Keyring:
        """Fetch again, for another process may have changed the keys."""
        self._ring = None
        return await self.ring()

    def _load(self) -> Keyring:
        with self._lock:
            if self._ring is None:
                self._ring = Keyring(self.fetch())
            return self._ring


def parse_key(text: str, *, setting: str) -> bytes:
    """The 32 bytes that a setting spells in hexadecimal; the complaint never repeats them."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text.strip()):
        raise Misconfigured(f"{setting} must be 64 hexadecimal digits.", action="inform_user")
    return bytes.fromhex(text.strip())


def derived(secret: bytes, purpose: bytes) -> bytes:
    """Another key for another purpose; neither tells the other."""
    return hmac.new(secret, b"citewell " + purpose, hashlib.sha256).digest()


def bound(place: Place, generation: bytes) -> bytes:
    """What a seal authenticates besides its content."""
    parts = (place.owner, place.table, place.row)
    return joined([*(part.encode("utf-8", "surrogatepass") for part in parts), generation])


def joined(parts: Iterable[bytes]) -> bytes:
    """Lengths go along, so that no two lists of parts look the same."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
