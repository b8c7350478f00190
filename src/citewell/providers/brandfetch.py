"""BrandFetch: logos, colours and typefaces of companies by their domain; needs a key."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from citewell.core.errors import NotFound
from citewell.core.values.brand import BrandQuery, BrandRecord, StatedColor, StatedFont, StatedLogo
from citewell.domains.brands.stated_design import normalize_hex
from citewell.net.upstream import json_responses as wire
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, require_key
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="brandfetch",
    title="BrandFetch",
    homepage="https://developers.brandfetch.com",
    base_url="https://api.brandfetch.io/v2",
    offers=frozenset({Offer.BRANDS}),
    options=(
        require_key(
            "BRANDFETCH_API_KEY",
            "Key of the BrandFetch Brand API; brand_research then begins with its records.",
            "Authorization: Bearer {}",
        ),
    ),
    max_results=1,
    per_second=2.0,
    rank=10,
    covers_whole_web=False,
    terms="Logos remain their owners' property; cache no longer than the plan allows.",
    test_evidence="shape-tested only",
)

_MAX_TEXT_CHARS = 600
_COLOR_ROLES = {"brand": "primary", "accent": "accent", "dark": None, "light": None}
_FONT_ROLES = {"title": "heading", "body": "body"}
_NETWORKS = frozenset({"twitter", "linkedin", "github", "youtube", "facebook", "instagram"})
_LOGO_ROLES = {"logo": "primary", "icon": "icon", "symbol": "icon"}


class _LogoFile(wire.CamelCasePart):
    src: wire.HttpLink
    format: wire.OptionalField[str] = None
    width: wire.OptionalField[Annotated[int, Field(gt=0)]] = None
    height: wire.OptionalField[Annotated[int, Field(gt=0)]] = None


class _LogoEntry(wire.CamelCasePart):
    type: wire.OptionalField[str] = None
    theme: wire.OptionalField[str] = None
    formats: wire.TolerantItems[_LogoFile] = ()


class _ColorEntry(wire.CamelCasePart):
    hex: str
    type: wire.OptionalField[str] = None
    name: wire.OptionalField[str] = None


class _FontEntry(wire.CamelCasePart):
    name: str
    type: wire.OptionalField[str] = None
    origin: wire.OptionalField[str] = None
    origin_id: wire.OptionalField[str] = None
    weights: wire.OptionalField[wire.TolerantItems[int]] = None


class _BrandLink(wire.CamelCasePart):
    name: str
    url: wire.HttpLink


class _IndustryEntry(wire.CamelCasePart):
    name: str


class _BrandResponse(wire.JsonResponse, wire.CamelCasePart):
    domain: str
    name: wire.OptionalField[str] = None
    description: wire.OptionalField[str] = None
    logos: wire.OptionalField[wire.TolerantItems[_LogoEntry]] = None
    colors: wire.OptionalField[wire.TolerantItems[_ColorEntry]] = None
    fonts: wire.OptionalField[wire.TolerantItems[_FontEntry]] = None
    links: wire.OptionalField[wire.TolerantItems[_BrandLink]] = None
    industries: wire.OptionalField[wire.TolerantItems[_IndustryEntry]] = wire.nested_field(
        "company.industries"
    )
    founded: wire.OptionalField[Annotated[int, Field(gt=0, lt=3000)]] = wire.nested_field(
        "company.foundedYear"
    )
    city: wire.OptionalField[str] = wire.nested_field("company.location.city")
    country_code: wire.OptionalField[str] = wire.nested_field("company.location.countryCode")


class Provider(KitProvider):
    async def look_up_brand(self, query: BrandQuery) -> BrandRecord | None:
        """The record of a domain; None if BrandFetch has none or it says nothing."""
        path = f"/brands/{quote(query.domain, safe='')}"
        try:
            response = await self._upstream.send_get(path)
        except NotFound:
            return None
        record = _parse_brand(wire.read_json_response(_BrandResponse, response), query.domain)
        stated = (record.identity, record.colors, record.logos, record.fonts, record.social)
        return record if any(stated) else None


def _parse_brand(brand: _BrandResponse, domain: str) -> BrandRecord:
    links = brand.links or ()
    social = {link.name.lower(): link.url for link in links if link.name.lower() in _NETWORKS}
    return BrandRecord(
        source=SPEC.name,
        url=f"https://brandfetch.com/{quote(domain, safe='')}",
        identity=_read_brand_identity(brand),
        colors=tuple(filter(None, map(_parse_color, brand.colors or ()))),
        logos=tuple(
            logo for entry in brand.logos or () if (logo := _choose_logo(entry)) is not None
        ),
        fonts=tuple(filter(None, map(_parse_font, brand.fonts or ()))),
        social=social,
    )


def _read_brand_identity(brand: _BrandResponse) -> dict[str, str]:
    industry = next((entry.name for entry in brand.industries or ()), "")
    found = {
        "name": brand.name,
        "description": brand.description,
        "industry": industry,
        "founded": str(brand.founded or ""),
        "location": ", ".join(part for part in (brand.city, brand.country_code) if part),
    }
    cleaned = {key: clean_markup(value)[:_MAX_TEXT_CHARS] for key, value in found.items()}
    return {key: value for key, value in cleaned.items() if value}


def _parse_color(color: _ColorEntry) -> StatedColor | None:
    code = normalize_hex(color.hex)
    if code is None:
        return None
    role = _COLOR_ROLES.get((color.type or "").lower())
    return StatedColor(hex=code, name=clean_markup(color.name) or None, role=role)


def _choose_logo(entry: _LogoEntry) -> StatedLogo | None:
    """The vector file, or the first; BrandFetch's theme "light" is a logo for dark backgrounds."""
    role = _LOGO_ROLES.get((entry.type or "").lower())
    if role is None or not entry.formats:
        return None
    if role == "primary" and entry.theme == "light":
        role = "dark"
    best = next((form for form in entry.formats if form.format == "svg"), entry.formats[0])
    return StatedLogo(
        url=best.src,
        role=role,
        width=best.width,
        height=best.height,
        format=clean_markup(best.format) or None,
    )


def _parse_font(font: _FontEntry) -> StatedFont | None:
    role, family = _FONT_ROLES.get((font.type or "").lower()), clean_markup(font.name)
    if role is None or not family:
        return None
    weights = tuple(weight for weight in font.weights or () if 1 <= weight <= 1000)
    return StatedFont(
        family=family[:100],
        role=role,
        weights=weights,
        origin=clean_markup(font.origin) or None,
        origin_id=clean_markup(font.origin_id) or None,
    )
