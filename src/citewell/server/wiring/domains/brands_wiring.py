"""Builds the research of brands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.brands.brand_research import BrandResearchService


def build_brand_research(kit: ServiceKit) -> BrandResearchService:
    from citewell.services.domains.brands.brand_lookup import BrandLookupService
    from citewell.services.domains.brands.brand_portals import PortalReader
    from citewell.services.domains.brands.brand_probes import BrandProber
    from citewell.services.domains.brands.brand_research import BrandResearchService, BrandTools
    from citewell.services.domains.brands.company_sites import CompanySites
    from citewell.services.domains.brands.guideline_search import GuidelineSearch
    from citewell.services.domains.brands.site_visits import SiteVisitor
    from citewell.services.domains.routing.domain_search import DomainSearch
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.web.search_cache import CachedWebSearch

    robots = kit.network.robots if kit.settings.respect_robots else None
    visitor = SiteVisitor(kit.network.client, kit.workers, robots=robots)
    searches = kit.require_service(CachedWebSearch)
    return BrandResearchService(
        BrandTools(
            visitor=visitor,
            prober=BrandProber(visitor),
            portals=PortalReader(kit.require_service(CachedPageReader), visitor),
            companies=CompanySites(searches, visitor),
            guidelines=GuidelineSearch(searches, visitor),
            lookups=BrandLookupService(kit.require_service(DomainSearch)),
        ),
        artifacts=kit.store.artifacts,
        loader=kit.store.loader,
        sharing=kit.sharing,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.brands.brand_research:BrandResearchService": build_brand_research,
}
