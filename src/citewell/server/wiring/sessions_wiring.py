"""Builds the services behind research sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.sessions.session_tracking import SessionTracker
    from citewell.services.sessions.step_assistance import StepAssistant


def build_session_tracker(kit: ServiceKit) -> SessionTracker:
    from citewell.services.sessions.session_tracking import SessionTracker

    return SessionTracker(
        kit.open_state().sessions,
        max_steps=kit.settings.session_max_steps,
        ttl=kit.settings.session_ttl,
    )


def build_step_assistant(kit: ServiceKit) -> StepAssistant:
    from citewell.services.sessions.session_tracking import SessionTracker
    from citewell.services.sessions.step_assistance import StepAssistant
    from citewell.services.sources.source_classification import classify_host
    from citewell.services.web.search_service import WebSearchService

    return StepAssistant(
        kit.require_service(SessionTracker),
        lambda: kit.require_service(WebSearchService),
        lambda url: classify_host(url).source_type,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.sessions.session_tracking:SessionTracker": build_session_tracker,
    "citewell.services.sessions.step_assistance:StepAssistant": build_step_assistant,
}
