"""Builds the search for company filings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.filings.filing_search import FilingSearchService


def build_filing_search(kit: ServiceKit) -> FilingSearchService:
    from citewell.services.domains.filings.filing_search import FilingSearchService
    from citewell.services.domains.routing.domain_search import DomainSearch

    return FilingSearchService(kit.require_service(DomainSearch))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.filings.filing_search:FilingSearchService": build_filing_search,
}
