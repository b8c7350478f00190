"""The public keys of an issuer: parsed from its key set, and chosen by key id and algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from citewell.model.counted_words import pluralize

MAX_KEYS = 100  # issuers have two or three; a set of thousands is a fault or an attack
MIN_RSA_BITS = 2048
MAX_RSA_BITS = 8192  # longer ones take long to verify
_PRIVATE_MEMBERS = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})

# For each accepted algorithm the key type, and the curves that belong to it.
_RSA: tuple[str, frozenset[str]] = ("RSA", frozenset())
ALGORITHMS: dict[str, tuple[str, frozenset[str]]] = {
    "RS256": _RSA,
    "RS384": _RSA,
    "RS512": _RSA,
    "PS256": _RSA,
    "PS384": _RSA,
    "PS512": _RSA,
    "ES256": ("EC", frozenset({"P-256"})),
    "ES384": ("EC", frozenset({"P-384"})),
    "ES512": ("EC", frozenset({"P-521"})),
    "EdDSA": ("OKP", frozenset({"Ed25519", "Ed448"})),
}


class MalformedKeySet(Exception):
    """What the issuer sent is not a key set that can be used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    key_id: str | None
    kind: str
    curve: str
    algorithm: str | None  # if the key is for one algorithm only
    public_key: Any = field(repr=False)

    def fits_algorithm(self, algorithm: str) -> bool:
        kind, curves = ALGORITHMS[algorithm]
        return (
            kind == self.kind
            and (not curves or self.curve in curves)
            and self.algorithm in {None, algorithm}
        )

    def is_signature_of(self, algorithm: str, signed_bytes: bytes, signature: bytes) -> bool:
        """Whether `signature` was made over `signed_bytes` with the private half of this key."""
        verifier = _load_algorithms()[algorithm]
        return bool(verifier.verify(signed_bytes, self.public_key, signature))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    keys: tuple[SigningKey, ...]

    def find_keys(self, key_id: str | None, algorithm: str) -> tuple[SigningKey, ...]:
        """The keys that may have signed; without a key id all keys that fit the algorithm."""
        return tuple(
            key
            for key in self.keys
            if key.fits_algorithm(algorithm) and (key_id is None or key.key_id == key_id)
        )


def parse_key_set(found: Any) -> KeySet:
    """The usable keys of a JWK set (RFC 7517); keys of other kinds or for encryption are left out.

    Raises MalformedKeySet if it is not a set, has more than MAX_KEYS, or no key can be used.
    """
    entries = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(entries, list):
        raise MalformedKeySet("It is not a JSON object with a list of keys.")
    if len(entries) > MAX_KEYS:
        raise MalformedKeySet(
            f"It has {len(entries)} {pluralize(len(entries), 'key')}; {MAX_KEYS} are read at most."
        )
    keys = tuple(key for entry in entries if (key := _parse_key(entry)) is not None)
    if not keys:
        raise MalformedKeySet("None of its keys can verify a signature of an accepted algorithm.")
    return KeySet(keys=keys)


def _parse_key(entry: Any) -> SigningKey | None:
    if not isinstance(entry, dict) or not _is_for_signatures(entry):
        return None
    kind, curve, key_id = entry.get("kty"), entry.get("crv", ""), entry.get("kid")
    algorithm = entry.get("alg")
    if algorithm is not None and algorithm not in ALGORITHMS:
        return None
    if not isinstance(kind, str) or not isinstance(curve, str):
        return None
    public = _load_public_key(kind, entry)
    if public is None or not (key_id is None or isinstance(key_id, str)):
        return None
    return SigningKey(key_id=key_id, kind=kind, curve=curve, algorithm=algorithm, public_key=public)


def _is_for_signatures(entry: dict[str, Any]) -> bool:
    operations = entry.get("key_ops")
    allows_verifying = not isinstance(operations, list) or "verify" in operations
    return entry.get("use", "sig") == "sig" and allows_verifying


def _load_public_key(kind: str, entry: dict[str, Any]) -> Any:
    """The key; None if its kind is not accepted or its numbers are not a key of sufficient size."""
    from jwt.exceptions import PyJWTError

    loaders = {"RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}
    if kind not in loaders:
        return None
    public = {name: value for name, value in entry.items() if name not in _PRIVATE_MEMBERS}
    try:
        key = _load_algorithms()[loaders[kind]].from_jwk(public)
    except (PyJWTError, ValueError, TypeError, AttributeError, KeyError):
        return None
    is_sound = kind != "RSA" or MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS
    return key if is_sound else None


@cache
def _load_algorithms() -> dict[str, Any]:
    from jwt.algorithms import get_default_algorithms

    known = get_default_algorithms()
    return {name: known[name] for name in ALGORITHMS}
