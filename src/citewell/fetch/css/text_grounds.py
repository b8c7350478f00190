"""Reads the colours that an element paints behind its text."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.fetch.css.sheets.shorthands import is_image_value
from citewell.fetch.css.values import colours
from citewell.fetch.css.values.clip_shapes import list_gradient_colours
from citewell.fetch.css.values.colours import RgbColour
from citewell.fetch.css.values.value_parts import split_arguments

# The colours that may lie behind; None if they are not known.
Grounds = tuple[RgbColour, ...] | None

UNSET_VALUES = frozenset({"", "inherit", "unset", "revert", "revert-layer"})
UNPAINTED_VALUES = UNSET_VALUES | {"initial", "none", "transparent"}
_WHOLE_SIZES = frozenset({"auto", "cover", "contain", "100%", "initial", "100vw", "100vh"})
_BROWSER_GROUNDS = {
    "button": "buttonface", "input": "field", "select": "field", "textarea": "field",
    "mark": "yellow", "dialog": "canvas",
}  # fmt: skip


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
    if any(
        not _covers_box(size) for size in split_arguments(values.get("background-size", "auto"))
    ):
        return None
    shades: list[RgbColour] = []
    for layer in split_arguments(picture):
        stops = [
            colours.parse_colour(text, current=ink, dark=dark)
            for text in list_gradient_colours(layer)
        ]
        if not stops or any(stop is None or 0 < stop.alpha < 1 for stop in stops):
            return None
        shades += [stop for stop in stops if stop is not None]
    opaque = [shade for shade in shades if shade.alpha == 1]
    if len(opaque) < len(shades):
        under = behind if base == () else base
        return None if under is None else tuple(dict.fromkeys((*under, *opaque)))
    return tuple(dict.fromkeys(opaque))


def _covers_box(size: str) -> bool:
    """Whether a background of this size covers its element: smaller ones draw lines and patterns."""
    return size in UNSET_VALUES or all(word in _WHOLE_SIZES for word in size.split())


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
