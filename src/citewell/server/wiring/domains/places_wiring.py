"""Builds the search for places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.places.place_search import PlaceSearchService


def build_place_search(kit: ServiceKit) -> PlaceSearchService:
    from citewell.services.domains.places.place_anchor import AnchorFinder
    from citewell.services.domains.places.place_search import PlaceSearchService
    from citewell.services.domains.routing.domain_search import DomainSearch

    search = kit.require_service(DomainSearch)
    return PlaceSearchService(search, AnchorFinder(search))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.places.place_search:PlaceSearchService": build_place_search,
}
