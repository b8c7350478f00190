"""Reads what an OAuth issuer publishes about itself (RFC 8414, or OpenID Connect discovery), and keeps its key set.

The key set is fetched on first use, renewed now and then, and never by force of a caller.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from citewell.core import errors
from citewell.core.errors import CitewellError
from citewell.core.values.counted_words import pluralize
from citewell.net.http.messages import HttpResponse
from citewell.net.network import Network
from citewell.net.upstream.upstream_client import Upstream
from citewell.net.url_grammar import parse_url
from citewell.server.http.auth.caller import RefusalCause, VerifierUnavailable

ISSUER_TIMEOUT_SECONDS = 8.0
MAX_ISSUER_BYTES = 512 * 1024  # of the metadata, the key set or an introspection answer
RETRY_SECONDS = 10.0  # after which a client may come back if the issuer cannot be reached
_UPSTREAM_NAME = "oauth_issuer"
_JSON_WANTED = {"accept": "application/json"}
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

UNKNOWN_KEY_COOLDOWN_SECONDS = 60.0  # tokens with unknown key ids cause one fetch in this time
FAILED_FETCH_COOLDOWN_SECONDS = 10.0  # while no key set was ever read
METADATA_SECONDS = 3600.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuerMetadata:
    issuer: str
    jwks_url: str | None
    introspection_url: str | None


class IssuerClient:
    """Asks the issuer through the guard. Addresses that the operator named may be private."""

    def __init__(self, network: Network, issuer: str, *, named_urls: tuple[str, ...] = ()) -> None:
        """`named_urls` are further addresses that the settings name, such as that of the key set."""
        self.issuer = issuer
        self._guard = network.guard
        self._named_places = {_find_place(url) for url in (issuer, *named_urls)}
        self._upstream: Upstream = network.open_upstream(
            _UPSTREAM_NAME, base_url=issuer, timeout=ISSUER_TIMEOUT_SECONDS
        )

    async def load_metadata(self) -> IssuerMetadata:
        """Raises VerifierUnavailable if no metadata can be read or they are those of another issuer."""
        first_failure: VerifierUnavailable | None = None
        for url in list_metadata_urls(self.issuer):
            try:
                return self._parse_metadata(await self.fetch_document(url))
            except VerifierUnavailable as failure:
                first_failure = first_failure or failure
            except (errors.NotFound, errors.RejectedRequest, errors.AuthRequired):
                continue
            except errors.CitewellError as error:
                first_failure = first_failure or build_unavailable(
                    f"The issuer's metadata cannot be read. {error.message}"
                )
        raise first_failure or build_unavailable(
            f"{self.issuer} publishes neither OAuth nor OpenID metadata. "
            "Check OAUTH_ISSUER_URL, or set OAUTH_JWKS_URL."
        )

    async def fetch_document(self, url: str) -> HttpResponse:
        """One GET, not repeated; raises CitewellError."""
        return await self._send_to_named(
            url,
            lambda: self._upstream.send_get(
                base_url=url, headers=_JSON_WANTED, max_bytes=MAX_ISSUER_BYTES, retry=False
            ),
        )

    async def post_form(
        self, url: str, form: Mapping[str, str], *, secret_headers: Mapping[str, str]
    ) -> HttpResponse:
        """One POST, not repeated; raises CitewellError."""
        return await self._send_to_named(
            url,
            lambda: self._upstream.send_post(
                base_url=url,
                form=form,
                headers=_JSON_WANTED,
                secret_headers=secret_headers,
                max_bytes=MAX_ISSUER_BYTES,
                idempotent=False,
            ),
        )

    async def _send_to_named(
        self, url: str, send: Callable[[], Awaitable[HttpResponse]]
    ) -> HttpResponse:
        """Send; if the guard refuses a place that the operator named, trust that place.

        It is not trusted beforehand, because pages of a trusted place cannot be read any more.
        """
        try:
            return await send()
        except errors.RefusedByPolicy:
            if _find_place(url) not in self._named_places:
                raise
        self._guard.trust_service(url)
        return await send()

    def _parse_metadata(self, response: HttpResponse) -> IssuerMetadata:
        try:
            found = response.parse_json()
        except errors.MalformedResponse as error:
            raise build_unavailable(
                f"The issuer's metadata are not JSON. {error.message}"
            ) from None
        stated = found.get("issuer") if isinstance(found, dict) else None
        if stated != self.issuer:
            is_plain = isinstance(stated, str) and stated.isprintable() and len(stated) <= 200
            name = stated if is_plain else "something that is no address"
            raise build_unavailable(
                "The issuer's metadata name another issuer than OAUTH_ISSUER_URL; the two must be "
                f"equal to the letter, also in a slash at the end. It calls itself {name}."
            )
        return IssuerMetadata(
            issuer=self.issuer,
            jwks_url=self._choose_endpoint(found.get("jwks_uri")),
            introspection_url=self._choose_endpoint(found.get("introspection_endpoint")),
        )

    def _choose_endpoint(self, url: object) -> str | None:
        """The address, unless it would be asked with less security than the issuer itself."""
        if not isinstance(url, str):
            return None
        is_safe = url.startswith("https://") or (
            self.issuer.startswith("http://") and url.startswith("http://")
        )
        return url if is_safe else None


def _find_place(url: str) -> tuple[str, int]:
    target = parse_url(url)
    return target.host, target.port


def list_metadata_urls(issuer: str) -> Iterator[str]:
    """Where the metadata of an issuer may be, in the order in which MCP clients look."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}/.well-known/openid-configuration{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


def build_unavailable(message: str, *, retry_after: float = RETRY_SECONDS) -> VerifierUnavailable:
    return VerifierUnavailable(RefusalCause.ISSUER_UNAVAILABLE, message, retry_after=retry_after)


class IssuerKeySetLoader:
    """Fetches the key set from the address that the settings name or the issuer's metadata tell."""

    def __init__(
        self,
        client: IssuerClient,
        *,
        jwks_url: str | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._url = jwks_url
        self._named_url = jwks_url
        self._clock = clock
        self._url_expires = -METADATA_SECONDS

    async def load_key_set(self) -> KeySet:
        url = await self._find_url()
        try:
            response = await self._client.fetch_document(url)
        except CitewellError as error:
            raise build_unavailable(f"The issuer's keys cannot be read. {error.message}") from None
        try:
            return await asyncio.to_thread(_parse_document, response.body)
        except MalformedKeySet as error:
            raise build_unavailable(f"The issuer's key set cannot be used. {error}") from None

    async def _find_url(self) -> str:
        if self._named_url is not None:
            return self._named_url
        if self._url is None or self._clock() >= self._url_expires:
            metadata = await self._client.load_metadata()
            if metadata.jwks_url is None:
                raise build_unavailable(
                    "The issuer's metadata name no jwks_uri that is safe to ask. Set OAUTH_JWKS_URL."
                )
            self._url, self._url_expires = metadata.jwks_url, self._clock() + METADATA_SECONDS
        return self._url


class KeySource:
    """The issuer's keys. However many tokens with unknown key ids come, at most one fetch a minute is made."""

    def __init__(
        self,
        loader: IssuerKeySetLoader,
        *,
        refresh_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._loader = loader
        self._refresh = max(refresh_seconds, UNKNOWN_KEY_COOLDOWN_SECONDS)
        self._clock = clock
        self._keys: KeySet | None = None
        self._loaded_at = 0.0
        self._tried_at: float | None = None
        self._failure: VerifierUnavailable | None = None
        self._fetch: asyncio.Task[None] | None = None
        self.generation = 0  # counts the key sets that were read

    async def find_signing_keys(self, key_id: str | None, algorithm: str) -> tuple[SigningKey, ...]:
        """The keys that may have signed a token with this header; empty if the issuer has none.

        Raises VerifierUnavailable if no key set can be had.
        """
        await self.ensure_fresh_keys()
        found = self._require_keys().find_keys(key_id, algorithm)
        if not found and self._may_fetch():
            await self._renew_keys()
            found = self._require_keys().find_keys(key_id, algorithm)
        return found

    async def ensure_fresh_keys(self) -> int:
        """Fetch the keys if they are due, and return the number of the key set in use.

        Raises VerifierUnavailable if no key set can be had.
        """
        if self._keys is None or self._measure_age() >= self._refresh:
            await self._renew_keys()
        self._require_keys()
        return self.generation

    def _require_keys(self) -> KeySet:
        """The key set; the old one serves for one more interval if the issuer cannot be reached."""
        if self._keys is not None and self._measure_age() < 2 * self._refresh:
            return self._keys
        message = self._failure.message if self._failure else "The issuer's keys are not known yet."
        raise build_unavailable(message, retry_after=max(1.0, self._measure_cooldown()))

    async def _renew_keys(self) -> None:
        """Fetch once; callers that come meanwhile wait for the same fetch."""
        if self._fetch is None:
            if not self._may_fetch():
                return
            self._tried_at = self._clock()
            self._fetch = asyncio.create_task(self._fetch_keys())
        await asyncio.shield(self._fetch)  # a caller who leaves does not end it for the others

    async def _fetch_keys(self) -> None:
        try:
            keys = await self._loader.load_key_set()
        except VerifierUnavailable as failure:
            self._failure = failure
            logger.warning("Tokens cannot be verified with new keys. %s", failure.message)
        else:
            self._keys, self._loaded_at, self._failure = keys, self._clock(), None
            self.generation += 1
        finally:
            self._fetch = None

    def _may_fetch(self) -> bool:
        return self._measure_cooldown() <= 0

    def _measure_cooldown(self) -> float:
        """Seconds until the issuer may be asked again."""
        if self._tried_at is None:
            return 0.0
        pause = (
            FAILED_FETCH_COOLDOWN_SECONDS if self._keys is None else UNKNOWN_KEY_COOLDOWN_SECONDS
        )
        return self._tried_at + pause - self._clock()

    def _measure_age(self) -> float:
        return self._clock() - self._loaded_at


def _parse_document(body: bytes) -> KeySet:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedKeySet("It is not JSON.") from None
    return parse_key_set(found)


# The public keys of an issuer: parsed from its key set, and chosen by key id and algorithm.


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
