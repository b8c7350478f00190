"""Detects values that hide an element with all its content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from citewell.reading.css import element_boxes as box_styles
from citewell.reading.css import visual_effects
from citewell.reading.css.text_look import TextLook
from citewell.reading.css.value_parts import (
    VIEW_HEIGHT_PIXELS,
    VIEW_WIDTH_PIXELS,
    load_css_words,
    parse_calls,
    parse_number,
    parse_pixels,
    split_words,
)
from citewell.reading.css.visual_effects import MAX_SPECK_PIXELS

MIN_READABLE_OPACITY = 0.12  # opacity below which nothing can be read
_MIN_VISIBLE_SCALE = 0.02
_MIN_BLUR_PIXELS = 8.0  # radius above which no letter can be told
_OFF_SCREEN_PIXELS = 400.0  # how far left or up short text must be to be off screen
_FAR_OFF_PIXELS = 2000.0  # and text of any length
_NEVER_SCROLLED_PIXELS = 50_000.0  # nobody scrolls down that far
_CHAR_PIXELS, _LINE_PIXELS, _LINE_CHARS = 8.0, 24.0, 100
_NOT_RENDERED = frozenset({"none", "table-column", "table-column-group"})
_ZERO_TRACKS = frozenset({"0", "0px", "0fr", "0%"})
_SVG_INNER_TAGS = frozenset({"text", "tspan", "textpath", "g", "use"})

_BoxTest = Callable[[TextLook], bool]


def find_box_technique(
    tag: str,
    look: TextLook,
    *,
    chars: int = 0,
    place: int = 0,
    empty_clips: Collection[str] = (),
) -> str | None:
    """The technique by which the element is hidden with all its content; None if it is not.

    `chars` is the length of its text, `place` its number among its siblings, and `empty_clips` are the
    page's clip paths without a shape.
    """
    display = look.values.get("display", "")
    if display in _NOT_RENDERED:
        return "display"
    if display == "contents":
        return None
    if _is_clipped(look, empty_clips):
        return "clip"
    if visual_effects.is_masked_out(look.values, empty_clips):
        return "mask"
    found = next((name for name, test in _ELEMENT_TESTS if test(look)), None)
    is_box = tag not in _SVG_INNER_TAGS and not look.is_inline
    if found is None and is_box:
        found = _find_block_technique(tag, look, chars, place)
    return found or ("offScreen" if _is_off_screen(look, chars) else None)


def _find_block_technique(tag: str, look: TextLook, chars: int, place: int) -> str | None:
    """The technique that hides a box with a size of its own, which parts of a line do not have."""
    for technique, test in _BOX_TESTS:
        if test(look):
            return technique
    display = look.values.get("display", "")
    is_table_part = tag in load_css_words("table_tags")
    if display:
        is_table_part = display.startswith(("table", "inline-table"))
    # The height of a table and of its parts is only a minimum.
    if not is_table_part and _is_collapsed(look, place):
        return "size"
    return "indent" if _is_indented_away(look, chars) else None


def _is_clipped(look: TextLook, empty_clips: Collection[str]) -> bool:
    values = look.values
    if values.get("position") in {"absolute", "fixed"} and visual_effects.is_empty_rect(
        values.get("clip", "")
    ):
        return True
    path = values.get("clip-path", "none")
    return path != "none" and visual_effects.is_empty_clip_path(path, empty_clips)


def _is_blurred(look: TextLook) -> bool:
    calls = parse_calls(look.values.get("filter", "none"))
    radii = (parse_pixels(inside.strip()) for name, inside in calls if name == "blur")
    return max((radius or 0.0 for radius in radii), default=0.0) >= max(
        _MIN_BLUR_PIXELS, look.size / 2
    )


def _is_zoomed_out(look: TextLook) -> bool:
    share = parse_number(look.values.get("zoom", "1"))
    return share is not None and (share == 0 or look.zoom < _MIN_VISIBLE_SCALE)


def _is_flattened(look: TextLook) -> bool:
    if look.effect.is_behind_viewer or look.effect.scale < _MIN_VISIBLE_SCALE:
        return True
    return look.effect.is_turned_away and look.values.get("backface-visibility", "") == "hidden"


def _is_spaced_away(look: TextLook) -> bool:
    space = parse_pixels(look.values.get("letter-spacing", ""), em=look.size)
    cut = box_styles.clips_content(look.values)
    return space is not None and (space <= -8 or (space >= 100 and cut))


_ELEMENT_TESTS: tuple[tuple[str, _BoxTest], ...] = (
    (
        "opacity",
        lambda look: (
            look.opacity < MIN_READABLE_OPACITY
            and not {"opacity", "filter"}.isdisjoint(look.values)
        ),
    ),
    ("blur", _is_blurred),
    ("size", _is_zoomed_out),
    ("letterSpacing", _is_spaced_away),
)
_BOX_TESTS: tuple[tuple[str, _BoxTest], ...] = (
    ("contentVisibility", lambda look: look.values.get("content-visibility") == "hidden"),
    ("content", lambda look: "url(" in look.values.get("content", "")),
    ("transform", _is_flattened),
)


def _is_collapsed(look: TextLook, place: int) -> bool:
    """Whether the box has no size and cuts off what reaches out of it."""
    values = look.values
    if not box_styles.clips_content(values):
        return False
    height, width = box_styles.measure_height(values), box_styles.measure_width(values)
    if any(size is not None and size <= MAX_SPECK_PIXELS for size in (height, width)):
        return True
    if look.flat_line and height is None:
        return True
    if _is_zero_track(values.get("grid-template-rows", ""), 0) and height is None:
        rows = values.get("grid-template-rows", "")
        return "fr" not in rows and box_styles.lays_out_items(values)
    if not look.is_item:
        return False
    if _is_zero_item(look):
        return True
    around = look.parent_values
    columns = split_words(around.get("grid-template-columns", "none"))
    row, column = divmod(place, max(1, len(columns)))
    return _is_zero_track(around.get("grid-template-rows", ""), row) or _is_zero_track(
        around.get("grid-template-columns", ""), column
    )


def _is_zero_track(tracks: str, place: int) -> bool:
    words = split_words(tracks)
    return len(words) > place and words[place] in _ZERO_TRACKS


def _is_zero_item(look: TextLook) -> bool:
    """Whether it is a flex item that has no width to begin with and does not grow."""
    basis = look.values.get("flex-basis", "")
    grows = (parse_number(look.values.get("flex-grow", "0")) or 0.0) > 0
    is_row = "column" not in look.parent_values.get("flex-direction", "")
    size = parse_pixels(basis)
    return size is not None and size <= MAX_SPECK_PIXELS and not grows and is_row


def _is_indented_away(look: TextLook, chars: int) -> bool:
    if look.indent <= -_OFF_SCREEN_PIXELS:
        # All that fits in the first line is moved; longer text goes on in view.
        return chars * _CHAR_PIXELS / 2 <= -look.indent + VIEW_WIDTH_PIXELS
    if not look.nowrap:
        return False
    far = look.indent_share or look.indent >= VIEW_WIDTH_PIXELS
    return far and (look.indent >= 3000 or box_styles.clips_content(look.values))


def _is_off_screen(look: TextLook, chars: int) -> bool:
    values = look.values
    position = values.get("position", "static")
    x, right_edge = _measure_left(look, position)
    y, is_up = _measure_top(look, position)
    text_width = chars * _CHAR_PIXELS
    if x <= -_OFF_SCREEN_PIXELS:
        if x <= -_FAR_OFF_PIXELS and right_edge is None:
            return True
        return right_edge <= 0 if right_edge is not None else x + text_width <= 0
    if right_edge is not None and right_edge <= 0 and x <= 0:
        return True
    if x >= VIEW_WIDTH_PIXELS:
        return True
    text_height = _LINE_PIXELS * (1 + chars / _LINE_CHARS)
    if is_up or y <= -_FAR_OFF_PIXELS or (y <= -_OFF_SCREEN_PIXELS and y + text_height <= 0):
        return True
    if y >= (VIEW_HEIGHT_PIXELS if position == "fixed" else _NEVER_SCROLLED_PIXELS):
        return True
    return _is_outside_clip(look, x, y)


def _measure_left(look: TextLook, position: str) -> tuple[float, float | None]:
    """How far the box lies from the left of where it belongs, and where it ends, if that is known."""
    values = look.values
    width = parse_pixels(values.get("width", ""), percent=VIEW_WIDTH_PIXELS / 100)
    shift = _parse_move(values, "margin-left") + look.effect.shift_x
    if position in {"absolute", "fixed"}:
        percent = (
            4.0 if box_styles.holds_positioned(look.parent_values) else VIEW_WIDTH_PIXELS / 100
        )
        left = parse_pixels(values.get("left", ""), percent=percent, em=look.size)
        if left is not None:
            return left + shift, None if width is None else left + shift + width
        right = parse_pixels(values.get("right", ""), percent=percent, em=look.size)
        if right is not None:
            shift -= _parse_move(values, "margin-right")
            edge = VIEW_WIDTH_PIXELS - right + shift
            return (edge if right < 0 else 0.0), edge
        return shift, None
    if position == "relative":
        percent = VIEW_WIDTH_PIXELS / 100
        left = parse_pixels(values.get("left", ""), percent=percent, em=look.size)
        right = parse_pixels(values.get("right", ""), percent=percent, em=look.size)
        shift += left if left is not None else -(right or 0.0)
    is_far = shift <= -_OFF_SCREEN_PIXELS or position == "relative" or look.effect.shift_x < 0
    if width is not None and not look.is_inline and shift < 0 and is_far:
        return shift, shift + width  # a small negative margin is part of a layout
    is_moved_whole = look.effect.shift_x <= -VIEW_WIDTH_PIXELS and not look.is_inline
    return shift, VIEW_WIDTH_PIXELS + shift if is_moved_whole else None


def _measure_top(look: TextLook, position: str) -> tuple[float, bool]:
    """How far down the box is moved, and whether it surely lies above the window."""
    values = look.values
    shift = _parse_move(values, "margin-top") + look.effect.shift_y
    percent = VIEW_HEIGHT_PIXELS / 100
    top = parse_pixels(values.get("top", ""), percent=percent, em=look.size)
    bottom = parse_pixels(values.get("bottom", ""), percent=percent, em=look.size)
    if position == "static" or (top is None and bottom is None):
        return shift, False
    if top is not None:
        return top + shift, False
    below = bottom or 0.0
    if position == "relative":
        return shift - below, False
    is_up = below >= VIEW_HEIGHT_PIXELS and "%" not in values.get("bottom", "")
    is_up = is_up or (position == "fixed" and below >= VIEW_HEIGHT_PIXELS)
    return (VIEW_HEIGHT_PIXELS - below if below <= -_OFF_SCREEN_PIXELS else 0.0), is_up


def _parse_move(values: Mapping[str, str], name: str) -> float:
    return parse_pixels(values.get(name, "0"), percent=VIEW_WIDTH_PIXELS / 100) or 0.0


def _is_outside_clip(look: TextLook, x: float, y: float) -> bool:
    """Whether the parent is a low or narrow box that cuts it off."""
    if not box_styles.clips_content(look.parent_values):
        return False
    if look.values.get("position") in {"absolute", "fixed"} and not box_styles.holds_positioned(
        look.parent_values
    ):
        return False
    height = box_styles.measure_height(look.parent_values)
    width = box_styles.measure_width(look.parent_values)
    return (height is not None and y >= height) or (width is not None and abs(x) >= width)
