"""Merges what several sources state about a brand: the first that states a field keeps it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from citewell.core.values.brand import BrandRecord, StatedFont, StatedLogo
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Appendix, SnakeCaseValue, Spine
from citewell.domains.brands.stated_design import measure_brightness

IMAGE_HEAD_BYTES = 4096
_PNG_SIZE_PLACE = slice(16, 24)
_GIF_SIZE_PLACE = slice(6, 10)

THEME_COLOR_ROLE = "theme_color"  # of the browser's frame: no role within the brand
_FULL_PALETTE = 3
_COLOR_ROLES = (
    "primary", "secondary", "accent", "background", "text", "surface", "text_secondary",
)  # fmt: skip


def merge_brand_records(
    domain: str, records: Sequence[BrandRecord], images: Mapping[str, ImageFacts]
) -> BrandProfile:
    """The profile of a brand. `images` are the logos that were fetched and are images indeed."""
    identity: dict[str, str] = {}
    social: dict[str, str] = {}
    for record in reversed(records):
        identity |= record.identity
        social |= record.social
    colors = _merge_colors(records)
    logos = _merge_logos(records, images)
    typography = _merge_typography(records)
    tone = _merge_tone(records)
    return BrandProfile(
        identity=BrandIdentity(domain=domain, **identity),
        colors=colors,
        logos=logos,
        typography=typography,
        tone_of_voice=tone,
        social=social,
        sources=tuple(_describe_source(record, images) for record in records),
        coverage=_measure_brand_coverage(colors, logos, typography, tone),
    )


def _merge_colors(records: Sequence[BrandRecord]) -> BrandColors:
    palette: dict[str, PaletteColor] = {}
    roles: dict[str, str] = {}
    for color in (color for record in records for color in record.colors):
        known = palette.get(color.hex)
        if known is None or known.role == THEME_COLOR_ROLE:  # a frame's colour says less
            palette[color.hex] = PaletteColor(
                hex=color.hex,
                name=color.name,
                role=color.role,
                brightness=measure_brightness(color.hex),
            )
        if color.role in _COLOR_ROLES:
            roles.setdefault(color.role, color.hex)
    return BrandColors(palette=tuple(palette.values()), **roles)


def _merge_logos(records: Sequence[BrandRecord], images: Mapping[str, ImageFacts]) -> BrandLogos:
    chosen: dict[str, StatedLogo] = {}
    for logo in (logo for record in records for logo in record.logos if logo.url in images):
        known = chosen.get(logo.role)
        # Among icons of one page the largest is the best to show.
        if known is None or (logo.role == "icon" and (logo.width or 0) > (known.width or 0)):
            chosen[logo.role] = logo
    favicon, picture = chosen.get("favicon"), chosen.get("og_image")
    return BrandLogos(
        primary=_build_logo(chosen.get("primary"), images),
        dark=_build_logo(chosen.get("dark"), images),
        icon=_build_logo(chosen.get("icon"), images),
        favicon=favicon.url if favicon else None,
        og_image=picture.url if picture else None,
    )


def _build_logo(logo: StatedLogo | None, images: Mapping[str, ImageFacts]) -> BrandLogo | None:
    if logo is None:
        return None
    seen = images[logo.url]
    return BrandLogo(
        url=logo.url,
        format=seen.format,
        width=seen.width or logo.width,
        height=seen.height or logo.height,
    )


def _merge_typography(records: Sequence[BrandRecord]) -> BrandTypography:
    fonts: dict[str, StatedFont] = {}
    for font in (font for record in records for font in record.fonts):
        fonts.setdefault(font.role, font)
    return BrandTypography(
        heading=_build_font(fonts.get("heading")),
        body=_build_font(fonts.get("body")),
        mono=_build_font(fonts.get("mono")),
        google_fonts_url=next(
            (
                source_record.google_fonts_url
                for source_record in records
                if source_record.google_fonts_url
            ),
            None,
        ),
    )


def _build_font(font: StatedFont | None) -> BrandFont | None:
    if font is None:
        return None
    return BrandFont(
        family=font.family, weights=font.weights, origin=font.origin, origin_id=font.origin_id
    )


def _merge_tone(records: Sequence[BrandRecord]) -> ToneOfVoice:
    tone = next((record.tone for record in records if record.tone), None)
    if tone is None:
        return ToneOfVoice()
    rules = DosAndDonts(dos=tone.dos, donts=tone.donts) if tone.dos or tone.donts else None
    return ToneOfVoice(summary=tone.summary, attributes=tone.attributes, dos_and_donts=rules)


def _describe_source(record: BrandRecord, images: Mapping[str, ImageFacts]) -> BrandSource:
    given = {
        "identity": record.identity,
        "colors": record.colors,
        "logos": any(logo.url in images for logo in record.logos),
        "typography": record.fonts or record.google_fonts_url,
        "tone_of_voice": record.tone,
        "social": record.social,
    }
    fields = tuple(name for name, value in given.items() if value)
    return BrandSource(name=record.source, url=record.url, fields=fields)


def _measure_brand_coverage(
    colors: BrandColors, logos: BrandLogos, typography: BrandTypography, tone: ToneOfVoice
) -> BrandCoverage:
    stated = [color for color in colors.palette if color.role != THEME_COLOR_ROLE]
    has_logo = bool(logos.primary)
    small = logos.icon or logos.favicon or logos.og_image or logos.dark
    fonts = (typography.heading, typography.body)
    return BrandCoverage(
        colors=_choose_level(is_full=len(stated) >= _FULL_PALETTE, is_partial=bool(colors.palette)),
        logos=_choose_level(
            is_full=has_logo and bool(logos.icon or logos.favicon),
            is_partial=has_logo or bool(small),
        ),
        typography=_choose_level(
            is_full=all(fonts), is_partial=any(fonts) or bool(typography.mono)
        ),
        tone_of_voice="found" if tone.summary or tone.attributes or tone.dos_and_donts else "none",
    )


def _choose_level(*, is_full: bool, is_partial: bool) -> str:
    return "full" if is_full else "partial" if is_partial else "none"


# Tells the format and size of an image by its first bytes; an HTML page is none.


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    format: str  # png, jpeg, gif, webp, ico, avif or svg
    width: int | None = None
    height: int | None = None


def read_image_facts(head: bytes) -> ImageFacts | None:
    """The image that begins with these bytes; None if they begin no image that we know.

    An SVG is only recognised, never parsed or shown: it may carry scripts.
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= _PNG_SIZE_PLACE.stop:
        width, height = struct.unpack(">II", head[_PNG_SIZE_PLACE])
        return ImageFacts(format="png", width=width or None, height=height or None)
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= _GIF_SIZE_PLACE.stop:
        width, height = struct.unpack("<HH", head[_GIF_SIZE_PLACE])
        return ImageFacts(format="gif", width=width or None, height=height or None)
    return _recognise_format(head)


def _recognise_format(head: bytes) -> ImageFacts | None:
    if head.startswith(b"\xff\xd8\xff"):
        return ImageFacts(format="jpeg")
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return ImageFacts(format="webp")
    if head.startswith(b"\x00\x00\x01\x00"):
        return ImageFacts(format="ico")
    if head[4:12] in {b"ftypavif", b"ftypavis"}:
        return ImageFacts(format="avif")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"<svg") or (
        start.startswith((b"<?xml", b"<!doctype svg", b"<!--"))
        and b"<svg" in start
        and b"<html" not in start
    ):
        return ImageFacts(format="svg")
    return None


# The brand of a company as callers receive it, with the field names of spec 1.


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
