"""The layer that lets only verified callers through to the MCP endpoints."""

from __future__ import annotations

import logging
import math
from functools import lru_cache

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.http.admin.admin_access import ADMIN_HEADER
from citewell.server.http.auth.auth_ways import MCP_PATH
from citewell.server.http.auth.authenticator import Authenticator
from citewell.server.http.auth.caller import VerifiedCaller, attach_caller
from citewell.server.http.auth.challenges import build_challenge, send_auth_error
from citewell.server.http.auth.protected_resource import ProtectedResource
from citewell.server.http.auth.refusals import (
    CredentialsRefused,
    RefusalCause,
    VerifierUnavailable,
)
from citewell.server.http.auth.scope_rules import ScopeRules
from citewell.server.http.observing.request_records import note_refusal

logger = logging.getLogger(__name__)

_PUBLIC_PATHS = ("/health", "/.well-known")  # nothing on them depends on who asks


class Authentication:
    """Verifies the caller of each request.

    MCP endpoints need a caller. Elsewhere (pages, administration) credentials are verified if they
    are sent, and the route decides; the admin key is left to those routes altogether.
    """

    def __init__(
        self,
        inner: ASGIApp,
        authenticator: Authenticator,
        rules: ScopeRules,
        resource: ProtectedResource | None,
    ) -> None:
        self._inner = inner
        self._authenticator = authenticator
        self._rules = rules
        self._resource = resource

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_public_request(scope):
            await self._inner(scope, receive, send)
            return
        try:
            caller = await self._identify_caller(scope)
        except CredentialsRefused as refusal:
            await self._refuse_caller(scope, send, refusal)
        except VerifierUnavailable as failure:
            await self._ask_for_patience(scope, send, failure)
        else:
            if caller is not None:
                attach_caller(scope, caller)
                scope["user"] = build_sdk_user(caller)
            await self._inner(scope, receive, send)

    async def _identify_caller(self, scope: Scope) -> VerifiedCaller | None:
        """The caller; None only where the route decides what a request without credentials gets."""
        caller = await self._authenticator.identify_caller(scope)
        if caller is None and is_mcp_path(scope["path"]):
            raise CredentialsRefused(
                RefusalCause.NO_CREDENTIALS,
                "This server needs to know who is calling. Send `Authorization: Bearer <token>`.",
            )
        return caller

    async def _refuse_caller(self, scope: Scope, send: Send, refusal: CredentialsRefused) -> None:
        log = logger.debug if refusal.cause is RefusalCause.NO_CREDENTIALS else logger.warning
        log("Refused: %s. %s", refusal.cause, refusal.message)
        note_refusal(scope, refusal.cause)
        challenge = build_challenge(
            metadata_url=self._resource.find_metadata_url(scope) if self._resource else None,
            scopes=self._rules.list_endpoint_scopes(scope["path"]),
            error=refusal.error_code,
            description=refusal.message,
        )
        code = refusal.error_code or "unauthorized"
        headers = (("www-authenticate", challenge),)
        await send_auth_error(send, refusal.status, code, refusal.message, headers=headers)

    async def _ask_for_patience(
        self, scope: Scope, send: Send, failure: VerifierUnavailable
    ) -> None:
        logger.warning("Nobody can be let in: %s. %s", failure.cause, failure.message)
        note_refusal(scope, failure.cause)
        seconds = str(max(1, math.ceil(failure.retry_after)))
        told = "Credentials cannot be verified at the moment. Try again later."
        await send_auth_error(
            send, 503, "temporarily_unavailable", told, headers=(("retry-after", seconds),)
        )


def is_mcp_path(path: str) -> bool:
    return path == MCP_PATH or path.startswith(f"{MCP_PATH}/")


@lru_cache(maxsize=1024)  # for the requests of the same callers
def build_sdk_user(caller: VerifiedCaller) -> AuthenticatedUser:
    """What the SDK binds a session to: another client, way or owner gets 404 for it."""
    return AuthenticatedUser(
        AccessToken(
            token="",  # the SDK needs none, and what is not there cannot leak
            client_id=caller.client_id or caller.proof.value,
            scopes=sorted(caller.scopes or ()),
            subject=str(caller.owner),
            claims={"iss": caller.proof.value},
        )
    )


def _is_public_request(scope: Scope) -> bool:
    path = scope["path"]
    if is_mcp_path(path):
        return False
    has_admin_key = any(name == ADMIN_HEADER.encode() for name, _ in scope["headers"])
    return has_admin_key or path.startswith(_PUBLIC_PATHS)
