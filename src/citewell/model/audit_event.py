"""An event of the audit log, in the field names of the specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class AuditEventType(StrEnum):
    TOOL_CALL = "tool_call"
    AUTH_REFUSED = "auth_refused"
    ADMIN_ACTION = "admin_action"
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of an event
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - the name of an event


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """What happened, when, to whom and with which outcome. `user_id` is None if nobody was verified."""

    happened_at: float  # seconds since the epoch
    event_type: str = AuditEventType.TOOL_CALL
    tenant_id: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    tool_name: str | None = None
    request_id: str | None = None
    pod_id: str | None = None
    source_ip: str | None = None
    duration_ms: int | None = None
    success: bool = True
    error_code: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def build_line(self) -> dict[str, Any]:
        """The event as a JSON object in the specification's order; unknown fields are left out."""
        moment = datetime.fromtimestamp(self.happened_at, UTC)
        line = {
            "timestamp": moment.isoformat(timespec="milliseconds"),
            "event_type": str(self.event_type),
            "tenant_id": self.tenant_id,
            "user_id": self.user_id,
            "session_id": self.session_id,
            "tool_name": self.tool_name,
            "request_id": self.request_id,
            "pod_id": self.pod_id,
            "source_ip": self.source_ip,
            "duration_ms": self.duration_ms,
            "success": self.success,
            "error_code": self.error_code,
        }
        known = {name: value for name, value in line.items() if value is not None}
        return known | {"metadata": dict(self.metadata)}
