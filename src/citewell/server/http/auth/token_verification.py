"""Verifies signed access tokens (JWT) of the configured issuer."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from citewell.server.http.auth.caller import VerifiedCaller
from citewell.server.http.auth.claim_rules import ClaimRules, check_claim_times
from citewell.server.http.auth.key_source import KeySource
from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause
from citewell.server.http.auth.signing_keys import ALGORITHMS
from citewell.server.http.auth.token_parsing import SignedToken, parse_signed_token

MAX_KEY_ID_CHARS = 256
MAX_REMEMBERED_TOKENS = 4096
_MAX_CANDIDATE_KEYS = 4  # tried for a token without a key id
_TOKEN_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _RememberedToken:
    caller: VerifiedCaller
    claims: dict[str, Any]
    generation: int  # of the key set that verified it


class SignedTokenVerifier:
    """Decides on tokens by their signature and claims. Nothing in a token chooses how it is verified.

    A token that was verified is remembered, so that its next request costs no signature; its
    times are checked each time, and new keys of the issuer end what the old ones had verified.
    """

    def __init__(
        self, keys: KeySource, rules: ClaimRules, *, now: Callable[[], float] = time.time
    ) -> None:
        self._keys = keys
        self._rules = rules
        self._now = now
        self._remembered: OrderedDict[bytes, _RememberedToken] = OrderedDict()

    async def verify_token(self, token: str) -> VerifiedCaller:
        """The caller; raises CredentialsRefused, or VerifierUnavailable if the keys cannot be had."""
        name = hashlib.sha256(token.encode("ascii")).digest()
        known = self._remembered.get(name)
        if known is not None and known.generation == await self._keys.ensure_fresh_keys():
            check_claim_times(known.claims, now=self._now())  # nothing else can have changed
            self._remembered.move_to_end(name)
            return known.caller
        parsed = parse_signed_token(token)
        algorithm, key_id = check_token_header(parsed.header)
        await self._check_signature(parsed, algorithm, key_id)
        self._rules.check_claims(parsed.claims, now=self._now())
        caller = self._rules.build_caller(parsed.claims, credential_id=name.hex()[:12])
        self._remember_token(name, caller, parsed.claims)
        return caller

    async def _check_signature(
        self, token: SignedToken, algorithm: str, key_id: str | None
    ) -> None:
        keys = await self._keys.find_signing_keys(key_id, algorithm)
        if not keys:
            raise CredentialsRefused(
                RefusalCause.UNKNOWN_KEY, "The token was signed with a key that the issuer lacks."
            )
        for key in keys[:_MAX_CANDIDATE_KEYS]:
            if key.is_signature_of(algorithm, token.signed_bytes, token.signature):
                return
        raise CredentialsRefused(RefusalCause.SIGNATURE, "The signature of the token is wrong.")

    def _remember_token(self, name: bytes, caller: VerifiedCaller, claims: dict[str, Any]) -> None:
        self._remembered[name] = _RememberedToken(
            caller=caller, claims=claims, generation=self._keys.generation
        )
        while len(self._remembered) > MAX_REMEMBERED_TOKENS:
            self._remembered.popitem(last=False)


def check_token_header(header: dict[str, Any]) -> tuple[str, str | None]:
    """The algorithm and key id of a header; raises CredentialsRefused for one that is not accepted.

    Keys and addresses of keys in the header (`jwk`, `jku`, `x5u`, `x5c`) are never used.
    """
    algorithm, key_id, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise CredentialsRefused(
            RefusalCause.ALGORITHM,
            f"Tokens must be signed with one of {', '.join(ALGORITHMS)}.",
        )
    if "crit" in header or "b64" in header:
        raise CredentialsRefused(
            RefusalCause.CRITICAL_HEADER, "The token needs an extension that is not supported."
        )
    if not isinstance(kind, str) or kind.lower() not in _TOKEN_TYPES:
        raise CredentialsRefused(
            RefusalCause.TOKEN_TYPE, "This is not an access token. Send the access token."
        )
    if key_id is not None and not (isinstance(key_id, str) and len(key_id) <= MAX_KEY_ID_CHARS):
        raise CredentialsRefused(
            RefusalCause.MALFORMED_TOKEN, "The key id of the token is no name."
        )
    return algorithm, key_id
