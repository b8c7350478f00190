"""Finds the site of a company by its name: only one whose homepage bears that name counts."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

from citewell.errors import CitewellError, NotFound
from citewell.model.routing_trace import RoutingTrace
from citewell.services.domains.brands.brand_page_facts import SiteFacts
from citewell.services.domains.brands.brand_request import BrandSite, parse_brand_site
from citewell.services.domains.brands.site_visits import SiteVisitor
from citewell.services.web.search_cache import CachedWebSearch
from citewell.services.web.search_service import SearchRequest
from citewell.text.data_tables import load_table
from citewell.text.web.registered_domains import find_registered_domain

_MAX_CANDIDATES = 4
_RESULT_COUNT = 10
_LEGAL_FORM_PATTERN = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|co|company|llc|ltd|limited|plc|gmbh|ag|se|sa|sas|srl|spa|bv|nv|ab|oy|as|group|holdings?)\b\.?",
    re.IGNORECASE,
)
_DOMAIN_PATTERN = re.compile(r"(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}", re.IGNORECASE)


class CompanySites:
    def __init__(self, searches: CachedWebSearch, visitor: SiteVisitor) -> None:
        self._searches = searches
        self._visitor = visitor

    async def find_site(
        self, company: str, *, trace: RoutingTrace, tenant: str | None
    ) -> BrandSite:
        """The site whose homepage bears the company's name; raises NotFound if there is none."""
        if _DOMAIN_PATTERN.fullmatch(company.strip()):
            return parse_brand_site(company)
        answer = await self._searches.search_cached(
            SearchRequest(query=f"{company[:400]} official website", count=_RESULT_COUNT),
            trace=trace,
            tenant=tenant,
        )
        for site in _list_candidates(answer.urls):
            if await self._bears_name(site, company):
                return site
        raise NotFound(
            f"No site was found whose homepage bears the name {company[:100]!r}. "
            "Give its domain as url."
        )

    async def _bears_name(self, site: BrandSite, company: str) -> bool:
        try:
            facts = await self._visitor.read_facts(await self._visitor.fetch_page(site.home))
        except CitewellError:
            return False
        return is_named_so(facts, company)


def is_named_so(facts: SiteFacts, company: str) -> bool:
    """Whether a homepage calls itself by this name: in structured data, or at an end of its title."""
    wanted = _fold_company(company)
    if not wanted:
        return False
    stated = _fold_company(facts.identity.get("name", ""))
    parts = {_fold_company(part) for part in re.split(r"\s[|·•»:–—-]\s|[|:]", facts.title)}
    return stated == wanted or wanted in parts


def _fold_company(name: str) -> str:
    """The name for comparing: lower case, no accents, no legal form, no spaces or punctuation."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return re.sub(r"[\W_]", "", _LEGAL_FORM_PATTERN.sub(" ", plain)) or re.sub(r"[\W_]", "", plain)


def _list_candidates(urls: tuple[str, ...]) -> list[BrandSite]:
    """The sites of these results, each domain once; sites about other companies are left out."""
    others = load_table(__package__, "sites_about_companies")
    found: dict[str, BrandSite] = {}
    for url in urls:
        parts = urlsplit(url)
        domain = find_registered_domain(parts.hostname or "")
        if not domain or domain in others or parts.netloc in found:
            continue
        found[parts.netloc] = parse_brand_site(f"{parts.scheme}://{parts.netloc}")
    return list(found.values())[:_MAX_CANDIDATES]
