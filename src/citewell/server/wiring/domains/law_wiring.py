"""Builds the search for cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.law.case_search import CaseSearchService


def build_case_search(kit: ServiceKit) -> CaseSearchService:
    from citewell.services.domains.law.case_search import CaseSearchService
    from citewell.services.domains.routing.domain_search import DomainSearch

    return CaseSearchService(kit.require_service(DomainSearch))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.law.case_search:CaseSearchService": build_case_search,
}
