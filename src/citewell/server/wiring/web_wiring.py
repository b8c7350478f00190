"""Builds web search, with and without a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.web.search_cache import CachedWebSearch
    from citewell.services.web.search_service import WebSearchService


def build_web_search(kit: ServiceKit) -> WebSearchService:
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.web.result_contents import build_page_batch_reader
    from citewell.services.web.search_service import WebSearchService

    reader = build_page_batch_reader(
        kit.require_service(CachedPageReader).read_page,
        max_length=kit.settings.search_page_chars,
        concurrency=kit.settings.max_page_concurrency,
        timeout=kit.settings.search_page_timeout,
        summary_chars=kit.settings.search_summary_chars,
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
