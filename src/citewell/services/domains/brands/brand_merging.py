"""Merges what several sources state about a brand: the first that states a field keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citewell.model.answers.brand_results import (
    BrandColors,
    BrandCoverage,
    BrandFont,
    BrandIdentity,
    BrandLogo,
    BrandLogos,
    BrandProfile,
    BrandSource,
    BrandTypography,
    DosAndDonts,
    PaletteColor,
    ToneOfVoice,
)
from citewell.model.domains.brand import BrandRecord, StatedFont, StatedLogo
from citewell.services.domains.brands.image_files import ImageFacts
from citewell.text.web.stated_colors import measure_brightness

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
            (one.google_fonts_url for one in records if one.google_fonts_url), None
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
