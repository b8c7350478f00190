"""Builds the search for images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.images.image_search import ImageSearchService
    from citewell.services.domains.images.thumbnail_fetching import ThumbnailFetcher


def build_image_search(kit: ServiceKit) -> ImageSearchService:
    from citewell.services.domains.images.image_search import ImageSearchService
    from citewell.services.domains.routing.domain_search import DomainSearch

    return ImageSearchService(
        kit.require_service(DomainSearch),
        settings=kit.settings,
        catalogue=kit.catalogue,
        lenses=kit.lenses,
    )


def build_thumbnail_fetcher(kit: ServiceKit) -> ThumbnailFetcher:
    from citewell.services.domains.images.thumbnail_fetching import ThumbnailFetcher

    return ThumbnailFetcher(kit.network.client)


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.images.image_search:ImageSearchService": build_image_search,
    "citewell.services.domains.images.thumbnail_fetching:ThumbnailFetcher": build_thumbnail_fetcher,
}
