"""Researches a company's brand from its own pages; what no page states is left empty."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self

from citewell.core.errors import (
    CitewellError,
    FailureReason,
    InvalidInput,
    Misconfigured,
    NotFound,
)
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.core.values.argument_types import check_declared_bounds
from citewell.core.values.brand import BrandQuery, BrandRecord, StatedColor, StatedLogo
from citewell.core.values.routing_trace import RoutingTrace
from citewell.domains.brands import brand_merging, brand_portals
from citewell.domains.brands.site_visits import SiteVisitor
from citewell.reading.pages.artifacts import ARTIFACT_URI_PREFIX
from citewell.reading.settings import ReadingSettings
from citewell.routing.ports import BrandLookup, Offer
from citewell.search.domain_search import DomainSearch
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache.artifact_store import ArtifactStore
from citewell.store.cache.single_flight import CachedLoader, FreshValue
from citewell.store.failures import StoreError

_ROLES = ("primary", "secondary", "accent", "background", "text", "surface", "text_secondary")
_FONT_ROLES = ("heading", "body", "mono")
# A token's name may not begin with a dollar sign, nor have braces or dots.
_UNNAMEABLE_PATTERN = re.compile(r"[^\w-]")


class BrandLookupService:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def find_provider_record(self, domain: str, *, trace: RoutingTrace) -> BrandRecord | None:
        """The provider's record; None if no provider is configured, knows the brand or answers."""
        try:
            names = self._search.choose_providers(Offer.BRANDS)
        except Misconfigured:
            return None

        query = BrandQuery(domain=domain)
        harvest = await self._search.ask_in_turn(
            names[:1], BrandLookup, lambda provider: provider.look_up_brand(query), trace=trace
        )
        return harvest.replies.get(names[0])  # without it the company's own pages say enough


BRAND_FRESH_SECONDS = 24 * 3600.0
_BRAND_VERSION = 1  # raised when BrandProfile changes its shape
_MARKDOWN = "text/markdown"
ReportBrandStep = Callable[[str], Awaitable[None]]


async def ignore_brand_step(_doing: str) -> None:
    """Used when nobody listens to the progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandTools:
    """The parts that a look at a brand is made of."""

    visitor: SiteVisitor
    prober: brand_portals.BrandProber
    portals: brand_portals.PortalReader
    companies: brand_portals.CompanySites
    guidelines: brand_portals.GuidelineSearch
    lookups: BrandLookupService


class BrandResearchService:
    def __init__(
        self,
        tools: BrandTools,
        *,
        artifacts: ArtifactStore,
        loader: CachedLoader,
        sharing: AnswerSharing,
    ) -> None:
        self._tools = tools
        self._artifacts = artifacts
        self._loader = loader
        self._sharing = sharing

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.reading.pages.cached_pages import CachedPageReader
        from citewell.search.domain_search import DomainSearch
        from citewell.search.search_cache import CachedWebSearch

        robots = kit.network.robots if kit.settings[ReadingSettings].respect_robots else None
        visitor = SiteVisitor(kit.network.client, kit.workers, robots=robots)
        searches = kit.require_service(CachedWebSearch)
        tools = BrandTools(
            visitor=visitor,
            prober=brand_portals.BrandProber(visitor),
            portals=brand_portals.PortalReader(kit.require_service(CachedPageReader), visitor),
            companies=brand_portals.CompanySites(searches, visitor),
            guidelines=brand_portals.GuidelineSearch(searches, visitor),
            lookups=BrandLookupService(kit.require_service(DomainSearch)),
        )
        return cls(
            tools,
            artifacts=kit.store.artifacts,
            loader=kit.store.loader,
            sharing=kit.sharing,
        )

    async def research_brand(
        self,
        request: brand_portals.BrandResearchRequest,
        *,
        owner: Owner,
        trace: RoutingTrace,
        report: ReportBrandStep = ignore_brand_step,
    ) -> brand_merging.BrandProfile:
        """The brand of a site or company.

        Raises InvalidInput if a value is invalid, or neither url nor company_name is given, and
        NotFound if no site answers.
        """
        check_declared_bounds(request)
        if not request.url and not request.company_name:
            raise InvalidInput("Give url (a domain such as example.com) or company_name.")
        site = await self._choose_site(request, owner, trace, report)
        profile, text, age = await self._load_profile(site, request.depth, owner, trace, report)
        resource = await self._keep_portal_text(owner, text) if text else None
        tokens = (
            build_design_tokens(profile.colors, profile.typography)
            if request.include_design_tokens
            else None
        )
        return profile.model_copy(
            update={
                "brand_portal_resource": resource,
                "suggestion": _suggest_next_step(profile, site, request.depth, has_text=bool(text)),
                "design_tokens": tokens,
                "cache_age": age,
            }
        )

    async def _choose_site(
        self,
        request: brand_portals.BrandResearchRequest,
        owner: Owner,
        trace: RoutingTrace,
        report: ReportBrandStep,
    ) -> brand_portals.BrandSite:
        if request.url:
            site = brand_portals.parse_brand_site(request.url)
            if site.given and await self._tools.visitor.probe_address(site.home) is None:
                return site.move_to_given()
            return site
        await report("Looking for the company's site")
        return await self._tools.companies.find_site(
            request.company_name or "", trace=trace, tenant=owner.tenant
        )

    async def _load_profile(
        self,
        site: brand_portals.BrandSite,
        depth: str,
        owner: Owner,
        trace: RoutingTrace,
        report: ReportBrandStep,
    ) -> tuple[brand_merging.BrandProfile, str, int]:
        """The profile, the portal's text and the age in seconds; kept for a day by site and depth."""

        async def make() -> FreshValue:
            profile, text = await self._make_profile(site, depth, owner, trace, report)
            kept = {"profile": profile.to_wire(), "text": text}
            value = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
            return FreshValue(value=value, ttl=BRAND_FRESH_SECONDS)

        shared = self._sharing.find_cache_owner(owner.tenant, is_public=True)
        if shared is None:
            profile, text = await self._make_profile(site, depth, owner, trace, report)
            return profile, text, 0
        key = hashlib.sha256(f"brand {_BRAND_VERSION} {site.home} {depth}".encode()).hexdigest()
        loaded = await self._loader.load_or_make(shared, key, make)
        kept = json.loads(loaded.entry.value)
        age = int(loaded.entry.age_seconds) if loaded.is_cached else 0
        return brand_merging.BrandProfile.model_validate(kept["profile"]), kept["text"], age

    async def _make_profile(
        self,
        site: brand_portals.BrandSite,
        depth: str,
        owner: Owner,
        trace: RoutingTrace,
        report: ReportBrandStep,
    ) -> tuple[brand_merging.BrandProfile, str]:
        await report(f"Reading {site.home}")
        known, home, page = await asyncio.gather(
            self._tools.lookups.find_provider_record(site.domain, trace=trace),
            self._read_homepage(site),
            self._find_brand_page(site, depth),
        )
        if depth == "full" and page is None and not isinstance(home, CitewellError):
            await report("Searching the web for guidelines")
            name = home.identity.get("name") or site.domain
            page = await self._tools.guidelines.find_guidelines(
                name, site, trace=trace, tenant=owner.tenant
            )
            source = "web_search"
        else:
            source = "brand_page"
        if isinstance(home, CitewellError) and page is None and known is None:
            raise _build_home_error(site, home)
        portal = None
        if page is not None:
            await report(f"Reading {page.url}")
            portal = await self._tools.portals.read_portal(page, source=source, tenant=owner.tenant)
        return await self._merge_tiers(site, known, home, portal)

    async def _read_homepage(self, site: brand_portals.BrandSite) -> BrandRecord | CitewellError:
        """What the homepage's metadata states, or why it could not be read."""
        visitor = self._tools.visitor
        try:
            response = await visitor.fetch_page(site.home)
            facts = await visitor.read_facts(response)
        except CitewellError as error:
            return error
        name, icons = (
            await visitor.read_manifest(facts.manifest_url) if facts.manifest_url else (None, ())
        )
        identity = ({"name": name} if name else {}) | facts.identity
        theme = StatedColor(hex=facts.theme_color or "", role=brand_merging.THEME_COLOR_ROLE)
        fallback = StatedLogo(url=f"{site.origin}/favicon.ico", role="favicon")
        return BrandRecord(
            source="homepage_meta",
            url=response.url,
            identity=identity,
            colors=(theme,) if facts.theme_color else (),
            logos=(*facts.logos, *icons, fallback),
            social=facts.social,
        )

    async def _find_brand_page(
        self, site: brand_portals.BrandSite, depth: str
    ) -> brand_portals.BrandPage | None:
        return await self._tools.prober.find_brand_page(site) if depth != "quick" else None

    async def _merge_tiers(
        self,
        site: brand_portals.BrandSite,
        known: BrandRecord | None,
        home: BrandRecord | CitewellError,
        portal: brand_portals.BrandPortal | None,
    ) -> tuple[brand_merging.BrandProfile, str]:
        """Lower tiers first: a provider's record, the homepage, then the portal."""
        meta = None if isinstance(home, CitewellError) else home
        records = [record for record in (known, meta, portal.record if portal else None) if record]
        images = await self._tools.visitor.check_images(
            logo for record in records for logo in record.logos
        )
        profile = brand_merging.merge_brand_records(site.domain, records, images)
        if portal is not None:
            profile = profile.model_copy(update={"guidelines_url": portal.record.url})
        if isinstance(home, CitewellError):
            note = f"The homepage could not be read: {home.message}"
            profile = profile.model_copy(update={"notes": (note,)})
        return profile, portal.text if portal else ""

    async def _keep_portal_text(self, owner: Owner, text: str) -> str | None:
        """The address of the portal's text, stored anew so that it lasts half an hour from now."""
        try:
            kept = await self._artifacts.store_artifact(
                str(owner), text.encode("utf-8", "replace"), _MARKDOWN
            )
        except StoreError:
            return None
        return ARTIFACT_URI_PREFIX + kept.id


def _suggest_next_step(
    profile: brand_merging.BrandProfile,
    site: brand_portals.BrandSite,
    depth: str,
    *,
    has_text: bool,
) -> str | None:
    if has_text:
        return None
    if profile.guidelines_url:
        return (
            f"A brand page was found, but its text could not be extracted. Read {profile.guidelines_url} "
            "with scrape_page."
        )
    looked = (
        "depth quick does not look for brand pages; use standard for them. Or read"
        if depth == "quick"
        else "No brand page was found. Read"
    )
    return f"{looked} {site.home} with scrape_page for the rendered homepage."


def _build_home_error(site: brand_portals.BrandSite, error: CitewellError) -> CitewellError:
    if error.reason is FailureReason.DNS:
        return NotFound(
            f"There is no site at {site.host}: the name does not resolve. Check the domain, or give "
            "company_name instead of url.",
            reason=error.reason,
        )
    return error


# Writes a brand as design tokens in the W3C DTCG format, each with its $value and $type.


def build_design_tokens(
    colors: brand_merging.BrandColors, typography: brand_merging.BrandTypography
) -> dict[str, Any]:
    """Groups `color` and `font`; only what is stated becomes a token."""
    tokens: dict[str, Any] = {}
    stated = {role: code for role in _ROLES if (code := getattr(colors, role))}
    group: dict[str, Any] = {role: _build_color_token(code) for role, code in stated.items()}
    named = {
        _format_token_name(color.name): _build_color_token(color.hex)
        for color in colors.palette
        if color.name and _format_token_name(color.name)
    }
    if named:
        group["palette"] = named
    if group:
        tokens["color"] = group
    fonts = {role: font for role in _FONT_ROLES if (font := getattr(typography, role))}
    if fonts:
        families = {
            role: {"$value": font.family, "$type": "fontFamily"} for role, font in fonts.items()
        }
        tokens["font"] = {"family": families}
        weights = {
            role: {"$value": font.weights[0], "$type": "fontWeight"}
            for role, font in fonts.items()
            if font.weights
        }
        if weights:
            tokens["font"]["weight"] = weights
    return tokens


def _build_color_token(code: str) -> dict[str, Any]:
    return {"$value": code.lower(), "$type": "color"}


def _format_token_name(name: str) -> str:
    return _UNNAMEABLE_PATTERN.sub("-", name.strip().lower()).strip("-$")
