"""Searches the web for a company's brand guidelines, on its own hosts or on a portal for brands."""

from __future__ import annotations

from urllib.parse import urlsplit

from citewell.errors import CitewellError
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import SearchResult
from citewell.services.domains.brands.brand_probes import BrandPage
from citewell.services.domains.brands.brand_request import BrandSite
from citewell.services.domains.brands.site_visits import SiteVisitor, is_home_path
from citewell.services.web.search_cache import CachedWebSearch
from citewell.services.web.search_service import SearchRequest
from citewell.text.web.registered_domains import find_registered_domain

# Hosts where companies keep their guidelines; the result must name the company as well.
PORTAL_DOMAINS = frozenset({
    "brand.ai", "brandfetch.com", "brandfetch.io", "brandfolder.com", "brandpad.io", "bynder.com",
    "canto.com", "corebook.io", "figma.com", "frontify.com", "lucidpress.com", "marq.com",
    "standards.site", "zeroheight.com",
})  # fmt: skip
_QUERIES = ("{name} brand guidelines", "{name} press kit logo download")
_RESULT_COUNT = 10
_MAX_READ = 3


class GuidelineSearch:
    def __init__(self, searches: CachedWebSearch, visitor: SiteVisitor) -> None:
        self._searches = searches
        self._visitor = visitor

    async def find_guidelines(
        self, name: str, site: BrandSite, *, trace: RoutingTrace, tenant: str | None
    ) -> BrandPage | None:
        """The first brand page that a search finds; None if there is none, or nobody can search."""
        for template in _QUERIES:
            ask = SearchRequest(query=template.format(name=name[:200]), count=_RESULT_COUNT)
            try:
                answer = await self._searches.search_cached(ask, trace=trace, tenant=tenant)
            except CitewellError:
                continue
            likely = [hit.url for hit in answer.results if belongs_to_brand(hit, name, site)]
            for url in likely[:_MAX_READ]:
                if page := await self._read_candidate(url):
                    return page
        return None

    async def _read_candidate(self, url: str) -> BrandPage | None:
        try:
            response = await self._visitor.fetch_page(url)
            facts = await self._visitor.read_facts(response)
            is_real = await self._visitor.is_real_page(response, url)
        except CitewellError:
            return None
        return BrandPage(url=response.url, facts=facts) if facts.names_brand and is_real else None


def belongs_to_brand(hit: SearchResult, name: str, site: BrandSite) -> bool:
    """Whether a result is on the company's own domain, or on a portal and names the company."""
    host = urlsplit(hit.url).hostname or ""
    domain = find_registered_domain(host)
    if domain == site.domain:
        return not (host == site.host and is_home_path(hit.url))
    words = f"{hit.title} {hit.snippet} {hit.url}".lower()
    return domain in PORTAL_DOMAINS and (name.lower() in words or site.domain in words)
