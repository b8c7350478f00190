"""The data keys of one owner: they encrypt the owner's rows and hash row names and search terms.

An envelope is `version(1) | generation(4) | nonce(12) | ciphertext and tag`. The key of
generation 0 only hashes, and never changes. Of the others the newest encrypts, and all decrypt.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from citewell.store.failures import DecryptionFailed
from citewell.store.keys.encryption import (
    RowPlace,
    build_associated_data,
    derive_key,
    join_length_prefixed,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NAMING_GENERATION = 0
_ROW_ENVELOPE_VERSION = b"\x02"
_GENERATION_BYTES, _NONCE_BYTES, _TAG_BYTES = 4, 12, 16
_ROW_HEAD_BYTES = len(_ROW_ENVELOPE_VERSION) + _GENERATION_BYTES + _NONCE_BYTES
_TERM_HASH_BYTES = 5  # bytes, so eight letters; collisions are rare among a million terms


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
