"""Parses the valid declarations of a CSS block that affect whether text is visible."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewell.fetch.css import colours
from citewell.fetch.css.lengths import parse_number, parse_pixels

Declarations = dict[str, tuple[str, bool]]  # property to its value and whether it is important

_CSS_WIDE_KEYWORDS = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_DISPLAY_WORDS = (
    "none block inline flex grid table contents inline-block inline-flex inline-grid inline-table"
    " list-item flow-root flow ruby run-in table-row table-cell table-column table-caption"
    " table-row-group table-header-group table-footer-group table-column-group -webkit-box"
    " -webkit-inline-box -ms-flexbox -ms-grid -webkit-flex -moz-box"
)
_FONT_SIZE_WORDS = "xx-small x-small small medium large x-large xx-large xxx-large smaller larger"
_COLOUR_PROPERTY_NAMES = (
    "color background-color background-image background-clip -webkit-text-fill-color fill"
)
COLOUR_PROPERTIES = frozenset(_COLOUR_PROPERTY_NAMES.split())
_SIZE_PROPERTY_NAMES = (
    "font-size width height max-width max-height left right top bottom text-indent letter-spacing"
    " margin-left margin-top line-height"
)
_UNCHECKED_PROPERTY_NAMES = (
    "overflow overflow-x overflow-y clip clip-path position inset margin transform translate scale"
    " rotate content-visibility mask-image filter z-index animation animation-name zoom"
)
_PROPERTY_ALIASES = {
    "-webkit-clip-path": "clip-path",
    "-webkit-mask-image": "mask-image",
    "-webkit-mask": "mask-image",
    "mask": "mask-image",
    "-webkit-transform": "transform",
    "-webkit-filter": "filter",
    "-webkit-background-clip": "background-clip",
    "-webkit-animation": "animation",
    "-moz-opacity": "opacity",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "text-fill-color": "-webkit-text-fill-color",
}
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|(.))", re.DOTALL)
_IMPORTANT_MARK = re.compile(r"!\s*important\s*$")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_FONT_SHORTHAND_SIZE = re.compile(
    r"(?:^|\s)((?:\d*\.)?\d+(?:px|pt|em|rem|%|vw|vh|ex|ch|pc|cm|mm|in)|0)(?:\s*/\s*(\S+))?(?=\s)"
)
_IMAGE_CALL = re.compile(r"url\(|gradient\(|image\(|image-set\(|element\(|cross-fade\(")
_VALUE_PARTS = re.compile(r"[a-z-]+\((?:[^()]|\([^()]*\))*\)|[^\s,/]+")


def parse_declarations(block: str) -> Declarations:
    """The declarations by property. As in a browser, the last valid one wins, unless one is important."""
    found: Declarations = {}
    for part in block.split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name = unescape_css(name).strip().lower()
        if name.startswith("--") or name in _KNOWN_PROPERTIES:
            value = unescape_css(value).strip().lower()
            important = bool(_IMPORTANT_MARK.search(value))
            value = _IMPORTANT_MARK.sub("", value).strip()
            for each, worth in _expand_shorthand(_PROPERTY_ALIASES.get(name, name), value):
                _add_valid_declaration(found, each, worth, important=important)
    return found


def parse_style_attribute(style: str) -> Declarations:
    return parse_declarations(_CSS_COMMENT.sub(" ", style))


def unescape_css(text: str) -> str:
    return _CSS_ESCAPE.sub(_decode_css_escape, text) if "\\" in text else text


def _decode_css_escape(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def _add_valid_declaration(found: Declarations, name: str, value: str, *, important: bool) -> None:
    valid = _VALUE_CHECKS.get(name)
    if valid is not None and not (value in _CSS_WIDE_KEYWORDS or "var(" in value or valid(value)):
        return
    if name not in found or important or not found[name][1]:
        found[name] = (value, important)


def _expand_shorthand(name: str, value: str) -> list[tuple[str, str]]:
    if name == "background":
        return _expand_background(value)
    if name == "font":
        match = _FONT_SHORTHAND_SIZE.search(value)
        return [("font-size", match[1])] if match else []
    if name == "all":
        return [("display", "inline"), ("visibility", "inherit"), ("opacity", "1")]
    return [(name, value)]


def _expand_background(value: str) -> list[tuple[str, str]]:
    if "var(" in value or value in _CSS_WIDE_KEYWORDS:
        return [("background-color", value)]
    parts = _VALUE_PARTS.findall(value)
    shades = [
        part for part in parts if colours.parse_colour(part) is not None or _is_colour_call(part)
    ]
    return [
        ("background-color", shades[-1] if shades else "transparent"),
        ("background-image", "image" if _IMAGE_CALL.search(value) else "none"),
        ("background-clip", "text" if "text" in parts else "border-box"),
    ]


def _is_colour_call(part: str) -> bool:
    return part.startswith(
        ("rgb", "hsl", "hwb", "lab(", "lch(", "oklab(", "oklch(", "color", "light-dark(")
    )


def _is_colour_value(value: str) -> bool:
    return (
        colours.parse_colour(value) is not None or _is_colour_call(value) or value == "currentcolor"
    )


def _is_size_value(value: str) -> bool:
    return value.isalpha() or "-content" in value or "(" in value or parse_pixels(value) is not None


def _is_font_size_value(value: str) -> bool:
    size = parse_pixels(value)
    return value in _FONT_SIZE_WORDS.split() or "(" in value or (size is not None and size >= 0)


def _is_display_value(value: str) -> bool:
    known = _DISPLAY_WORDS.split()
    return all(word in known for word in value.split()) and bool(value)


_VALUE_CHECKS: dict[str, Callable[[str], bool]] = {
    "display": _is_display_value,
    "visibility": frozenset({"visible", "hidden", "collapse"}).__contains__,
    "opacity": lambda value: parse_number(value) is not None,
    "fill-opacity": lambda value: parse_number(value) is not None,
    "font-size": _is_font_size_value,
    "position": frozenset(
        {"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"}
    ).__contains__,
    "color": _is_colour_value,
    "background-color": _is_colour_value,
    "-webkit-text-fill-color": _is_colour_value,
    **dict.fromkeys(_SIZE_PROPERTY_NAMES.split()[1:], _is_size_value),
}
_KNOWN_PROPERTIES = (
    COLOUR_PROPERTIES
    | _VALUE_CHECKS.keys()
    | _PROPERTY_ALIASES.keys()
    | set(_UNCHECKED_PROPERTY_NAMES.split())
    | {"background", "font", "all"}
)
