"""The declarations of one block that bear on whether text is seen, valid ones only."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewell.fetch.css import colour
from citewell.fetch.css.length import number, px

Declared = dict[str, tuple[str, bool]]  # property to value and importance

_WIDE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_DISPLAYS = (
    "none block inline flex grid table contents inline-block inline-flex inline-grid inline-table"
    " list-item flow-root flow ruby run-in table-row table-cell table-column table-caption"
    " table-row-group table-header-group table-footer-group table-column-group -webkit-box"
    " -webkit-inline-box -ms-flexbox -ms-grid -webkit-flex -moz-box"
)
_FONT_WORDS = "xx-small x-small small medium large x-large xx-large xxx-large smaller larger"
_SHADES = "color background-color background-image background-clip -webkit-text-fill-color fill"
COLOURS = frozenset(_SHADES.split())
_SIZES = (
    "font-size width height max-width max-height left right top bottom text-indent letter-spacing"
    " margin-left margin-top line-height"
)
_FREE = (
    "overflow overflow-x overflow-y clip clip-path position inset margin transform translate scale"
    " rotate content-visibility mask-image filter z-index animation animation-name zoom"
)
_ALIASES = {
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
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|(.))", re.DOTALL)
_IMPORTANT = re.compile(r"!\s*important\s*$")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_FONT = re.compile(
    r"(?:^|\s)((?:\d*\.)?\d+(?:px|pt|em|rem|%|vw|vh|ex|ch|pc|cm|mm|in)|0)(?:\s*/\s*(\S+))?(?=\s)"
)
_PICTURE = re.compile(r"url\(|gradient\(|image\(|image-set\(|element\(|cross-fade\(")
_PARTS = re.compile(r"[a-z-]+\((?:[^()]|\([^()]*\))*\)|[^\s,/]+")


def declarations(block: str) -> Declared:
    """As in a browser, a later valid declaration wins, an important one over all."""
    found: Declared = {}
    for part in block.split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name = unescape(name).strip().lower()
        if name.startswith("--") or name in _KNOWN:
            value = unescape(value).strip().lower()
            important = bool(_IMPORTANT.search(value))
            value = _IMPORTANT.sub("", value).strip()
            for each, worth in _spelt_out(_ALIASES.get(name, name), value):
                _put(found, each, worth, important=important)
    return found


def inline(style: str) -> Declared:
    return declarations(_COMMENT.sub(" ", style))


def unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def _put(found: Declared, name: str, value: str, *, important: bool) -> None:
    valid = _VALID.get(name)
    if valid is not None and not (value in _WIDE or "var(" in value or valid(value)):
        return
    if name not in found or important or not found[name][1]:
        found[name] = (value, important)


def _spelt_out(name: str, value: str) -> list[tuple[str, str]]:
    if name == "background":
        return _background(value)
    if name == "font":
        match = _FONT.search(value)
        return [("font-size", match[1])] if match else []
    if name == "all":
        return [("display", "inline"), ("visibility", "inherit"), ("opacity", "1")]
    return [(name, value)]


def _background(value: str) -> list[tuple[str, str]]:
    if "var(" in value or value in _WIDE:
        return [("background-color", value)]
    parts = _PARTS.findall(value)
    shades = [part for part in parts if colour.read(part) is not None or _is_colour_call(part)]
    return [
        ("background-color", shades[-1] if shades else "transparent"),
        ("background-image", "image" if _PICTURE.search(value) else "none"),
        ("background-clip", "text" if "text" in parts else "border-box"),
    ]


def _is_colour_call(part: str) -> bool:
    return part.startswith(
        ("rgb", "hsl", "hwb", "lab(", "lch(", "oklab(", "oklch(", "color", "light-dark(")
    )


def _is_colour(value: str) -> bool:
    return colour.read(value) is not None or _is_colour_call(value) or value == "currentcolor"


def _is_size(value: str) -> bool:
    return value.isalpha() or "-content" in value or "(" in value or px(value) is not None


def _is_font_size(value: str) -> bool:
    size = px(value)
    return value in _FONT_WORDS.split() or "(" in value or (size is not None and size >= 0)


def _is_display(value: str) -> bool:
    known = _DISPLAYS.split()
    return all(word in known for word in value.split()) and bool(value)


_VALID: dict[str, Callable[[str], bool]] = {
    "display": _is_display,
    "visibility": frozenset({"visible", "hidden", "collapse"}).__contains__,
    "opacity": lambda value: number(value) is not None,
    "fill-opacity": lambda value: number(value) is not None,
    "font-size": _is_font_size,
    "position": frozenset(
        {"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"}
    ).__contains__,
    "color": _is_colour,
    "background-color": _is_colour,
    "-webkit-text-fill-color": _is_colour,
    **dict.fromkeys(_SIZES.split()[1:], _is_size),
}
_KNOWN = (
    COLOURS | _VALID.keys() | _ALIASES.keys() | set(_FREE.split()) | {"background", "font", "all"}
)
