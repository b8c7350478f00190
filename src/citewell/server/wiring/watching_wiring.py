"""Builds the services that watch bibliographies and saved searches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.watching.query_monitor import QueryMonitor
    from citewell.services.watching.reference_watch import ReferenceWatch
    from citewell.services.watching.watch_schedule import WatchSchedule


def build_reference_watch(kit: ServiceKit) -> ReferenceWatch:
    from citewell.services.trust.bibliography_audit import BibliographyAudit
    from citewell.services.watching.reference_watch import ReferenceWatch

    return ReferenceWatch(
        kit.open_state().watches,
        kit.require_service(BibliographyAudit),
        interval_seconds=kit.settings.watch_interval,
    )


def build_query_monitor(kit: ServiceKit) -> QueryMonitor:
    from citewell.services.people.consent_gate import ConsentGate
    from citewell.services.people.consent_service import ConsentService
    from citewell.services.watching.query_monitor import QueryMonitor
    from citewell.services.web.search_service import WebSearchService

    return QueryMonitor(
        kit.open_state().watches,
        ConsentGate(kit.require_service(ConsentService), "monitoring"),
        kit.require_service(WebSearchService),
        ttl_seconds=kit.settings.monitoring_ttl,
        interval_seconds=kit.settings.watch_interval,
    )


def build_watch_schedule(kit: ServiceKit) -> WatchSchedule:
    from citewell.net.http.signed_webhook import SignedWebhook
    from citewell.services.watching.query_monitor import QueryMonitor
    from citewell.services.watching.reference_watch import ReferenceWatch
    from citewell.services.watching.watch_schedule import WatchSchedule

    settings, state = kit.settings, kit.open_state()
    webhook = None
    if settings.watch_webhook_url:
        kit.network.guard.trust_service(settings.watch_webhook_url)  # chosen by the operator
        webhook = SignedWebhook(
            kit.network.client,
            url=settings.watch_webhook_url,
            secret=settings.watch_webhook_secret,
            clock=time.time,
        )
    return WatchSchedule(
        state.watches,
        state.leases,
        kit.require_service(ReferenceWatch),
        kit.require_service(QueryMonitor),
        webhook=webhook,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.watching.query_monitor:QueryMonitor": build_query_monitor,
    "citewell.services.watching.reference_watch:ReferenceWatch": build_reference_watch,
    "citewell.services.watching.watch_schedule:WatchSchedule": build_watch_schedule,
}
