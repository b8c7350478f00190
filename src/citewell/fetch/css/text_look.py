"""Derives how text in an element looks from its values and from the look of the element around it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css import box_styles
from citewell.fetch.css.text_grounds import (
    UNPAINTED_VALUES,
    UNSET_VALUES,
    Grounds,
    read_grounds,
)
from citewell.fetch.css.values import colour_effects, colours
from citewell.fetch.css.values.colours import BLACK, TRANSPARENT, WHITE, RgbColour
from citewell.fetch.css.values.lengths import EM_PIXELS, parse_number, parse_pixels
from citewell.fetch.css.values.transforms import TransformEffect, has_transform, measure_transform
from citewell.fetch.css.values.value_parts import split_arguments, split_words

if TYPE_CHECKING:
    from citewell.fetch.css.values.custom_properties import VariableScope

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

    def copy_look(self) -> TextLook:
        look = TextLook.__new__(TextLook)
        look.__dict__.update(self.__dict__)
        return look


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
    look = around.copy_look()
    look.scope = scope
    look.values = values
    look.parent_values = parent_values
    look.is_item = box_styles.lays_out_items(parent_values)
    look.is_inline = tag not in box_styles.SVG_SHAPE_TAGS and box_styles.is_inline(
        tag, values, is_item=look.is_item
    )
    if tag not in {"html", "body"}:  # a script will show the page, or nobody could see it
        _derive_boxes(look, around, values)
        look.shown = _derive_visibility(around, values.get("visibility", ""))
    _derive_type(look, around, tag, values)
    _derive_colours(look, around, tag, values)
    _derive_groups(look, around, values)
    _derive_ground(look, tag, values)
    return look


def _derive_visibility(around: TextLook, value: str) -> bool:
    if value in {"hidden", "collapse"}:
        return False
    return True if value in {"visible", "initial"} else around.shown


def _derive_boxes(look: TextLook, around: TextLook, values: Mapping[str, str]) -> None:
    if values.get("display") == "contents":
        return
    share = parse_number(values.get("opacity", "1"))
    if share is not None:
        look.opacity = around.opacity * max(0.0, min(1.0, share))
    if "filter" in values:
        look.opacity *= colour_effects.measure_filter_opacity(values["filter"])
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
            _parse_ink(look, _find_shadow_colour(layer), look.ink)
            for layer in split_arguments(shadow)
            if layer not in {"none", "initial"} and not _is_far_shadow(layer)
        )
    strokes: list[RgbColour | None] = []
    width = values.get("-webkit-text-stroke-width", "")
    if width not in UNSET_VALUES and (parse_pixels(width) or width in {"thin", "medium", "thick"}):
        text = values.get("-webkit-text-stroke-color", "currentcolor")
        strokes.append(_parse_ink(look, text, look.ink))
    if (stroke := values.get("stroke", "none")) not in UNPAINTED_VALUES:
        strokes.append(_parse_ink(look, stroke, look.ink))
    drops = colour_effects.list_drop_shadows(values.get("filter", ""))
    if look.ink is not None and look.ink.alpha > 0.5:
        strokes += [_parse_ink(look, text, look.ink) for text in drops]
    if strokes:
        look.outlines = tuple(strokes)


def _is_far_shadow(layer: str) -> bool:
    lengths = [parse_pixels(word) for word in split_words(layer)]
    return any(length is not None and abs(length) >= _FAR_SHADOW_PIXELS for length in lengths)


def _find_shadow_colour(layer: str) -> str:
    words = [word for word in split_words(layer) if parse_pixels(word) is None]
    return words[0] if words else "currentcolor"


def _derive_groups(look: TextLook, around: TextLook, values: Mapping[str, str]) -> None:
    """Open a colour group for a filter or a blend mode; on the bare canvas nothing is blended."""
    effect = values.get("filter", "none")
    blend = values.get("mix-blend-mode", "normal")
    effect = effect if colour_effects.has_colour_filter(effect) else "none"
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
