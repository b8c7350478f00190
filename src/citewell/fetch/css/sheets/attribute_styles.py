"""Lists the styles that HTML and SVG attributes set, such as `hidden`, `bgcolor` or `fill`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from citewell.fetch.css.values import colours
from citewell.fetch.css.values.lengths import parse_pixels

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
_SVG_PROPERTIES = (
    "fill",
    "opacity",
    "display",
    "visibility",
    "font-size",
    "fill-opacity",
    "stroke",
    "transform",
)
_FRAME_SIZES = ("width", "height")
_LINE_PIXELS = 24.0
_FAR_LEFT_PIXELS = 400.0
_FRAME_TAGS = frozenset({"svg", "foreignobject"})


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
    for name in _SVG_PROPERTIES:
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
    drawing = node.parent
    while drawing is not None and drawing.tag != "svg":
        drawing = drawing.parent
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
