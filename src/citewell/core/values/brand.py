"""The brand of a company: what providers and pages state about it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedColor:
    """A colour that a page states with a name or a role."""

    hex: str  # #RRGGBB in capitals
    name: str | None = None
    role: str | None = None  # primary, secondary, accent, background, text, surface, text_secondary


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFont:
    family: str
    role: str  # heading, body or mono
    weights: tuple[int, ...] = ()
    origin: str | None = None  # google or custom, if it is stated
    origin_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLogo:
    """An image that a page or provider names as a logo or an icon; not fetched yet."""

    url: str
    role: str  # primary, dark, icon, favicon or og_image
    width: int | None = None
    height: int | None = None
    format: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTone:
    """How a brand speaks, as its own guidelines say."""

    summary: str | None = None
    attributes: tuple[str, ...] = ()
    dos: tuple[str, ...] = ()
    donts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandRecord:
    """All that one source says about a brand."""

    source: str  # homepage_meta, brand_page, web_search or a provider's name
    url: str
    identity: dict[str, str] = field(default_factory=dict)  # fields of the answer's identity
    colors: tuple[StatedColor, ...] = ()
    logos: tuple[StatedLogo, ...] = ()
    fonts: tuple[StatedFont, ...] = ()
    google_fonts_url: str | None = None
    tone: StatedTone | None = None
    social: dict[str, str] = field(default_factory=dict)  # addresses by network


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandQuery:
    """A look-up of one brand by its domain."""

    domain: str
    count: int = 1
