"""Finds out who sent a request, by whichever configured way the request uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from starlette.types import Scope

from citewell.server.http.auth.bearer_header import find_bearer_token
from citewell.server.http.auth.caller import VerifiedCaller
from citewell.server.http.auth.proxy_identity import ProxyIdentity
from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause
from citewell.server.http.auth.token_parsing import is_signed_token
from citewell.store.people.token_store import API_TOKEN_PREFIX


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
        elif is_signed_token(token):
            verifier = self.signed_tokens
        else:
            verifier = self.opaque_tokens
        if verifier is None:
            raise CredentialsRefused(
                RefusalCause.UNKNOWN_TOKEN, "This server does not accept tokens of this kind."
            )
        return verifier
