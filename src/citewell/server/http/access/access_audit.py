"""The layer that audits refused callers and what administrators do."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.errors import CitewellError
from citewell.model.audit_event import AuditEventType
from citewell.server.app import App
from citewell.server.audit_events import record_audit_event
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.auth.challenges import send_auth_error
from citewell.server.http.auth.refusals import RefusalCause
from citewell.server.http.call_origins import find_call_origin
from citewell.server.http.observing.request_records import find_request_record

logger = logging.getLogger(__name__)
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
                    await _send_unrecorded(send, error)
                    return
            await send(message)

        await self._inner(scope, receive, watched)

    async def _record_response(self, scope: Scope, status: int) -> None:
        reason = find_request_record(scope).refusal
        if status in _REFUSED_STATUSES:
            if not _lacks_credentials(status, reason):
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


def _lacks_credentials(status: int, reason: str) -> bool:
    return reason == RefusalCause.NO_CREDENTIALS or (status == 401 and reason == _UNKNOWN_REASON)


async def _send_unrecorded(send: Send, error: CitewellError) -> None:
    logger.error("An action of an administrator could not be audited. %s", error.message)
    told = f"The action was done, but the audit log cannot be written. {error.message}"
    await send_auth_error(send, 503, "audit_unavailable", told)
