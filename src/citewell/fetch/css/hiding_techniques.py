"""Detects declarations that hide an element with all its content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from citewell.fetch.css.lengths import EM_PIXELS, parse_number, parse_pixels

MIN_READABLE_OPACITY = 0.12  # opacity below which nothing can be read
MIN_READABLE_PIXELS = 3.0  # font size in pixels below which nothing can be read
_MAX_SPECK_PIXELS = 1.5  # pixels
_OFF_SCREEN_START_PIXELS = -400.0
_OFF_SCREEN_END_PIXELS = 3000.0
_CLIPPING_OVERFLOWS = frozenset({"hidden", "clip", "scroll", "auto"})
_FUNCTION_CALL = re.compile(r"(?<![a-z0-9-])([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_VALUE_SEPARATOR = re.compile(r"[\s,]+")
_OPAQUE_COLOUR = re.compile(
    r"#[0-9a-f]+|\b(?:black|white|red|green|blue|gr[ae]y|currentcolor)\b|rgba?\([^()]*\)"
)
_TRANSPARENT_COLOUR = re.compile(
    r"rgba?\([^()]*[,/]\s*0?\.?0+%?\s*\)|#[0-9a-f]{6}00\b|#[0-9a-f]{3}0\b"
)
_SIZE_PROPERTIES = ("width", "height", "max-width", "max-height")
_SIDE_PROPERTIES = ("left", "right", "top", "bottom")


def find_hiding_technique(values: Mapping[str, str]) -> str | None:
    """The technique by which these property values hide the element; None if they do not."""
    return next((name for name, test in _TECHNIQUE_TESTS if test(values)), None)


@lru_cache(maxsize=4096)
def may_hide(name: str, value: str) -> bool:
    """Whether this declaration may take part in hiding: a fast check that says yes when in doubt."""
    if "var(" in value:
        return True
    test = _MAY_HIDE_TESTS.get(name)
    return test is not None and test(value)


def _is_display_none(values: Mapping[str, str]) -> bool:
    return values.get("display") == "none"


def _is_content_hidden(values: Mapping[str, str]) -> bool:
    return values.get("content-visibility") == "hidden"


def _is_transparent(values: Mapping[str, str]) -> bool:
    return _is_faint_opacity(values.get("opacity", "1")) or any(
        name == "opacity" and _is_faint_opacity(inside)
        for name, inside in _FUNCTION_CALL.findall(values.get("filter", ""))
    )


def _is_faint_opacity(value: str) -> bool:
    share = parse_number(value.strip())
    return share is not None and share < MIN_READABLE_OPACITY


def _is_collapsed(values: Mapping[str, str]) -> bool:
    cut = any(
        word in _CLIPPING_OVERFLOWS
        for name in ("overflow", "overflow-x", "overflow-y")
        for word in values.get(name, "").split()
    )
    small = any(_is_speck_size(values.get(name, "")) for name in _SIZE_PROPERTIES)
    flat = _is_flat_line(values.get("line-height", ""))
    return (cut and (small or flat)) or values.get("zoom") in {"0", "0%"}


def _is_speck_size(value: str) -> bool:
    size = parse_pixels(value)
    return size is not None and 0 <= size <= _MAX_SPECK_PIXELS


def _is_flat_line(value: str) -> bool:
    height = parse_number(value) if value[-1:].isdigit() else parse_pixels(value)
    return height is not None and height < 0.1


def _is_clipped_away(values: Mapping[str, str]) -> bool:
    return _is_empty_rect(values.get("clip", "")) or _is_empty_clip_path(
        values.get("clip-path", "")
    )


def _is_empty_rect(value: str) -> bool:
    match = _FUNCTION_CALL.fullmatch(value)
    if match is None or match[1] != "rect":
        return False
    sides = [parse_pixels(part) for part in _VALUE_SEPARATOR.split(match[2].strip())]
    if len(sides) != 4 or None in sides:
        return False
    top, right, bottom, left = (side or 0.0 for side in sides)
    return bottom - top <= _MAX_SPECK_PIXELS or right - left <= _MAX_SPECK_PIXELS


def _is_empty_clip_path(value: str) -> bool:
    match = _FUNCTION_CALL.search(value)
    if match is None:
        return False
    shape, inside = match[1], match[2].partition(" at ")[0].partition(" round ")[0].strip()
    if shape == "polygon":
        return _is_empty_polygon(inside)
    sizes = [parse_pixels(part, percent=1.0) for part in _VALUE_SEPARATOR.split(inside) if part]
    if shape == "inset":
        return _is_empty_inset(sizes)
    if shape in {"circle", "ellipse"}:
        return any(size is not None and size <= _MAX_SPECK_PIXELS for size in sizes)
    return shape == "rect" and _is_empty_rect(f"rect({inside})")


def _is_empty_inset(sizes: list[float | None]) -> bool:
    if not sizes or None in sizes:
        return False
    known = [size or 0.0 for size in sizes]
    top, right, bottom, left = (
        (known * 4)[:4] if len(known) != 3 else (known[0], known[1], known[2], known[1])
    )
    return top + bottom >= 99 or left + right >= 99


def _is_empty_polygon(inside: str) -> bool:
    points = [_VALUE_SEPARATOR.split(point.strip()) for point in inside.split(",") if point.strip()]
    places = [[parse_pixels(part, percent=1.0) or 0.0 for part in point[:2]] for point in points]
    if not places or any(len(place) != 2 for place in places):
        return False
    wide = max(x for x, _ in places) - min(x for x, _ in places)
    high = max(y for _, y in places) - min(y for _, y in places)
    return wide <= _MAX_SPECK_PIXELS or high <= _MAX_SPECK_PIXELS


def _is_indented_away(values: Mapping[str, str]) -> bool:
    value = values.get("text-indent", "")
    return _is_far_length(value.split()[0] if value else "")


def _is_far_length(value: str) -> bool:
    place = parse_pixels(value)
    return place is not None and (
        place <= _OFF_SCREEN_START_PIXELS or place >= _OFF_SCREEN_END_PIXELS
    )


def _is_off_screen(values: Mapping[str, str]) -> bool:
    if _is_margin_off_screen(values):
        return True
    if values.get("position", "static") in {"static", "inherit", "initial", "unset"}:
        return False
    return any(_is_far_length(values.get(side, "")) for side in _SIDE_PROPERTIES) or any(
        _is_far_length(part) for part in values.get("inset", "").split()
    )


def _is_margin_off_screen(values: Mapping[str, str]) -> bool:
    """Whether a negative margin moves it off screen; percentages are used for layout."""
    sides = [
        values.get("margin-left", ""),
        values.get("margin-top", ""),
        *values.get("margin", "").split(),
    ]
    return any(
        not side.endswith("%") and (parse_pixels(side) or 0.0) <= _OFF_SCREEN_START_PIXELS
        for side in sides
    )


def _is_transformed_away(values: Mapping[str, str]) -> bool:
    wide = max(
        parse_pixels(values.get("width", "")) or 0.0,
        parse_pixels(values.get("max-width", "")) or 0.0,
    )
    calls = _FUNCTION_CALL.findall(values.get("transform", ""))
    if values.get("scale"):
        calls.append(("scale", values["scale"]))
    if values.get("translate"):
        calls.append(("translate", values["translate"]))
    return any(_hides_by_call(name, inside, wide) for name, inside in calls)


def _hides_by_call(name: str, inside: str, wide: float) -> bool:
    parts = [part for part in _VALUE_SEPARATOR.split(inside.strip()) if part]
    if name.startswith("scale"):
        return any(
            (parse_number(part) or 0.0) < 0.02
            for part in parts[:2]
            if parse_number(part) is not None
        )
    if name == "matrix" and len(parts) == 6:
        return (
            parse_pixels(parts[0]) == 0
            or parse_pixels(parts[3]) == 0
            or _is_translated_away(parts[4:], wide)
        )
    if name.startswith("translate"):
        # A wide element moved by less than its width is a carousel.
        return _is_translated_away(parts[:2], wide)
    if name in {"rotatex", "rotatey"}:
        angle = parse_pixels(parts[0]) if parts else None
        return angle is not None and abs(abs(angle) % 180 - 90) < 1
    return False


def _is_translated_away(parts: list[str], wide: float) -> bool:
    for part in parts:
        place = parse_pixels(part)
        if (
            place is not None
            and not part.endswith("%")
            and (
                place <= min(_OFF_SCREEN_START_PIXELS, -wide)
                or place >= max(_OFF_SCREEN_END_PIXELS, wide)
            )
        ):
            return True
        if part.endswith("%") and (place or 0.0) <= 4 * -300:
            return True
    return False


def _is_masked_out(values: Mapping[str, str]) -> bool:
    value = values.get("mask-image", "")
    if "gradient(" not in value:
        return False
    rest = _TRANSPARENT_COLOUR.sub("", value).replace("transparent", "")
    return rest != value and not _OPAQUE_COLOUR.search(rest)


def _is_spaced_away(values: Mapping[str, str]) -> bool:
    space = parse_pixels(values.get("letter-spacing", ""))
    cut = values.get("overflow", "").startswith(("hidden", "clip"))
    return space is not None and (space <= -8 or (space >= 100 and cut))


_TECHNIQUE_TESTS: tuple[tuple[str, Callable[[Mapping[str, str]], bool]], ...] = (
    ("display", _is_display_none),
    ("contentVisibility", _is_content_hidden),
    ("opacity", _is_transparent),
    ("clip", _is_clipped_away),
    ("size", _is_collapsed),
    ("indent", _is_indented_away),
    ("offScreen", _is_off_screen),
    ("transform", _is_transformed_away),
    ("mask", _is_masked_out),
    ("letterSpacing", _is_spaced_away),
)


def _is_small_type(value: str) -> bool:
    size = parse_pixels(value, percent=EM_PIXELS / 100)
    return size is not None and size < 8


def _is_any_value(_: str) -> bool:
    return True


_MAY_HIDE_TESTS: dict[str, Callable[[str], bool]] = {
    "display": "none".__eq__,
    "content-visibility": "hidden".__eq__,
    "visibility": lambda value: value != "visible",
    "opacity": _is_faint_opacity,
    "fill-opacity": _is_faint_opacity,
    "filter": lambda value: "opacity" in value,
    "font-size": _is_small_type,
    "clip": _is_empty_rect,
    "clip-path": _is_empty_clip_path,
    "text-indent": lambda value: _is_far_length(value.split()[0] if value else ""),
    "inset": lambda value: any(_is_far_length(part) for part in value.split()),
    "margin": lambda value: any(
        (parse_pixels(part) or 0.0) <= _OFF_SCREEN_START_PIXELS for part in value.split()
    ),
    "transform": _is_any_value,
    "scale": lambda value: (parse_number(value.split()[0]) or 0.0) < 0.02 if value else False,
    "translate": _is_any_value,
    "mask-image": lambda value: "gradient" in value,
    "letter-spacing": lambda value: abs(parse_pixels(value) or 0.0) >= 8,
    "line-height": _is_flat_line,
    "z-index": lambda value: value.startswith("-"),
    "zoom": lambda value: value in {"0", "0%"},
    **dict.fromkeys(_SIZE_PROPERTIES, _is_speck_size),
    **dict.fromkeys((*_SIDE_PROPERTIES, "margin-left", "margin-top"), _is_far_length),
}
