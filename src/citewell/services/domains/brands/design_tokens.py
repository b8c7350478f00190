"""Writes a brand as design tokens in the W3C DTCG format, each with its $value and $type."""

from __future__ import annotations

import re
from typing import Any

from citewell.model.answers.brand_results import BrandColors, BrandTypography

_ROLES = ("primary", "secondary", "accent", "background", "text", "surface", "text_secondary")
_FONT_ROLES = ("heading", "body", "mono")
# A token's name may not begin with a dollar sign, nor have braces or dots.
_UNNAMEABLE_PATTERN = re.compile(r"[^\w-]")


def build_design_tokens(colors: BrandColors, typography: BrandTypography) -> dict[str, Any]:
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
