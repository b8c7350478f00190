"""Collects a page's own styles: `style` elements, `data:` addresses, and attributes such as `hidden`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import unquote

from citewell.reading.css import colours, style_sheets
from citewell.reading.css.at_rule_conditions import matches_media_query
from citewell.reading.css.value_parts import parse_pixels
from citewell.reading.page_nodes import iterate_upwards

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HTML_ATTRIBUTES = (
    "[hidden], dialog, [popover], font[color], [bgcolor], body[text], [background],"
    " meta[name=color-scheme i]"
)
_SVG_TEXTS = "svg text, foreignobject"
_SVG_ATTRIBUTES = (
    "svg, svg g, svg text, svg tspan, svg textpath, svg a, svg switch, svg use, foreignobject"
)
_SVG_PROPERTY_NAMES = "fill opacity display visibility font-size fill-opacity stroke transform"
_FRAME_SIZES = ("width", "height")
_LINE_PIXELS = 24.0
_FAR_LEFT_PIXELS = 400.0
_FRAME_TAGS = frozenset({"svg", "foreignobject"})

_SHEET_ELEMENTS = "style, link[rel~=stylesheet i][href]"
_UNREAD_PARENTS = frozenset({"noscript", "template"})
# What may stand before and between imports at the beginning of a style sheet.
_LEADING_STATEMENT = re.compile(
    r"\s++|<!--|-->|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/|@(?:charset|layer)\b[^;{}]*+;"
    r"|@import\s*+(url\(\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"')]++)\s*+\)|\"[^\"]*+\"|'[^']*+')"
    r"([^;{}]*+)(?:;|\Z)",
    re.IGNORECASE,
)
_DATA_ADDRESS = re.compile(r"data:text/css([^,]{0,100}),", re.IGNORECASE)
_LAYER_WORD = re.compile(r"^layer\b(?:\(([^)]*)\))?", re.IGNORECASE)
_SUPPORTS_CALL = re.compile(r"^supports\(((?:[^()]|\([^()]*\))*+)\)", re.IGNORECASE)
_MAX_IMPORT_DEPTH = 4
_MAX_SHEETS = 400
_MIN_CACHED_CHARS = 500
_MAX_CACHED_CHARS = 4_000_000  # of style sheet text whose rules one process keeps


class PageSheets:
    """The style sheets of one page, in order."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.sheets: list[style_sheets.StyleSheet] = []
        self.has_outside = False  # other sheets belong to the page, and are not loaded
        self.is_cut = False  # a limit was reached, and some rules were not read
        self._left_chars = style_sheets.MAX_SHEET_CHARS
        for node in tree.css(_SHEET_ELEMENTS):
            # Within these parents a browser with scripts reads no sheet.
            if not any(above.tag in _UNREAD_PARENTS for above in iterate_upwards(node.parent)):
                self._add_element(node)

    def _add_element(self, node: LexborNode) -> None:
        attributes = node.attributes
        query = attributes.get("media") or ""
        if node.tag == "style":
            kind = (attributes.get("type") or "").strip().lower()
            if kind in {"", "text/css"} and matches_media_query(query):
                self._add_sheet_text(node.text(deep=True))
            return
        words = (attributes.get("rel") or "").lower().split()
        text = decode_data_address(attributes.get("href") or "")
        if "alternate" in words or "disabled" in attributes:
            return
        if text is None:
            self.has_outside = True
        elif matches_media_query(query):
            self._add_sheet_text(text)

    def _add_sheet_text(self, text: str, depth: int = 0) -> None:
        if len(self.sheets) >= _MAX_SHEETS or self._left_chars <= 0:
            self.is_cut = True
            return
        if "@import" in text[:20_000].lower():
            for address, rest in _list_imports(text):
                self._add_import(address, rest, depth)
        if len(text) > self._left_chars:
            text, self.is_cut = text[: self._left_chars], True
        self._left_chars -= len(text)
        self.sheets.append(_SHEET_CACHE.parse_sheet(text))
        self.is_cut = self.is_cut or self.sheets[-1].is_cut

    def _add_import(self, address: str, rest: str, depth: int) -> None:
        text = decode_data_address(address)
        if text is None:
            self.has_outside = True
            return
        layer = _LAYER_WORD.match(rest)
        if layer:
            rest = rest[layer.end() :].strip()
            text = f"@layer {layer[1] or ''}{{{text}}}"
        condition = _SUPPORTS_CALL.match(rest)
        if condition:
            rest = rest[condition.end() :].strip()
            if not style_sheets.is_supported_condition(f"({condition[1]})"):
                return
        if depth < _MAX_IMPORT_DEPTH and matches_media_query(rest):
            self._add_sheet_text(text, depth + 1)


class _SheetCache:
    """Parsed style sheets, by a digest of their text: pages of one site share theirs."""

    def __init__(self) -> None:
        self._sheets: OrderedDict[bytes, tuple[style_sheets.StyleSheet, int]] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def parse_sheet(self, text: str) -> style_sheets.StyleSheet:
        if not _MIN_CACHED_CHARS <= len(text) <= _MAX_CACHED_CHARS // 4:
            return style_sheets.parse_style_sheet(text)
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if key in self._sheets:
                self._sheets.move_to_end(key)
                return self._sheets[key][0]
        sheet = style_sheets.parse_style_sheet(text)
        with self._lock:
            if key not in self._sheets:
                self._sheets[key] = (sheet, len(text))
                self._chars += len(text)
            while self._chars > _MAX_CACHED_CHARS:
                _, (_, old_size) = self._sheets.popitem(last=False)
                self._chars -= old_size
        return sheet


_SHEET_CACHE = _SheetCache()


def decode_data_address(address: str) -> str | None:
    """The style sheet in a `data:` address; None if it is another address."""
    address = address.strip()
    match = _DATA_ADDRESS.match(address)
    if match is None:
        return "" if address[:5].lower() == "data:" else None
    body = address[match.end() :]
    if not match[1].strip().lower().endswith("base64"):
        return unquote(body)
    try:
        return base64.b64decode(unquote(body) + "==", validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _list_imports(text: str) -> Iterator[tuple[str, str]]:
    """The addresses of the imports at the beginning of a style sheet, each with its conditions."""
    place = 0
    while match := _LEADING_STATEMENT.match(text, place):
        place = match.end()
        if match[1]:
            address = match[1].strip()
            if address[:4].lower() == "url(":
                address = address[4:].removesuffix(")")
            yield address.strip().strip("\"'"), match[2].strip()


# Lists the styles that HTML and SVG attributes set, such as `hidden`, `bgcolor` or `fill`.


def list_attribute_styles(tree: LexborHTMLParser) -> Iterator[tuple[LexborNode, str, str]]:
    """Each styled element with a property and its value; rules of style sheets override them."""
    for node in tree.css(_HTML_ATTRIBUTES):
        tag = node.tag
        if tag == "meta":
            if tree.root is not None:
                yield tree.root, "color-scheme", (node.attributes.get("content") or "").lower()
            continue
        for name, value in _list_html_styles(node):
            yield node, name, value
    for node in tree.css(_SVG_ATTRIBUTES) if tree.css_matches(_SVG_TEXTS) else ():
        for name, value in _list_svg_styles(node):
            yield node, name, value


def _list_html_styles(node: LexborNode) -> Iterator[tuple[str, str]]:
    attributes, tag = node.attributes, node.tag
    hidden = attributes.get("hidden", "absent")
    is_hidden = hidden != "absent" and (hidden or "").strip().lower() != "until-found"
    if is_hidden or "popover" in attributes or (tag == "dialog" and "open" not in attributes):
        yield "display", "none"
    if attributes.get("bgcolor"):
        yield "background-color", _normalize_attribute_colour(attributes["bgcolor"])
    if attributes.get("background") and tag in {"body", "table", "td", "th", "tr"}:
        yield "background-image", "url()"
    if tag == "font" and attributes.get("color"):
        yield "color", _normalize_attribute_colour(attributes["color"])
    if tag == "body" and attributes.get("text"):
        yield "color", _normalize_attribute_colour(attributes["text"])


def _list_svg_styles(node: LexborNode) -> Iterator[tuple[str, str]]:
    attributes, tag = node.attributes, (node.tag or "").lower()
    for name in _SVG_PROPERTY_NAMES.split():
        if attributes.get(name):
            yield name, str(attributes[name]).strip().lower()
    if tag in _FRAME_TAGS:
        for name in ("width", "height"):
            value = attributes.get(name)
            if value is not None and value.strip():
                yield name, value.strip().lower()
        yield "overflow-x", "hidden"
        yield "overflow-y", "hidden"
    if tag == "text":
        if not attributes.get("fill"):
            yield "fill", "inherit"
        if _is_outside_drawing(node):
            yield "position", "relative"
            yield "left", "-9999px"


def _is_outside_drawing(node: LexborNode) -> bool:
    """Whether a text begins outside the part of the drawing that is shown."""
    drawings = (above for above in iterate_upwards(node.parent) if above.tag == "svg")
    drawing = next(drawings, None)
    if drawing is None:
        return False
    attributes = drawing.attributes
    frame = attributes.get("viewBox") or attributes.get("viewbox") or ""
    shown = [_read_number(part) for part in frame.replace(",", " ").split()]
    if len(shown) != 4:
        shown = [0.0, 0.0, *(_read_number(attributes.get(name)) for name in _FRAME_SIZES)]
    x, y = (_read_number(node.attributes.get(name)) or 0.0 for name in ("x", "y"))
    left, top, width, height = shown
    margin = _LINE_PIXELS + (0.0 if width is None else width / 4)
    return (
        (width is not None and x >= (left or 0.0) + width)
        or (height is not None and y >= (top or 0.0) + height + margin)
        or x <= (left or 0.0) - _FAR_LEFT_PIXELS
        or y <= (top or 0.0) - _LINE_PIXELS
    )


def _read_number(text: str | None) -> float | None:
    return parse_pixels(text.strip().lower()) if text and "%" not in text else None


def _normalize_attribute_colour(value: str | None) -> str:
    text = (value or "").strip().lower()
    return text if colours.parse_colour(text) is not None else "#" + text
