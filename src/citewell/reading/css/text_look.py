"""Derives how text in an element looks from its values and surroundings, and when to doubt its ground."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from citewell.reading.css import colours, visual_effects
from citewell.reading.css import element_boxes as box_styles
from citewell.reading.css.colours import BLACK, TRANSPARENT, WHITE, RgbColour
from citewell.reading.css.element_boxes import TransformEffect, has_transform, measure_transform
from citewell.reading.css.shorthands import is_image_value
from citewell.reading.css.value_parts import (
    EM_PIXELS,
    parse_calls,
    parse_number,
    parse_pixels,
    split_arguments,
    split_words,
)
from citewell.reading.page_nodes import iterate_upwards, read_class_and_id

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from citewell.reading.css.style_cascade import PageStyles
    from citewell.reading.css.value_parts import VariableScope

# How authors mark elements whose background picture a script loads.
_LATE_GROUNDS = re.compile(
    r"lazy|parallax|(?:^|[-_\s])(?:bg|background|hero|cover|jarallax)(?=$|[-_\s])", re.IGNORECASE
)
_LATE_ATTRIBUTES = re.compile(
    r"data-(?:[\w-]*bg[\w-]*|[\w-]*background[\w-]*|parallax[\w-]*|image-src|setbg|vide\w*)"
)
_PICTURES = "img, video, picture, canvas, iframe, svg"
_MAX_ANCESTORS = 6
_ROOT_TAGS = frozenset({"body", "html"})

# The colours that may lie behind; None if they are not known.
Grounds = tuple[RgbColour, ...] | None

UNSET_VALUES = frozenset({"", "inherit", "unset", "revert", "revert-layer"})
UNPAINTED_VALUES = UNSET_VALUES | {"initial", "none", "transparent"}
_WHOLE_SIZES = frozenset({"auto", "cover", "contain", "100%", "initial", "100vw", "100vh"})
_BROWSER_GROUNDS = {
    "button": "buttonface", "input": "field", "select": "field", "textarea": "field",
    "mark": "yellow", "dialog": "canvas",
}  # fmt: skip

_NO_VALUES: Mapping[str, str] = MappingProxyType({})
_FONT_SIZE_FACTORS = {"smaller": 0.83, "larger": 1.2}
_FAR_SHADOW_PIXELS = 600
_NORMAL_EXPONENT = 0.5  # the height of small letters as a share of the font size
_DARK_CANVAS = RgbColour(18, 18, 18)
# The colours that browsers give to elements that do not take them from around.
_BROWSER_INKS = {
    "a": "linktext", "button": "buttontext", "input": "fieldtext", "select": "fieldtext",
    "textarea": "fieldtext", "mark": "black", "dialog": "canvastext", "option": "fieldtext",
}  # fmt: skip
_BROWSER_SIZES = {"button": 13.33, "input": 13.33, "select": 13.33, "textarea": 13.33}
BROWSER_STYLED_TAGS = frozenset(_BROWSER_INKS)


class ColourGroup(NamedTuple):
    """An element whose content is painted as a whole through a filter or a blend mode."""

    filter: str
    blend: str
    backdrop: Grounds


class TextLook:
    """How text in an element looks; what the element does not set is as in the element around it."""

    shown = True
    size = EM_PIXELS  # font size in pixels
    letter_share = 1.0  # what font-size-adjust leaves of the size
    scale = 1.0  # by all transforms and zooms around
    zoom = 1.0
    opacity = 1.0  # the product with all elements around
    ink: RgbColour | None = BLACK  # `color`; None if it is unknown
    fill: RgbColour | None = None  # `-webkit-text-fill-color`, where it is set
    svg_fill: RgbColour | None = BLACK
    outlines: tuple[RgbColour | None, ...] = ()  # shadows and strokes
    shadows: tuple[RgbColour | None, ...] = ()
    grounds: Grounds = (WHITE,)
    ground_groups = 0  # how many colour groups were open where the ground was painted
    paints = False  # the element itself sets the background
    is_painted = False  # it or one around it does; else the page's canvas is behind the text
    drawn: Grounds = ()  # the letters are filled with these (background-clip: text)
    groups: tuple[ColourGroup, ...] = ()
    is_dotted = False  # dots stand for the letters
    dark = False
    indent = 0.0
    indent_share = False  # the indent is at least the line's width
    nowrap = False
    flat_line = False
    scope: VariableScope
    values: Mapping[str, str] = _NO_VALUES
    parent_values: Mapping[str, str] = _NO_VALUES
    effect = TransformEffect()
    is_item = False  # an item of a flex box or grid
    is_inline = False

    def __init__(self, scope: VariableScope) -> None:
        self.scope = scope


def derive_look(
    around: TextLook,
    tag: str,
    values: Mapping[str, str],
    scope: VariableScope,
    *,
    parent_values: Mapping[str, str] = _NO_VALUES,
) -> TextLook:
    """The look of an element of this tag and these values.

    `around` is the look of the nearest styled element above; `parent_values` are those of the parent.
    """
    look = TextLook.__new__(TextLook)
    look.__dict__.update(around.__dict__)
    look.scope = scope
    look.values = values
    look.parent_values = parent_values
    look.is_item = box_styles.lays_out_items(parent_values)
    look.is_inline = tag not in box_styles.SVG_SHAPE_TAGS and box_styles.is_inline(
        tag, values, is_item=look.is_item
    )
    if tag not in {"html", "body"}:  # a script will show the page, or nobody could see it
        _derive_boxes(look, around, values)
        seen = values.get("visibility", "")
        look.shown = seen not in {"hidden", "collapse"} and (
            around.shown or seen in {"visible", "initial"}
        )
    _derive_type(look, around, tag, values)
    _derive_colours(look, around, tag, values)
    _derive_groups(look, around, values)
    _derive_ground(look, tag, values)
    return look


def _derive_boxes(look: TextLook, around: TextLook, values: Mapping[str, str]) -> None:
    if values.get("display") == "contents":
        return
    share = parse_number(values.get("opacity", "1"))
    if share is not None:
        look.opacity = around.opacity * max(0.0, min(1.0, share))
    if "filter" in values:
        look.opacity *= visual_effects.measure_filter_opacity(values["filter"])
    zoom = parse_number(values.get("zoom", "1"))
    if zoom is not None and zoom > 0:
        look.zoom = around.zoom * zoom
    look.effect = TransformEffect()
    if has_transform(values) and not look.is_inline:
        parent = look.parent_values.get("perspective", "")
        distance = (parse_pixels(parent) or 0.0) if parent else 0.0
        look.effect = measure_transform(values, perspective=distance, em=look.size)
        look.scale = around.scale * look.effect.scale


def _derive_type(look: TextLook, around: TextLook, tag: str, values: Mapping[str, str]) -> None:
    look.size = _derive_font_size(around, tag, values.get("font-size", ""))
    adjust = parse_number(values.get("font-size-adjust", ""))
    if adjust is not None:
        look.letter_share = adjust / _NORMAL_EXPONENT
    if (dots := values.get("-webkit-text-security", "")) not in UNSET_VALUES:
        look.is_dotted = dots != "none"
    if (space := values.get("white-space", "")) not in UNSET_VALUES:
        look.nowrap = space.startswith(("nowrap", "pre")) and space not in {"pre-wrap", "pre-line"}
    if (line := values.get("line-height", "")) not in UNSET_VALUES:
        height = parse_number(line) if line[-1:].isdigit() else parse_pixels(line)
        look.flat_line = height is not None and height < 0.1
    if (indent := values.get("text-indent", "")) not in UNSET_VALUES:
        first = indent.split()[0]
        look.indent = parse_pixels(first, em=look.size, percent=0.0) or 0.0
        look.indent_share = "%" in first and (parse_pixels(first, percent=1.0) or 0.0) >= 95
    if (scheme := values.get("color-scheme", "")) not in UNSET_VALUES:
        look.dark = "dark" in scheme and "light" not in scheme


def _derive_font_size(around: TextLook, tag: str, value: str) -> float:
    if value in UNSET_VALUES:
        return _BROWSER_SIZES.get(tag, around.size) if not value else around.size
    if value in _FONT_SIZE_FACTORS:
        return around.size * _FONT_SIZE_FACTORS[value]
    size = parse_pixels(value, em=around.size, percent=around.size / 100)
    return EM_PIXELS if size is None else max(0.0, size)


def _derive_colours(look: TextLook, around: TextLook, tag: str, values: Mapping[str, str]) -> None:
    if tag == "html" and look.dark:
        look.ink, look.grounds = WHITE, (_DARK_CANVAS,)
    written = values.get("color", "")
    if written in UNSET_VALUES:
        browser = _BROWSER_INKS.get(tag, "") if not written else ""
        if browser:
            look.ink = colours.parse_colour(browser, dark=look.dark)
    else:
        look.ink = _parse_ink(look, written, around.ink)
    fill = values.get("-webkit-text-fill-color", "")
    if fill not in UNSET_VALUES:
        look.fill = (
            None if fill in {"initial", "currentcolor"} else _parse_ink(look, fill, look.ink)
        )
    if (svg_fill := values.get("fill", "")) not in UNSET_VALUES:
        look.svg_fill = _parse_ink(look, svg_fill, look.ink)
    if (clear := parse_number(values.get("fill-opacity", ""))) is not None and look.svg_fill:
        look.svg_fill = look.svg_fill._replace(
            alpha=look.svg_fill.alpha * max(0.0, min(1.0, clear))
        )
    _derive_outlines(look, values)


def _parse_ink(look: TextLook, text: str, current: RgbColour | None) -> RgbColour | None:
    if text == "initial":
        return WHITE if look.dark else BLACK
    if text == "none":
        return TRANSPARENT
    return colours.parse_colour(text, current=current, dark=look.dark)


def _derive_outlines(look: TextLook, values: Mapping[str, str]) -> None:
    if (shadow := values.get("text-shadow", "")) not in UNSET_VALUES:
        look.shadows = tuple(
            _parse_ink(look, visual_effects.find_shadow_colour(layer), look.ink)
            for layer in split_arguments(shadow)
            if layer not in {"none", "initial"}
            and all(
                abs(parse_pixels(word) or 0.0) < _FAR_SHADOW_PIXELS for word in split_words(layer)
            )
        )
    strokes: list[RgbColour | None] = []
    width = values.get("-webkit-text-stroke-width", "")
    if width not in UNSET_VALUES and (parse_pixels(width) or width in {"thin", "medium", "thick"}):
        text = values.get("-webkit-text-stroke-color", "currentcolor")
        strokes.append(_parse_ink(look, text, look.ink))
    if (stroke := values.get("stroke", "none")) not in UNPAINTED_VALUES:
        strokes.append(_parse_ink(look, stroke, look.ink))
    if look.ink is not None and look.ink.alpha > 0.5:
        strokes += [
            _parse_ink(look, visual_effects.find_shadow_colour(inside), look.ink)
            for name, inside in parse_calls(values.get("filter", ""))
            if name == "drop-shadow"
        ]
    if strokes:
        look.outlines = tuple(strokes)


def _derive_groups(look: TextLook, around: TextLook, values: Mapping[str, str]) -> None:
    """Open a colour group for a filter or a blend mode; on the bare canvas nothing is blended."""
    effect = values.get("filter", "none")
    blend = values.get("mix-blend-mode", "normal")
    effect = effect if visual_effects.has_colour_filter(effect) else "none"
    if not around.is_painted or blend in UNSET_VALUES | {"initial"}:
        blend = "normal"
    if effect != "none" or blend != "normal":
        look.groups = (*around.groups, ColourGroup(effect, blend, around.grounds))


def _derive_ground(look: TextLook, tag: str, values: Mapping[str, str]) -> None:
    grounds = read_grounds(tag, values, look.grounds, ink=look.ink, dark=look.dark)
    look.paints = False
    if grounds == ():
        return
    if values.get("background-clip") == "text":
        look.drawn = grounds
        return
    look.drawn = ()
    look.grounds = grounds
    look.paints = look.is_painted = True
    look.ground_groups = len(look.groups)


# Reads the colours that an element paints behind its text.


def read_grounds(
    tag: str, values: Mapping[str, str], behind: Grounds, *, ink: RgbColour | None, dark: bool
) -> Grounds:
    """The colours that an element paints over `behind`; empty if none, None if they are not known."""
    if "inset" in values.get("box-shadow", "") or "(" in values.get("backdrop-filter", ""):
        return None
    base = _read_ground_colour(tag, values, behind, ink=ink, dark=dark)
    picture = values.get("background-image", "none")
    if picture in UNPAINTED_VALUES or not is_image_value(picture):
        return base
    # A background that does not cover its element draws lines and patterns.
    for size in split_arguments(values.get("background-size", "auto")):
        if size not in UNSET_VALUES and not _WHOLE_SIZES.issuperset(size.split()):
            return None
    shades: list[RgbColour] = []
    for layer in split_arguments(picture):
        stops = [
            colours.parse_colour(text, current=ink, dark=dark)
            for text in visual_effects.list_gradient_colours(layer)
        ]
        if not stops or any(stop is None or 0 < stop.alpha < 1 for stop in stops):
            return None
        shades += [stop for stop in stops if stop is not None]
    opaque = [shade for shade in shades if shade.alpha == 1]
    if len(opaque) < len(shades):
        under = behind if base == () else base
        return None if under is None else tuple(dict.fromkeys((*under, *opaque)))
    return tuple(dict.fromkeys(opaque))


def _read_ground_colour(
    tag: str, values: Mapping[str, str], behind: Grounds, *, ink: RgbColour | None, dark: bool
) -> Grounds:
    value = values.get("background-color", "") or _BROWSER_GROUNDS.get(tag, "")
    if value in UNPAINTED_VALUES:
        return ()
    shade = colours.parse_colour(value, current=ink, dark=dark)
    if shade is None:
        return None
    if shade.alpha == 0:
        return ()
    if shade.alpha >= 1:
        return (shade,)
    if behind is None:
        return None
    return tuple(colours.blend_over(shade, ground) for ground in behind)


# Finds reasons to doubt the background behind a text: pictures, overlays, what scripts paint later.


class GroundDoubts:
    """What may lie between a text and the background that the style sheets tell of."""

    def __init__(self, styles: PageStyles, *, has_scripts: bool) -> None:
        self._styles = styles
        self._has_scripts = has_scripts

    def may_be_painted(self, node: LexborNode, painter: int) -> bool:
        """Whether an element between the text and the painter of its background may be painted too."""
        is_lifted = False
        for at in islice(iterate_upwards(node), _MAX_ANCESTORS):
            if at.tag in _ROOT_TAGS:
                return False
            is_decorated = at.mem_id in self._decorated_elements
            if at.mem_id == painter and at.mem_id != node.mem_id:
                return is_decorated
            if is_decorated or (self._has_scripts and _is_painted_late(at)):
                return True
            if at.mem_id != node.mem_id and self._has_picture_behind(at, is_lifted=is_lifted):
                return True
            is_lifted = is_lifted or at.mem_id in self._styles.overlaid_elements
        return False

    @cached_property
    def _decorated_elements(self) -> frozenset[int]:
        """The elements with a painted `::before` or `::after`, which may lie behind their text."""
        rules = chain(*map(self._styles.list_pseudo_rules, ("before", "after")))
        return frozenset(
            node.mem_id
            for selector, declared in rules
            if declared.get("background-color", ("transparent",))[0] != "transparent"
            or declared.get("background-image", ("none",))[0] != "none"
            for node in self._styles.element_index.select_elements(selector)
        )

    def _has_picture_behind(self, node: LexborNode, *, is_lifted: bool) -> bool:
        """Whether the element holds a picture, and the text or the picture is out of the flow."""
        if not node.css_matches(_PICTURES):
            return False
        if is_lifted:
            return True
        for picture in node.css(_PICTURES)[:8]:
            for at in iterate_upwards(picture):
                if at.mem_id == node.mem_id:
                    break
                if at.mem_id in self._styles.overlaid_elements:
                    return True
        return False


def _is_painted_late(node: LexborNode) -> bool:
    if _LATE_GROUNDS.search(read_class_and_id(node)):
        return True
    return any(map(_LATE_ATTRIBUTES.match, node.attributes))
