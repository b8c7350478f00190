"""Builds what the searches of all domains share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.routing.domain_search import DomainSearch


def build_domain_search(kit: ServiceKit) -> DomainSearch:
    from citewell.services.domains.routing.domain_search import DomainSearch
    from citewell.services.routing.provider_panel import ProviderPanel

    return DomainSearch(kit.catalogue, kit.require_service(ProviderPanel))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.routing.domain_search:DomainSearch": build_domain_search,
}
