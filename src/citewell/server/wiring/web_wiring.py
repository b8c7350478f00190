"""Builds web search, with and without a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.web.search_cache import CachedWebSearch
    from citewell.services.web.search_service import WebSearchService

SEARCH_PAGE_CHARS = 50_000  # characters of each page that web_search fetches
SEARCH_PAGE_SECONDS = 45.0  # seconds for one such page


def build_web_search(kit: ServiceKit) -> WebSearchService:
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.web.result_contents import build_page_batch_reader
    from citewell.services.web.search_service import WebSearchService

    reader = build_page_batch_reader(
        kit.require_service(CachedPageReader).read_page,
        max_length=SEARCH_PAGE_CHARS,
        concurrency=kit.settings.max_page_concurrency,
        timeout=SEARCH_PAGE_SECONDS,
    )
    return WebSearchService(
        settings=kit.settings,
        catalogue=kit.catalogue,
        lenses=kit.lenses,
        reader=reader,
        find_pause=kit.find_pause,
    )


def build_cached_search(kit: ServiceKit) -> CachedWebSearch:
    from citewell.services.web.search_cache import CachedWebSearch
    from citewell.services.web.search_service import WebSearchService

    return CachedWebSearch(
        kit.require_service(WebSearchService), loader=kit.store.loader, sharing=kit.sharing
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.web.search_service:WebSearchService": build_web_search,
    "citewell.services.web.search_cache:CachedWebSearch": build_cached_search,
}
