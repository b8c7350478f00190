"""Encryption of what is stored, by master keys and by the data keys of owners, and its compression.

AES-256-GCM is bound to the row; names and search terms are kept as keyed hashes. An envelope of a
master key is `version(1) | key id(4) | nonce(12) | ciphertext and tag`. The key id tells which key
decrypts the envelope, and is authenticated with it. An envelope of an owner's data key is
`version(1) | generation(4) | nonce(12) | ciphertext and tag`. The key of generation 0 only hashes,
and never changes. Of the others the newest encrypts, and all decrypt.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import hashlib
import hmac
import os
import re
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from citewell.core.errors import Misconfigured
from citewell.store.failures import DecryptionFailed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NAMING_GENERATION = 0
_TERM_HASH_BYTES = 5  # bytes, so eight letters; collisions are rare among a million terms

Made = TypeVar("Made")

_PLAIN_MARK, _COMPRESSED_MARK = b"\x00", b"\x01"
_COMPRESS_ABOVE_BYTES = 2048  # smaller bodies are not worth compressing
_MAX_ON_LOOP_BYTES = 64 * 1024  # larger bodies would block the event loop

_ENVELOPE_VERSION = b"\x01"
_KEY_ID_BYTES, _NONCE_BYTES, _TAG_BYTES = 4, 12, 16
_ENVELOPE_HEAD_BYTES = len(_ENVELOPE_VERSION) + _KEY_ID_BYTES + _NONCE_BYTES
_ROW_ENVELOPE_VERSION = b"\x02"
_GENERATION_BYTES = 4
_ROW_HEAD_BYTES = len(_ROW_ENVELOPE_VERSION) + _GENERATION_BYTES + _NONCE_BYTES

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
        named.update(join_length_prefixed(parts))
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
    return join_length_prefixed((*parts, generation))


def join_length_prefixed(parts: Iterable[bytes | str]) -> bytes:
    """Each part preceded by its length, so that two different lists never give the same bytes."""
    joined = bytearray()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        joined += len(data).to_bytes(4, "big") + data
    return bytes(joined)


# Compression of stored bodies, and running work on large ones off the event loop.


def compress_body(plain: bytes) -> bytes:
    if len(plain) > _COMPRESS_ABOVE_BYTES:
        return _COMPRESSED_MARK + zlib.compress(plain, 1)
    return _PLAIN_MARK + plain


def decompress_body(packed: bytes) -> bytes:
    return zlib.decompress(packed[1:]) if packed[:1] == _COMPRESSED_MARK else packed[1:]


async def run_off_loop_if_large(size: int, make: Callable[[], Made]) -> Made:
    return await asyncio.to_thread(make) if size > _MAX_ON_LOOP_BYTES else make()


# The data keys of one owner: they encrypt the owner's rows and hash row names and search terms.


class OwnerKeychain:
    def __init__(
        self,
        owner: str,
        tag: str,
        secrets: Mapping[int, bytes],
        *,
        randomness: Callable[[int], bytes],
    ) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.owner = owner
        self.tag = tag  # the keyed hash that stands for the owner in the tables
        self.newest = max(secrets)
        self._ciphers: dict[int, AESGCM] = {
            generation: AESGCM(secret)
            for generation, secret in secrets.items()
            if generation != NAMING_GENERATION
        }
        self._names = hmac.new(
            derive_key(secrets[NAMING_GENERATION], b"names"), digestmod=hashlib.sha256
        )
        self._tokens = hashlib.blake2b(
            key=derive_key(secrets[NAMING_GENERATION], b"search terms"),
            digest_size=_TERM_HASH_BYTES,
        )
        self._randomness = randomness

    @property
    def fingerprint(self) -> str:
        """Names the keychain, also after a rotation; it tells nothing about its keys or its owner."""
        return self.hash_row_name("keychain")

    def hash_row_name(self, *parts: str) -> str:
        """The name of a row: a keyed hash of `parts`, as 40 hexadecimal digits."""
        named = self._names.copy()
        named.update(join_length_prefixed(part.encode("utf-8", "surrogatepass") for part in parts))
        return named.hexdigest()[:40]

    def derive_secret(self, purpose: str) -> bytes:
        """A key of 32 bytes for one purpose; it stays the same when data keys and master keys change."""
        derived = self._names.copy()
        derived.update(join_length_prefixed((b"derived secret", purpose.encode())))
        return derived.digest()

    def hash_term(self, term: str) -> str:
        """The keyed hash of a search term, as eight letters and digits."""
        hashed = self._tokens.copy()
        hashed.update(term.encode("utf-8", "surrogatepass"))
        return base64.b32encode(hashed.digest()).decode().lower()

    def can_decrypt(self, sealed: bytes) -> bool:
        """Whether the key that encrypted this body is on the keychain."""
        return read_generation(sealed) in self._ciphers

    def encrypt_row(self, table: str, row: str, plain: bytes) -> bytes:
        generation = self.newest.to_bytes(_GENERATION_BYTES, "big")
        nonce = self._randomness(_NONCE_BYTES)
        place = RowPlace(owner=self.tag, table=table, row=row)
        sealed = self._ciphers[self.newest].encrypt(
            nonce, plain, build_associated_data(place, generation)
        )
        return b"".join((_ROW_ENVELOPE_VERSION, generation, nonce, sealed))

    def decrypt_row(self, table: str, row: str, sealed: bytes) -> bytes:
        """The plain bytes; raises DecryptionFailed for a missing key, another row or altered bytes."""
        from cryptography.exceptions import InvalidTag

        cipher = self._ciphers.get(read_generation(sealed))
        if (
            cipher is None
            or sealed[:1] != _ROW_ENVELOPE_VERSION
            or len(sealed) < _ROW_HEAD_BYTES + _TAG_BYTES
        ):
            raise DecryptionFailed("A stored row was encrypted with a key that no longer exists.")
        place = RowPlace(owner=self.tag, table=table, row=row)
        generation = sealed[1 : 1 + _GENERATION_BYTES]
        try:
            return cipher.decrypt(
                sealed[1 + _GENERATION_BYTES : _ROW_HEAD_BYTES],
                sealed[_ROW_HEAD_BYTES:],
                build_associated_data(place, generation),
            )
        except InvalidTag:
            raise DecryptionFailed(
                "A stored row was altered, or belongs to another place."
            ) from None


def read_generation(sealed: bytes) -> int:
    return int.from_bytes(sealed[1 : 1 + _GENERATION_BYTES], "big")
