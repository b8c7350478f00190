"""Records what happens beside tool calls: refused callers, actions of administrators, tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.model.audit_event import AuditEvent, AuditEventType
from citewell.server.app import App
from citewell.server.middleware.audit_logging import mask_values
from citewell.tooling import Owner


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
