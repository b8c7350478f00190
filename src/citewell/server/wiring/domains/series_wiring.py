"""Builds the search for statistical series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.series.series_search import SeriesSearchService


def build_series_search(kit: ServiceKit) -> SeriesSearchService:
    from citewell.services.domains.routing.domain_search import DomainSearch
    from citewell.services.domains.series.series_search import SeriesSearchService

    return SeriesSearchService(kit.require_service(DomainSearch))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.series.series_search:SeriesSearchService": build_series_search,
}
