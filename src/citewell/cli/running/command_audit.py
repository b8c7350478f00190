"""Records in the audit log what an operator does on the command line."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from typing import Any

from citewell.model.audit_event import AuditEvent, AuditEventType
from citewell.services.audit_log.audit_recorder import UNVERIFIED_OWNER
from citewell.store.state_store import StateStore
from citewell.tooling import Owner


async def record_command_event(
    state: StateStore,
    event_type: AuditEventType,
    *,
    owner: Owner | None = None,
    metadata: Mapping[str, Any],
) -> None:
    """Store and seal one event. `owner` is whom it concerns; erasing them makes it unreadable."""
    event = AuditEvent(
        happened_at=time.time(),
        event_type=event_type,
        tenant_id=owner.tenant if owner else None,
        user_id=owner.user if owner else None,
        pod_id=platform.node(),
        metadata={"by": "command line", **metadata},
    )
    await state.audit.append_event(str(owner) if owner else UNVERIFIED_OWNER, event)
    await state.audit.seal_waiting_rows()
