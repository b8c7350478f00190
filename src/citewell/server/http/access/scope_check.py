"""The layer that holds callers to their scopes, after they are verified and before the SDK reads the request."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.http.auth.caller import find_caller
from citewell.server.http.auth.challenges import build_challenge, send_auth_error
from citewell.server.http.auth.protected_resource import ProtectedResource
from citewell.server.http.auth.refusals import RefusalCause
from citewell.server.http.auth.scope_rules import ScopeRules
from citewell.server.http.observing.request_records import note_refusal
from citewell.server.http.request_messages import MAX_MESSAGE_BYTES, read_request_message

logger = logging.getLogger(__name__)


class ScopeCheck:
    def __init__(
        self,
        inner: ASGIApp,
        rules: ScopeRules,
        resource: ProtectedResource | None,
        *,
        max_body_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self._inner = inner
        self._rules = rules
        self._resource = resource
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = find_caller(scope)
        is_checked = (
            scope["type"] == "http"
            and scope["path"] in self._rules.offered
            and self._rules.is_restricted(caller)
        )
        if not is_checked:
            await self._inner(scope, receive, send)
            return
        message, receive = await read_request_message(
            scope, receive, max_bytes=self._max_body_bytes
        )
        missing = self._rules.find_missing_scopes(caller, scope["path"], message)
        if missing:
            logger.info(
                "Refused: %s (token %s)", RefusalCause.INSUFFICIENT_SCOPE, caller.credential_id
            )
            note_refusal(scope, RefusalCause.INSUFFICIENT_SCOPE)
            await self._refuse_call(scope, send, missing)
        else:
            await self._inner(scope, receive, send)

    async def _refuse_call(self, scope: Scope, send: Send, missing: tuple[str, ...]) -> None:
        code, told = "insufficient_scope", f"This needs the scope {' '.join(missing)}."
        url = self._resource.find_metadata_url(scope) if self._resource else None
        challenge = build_challenge(metadata_url=url, scopes=missing, error=code, description=told)
        headers = (("www-authenticate", challenge),)
        await send_auth_error(send, 403, code, told, headers=headers)
