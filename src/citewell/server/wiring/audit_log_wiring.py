"""Builds the service that keeps the audit log."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.audit_log.audit_recorder import AuditRecorder


def build_audit_recorder(kit: ServiceKit) -> AuditRecorder:
    from citewell.net.http.signed_webhook import SignedWebhook
    from citewell.services.audit_log.audit_recorder import AuditRecorder
    from citewell.services.audit_log.audit_upkeep import AuditSealer, AuditUpkeep, UpkeepTask
    from citewell.services.audit_log.audit_webhook import AuditWebhook

    settings, state = kit.settings, kit.open_state()
    tasks: list[UpkeepTask] = [
        AuditSealer(
            state.audit,
            state.leases,
            retention_days=settings.audit_retention_days,
            clock=time.time,
        )
    ]
    if settings.audit_webhook_url:
        kit.network.guard.trust_service(settings.audit_webhook_url)  # chosen by the operator
        webhook = SignedWebhook(
            kit.network.client,
            url=settings.audit_webhook_url,
            secret=settings.audit_webhook_secret,
            clock=time.time,
        )
        tasks.append(AuditWebhook(state.audit, state.leases, webhook))
    return AuditRecorder(state.audit, AuditUpkeep(tasks), clock=time.time)


BUILDERS: ServiceBuilders = {
    "citewell.services.audit_log.audit_recorder:AuditRecorder": build_audit_recorder,
}
