"""Builds the search for patents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.patents.patent_search import PatentSearchService


def build_patent_search(kit: ServiceKit) -> PatentSearchService:
    from citewell.services.domains.patents.patent_search import PatentSearchService
    from citewell.services.domains.routing.domain_search import DomainSearch
    from citewell.services.web.search_service import WebSearchService

    return PatentSearchService(
        kit.require_service(DomainSearch),
        kit.catalogue,
        web=lambda: kit.require_service(WebSearchService),
        thin_count=kit.settings.search_thin_threshold,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.patents.patent_search:PatentSearchService": build_patent_search,
}
