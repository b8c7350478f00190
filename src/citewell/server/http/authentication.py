"""The layers that let only verified callers through to the MCP endpoints, and hold them to their scopes."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.audit.audit_segments import AuditEvent, AuditEventType
from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.call_records import mask_values
from citewell.server.http.admin_requests import ADMIN_HEADER
from citewell.server.http.auth.auth_ways import MCP_PATH
from citewell.server.http.auth.authenticator import Authenticator
from citewell.server.http.auth.caller import (
    CredentialsRefused,
    RefusalCause,
    VerifiedCaller,
    VerifierUnavailable,
    attach_caller,
    find_caller,
)
from citewell.server.http.auth.protected_resource import ProtectedResource, ScopeRules
from citewell.server.http.cached_call_shortcut import find_call_origin
from citewell.server.http.observing.request_records import find_request_record, note_refusal
from citewell.server.http.refusals import build_challenge, send_auth_error
from citewell.server.http.request_facts import MAX_MESSAGE_BYTES, read_request_message

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
            logger.warning("Nobody can be let in: %s. %s", failure.cause, failure.message)
            note_refusal(scope, failure.cause)
            await send_auth_error(
                send,
                503,
                "temporarily_unavailable",
                "Credentials cannot be verified at the moment. Try again later.",
                headers=(("retry-after", str(max(1, math.ceil(failure.retry_after)))),),
            )
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


# The layer that holds callers to their scopes, after they are verified and before the SDK reads the request.


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
        code, text = "insufficient_scope", f"This needs the scope {' '.join(missing)}."
        url = self._resource.find_metadata_url(scope) if self._resource else None
        challenge = build_challenge(metadata_url=url, scopes=missing, error=code, description=text)
        headers = (("www-authenticate", challenge),)
        await send_auth_error(send, 403, code, text, headers=headers)


# The layer that audits refused callers and what administrators do.


_ADMIN_PATH = "/admin/"
_REFUSED_STATUSES = frozenset({401, 403})
_UNKNOWN_REASON = "unknown"  # of a refusal by a route, which notes none


class AccessAudit:
    """Stands outside of authentication, and looks at the status of each response.

    The answer to an administrator is sent only once it is stored what was done. A request without
    credentials is how a client begins to log in, and is not recorded.
    """

    def __init__(self, inner: ASGIApp, app: App) -> None:
        self._inner = inner
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._app.audit is None:
            await self._inner(scope, receive, send)
            return
        is_answered = False

        async def watched(message: Message) -> None:
            nonlocal is_answered
            if is_answered:
                return
            if message["type"] == "http.response.start":
                try:
                    await self._record_response(scope, message["status"])
                except CitewellError as error:
                    is_answered = True
                    logger.error(  # noqa: TRY400 - the message says why
                        "An action of an administrator could not be audited. %s", error.message
                    )
                    text = (
                        f"The action was done, but the audit log cannot be written. {error.message}"
                    )
                    await send_auth_error(send, 503, "audit_unavailable", text)
                    return
            await send(message)

        await self._inner(scope, receive, watched)

    async def _record_response(self, scope: Scope, status: int) -> None:
        reason = find_request_record(scope).refusal
        if status in _REFUSED_STATUSES:
            # Without credentials, a client only begins to log in.
            if reason != RefusalCause.NO_CREDENTIALS and (status, reason) != (401, _UNKNOWN_REASON):
                code = "admin_refused" if reason == _UNKNOWN_REASON else str(reason)
                await self._record(scope, AuditEventType.AUTH_REFUSED, status, error_code=code)
        elif scope["path"].startswith(_ADMIN_PATH) and status < 500 and status != 429:
            failed = f"status_{status}" if status >= 400 else None
            await self._record(scope, AuditEventType.ADMIN_ACTION, status, error_code=failed)

    async def _record(
        self, scope: Scope, event: AuditEventType, status: int, *, error_code: str | None
    ) -> None:
        caller = find_caller(scope)
        await record_audit_event(
            self._app,
            event,
            owner=caller.owner if caller.is_authenticated else None,
            source_ip=find_call_origin(scope).source_ip,
            request_id=find_request_record(scope).id,
            error_code=error_code,
            metadata={
                # Without the query, which names whom the action concerns.
                "action": f"{scope['method']} {scope['path'][:100]}",
                "status": status,
                "proof": caller.proof.value,
                **({"credential_id": caller.credential_id} if caller.credential_id else {}),
            },
        )


# Records what happens beside tool calls: refused callers, actions of administrators, tokens.


async def record_audit_event(
    app: App,
    event_type: AuditEventType,
    *,
    owner: Owner | None = None,
    source_ip: str | None = None,
    request_id: str | None = None,
    error_code: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Store the event before this returns; does nothing if nothing is audited.

    `owner` is whom it concerns, None for an unknown caller: erasing that owner makes the personal
    parts unreadable. An event with an `error_code` counts as failed. Refused callers are stored a
    little later, and a flood of them is counted instead, so they may be told without a thought.
    Raises StoreError if the event cannot be stored, unless CITEWELL_AUDIT_REQUIRED is off.
    """
    if app.audit is None:
        return
    event = AuditEvent(
        happened_at=app.audit.clock(),
        event_type=event_type,
        tenant_id=owner.tenant if owner else None,
        user_id=owner.user if owner else None,
        request_id=request_id,
        pod_id=app.audit.pod_id,
        source_ip=source_ip,
        success=error_code is None,
        error_code=error_code,
        metadata=mask_values(metadata or {}),
    )
    if event_type is AuditEventType.AUTH_REFUSED:
        app.audit.record_aside(event)
    else:
        await app.audit.record_event(event)
