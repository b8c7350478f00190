"""Encryption with master keys: AES-256-GCM bound to the row, and keyed hashes for names.

An envelope is `version(1) | key id(4) | nonce(12) | ciphertext and tag`. The key id tells which
key decrypts the envelope, and is authenticated with it.
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
from functools import lru_cache
from typing import TYPE_CHECKING

from citewell.errors import Misconfigured
from citewell.store.failures import DecryptionFailed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ENVELOPE_VERSION = b"\x01"
_KEY_ID_BYTES, _NONCE_BYTES, _TAG_BYTES = 4, 12, 16
_ENVELOPE_HEAD_BYTES = len(_ENVELOPE_VERSION) + _KEY_ID_BYTES + _NONCE_BYTES

RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlace:
    """The row an encrypted body belongs to; it cannot be decrypted for any other row."""

    owner: str
    table: str
    row: str


_MAX_REMEMBERED_NAMES = 4096


class EncryptionKey:
    """One master key, as two keys derived from it: one encrypts, the other hashes names."""

    def __init__(self, master: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.id = derive_key(master, b"key id")[:_KEY_ID_BYTES]
        self.cipher: AESGCM = AESGCM(derive_key(master, b"seal"))
        self._names = hmac.new(derive_key(master, b"names"), digestmod=hashlib.sha256)
        # The same as `hash_name`, for names that come again with every call.
        self.hash_frequent_name = lru_cache(_MAX_REMEMBERED_NAMES)(self.hash_name)

    def hash_name(self, *parts: str) -> str:
        """A keyed hash of `parts`, as 40 hexadecimal digits."""
        named = self._names.copy()
        named.update(join_length_prefixed(part.encode("utf-8", "surrogatepass") for part in parts))
        return named.hexdigest()[:40]


class EncryptionKeyring:
    """Several keys: the first one encrypts, and every one can decrypt."""

    def __init__(self, masters: Iterable[bytes], *, randomness: RandomBytes = os.urandom) -> None:
        self.keys = tuple(EncryptionKey(master) for master in masters)
        self._by_id = {key.id: key for key in self.keys}
        self._randomness = randomness

    @property
    def current_key_id(self) -> str:
        """The id of the key that encrypts, in hexadecimal; it reveals nothing about the key."""
        return self.keys[0].id.hex()

    def find_ring_for_key(self, key_id: str) -> EncryptionKeyring | None:
        """A keyring of the same keys that encrypts with the key of this id; None if it is missing."""
        ring = copy.copy(self)
        ring.keys = tuple(sorted(self.keys, key=lambda key: key.id.hex() != key_id))
        return ring if ring.current_key_id == key_id else None

    @staticmethod
    def read_key_id(sealed: bytes) -> str:
        """The id of the key that encrypted this body, in hexadecimal."""
        return sealed[1 : 1 + _KEY_ID_BYTES].hex()

    def hash_names(self, *parts: str) -> tuple[str, ...]:
        """The keyed hash of `parts` under each key, the encrypting key first."""
        return tuple(key.hash_name(*parts) for key in self.keys)

    def encrypt_bytes(self, place: RowPlace, plain: bytes) -> bytes:
        key = self.keys[0]
        nonce = self._randomness(_NONCE_BYTES)
        sealed = key.cipher.encrypt(nonce, plain, build_associated_data(place, key.id))
        return b"".join((_ENVELOPE_VERSION, key.id, nonce, sealed))

    def decrypt_bytes(self, place: RowPlace, sealed: bytes) -> bytes:
        """The plain bytes; raises DecryptionFailed for a missing key, another place or altered bytes."""
        from cryptography.exceptions import InvalidTag

        key = self._by_id.get(sealed[1 : 1 + _KEY_ID_BYTES])
        if (
            sealed[:1] != _ENVELOPE_VERSION
            or key is None
            or len(sealed) < _ENVELOPE_HEAD_BYTES + _TAG_BYTES
        ):
            raise DecryptionFailed("A stored entry was encrypted with another key.")
        nonce = sealed[1 + _KEY_ID_BYTES : _ENVELOPE_HEAD_BYTES]
        try:
            return key.cipher.decrypt(
                nonce, sealed[_ENVELOPE_HEAD_BYTES:], build_associated_data(place, key.id)
            )
        except InvalidTag:
            raise DecryptionFailed(
                "A stored entry was altered, or belongs to another row."
            ) from None


@dataclass(slots=True)
class LazyKeyring:
    """A keyring that is loaded once, on first use, from any thread."""

    load_secrets: Callable[[], Iterable[bytes]]
    _keyring: EncryptionKeyring | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def load_keyring(self) -> EncryptionKeyring:
        """The keyring; may read or create the key file. Raises Misconfigured or StoreError."""
        if self._keyring is None:
            return await asyncio.to_thread(self._load_once)
        return self._keyring

    async def reload_keyring(self) -> EncryptionKeyring:
        """Load the keys again, because another process may have changed them."""
        self._keyring = None
        return await self.load_keyring()

    def _load_once(self) -> EncryptionKeyring:
        with self._lock:
            if self._keyring is None:
                self._keyring = EncryptionKeyring(self.load_secrets())
            return self._keyring


def parse_hex_key(text: str, *, setting: str) -> bytes:
    """The 32 bytes of a hexadecimal key; raises Misconfigured, whose message never shows the key."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text.strip()):
        raise Misconfigured(f"{setting} must be 64 hexadecimal digits.", action="inform_user")
    return bytes.fromhex(text.strip())


def derive_key(secret: bytes, purpose: bytes) -> bytes:
    """A key for one purpose, derived from `secret`; it reveals nothing about the other keys."""
    return hmac.new(secret, b"citewell " + purpose, hashlib.sha256).digest()


def build_associated_data(place: RowPlace, generation: bytes) -> bytes:
    """The associated data that AES-GCM authenticates with the ciphertext."""
    parts = (place.owner, place.table, place.row)
    return join_length_prefixed(
        [*(part.encode("utf-8", "surrogatepass") for part in parts), generation]
    )


def join_length_prefixed(parts: Iterable[bytes]) -> bytes:
    """Each part preceded by its length, so that two different lists never give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
