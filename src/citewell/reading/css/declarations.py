"""Parses the valid declarations of a CSS block that affect whether text is visible."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from citewell.reading.css import colours
from citewell.reading.css.shorthands import expand_shorthand, map_longhands
from citewell.reading.css.value_parts import load_css_words, parse_number, parse_pixels
from citewell.text.data_tables import load_table

Declarations = dict[str, tuple[str, bool]]  # property to its value and whether it is important

CSS_WIDE_KEYWORDS = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_COLOUR_PROPERTY_NAMES = (
    "color background-color background-image background-clip -webkit-text-fill-color fill stroke"
    " stroke-width stroke-opacity fill-opacity text-shadow -webkit-text-stroke-width"
    " -webkit-text-stroke-color color-scheme background-size box-shadow backdrop-filter"
)
COLOUR_PROPERTIES = frozenset(_COLOUR_PROPERTY_NAMES.split())
_LENGTH_PROPERTY_NAMES = (
    "left right top bottom text-indent letter-spacing word-spacing margin-left margin-top"
    " margin-right margin-bottom"
)
_EXTENT_PROPERTY_NAMES = (
    "width height max-width max-height min-width min-height line-height padding-left padding-top"
    " padding-right padding-bottom flex-basis"
)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|(.))", re.DOTALL)
_CSS_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
_MAX_STYLE_CHARS = 100_000  # of one block; the rest is left unread
_MAX_VALUE_CHARS = 1000
_SPLIT_SAFELY = re.compile(r"\"[^\"]*+\"?|'[^']*+'?|[();]")
# Functions whose result is only known for an element.
SUBSTITUTION_MARKS = ("var(", "attr(", "if(", "--")
PENDING_MARK = "@"  # before a shorthand's value that cannot be expanded before its var() is known


def parse_declarations(block: str, *, only_hiding: bool = False) -> Declarations:
    """The declarations by property. As in a browser, the last valid one wins, unless one is important.

    With `only_hiding`, lengths that cannot move or shrink anything out of sight are left out.
    """
    found: Declarations = {}
    known, signs = _list_known_properties(), _map_length_signs() if only_hiding else {}
    for part in _split_declarations(block[:_MAX_STYLE_CHARS]):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name = name.strip().lower()
        if "\\" in name:
            name = unescape_css(name).strip().lower()
        custom = name.startswith("--")
        if name in signs and not signs[name].search(value):
            continue
        if custom or name in known:
            _add_declaration(found, name, value[:_MAX_VALUE_CHARS], custom=custom)
    return found


def parse_style_attribute(style: str) -> Declarations:
    return parse_declarations(
        _CSS_COMMENT.sub(" ", style[:_MAX_STYLE_CHARS]) if "/*" in style else style
    )


def unescape_css(text: str) -> str:
    return _CSS_ESCAPE.sub(_decode_css_escape, text) if "\\" in text else text


def expand_pending(value: str, wanted: str) -> str | None:
    """The part of a shorthand's value, marked as pending, that one property gets; None if invalid."""
    shorthand, _, text = value[len(PENDING_MARK) :].partition(" ")
    parts = dict(expand_shorthand(shorthand, text))
    return parts[wanted] if wanted in parts and _is_valid(wanted, parts[wanted]) else None


def is_valid_value(name: str, value: str) -> bool:
    """Whether a browser would accept the value, as far as this parser can tell."""
    return name in _list_known_properties() and all(
        _is_valid(each, worth) for each, worth in expand_shorthand(name, value)
    )


def _split_declarations(block: str) -> list[str]:
    """Split at semicolons outside strings and brackets, as in `url(data:text/css;base64,...)`."""
    if "(" not in block and '"' not in block and "'" not in block:
        return block.split(";")
    parts, start, depth = list[str](), 0, 0
    for match in _SPLIT_SAFELY.finditer(block):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth = max(0, depth - 1)
        elif match[0] == ";" and depth == 0:
            parts.append(block[start : match.start()])
            start = match.end()
    return [*parts, block[start:]]


def _add_declaration(found: Declarations, name: str, value: str, *, custom: bool) -> None:
    value = unescape_css(value).strip()
    important = False
    head, mark, tail = value.rpartition("!")
    if mark and tail.strip().lower() == "important":
        value, important = head.rstrip(), True
    if custom:
        if important or name not in found or not found[name][1]:
            found[name] = (value, important)
        return
    value = value.lower()
    for each, worth in _expand_value(_load_aliases().get(name, name), value):
        if _is_valid(each, worth) and (important or each not in found or not found[each][1]):
            found[each] = (worth, important)


def _expand_value(name: str, value: str) -> list[tuple[str, str]]:
    longhands = map_longhands().get(name)
    if longhands is None:
        return [(name, value)]
    if value in CSS_WIDE_KEYWORDS:
        return [(each, value) for each in longhands]
    if "var(" in value or "if(" in value:
        return [(each, f"{PENDING_MARK}{name} {value}") for each in longhands]
    return expand_shorthand(name, value)


def _decode_css_escape(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    code = int(match[1], 16)
    is_plain = 0x20 < code < 0xD800 or 0xDFFF < code < 0x110000  # an escaped space is no space
    return chr(code) if is_plain else "\ufffd"


def _is_valid(name: str, value: str) -> bool:
    if value in CSS_WIDE_KEYWORDS or (
        "(" in value and any(word in value for word in SUBSTITUTION_MARKS)
    ):
        return True
    valid = _VALUE_CHECKS.get(name)
    return bool(value) if valid is None else valid(value)


def _is_colour_value(value: str) -> bool:
    return (
        value == "currentcolor"
        or colours.parse_colour(value, current=colours.BLACK) is not None
        or value.startswith(("contrast-color(", "device-cmyk(", "color("))
    )


def _is_length_value(value: str) -> bool:
    return (
        value.replace("-", "").isalpha()
        or "(" in value
        or all(
            parse_pixels(word) is not None or word in {"hanging", "each-line"}
            for word in value.split()
        )
    )


def _is_font_size_value(value: str) -> bool:
    size = parse_pixels(value)
    is_word = value == "math" or value in load_css_words("font_sizes")
    return is_word or "(" in value or (size is not None and size >= 0)


_VALUE_CHECKS: dict[str, Callable[[str], bool]] = {
    "display": lambda value: bool(value) and load_css_words("displays").issuperset(value.split()),
    "visibility": frozenset({"visible", "hidden", "collapse"}).__contains__,
    **dict.fromkeys(("opacity", "fill-opacity"), lambda value: parse_number(value) is not None),
    "font-size": _is_font_size_value,
    "position": frozenset(
        {"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"}
    ).__contains__,
    **dict.fromkeys(("color", "background-color", "-webkit-text-fill-color"), _is_colour_value),
    **dict.fromkeys(_LENGTH_PROPERTY_NAMES.split(), _is_length_value),
    **dict.fromkeys(
        _EXTENT_PROPERTY_NAMES.split(),
        lambda value: _is_length_value(value) and not (parse_pixels(value) or 0.0) < 0,
    ),
}
# What a length must have in it to move an element out of sight, or to leave it no size.
_FAR_SIGN = re.compile(
    r"\d{3}|\d\s*(?:%|[sld]?v[whibm]|in|cm)|\d\d[\d.]{0,6}(?:r?em|pc|ch|r?lh|ex)|\(|e\d|\\",
    re.IGNORECASE,
)
_SPECK_SIGN = re.compile(r"^\s*\+?[.0]|^\s*\+?[1-4](?![\d.]*\d{2})|\(|e-|\\", re.IGNORECASE)
_NEVER_SIGN = re.compile(r"(?!)")


@cache
def _map_length_signs() -> dict[str, re.Pattern[str]]:
    lengths = _LENGTH_PROPERTY_NAMES.split()
    aliases = [name for name, target in _load_aliases().items() if target in lengths]
    signs = {
        **dict.fromkeys((*lengths, "margin", "inset", *aliases), _FAR_SIGN),
        **dict.fromkeys(("width", "height", "max-width", "max-height", "flex-basis"), _SPECK_SIGN),
        **dict.fromkeys(load_css_words("never_hiding_properties"), _NEVER_SIGN),
    }
    del signs["letter-spacing"]
    return signs


@cache
def _list_known_properties() -> frozenset[str]:
    unchecked = load_css_words("unchecked_properties")
    return COLOUR_PROPERTIES.union(_VALUE_CHECKS, _load_aliases(), unchecked, map_longhands())


def _load_aliases() -> Mapping[str, str]:
    aliases: Mapping[str, str] = load_table(__package__, "property_aliases")
    return aliases
