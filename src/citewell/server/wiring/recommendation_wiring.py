"""Builds the service that audits recommendations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.recommendation.corroboration import LensScope
    from citewell.services.recommendation.recommendation_auditor import RecommendationAuditor

AUDIT_RESERVE_SECONDS = 20.0  # of the tool's time, left for the answer after the searches


def build_recommendation_auditor(kit: ServiceKit) -> RecommendationAuditor:
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.recommendation.corroboration import CorroborationFinder
    from citewell.services.recommendation.recommendation_auditor import RecommendationAuditor
    from citewell.services.web.search_cache import CachedWebSearch

    return RecommendationAuditor(
        links=kit.require_service(LinkChecker),
        corroboration=CorroborationFinder(
            kit.require_service(CachedWebSearch), partial(_choose_lens_scope, kit)
        ),
        deadline=kit.settings.long_tool_timeout - AUDIT_RESERVE_SECONDS,
    )


def _choose_lens_scope(kit: ServiceKit, name: str) -> LensScope:
    """The default provider, with as many sites of the lens as one of its requests can name.

    More requests would wait for the pace of a keyless provider: ten seconds for a short list.
    """
    from citewell.ports import Offer
    from citewell.services.recommendation.corroboration import LensScope
    from citewell.services.web.search_service import WebSearchService

    chain = kit.require_service(WebSearchService).router.find_chain(Offer.WEB)
    provider = next((one for one in chain.main if kit.find_pause(one) is None), None)
    lens = kit.lenses.resolve_lens(name)
    if provider is None or lens.required_provider:
        return LensScope()
    most = kit.catalogue.find_spec(provider).max_sites
    return LensScope(
        provider=provider if most else None,
        sites=lens.domains[:most] if most < len(lens.domains) else (),
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.recommendation.recommendation_auditor:RecommendationAuditor": (
        build_recommendation_auditor
    ),
}
