"""Builds the service that audits recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.recommendation.recommendation_auditor import RecommendationAuditor

AUDIT_RESERVE_SECONDS = 20.0  # of the tool's time, left for the answer after the searches


def build_recommendation_auditor(kit: ServiceKit) -> RecommendationAuditor:
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.recommendation.corroboration import CorroborationFinder
    from citewell.services.recommendation.recommendation_auditor import RecommendationAuditor
    from citewell.services.web.search_cache import CachedWebSearch

    return RecommendationAuditor(
        links=kit.require_service(LinkChecker),
        corroboration=CorroborationFinder(kit.require_service(CachedWebSearch)),
        deadline=kit.settings.long_tool_timeout - AUDIT_RESERVE_SECONDS,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.recommendation.recommendation_auditor:RecommendationAuditor": (
        build_recommendation_auditor
    ),
}
