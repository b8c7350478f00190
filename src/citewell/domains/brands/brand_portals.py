"""Reads a brand portal with its pages on colours, typography, logos and voice."""

from __future__ import annotations

import asyncio
import contextlib
import re
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from citewell.core.errors import CitewellError, InvalidInput, NotFound, RefusedByPolicy
from citewell.core.values.argument_types import OptionalName, OptionalQuery
from citewell.core.values.brand import BrandRecord, StatedColor, StatedFont
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import SearchResult
from citewell.domains.brands.brand_page_facts import GuidelineFacts, SiteFacts
from citewell.domains.brands.site_visits import MAX_VISITS_AT_ONCE, SiteVisitor, is_home_path
from citewell.net.url_grammar import parse_url
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_service import SearchRequest
from citewell.text.addresses import find_registered_domain, is_numeric_host
from citewell.text.data_tables import load_table
from citewell.workers.worker_tasks import TaskFailure

BrandDepth = Literal["quick", "standard", "full"]
_MAX_ADDRESS_CHARS = 2000

# The likeliest first: a host of its own beats a path, and brand pages beat press pages.
BRAND_SUBDOMAINS = ("brand", "design", "press", "media", "newsroom")
BRAND_PATHS = (
    "brand", "brand-guidelines", "brandbook", "brand-center", "brand-assets", "about/brand",
    "visual-identity", "identity", "styleguide", "style-guide", "guidelines", "design-system",
    "design", "media-kit", "mediakit", "press-kit", "presskit", "press", "press-room", "media",
    "newsroom",
)  # fmt: skip
_MAX_CONFIRMED = 4  # pages that answer a probe and are then read, until one is a brand page

_MAX_SUBPAGES = 4
_MAX_PAGE_CHARS = 100_000
_MAX_PORTAL_CHARS = 400_000
_MIN_PORTAL_CHARS = 200  # less is the shell of a page that a browser would fill


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandPortal:
    """A portal as it was read; the text is empty if it could not be."""

    record: BrandRecord
    text: str


class PortalReader:
    def __init__(self, pages: CachedPageReader, visitor: SiteVisitor) -> None:
        self._pages = pages
        self._visitor = visitor

    async def read_portal(self, page: BrandPage, *, source: str, tenant: str | None) -> BrandPortal:
        """The portal's text and what it states; pages that fail are left out."""
        subpages = [link.url for link in page.facts.subpages[:_MAX_SUBPAGES]]
        main, *others = await asyncio.gather(
            self._read_portal_text(page.url, tenant),
            *(self._read_portal_text(url, tenant) for url in subpages),
        )
        # The whole page has swatches that the reader of articles leaves out; a browser sees more still.
        own = max(main, page.facts.text, key=len)
        texts = {page.url: own} | dict(zip(subpages, others, strict=True))
        kept = {url: text for url, text in texts.items() if text.strip()}
        if sum(map(len, kept.values())) < _MIN_PORTAL_CHARS:
            kept = {}
        stated = [page.facts.guidelines]
        for url, text in texts.items():
            if text and not (url == page.url and text == page.facts.text):
                with contextlib.suppress(TaskFailure):  # the other texts still count
                    stated.append(await self._visitor.read_guidelines(text))
        return BrandPortal(
            record=_build_record(page, stated, source=source),
            text="\n\n---\n\n".join(f"Source: {url}\n\n{text}" for url, text in kept.items())[
                :_MAX_PORTAL_CHARS
            ],
        )

    async def _read_portal_text(self, url: str, tenant: str | None) -> str:
        try:
            page = await self._pages.read_page(url, max_length=_MAX_PAGE_CHARS, tenant=tenant)
        except CitewellError:
            return ""
        return page.content


def _build_record(page: BrandPage, stated: list[GuidelineFacts], *, source: str) -> BrandRecord:
    colors: dict[str, StatedColor] = {}
    fonts: dict[str, StatedFont] = {}
    for facts in stated:
        for color in facts.colors:
            colors.setdefault(color.hex, color)
        for font in facts.fonts:
            fonts.setdefault(font.role, font)
    google = page.facts.google_fonts_url if fonts else None
    return BrandRecord(
        source=source,
        url=page.url,
        colors=tuple(colors.values()),
        fonts=tuple(_add_origin(font, google) for font in fonts.values()),
        google_fonts_url=google,
        tone=next((facts.tone for facts in stated if facts.tone), None),
        logos=page.facts.logo_files,
    )


def _add_origin(font: StatedFont, google: str | None) -> StatedFont:
    """The font with its origin, if the page loads that family from Google."""
    family = font.family.replace(" ", "+")
    if not google or f"family={family}".lower() not in google.lower().replace("%20", "+"):
        return font
    return StatedFont(
        family=font.family,
        role=font.role,
        weights=font.weights,
        origin="google",
        origin_id=font.family,
    )


# Looks for a company's brand page at the 26 places where such pages usually are.


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandPage:
    url: str
    facts: SiteFacts


def list_brand_candidates(site: BrandSite) -> tuple[str, ...]:
    """The addresses to try, the likeliest first: 5 hosts and 21 paths."""
    has_subdomains = not is_numeric_host(site.host) and "." in site.domain
    hosts = map(site.build_subdomain_address, BRAND_SUBDOMAINS if has_subdomains else ())
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


# The request of one look at a brand, and the site that it means.


@dataclass(frozen=True, kw_only=True)
class BrandResearchRequest:
    """One look at a brand, as the caller wrote it; the arguments of brand_research."""

    url: Annotated[
        OptionalName, Field(description="Domain or address; goes before company_name.")
    ] = None
    company_name: Annotated[OptionalQuery, Field(description="If the domain is not known.")] = None
    depth: Annotated[
        BrandDepth,
        Field(description="quick: homepage; standard: also brand pages; full: also web search."),
    ] = "standard"
    include_design_tokens: Annotated[bool, Field(description="Add W3C design tokens.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandSite:
    """The site of a company: where its homepage is, and the domain it stands on."""

    home: str  # with a slash at its end
    domain: str  # the registered one, such as example.co.uk
    origin: str  # scheme, host and port; what paths are added to
    given: str | None = None  # the address as the caller wrote it, if it has a path

    def move_to_given(self) -> BrandSite:
        """The site at the address that the caller wrote, for one whose host has no homepage."""
        base = (self.given or self.origin).rstrip("/")
        return BrandSite(home=f"{base}/", domain=self.domain, origin=base)

    @property
    def host(self) -> str:
        return urlsplit(self.home).hostname or ""

    def build_subdomain_address(self, label: str) -> str:
        parts = urlsplit(self.home)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{label}.{self.domain}{port}/"


def parse_brand_site(address: str) -> BrandSite:
    """The site of a domain or an address; raises InvalidInput if it is neither."""
    text = address.strip()
    if not text or len(text) > _MAX_ADDRESS_CHARS or any(char.isspace() for char in text):
        raise InvalidInput(f"url {text[:100]!r} is not a domain; write one such as example.com.")
    whole = text if "://" in text else f"https://{text}"
    try:
        parse_url(whole)
        parts = urlsplit(whole)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except (RefusedByPolicy, ValueError):
        raise InvalidInput(
            f"url {text[:100]!r} is not a domain; write one such as example.com."
        ) from None
    if "." not in host and ":" not in host and host != "localhost":
        raise InvalidInput(f"{host[:100]!r} is no domain. Give company_name for a company's name.")
    shown = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme.lower()}://{shown}" + (f":{port}" if port else "")
    path = parts.path.rstrip("/")
    return BrandSite(
        home=f"{origin}/",
        domain=find_registered_domain(host),
        origin=origin,
        given=f"{origin}{path}/" if path else None,
    )


# Web searches about a company: its own site by its name, and its brand guidelines.

# Hosts where companies keep their guidelines; the result must name the company as well.
PORTAL_DOMAINS = frozenset({
    "brand.ai", "brandfetch.com", "brandfetch.io", "brandfolder.com", "brandpad.io", "bynder.com",
    "canto.com", "corebook.io", "figma.com", "frontify.com", "lucidpress.com", "marq.com",
    "standards.site", "zeroheight.com",
})  # fmt: skip
_QUERIES = ("{name} brand guidelines", "{name} press kit logo download")
_MAX_READ = 3

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


# Searches the web for a company's brand guidelines, on its own hosts or on a portal for brands.


class GuidelineSearch:
    def __init__(self, searches: CachedWebSearch, visitor: SiteVisitor) -> None:
        self._searches = searches
        self._visitor = visitor

    async def find_guidelines(
        self, name: str, site: BrandSite, *, trace: RoutingTrace, tenant: str | None
    ) -> BrandPage | None:
        """The first brand page that a search finds; None if there is none, or nobody can search."""
        for template in _QUERIES:
            request = SearchRequest(query=template.format(name=name[:200]), count=10)
            try:
                answer = await self._searches.search_cached(request, trace=trace, tenant=tenant)
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
