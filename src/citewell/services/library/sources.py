"""How the world is read for the library: files here, pages and sitemaps through the guarded reader."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from citewell.config import Settings
from citewell.fetch.tiers import Door
from citewell.model.page import Page
from citewell.net.network import Network
from citewell.services.library import sitemap
from citewell.services.library.files import Files

_XML = "application/xml, text/xml;q=0.9, application/gzip;q=0.8, */*;q=0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    files: Files
    page: Callable[[str], Awaitable[Page]]  # whole, and with the errors of the reader
    get: sitemap.Get


def getter(settings: Settings, network: Network) -> sitemap.Get:
    """Bodies as sent: guarded, bounded, and only where robots.txt allows it."""
    door = Door(network.client, max_bytes=sitemap.LARGEST, document_bytes=sitemap.LARGEST)

    async def get(url: str) -> bytes:
        if settings.respect_robots:
            await network.robots.check(url)
        response = await door.get(url, accept=_XML, timeout=settings.page_timeout)
        return response.body

    return get
