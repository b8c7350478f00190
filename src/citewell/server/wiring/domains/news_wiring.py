"""Builds the search for news."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.news.news_search import NewsSearchService


def build_news_search(kit: ServiceKit) -> NewsSearchService:
    from citewell.services.domains.news.news_search import NewsSearchService

    return NewsSearchService(
        settings=kit.settings,
        catalogue=kit.catalogue,
        lenses=kit.lenses,
        find_pause=kit.find_pause,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.news.news_search:NewsSearchService": build_news_search,
}
