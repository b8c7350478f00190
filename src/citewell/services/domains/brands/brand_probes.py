"""Looks for a company's brand page at the 26 places where such pages usually are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from citewell.errors import CitewellError
from citewell.services.domains.brands.brand_page_facts import SiteFacts
from citewell.services.domains.brands.brand_request import BrandSite
from citewell.services.domains.brands.site_visits import (
    MAX_VISITS_AT_ONCE,
    SiteVisitor,
    is_home_path,
)

# The likeliest first: a host of its own beats a path, and brand pages beat press pages.
BRAND_SUBDOMAINS = ("brand", "design", "press", "media", "newsroom")
BRAND_PATHS = (
    "brand", "brand-guidelines", "brandbook", "brand-center", "brand-assets", "about/brand",
    "visual-identity", "identity", "styleguide", "style-guide", "guidelines", "design-system",
    "design", "media-kit", "mediakit", "press-kit", "presskit", "press", "press-room", "media",
    "newsroom",
)  # fmt: skip
_MAX_CONFIRMED = 4  # pages that answer a probe and are then read, until one is a brand page


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandPage:
    url: str
    facts: SiteFacts


def list_brand_candidates(site: BrandSite) -> tuple[str, ...]:
    """The addresses to try, the likeliest first: 5 hosts and 21 paths."""
    hosts = (
        tuple(map(site.build_subdomain_address, BRAND_SUBDOMAINS)) if site.has_subdomains() else ()
    )
    return (*hosts, *(f"{site.origin}/{path}" for path in BRAND_PATHS))


class BrandProber:
    def __init__(self, visitor: SiteVisitor) -> None:
        self._visitor = visitor

    async def find_brand_page(self, site: BrandSite) -> BrandPage | None:
        """The likeliest brand page; None if none of the candidates is one."""
        candidates = list_brand_candidates(site)
        gate = asyncio.Semaphore(MAX_VISITS_AT_ONCE)

        async def probe(url: str) -> str | None:
            async with gate:
                return await self._visitor.probe_address(url)

        landed = await asyncio.gather(*map(probe, candidates))
        pairs = zip(candidates, landed, strict=True)
        likely = [url for url, end in pairs if end and stays_on_place(url, end)]
        async for page in self._confirm_pages(likely[:_MAX_CONFIRMED]):
            return page
        return None

    async def _confirm_pages(self, likely: list[str]) -> AsyncIterator[BrandPage]:
        """Those that speak of the brand and are neither a soft 404 nor the homepage once more."""
        for asked in likely:
            try:
                response = await self._visitor.fetch_page(asked)
                if not stays_on_place(asked, response.url):
                    continue
                facts = await self._visitor.read_facts(response)
                if facts.names_brand and await self._visitor.is_real_page(response, asked):
                    yield BrandPage(url=response.url, facts=facts)
            except CitewellError:
                continue


def stays_on_place(asked: str, end: str) -> bool:
    """Whether a probe ended at the host it asked, and not at its homepage."""
    wanted, found = urlsplit(asked), urlsplit(end)
    if _strip_www(wanted.hostname) != _strip_www(found.hostname) or wanted.port != found.port:
        return False
    return is_home_path(asked) or not is_home_path(end)


def _strip_www(host: str | None) -> str:
    return (host or "").removeprefix("www.")
