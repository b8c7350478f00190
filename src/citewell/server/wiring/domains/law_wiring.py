"""Builds the search for cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.law.case_search import CaseSearchService
    from citewell.services.domains.law.citation_service import LegalCitationChecker


def build_case_search(kit: ServiceKit) -> CaseSearchService:
    from citewell.services.domains.law.case_search import CaseSearchService
    from citewell.services.domains.routing.domain_search import DomainSearch

    return CaseSearchService(kit.require_service(DomainSearch))


def build_legal_checker(kit: ServiceKit) -> LegalCitationChecker:
    from citewell.services.domains.law.brief_reading import BriefReader
    from citewell.services.domains.law.citation_registry import CitationRegistry
    from citewell.services.domains.law.citation_service import LegalCitationChecker
    from citewell.services.routing.provider_panel import ProviderPanel

    registry = CitationRegistry(kit.require_service(ProviderPanel))
    return LegalCitationChecker(registry, BriefReader(kit.workers))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.law.case_search:CaseSearchService": build_case_search,
    "citewell.services.domains.law.citation_service:LegalCitationChecker": build_legal_checker,
}
