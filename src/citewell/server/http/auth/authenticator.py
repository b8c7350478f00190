"""Finds out who sent a request, by whichever configured way the request uses, and checks the claims of tokens."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol
from urllib.parse import parse_qsl

from starlette.types import Scope

from citewell.people.token_store import API_TOKEN_PREFIX
from citewell.server.http.auth.caller import (
    CallerProof,
    CredentialsRefused,
    ProxyIdentity,
    RefusalCause,
    VerifiedCaller,
    build_verified_owner,
)

CLOCK_LEEWAY_SECONDS = 60.0  # by how much the issuer's clock may be ahead of ours
_OTHER_TOKEN_KINDS = frozenset({"id", "refresh", "offline", "logout"})  # Keycloak's claim `typ`
_BINDING_MEMBERS = frozenset({"jkt", "x5t#S256"})  # RFC 9449 and RFC 8705

_SEGMENT_PATTERN = re.compile(r"[A-Za-z0-9_-]+")
_SEGMENTS = 3

MAX_TOKEN_CHARS = 16_384
_TOKEN_PATTERN = re.compile(rb"[A-Za-z0-9\-._~+/]+=*")
_QUERY_NAMES = ("access_token", "token", "api_key")


class TokenVerifier(Protocol):
    async def verify_token(self, token: str) -> VerifiedCaller:
        """The caller; raises CredentialsRefused, or VerifierUnavailable if it cannot be told now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Authenticator:
    """One verifier for each way that is configured; None for the others."""

    proxy: ProxyIdentity | None = None
    api_tokens: TokenVerifier | None = None
    signed_tokens: TokenVerifier | None = None
    opaque_tokens: TokenVerifier | None = None

    async def identify_caller(self, scope: Scope) -> VerifiedCaller | None:
        """The verified caller; None if the request has no credentials.

        Raises CredentialsRefused for wrong ones, and VerifierUnavailable.
        """
        if self.proxy is not None:
            caller = self.proxy.identify_caller(scope)
            if caller is not None:
                return caller
        token = find_bearer_token(scope)
        return None if token is None else await self._choose_verifier(token).verify_token(token)

    def _choose_verifier(self, token: str) -> TokenVerifier:
        if token.startswith(API_TOKEN_PREFIX):
            verifier = self.api_tokens
        elif token.count(".") == _SEGMENTS - 1 and token.startswith("ey"):  # the form of a JWS
            verifier = self.signed_tokens
        else:
            verifier = self.opaque_tokens
        if verifier is None:
            raise CredentialsRefused(
                RefusalCause.UNKNOWN_TOKEN, "This server does not accept tokens of this kind."
            )
        return verifier


# Finds the bearer token of a request (RFC 6750): in one Authorization header and nowhere else.


def find_bearer_token(scope: Scope) -> str | None:
    """The token; None if the request has no Authorization header. Raises CredentialsRefused."""
    _check_query(scope.get("query_string", b""))
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(given) > 1:
        raise CredentialsRefused(
            RefusalCause.DUPLICATE_HEADER, "Send one Authorization header, not several."
        )
    return _parse_header(given[0]) if given else None


def _parse_header(value: bytes) -> str | None:
    scheme, _, token = value.strip(b" \t").partition(b" ")
    token = token.lstrip(b" ")
    if scheme.lower() != b"bearer":
        raise CredentialsRefused(
            RefusalCause.UNSUPPORTED_SCHEME, "Send the token as `Authorization: Bearer <token>`."
        )
    if len(token) > MAX_TOKEN_CHARS:
        raise CredentialsRefused(
            RefusalCause.TOKEN_TOO_LONG,
            f"The token has more than {MAX_TOKEN_CHARS} characters. "
            "Ask for a token with fewer claims.",
        )
    if not token:
        return None
    if not _TOKEN_PATTERN.fullmatch(token):
        raise CredentialsRefused(
            RefusalCause.MALFORMED_TOKEN, "The token has characters that no token has."
        )
    return token.decode("ascii")


def _check_query(query: bytes) -> None:
    if not any(name.encode() in query.lower() for name in _QUERY_NAMES) and b"%" not in query:
        return
    names = {name.lower() for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)}
    if not names.isdisjoint(_QUERY_NAMES):
        raise CredentialsRefused(
            RefusalCause.TOKEN_IN_QUERY,
            "A token in the address ends up in logs. Send it as `Authorization: Bearer <token>`, "
            "and replace the one that was sent.",
        )


# Takes a signed token (JWS compact form) apart, strictly: one reading only, or none.


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedToken:
    """The parts of a token. Nothing in it is verified."""

    header: dict[str, Any] = field(repr=False)
    claims: dict[str, Any] = field(repr=False)
    signed_bytes: bytes = field(repr=False)
    signature: bytes = field(repr=False)


def parse_signed_token(token: str) -> SignedToken:
    """Raises CredentialsRefused if a part is not strict base64url or not a JSON object.

    Members that occur twice are refused, because two parsers could read two different tokens.
    """
    segments = token.split(".")
    if len(segments) != _SEGMENTS or not all(map(_SEGMENT_PATTERN.fullmatch, segments)):
        _refuse_form()
    head, body, signature = map(_decode_segment, segments)
    return SignedToken(
        header=_parse_object(head),
        claims=_parse_object(body),
        signed_bytes=token.rpartition(".")[0].encode("ascii"),
        signature=signature,
    )


def _decode_segment(segment: str) -> bytes:
    padded = segment + "=" * (-len(segment) % 4)
    try:
        plain = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        _refuse_form()
    if base64.urlsafe_b64encode(plain).rstrip(b"=") != segment.encode("ascii"):
        _refuse_form()  # spare bits are set: the same bytes could be written in several ways
    return plain


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_collect_unique_members,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError):
        _refuse_form()
    if not isinstance(found, dict):
        _refuse_form()
    return found


def _collect_unique_members(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError("a member occurs twice")
        members[name] = value
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not a number of JSON")


def _refuse_form() -> NoReturn:
    raise CredentialsRefused(RefusalCause.MALFORMED_TOKEN, "The token is not a well-formed JWT.")


# Checks the claims of an access token, and tells whose it is and what it allows.


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRules:
    """What the settings demand of the claims of every token."""

    issuer: str
    audiences: frozenset[str]
    tenant_claim: str = "tenant_id"
    user_claim: str = "sub"

    def check_claims(self, claims: Mapping[str, Any], *, now: float) -> None:
        """Raises CredentialsRefused with the first rule that the claims break."""
        if claims.get("iss") != self.issuer:
            raise CredentialsRefused(
                RefusalCause.ISSUER, "The token is from another issuer than this server trusts."
            )
        self.check_audience(claims)
        check_claim_times(claims, now=now)
        check_token_kind(claims)

    def check_audience(self, claims: Mapping[str, Any]) -> None:
        stated = claims.get("aud")
        values = stated if isinstance(stated, list) else [stated]
        if not any(isinstance(value, str) and value in self.audiences for value in values):
            raise CredentialsRefused(
                RefusalCause.AUDIENCE,
                "The token was issued for another service. Ask the issuer for one with the "
                "resource that this server's metadata name.",
            )

    def build_caller(self, claims: Mapping[str, Any], *, credential_id: str) -> VerifiedCaller:
        """The caller of whom the verified claims tell."""
        user = claims.get(self.user_claim)
        if not isinstance(user, str):
            raise CredentialsRefused(
                RefusalCause.CLAIMS, f"The token has no claim {self.user_claim} with a name."
            )
        tenant = claims.get(self.tenant_claim)
        if tenant is not None and not isinstance(tenant, str):
            raise CredentialsRefused(
                RefusalCause.CLAIMS, f"The claim {self.tenant_claim} of the token is not a name."
            )
        client = claims.get("client_id", claims.get("azp"))
        return VerifiedCaller(
            owner=build_verified_owner(tenant, user),
            proof=CallerProof.OAUTH,
            scopes=collect_scopes(claims),
            client_id=client if isinstance(client, str) else None,
            credential_id=credential_id,
        )


def collect_scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """All scopes in `scope`, `scp` (Entra, Okta) and `permissions` (Auth0)."""
    found: set[str] = set()
    for name in ("scope", "scp", "permissions"):
        stated = claims.get(name)
        if isinstance(stated, str):
            found.update(stated.split(" "))
        elif isinstance(stated, list):
            found.update(value for value in stated if isinstance(value, str))
    return frozenset(found - {""})


def check_token_kind(claims: Mapping[str, Any]) -> None:
    """Refuse ID and refresh tokens, and tokens that are worth nothing without a further proof."""
    kind, binding = claims.get("typ"), claims.get("cnf")
    if isinstance(kind, str) and kind.lower() in _OTHER_TOKEN_KINDS:
        raise CredentialsRefused(
            RefusalCause.TOKEN_TYPE, "This is not an access token. Send the access token."
        )
    if isinstance(binding, dict) and not _BINDING_MEMBERS.isdisjoint(binding):
        raise CredentialsRefused(
            RefusalCause.BOUND_TOKEN,
            "The token is bound to a key (DPoP or mTLS). Ask for a bearer token.",
        )


def check_claim_times(claims: Mapping[str, Any], *, now: float) -> None:
    """Raises CredentialsRefused for a token that is not valid now."""
    if _require_time(claims, "exp") <= now:
        raise CredentialsRefused(RefusalCause.EXPIRED, "The token has expired. Get a new one.")
    for name in ("iat", "nbf"):
        if name in claims and _require_time(claims, name) > now + CLOCK_LEEWAY_SECONDS:
            raise CredentialsRefused(
                RefusalCause.NOT_YET_VALID,
                "The token is not valid yet. Compare the clocks of the issuer and of this server.",
            )


def _require_time(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not _is_finite(value):
        raise CredentialsRefused(
            RefusalCause.CLAIMS, f"The claim {name} of the token is missing or is no time."
        )
    return float(value)  # type: ignore[arg-type]  # a number, as checked above


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer larger than any float
        return False
