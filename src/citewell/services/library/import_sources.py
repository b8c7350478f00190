"""What an import reads from: local files, pages through the page reader, and sitemaps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from citewell.config import Settings
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.plain_tiers import PageFetcher
from citewell.model.page import Page
from citewell.net.network import Network
from citewell.services.library import sitemaps
from citewell.services.library.local_files import LocalFileReader
from citewell.workers.worker_tasks import TaskRunner

_SITEMAP_ACCEPT_HEADER = "application/xml, text/xml;q=0.9, application/gzip;q=0.8, */*;q=0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSources:
    files: LocalFileReader
    read_page: Callable[[str], Awaitable[Page]]  # raises the page reader's errors
    fetch_bytes: sitemaps.FetchBytes


def build_sitemap_fetcher(
    settings: Settings, network: Network, workers: TaskRunner
) -> sitemaps.FetchBytes:
    """A function that fetches a sitemap's bytes, guarded, size-limited and as robots.txt allows."""
    door = PageFetcher(
        network.client,
        PageTasks(workers),
        max_bytes=sitemaps.MAX_SITEMAP_BYTES,
        document_bytes=sitemaps.MAX_SITEMAP_BYTES,
    )

    async def get(url: str) -> bytes:
        if settings.respect_robots:
            await network.robots.check_robots(url)
        response = await door.fetch_response(
            url, accept=_SITEMAP_ACCEPT_HEADER, timeout=settings.page_timeout
        )
        return response.body

    return get
