"""Picks the declarations that may take part in hiding text, so that other rules need not be applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from citewell.fetch.css.sheets.declarations import (
    COLOUR_PROPERTIES,
    CSS_WIDE_KEYWORDS,
    PENDING_MARK,
    SUBSTITUTION_MARKS,
    Declarations,
)
from citewell.fetch.css.values.clip_shapes import MAX_SPECK_PIXELS, is_empty_rect
from citewell.fetch.css.values.colour_effects import has_colour_filter
from citewell.fetch.css.values.lengths import EM_PIXELS, parse_number, parse_pixels

_MIN_FAR_PIXELS = 300.0  # shifts shorter than this move nothing off screen
_MAX_CLIP_PIXELS = 64.0  # a box as low as this may cut off what is moved inside it
# Inherited properties that hide: a descendant may reset them, so all their values are needed.
_INHERITED_NAMES = "visibility font-size text-indent -webkit-text-security letter-spacing"
_INHERITED_PROPERTIES = tuple(_INHERITED_NAMES.split())
# Properties that hide an element's own text, and never its box.
TEXT_PROPERTIES = COLOUR_PROPERTIES | {
    "visibility", "font-size", "white-space", "font-size-adjust", "-webkit-text-security",
}  # fmt: skip
_HIDING_DISPLAYS = frozenset({"none", "table-column", "table-column-group"})
_OVERFLOWS = ("overflow-x", "overflow-y")
_ZERO_LENGTHS = frozenset({"0", "0px", "0%", "0em"})
_FULL_WIDTHS = frozenset({"100%", "100vw"})
_FULL_HEIGHTS = frozenset({"100%", "100vh"})
_GRID_ZEROS = ("0fr", "0px", "0 ", "0%")


@lru_cache(maxsize=8192)
def may_hide(name: str, value: str) -> bool:
    """Whether this declaration may take part in hiding: a fast check that says yes when in doubt."""
    test = _MAY_HIDE_TESTS.get(name)
    if test is None:
        return False
    if value.startswith(PENDING_MARK) or (
        "(" in value and any(word in value for word in SUBSTITUTION_MARKS)
    ):
        return True
    return value not in CSS_WIDE_KEYWORDS and test(value)


def needs_whole_block(declared: Declarations) -> bool:
    """Whether all of a block counts: it sets a container, or a low box that may cut off what it holds."""
    if "container-type" in declared and declared["container-type"][0] != "normal":
        return True
    if (
        declared.get("position", ("",))[0] in {"absolute", "fixed"}
        and "background-color" in declared
    ):
        return True
    if "overflow-x" not in declared or not ("height" in declared or "max-height" in declared):
        return False
    return _is_low_clip({name: worth[0] for name, worth in declared.items()})


def _is_low_clip(values: Mapping[str, str]) -> bool:
    if not any(values.get(name, "") in {"hidden", "clip"} for name in _OVERFLOWS):
        return False
    sizes = (parse_pixels(values.get(name, "")) for name in ("height", "max-height"))
    return any(size is not None and size <= _MAX_CLIP_PIXELS for size in sizes)


def find_inherited_hiding(
    every: Iterable[Declarations], test: Callable[[str, str], bool]
) -> frozenset[str]:
    """The inherited properties that hide something on this page, and that a descendant may reset."""
    found = set()
    for declared in every:
        for name in _INHERITED_PROPERTIES:
            if name in declared and name not in found and test(name, declared[name][0]):
                found.add(name)
    if "text-indent" in found:  # it also hides in a box that cuts off what it holds
        found.update((*_OVERFLOWS, "white-space"))
    return frozenset(found)


def hides_as_box(values: Mapping[str, str]) -> bool:
    """Whether the values may hide an element with all its content, and not only its own text."""
    for name, value in values.items():
        if name not in TEXT_PROPERTIES and name[:2] != "--" and may_hide(name, value):
            return True
    return ("overflow-x" in values and _is_low_clip(values)) or covers_holder(values)


def covers_holder(values: Mapping[str, str]) -> bool:
    """Whether an element out of the flow lies over the whole of what it is placed in."""
    if values.get("position") not in {"absolute", "fixed"} or "background-color" not in values:
        return False
    if values.get("z-index", "0").startswith("-"):
        return False
    sides = [values.get(name, "") in _ZERO_LENGTHS for name in ("top", "left", "right", "bottom")]
    wide = values.get("width", "") in _FULL_WIDTHS or (sides[1] and sides[2])
    high = values.get("height", "") in _FULL_HEIGHTS or (sides[0] and sides[3])
    return wide and high and (sides[0] or sides[3]) and (sides[1] or sides[2])


def _is_faint(value: str) -> bool:
    share = parse_number(value)
    return share is not None and share < 0.9


def _is_small_type(value: str) -> bool:
    size = parse_pixels(value, percent=EM_PIXELS / 100)
    return size is not None and size < 10


def _is_flat_line(value: str) -> bool:
    height = parse_number(value) if value[-1:].isdigit() else parse_pixels(value)
    return height is not None and height < 0.1


def _is_far(value: str) -> bool:
    place = parse_pixels(value, percent=4.0)
    return place is not None and abs(place) >= _MIN_FAR_PIXELS


def _is_far_back(value: str) -> bool:
    place = parse_pixels(value, percent=0.0)
    return place is not None and abs(place) >= _MIN_FAR_PIXELS


def _is_speck(value: str) -> bool:
    size = parse_pixels(value)
    return size is not None and 0 <= size <= MAX_SPECK_PIXELS


def _is_small_zoom(value: str) -> bool:
    share = parse_number(value)
    return share is not None and share < 0.7


def _is_indented(value: str) -> bool:
    first = value.split(maxsplit=1)[0] if value else ""
    place = parse_pixels(first, percent=4.0)
    return place is not None and abs(place) >= _MIN_FAR_PIXELS


def _is_set(value: str) -> bool:
    return value not in {"none", "normal", "auto"}


def _is_hiding_filter(value: str) -> bool:
    return "opacity" in value or "blur" in value or has_colour_filter(value)


_MAY_HIDE_TESTS: dict[str, Callable[[str], bool]] = {
    "display": lambda value: value in _HIDING_DISPLAYS,
    "content-visibility": "hidden".__eq__,
    "visibility": "visible".__ne__,
    "opacity": _is_faint,
    "filter": _is_hiding_filter,
    "font-size": _is_small_type,
    "font-size-adjust": _is_set,
    "zoom": _is_small_zoom,
    "clip": is_empty_rect,
    "clip-path": lambda value: "(" in value,
    "mask-image": lambda value: "gradient" in value or "#" in value,
    "content": lambda value: "url(" in value,
    "contain": lambda value: any(word in value for word in ("paint", "strict", "content", "size")),
    "container-type": lambda value: value not in {"normal", "none"},
    "text-indent": _is_indented,
    "letter-spacing": lambda value: abs(parse_pixels(value) or 0.0) >= 8,
    "line-height": _is_flat_line,
    "z-index": lambda value: value.startswith("-"),
    "mix-blend-mode": _is_set,
    "-webkit-text-security": _is_set,
    "animation-name": _is_set,
    "backface-visibility": "hidden".__eq__,
    "grid-template-rows": lambda value: f"{value} ".startswith(_GRID_ZEROS),
    "grid-template-columns": lambda value: f"{value} ".startswith(_GRID_ZEROS),
    "flex-grow": lambda _: False,
    "flex-basis": lambda value: _is_speck(value) and not value.endswith("%"),
    "max-width": _is_speck,
    "width": _is_speck,
    "height": _is_speck,
    "max-height": _is_speck,
    **dict.fromkeys(("transform", "translate", "scale", "rotate", "offset-path"), _is_set),
    **dict.fromkeys(("left", "right", "top", "bottom"), _is_far),
    "margin-left": _is_far_back,
    "margin-right": _is_far_back,
    "margin-top": _is_far_back,
}
