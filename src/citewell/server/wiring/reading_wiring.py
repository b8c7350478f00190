"""Builds the services that read pages and artifacts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.model.page import Page
    from citewell.services.reading.artifact_pages import ArtifactReader
    from citewell.services.reading.artifact_upkeep import ArtifactUpkeep
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.reading.page_scrape import PageScraper
    from citewell.services.reading.search_and_read import SearchAndRead


def build_cached_reader(kit: ServiceKit) -> CachedPageReader:
    """The page reader with its cache, shared by all tools."""
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.reading.page_reader import PageReader

    async def read_library_document(document_id: str) -> Page:
        from citewell.services.library.library_search import OwnerLibraryIndex

        return await kit.require_service(OwnerLibraryIndex).read_library_page(document_id)

    reader = PageReader(settings=kit.settings, network=kit.network, workers=kit.workers)
    return CachedPageReader(
        reader,
        kit.workers,
        loader=kit.store.loader,
        cache=kit.store.cache,
        sharing=kit.sharing,
        renew=reader.renew_page,
        on_page=_build_page_keeper(kit),
        read_library_document=read_library_document,
    )


def _build_page_keeper(kit: ServiceKit) -> Callable[[Page], Awaitable[None]] | None:
    """Stores every page read in its reader's library; None if the settings do not ask for that."""
    if not kit.settings.library_keep_pages:
        return None
    from citewell.services.library.page_capture import ReadPageKeeper

    return ReadPageKeeper(kit.open_state().library)


def build_page_scraper(kit: ServiceKit) -> PageScraper:
    from citewell.fetch.page_tasks import PageTasks
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.reading.page_scrape import PageScraper
    from citewell.services.reading.raw_pages import RawPageFetcher
    from citewell.services.sources.page_works import PageWorkFinder
    from citewell.services.trust.retraction_checks import RetractionChecker

    robots = kit.network.robots if kit.settings.respect_robots else None
    return PageScraper(
        pages=kit.require_service(CachedPageReader),
        verbatim=RawPageFetcher(
            kit.network.client,
            PageTasks(kit.workers),
            robots=robots,
            timeout=kit.settings.page_timeout,
        ),
        works=PageWorkFinder(kit.require_service(RetractionChecker)),
    )


def build_search_and_read(kit: ServiceKit) -> SearchAndRead:
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.reading.search_and_read import SearchAndRead
    from citewell.services.web.search_cache import CachedWebSearch

    pages = kit.require_service(CachedPageReader)
    searches = kit.require_service(CachedWebSearch)
    return SearchAndRead(settings=kit.settings, searches=searches, pages=pages, workers=kit.workers)


def build_artifact_reader(kit: ServiceKit) -> ArtifactReader:
    from citewell.services.reading.artifact_pages import ArtifactReader

    return ArtifactReader(kit.store.artifacts)


def build_artifact_upkeep(kit: ServiceKit) -> ArtifactUpkeep:
    from citewell.services.reading.artifact_upkeep import ArtifactUpkeep

    return ArtifactUpkeep(kit.store.sweep_artifact_objects)


BUILDERS: ServiceBuilders = {
    "citewell.services.reading.artifact_upkeep:ArtifactUpkeep": build_artifact_upkeep,
    "citewell.services.reading.cached_pages:CachedPageReader": build_cached_reader,
    "citewell.services.reading.page_scrape:PageScraper": build_page_scraper,
    "citewell.services.reading.search_and_read:SearchAndRead": build_search_and_read,
    "citewell.services.reading.artifact_pages:ArtifactReader": build_artifact_reader,
}
