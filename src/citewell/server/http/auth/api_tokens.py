"""Verifies the API tokens that `citewell users token create` makes."""

from __future__ import annotations

import time
from collections.abc import Callable

from citewell.errors import CitewellError
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller
from citewell.server.http.auth.refusals import (
    CredentialsRefused,
    RefusalCause,
    VerifierUnavailable,
)
from citewell.store.people.token_store import SqlTokenStore
from citewell.tooling import Owner

STORE_RETRY_SECONDS = 5.0


class ApiTokenVerifier:
    def __init__(
        self, open_tokens: Callable[[], SqlTokenStore], *, now: Callable[[], float] = time.time
    ) -> None:
        """`open_tokens` gives the store; it is called when the first token comes."""
        self._open_tokens = open_tokens
        self._now = now

    async def verify_token(self, token: str) -> VerifiedCaller:
        """The caller; raises CredentialsRefused, or VerifierUnavailable if the store fails."""
        try:
            record = await self._open_tokens().find_token(token)
        except CitewellError as error:
            raise VerifierUnavailable(
                RefusalCause.STORE_UNAVAILABLE,
                f"API tokens cannot be looked up. {error.message}",
                retry_after=STORE_RETRY_SECONDS,
            ) from None
        if record is None:
            raise CredentialsRefused(RefusalCause.UNKNOWN_TOKEN, "This API token does not exist.")
        if record.revoked is not None:
            raise CredentialsRefused(RefusalCause.REVOKED, "This API token was revoked.")
        if not record.is_valid_at(self._now()):
            raise CredentialsRefused(
                RefusalCause.EXPIRED, "This API token has expired. Ask the operator for a new one."
            )
        return VerifiedCaller(
            owner=Owner.parse_text(record.owner),
            proof=CallerProof.API_TOKEN,
            scopes=None if record.scopes is None else frozenset(record.scopes),
            client_id=f"token:{record.id}",
            credential_id=record.id,
        )
