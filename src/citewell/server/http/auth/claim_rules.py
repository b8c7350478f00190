"""Checks the claims of an access token, and tells whose it is and what it allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citewell.server.http.auth.caller import CallerProof, VerifiedCaller
from citewell.server.http.auth.caller_names import build_verified_owner
from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause

CLOCK_LEEWAY_SECONDS = 60.0  # by how much the issuer's clock may be ahead of ours
_OTHER_TOKEN_KINDS = frozenset({"id", "refresh", "offline", "logout"})  # Keycloak's claim `typ`
_BINDING_MEMBERS = frozenset({"jkt", "x5t#S256"})  # RFC 9449 and RFC 8705


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
