"""The data keys of one owner: they seal and open its rows, and give its names and search terms.

An envelope is `version(1) | generation(4) | nonce(12) | ciphertext and tag`. Generation 0 names
things and never changes; every later one seals, the newest first, and all of them open.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from citewell.store.crypto import Place, bound, derived, joined
from citewell.store.failures import Unreadable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NAMING = 0
_VERSION = b"\x02"
_GENERATION, _NONCE, _TAG = 4, 12, 16
_HEAD = len(_VERSION) + _GENERATION + _NONCE
_TOKEN = 5  # bytes: eight letters, and a million terms share hardly one


class Keychain:
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
        self.tag = tag  # the owner as it stands in the tables: a keyed hash
        self.newest = max(secrets)
        self._ciphers: dict[int, AESGCM] = {
            generation: AESGCM(secret)
            for generation, secret in secrets.items()
            if generation != NAMING
        }
        self._names = hmac.new(derived(secrets[NAMING], b"names"), digestmod=hashlib.sha256)
        self._tokens = hashlib.blake2b(
            key=derived(secrets[NAMING], b"search terms"), digest_size=_TOKEN
        )
        self._randomness = randomness

    def name(self, *parts: str) -> str:
        """What a row is called: it says nothing about its parts without the owner's key."""
        named = self._names.copy()
        named.update(joined(part.encode("utf-8", "surrogatepass") for part in parts))
        return named.hexdigest()[:40]

    def token(self, term: str) -> str:
        """A search term as eight letters and digits that mean nothing without the owner's key."""
        hashed = self._tokens.copy()
        hashed.update(term.encode("utf-8", "surrogatepass"))
        return base64.b32encode(hashed.digest()).decode().lower()

    def opens(self, sealed: bytes) -> bool:
        """Whether the key of this generation is on the chain."""
        return generation_of(sealed) in self._ciphers

    def seal(self, table: str, row: str, plain: bytes) -> bytes:
        generation = self.newest.to_bytes(_GENERATION, "big")
        nonce = self._randomness(_NONCE)
        place = Place(owner=self.tag, table=table, row=row)
        sealed = self._ciphers[self.newest].encrypt(nonce, plain, bound(place, generation))
        return b"".join((_VERSION, generation, nonce, sealed))

    def open(self, table: str, row: str, sealed: bytes) -> bytes:
        """The plain bytes; raises Unreadable for another key, place or content."""
        from cryptography.exceptions import InvalidTag

        cipher = self._ciphers.get(generation_of(sealed))
        if cipher is None or sealed[:1] != _VERSION or len(sealed) < _HEAD + _TAG:
            raise Unreadable("A kept row was sealed with a key that is gone.")
        place = Place(owner=self.tag, table=table, row=row)
        generation = sealed[1 : 1 + _GENERATION]
        try:
            return cipher.decrypt(
                sealed[1 + _GENERATION : _HEAD], sealed[_HEAD:], bound(place, generation)
            )
        except InvalidTag:
            raise Unreadable("A kept row was altered, or belongs elsewhere.") from None


def generation_of(sealed: bytes) -> int:
    return int.from_bytes(sealed[1 : 1 + _GENERATION], "big")
