"""The brand of a company as callers receive it, with the field names of spec 1."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from citewell.model.wire_values import UNTRUSTED_LABEL, Appendix, SnakeCaseValue, Spine


class BrandIdentity(SnakeCaseValue):
    name: str | None = None
    domain: str
    tagline: str | None = None
    description: str | None = None
    industry: str | None = None
    founded: str | None = None
    location: str | None = None


class PaletteColor(SnakeCaseValue):
    hex: str
    name: str | None = None
    role: str | None = None
    brightness: int  # 0 to 255


class BrandColors(SnakeCaseValue):
    primary: str | None = None
    secondary: str | None = None
    accent: str | None = None
    background: str | None = None
    text: str | None = None
    surface: str | None = None
    text_secondary: str | None = None
    palette: Spine[tuple[PaletteColor, ...]] = ()


class BrandLogo(SnakeCaseValue):
    url: str
    format: str | None = None
    width: int | None = None
    height: int | None = None


class BrandLogos(SnakeCaseValue):
    primary: BrandLogo | None = None
    dark: BrandLogo | None = None
    icon: BrandLogo | None = None
    favicon: str | None = None
    og_image: str | None = None


class BrandFont(SnakeCaseValue):
    family: str
    weights: tuple[int, ...] = ()
    origin: str | None = None
    origin_id: str | None = None


class BrandTypography(SnakeCaseValue):
    heading: BrandFont | None = None
    body: BrandFont | None = None
    mono: BrandFont | None = None
    google_fonts_url: str | None = None
    scale: dict[str, str] | None = None


class DosAndDonts(SnakeCaseValue):
    dos: tuple[str, ...] = ()
    donts: tuple[str, ...] = ()


class ToneOfVoice(SnakeCaseValue):
    summary: str | None = None
    attributes: tuple[str, ...] = ()
    dos_and_donts: DosAndDonts | None = None


class BrandSource(SnakeCaseValue):
    name: str  # homepage_meta, brand_page, web_search or a provider
    url: str
    fields: tuple[str, ...] = ()


class BrandCoverage(SnakeCaseValue):
    colors: str  # full, partial or none
    logos: str
    typography: str
    tone_of_voice: str  # found or none


class BrandProfile(SnakeCaseValue):
    """What brand_research returns; an empty field means that no page states it."""

    identity: BrandIdentity
    colors: BrandColors
    logos: BrandLogos
    typography: BrandTypography
    tone_of_voice: ToneOfVoice
    social: dict[str, str]
    sources: Appendix[tuple[BrandSource, ...]]
    guidelines_url: str | None = None
    brand_portal_resource: str | None = None
    suggestion: str | None = None
    design_tokens: Appendix[dict[str, Any]] | None = None
    coverage: BrandCoverage
    notes: tuple[str, ...] | None = None
    cache_age: int = 0  # seconds
    trust: str = Field(default=UNTRUSTED_LABEL)
