"""Answers what an element's computed values settle about its box: kind, clipping, size, transforms."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from citewell.reading.css.value_parts import (
    VIEW_WIDTH_PIXELS,
    load_css_words,
    parse_calls,
    parse_number,
    parse_pixels,
    split_words,
)

_Matrix = tuple[tuple[float, ...], ...]
_IDENTITY: _Matrix = tuple(tuple(float(row == column) for column in range(4)) for row in range(4))
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_FUNCTION_BY_PROPERTY = {
    "translate": "translate3d", "rotate": "rotate-property", "scale": "scale",
}  # fmt: skip
_MAX_FUNCTIONS = 24  # of one transform; the rest is left out
_MIN_VOLUME = 1e-7
_PATH_START = re.compile(r"m\s*([+-]?\d+(?:\.\d+)?)[\s,]*([+-]?\d+(?:\.\d+)?)", re.IGNORECASE)
_OWN_WIDTH_PERCENT = VIEW_WIDTH_PIXELS / 100

SVG_SHAPE_TAGS = frozenset({"text", "tspan", "textpath", "g", "use", "switch"})
_INLINE_DISPLAYS = frozenset({"inline", "ruby", "ruby-text", "inline flow", "inline ruby"})
_ITEM_DISPLAYS = ("flex", "grid", "-webkit-flex", "-webkit-box", "-ms-flexbox")
_CLIPPING_OVERFLOWS = frozenset({"hidden", "clip", "scroll", "auto", "overlay"})
_CONTAINING_WORDS = ("paint", "strict", "content", "layout")
_POSITIONED = frozenset({"relative", "absolute", "fixed", "sticky", "-webkit-sticky"})


def is_positioned(values: Mapping[str, str]) -> bool:
    return values.get("position", "") in _POSITIONED


def lays_out_items(values: Mapping[str, str]) -> bool:
    """Whether the element's children are items of a flex box or a grid."""
    display = values.get("display", "")
    return display.startswith(("flex", "grid", "inline-flex", "inline-grid", "-")) or any(
        word in _ITEM_DISPLAYS for word in display.split()
    )


def is_inline(tag: str, values: Mapping[str, str], *, is_item: bool) -> bool:
    """Whether the element is part of a line, where it has no size and no transform of its own."""
    if is_item or values.get("position") in {"absolute", "fixed"}:
        return False
    if values.get("float", "none") in {"left", "right", "inline-start", "inline-end"}:
        return False
    if tag in load_css_words("sized_inline_tags"):
        return False
    display = values.get("display", "")
    return display in _INLINE_DISPLAYS if display else tag not in load_css_words("block_tags")


def clips_content(values: Mapping[str, str]) -> bool:
    """Whether what reaches out of the box is cut off."""
    if any(values.get(name, "") in _CLIPPING_OVERFLOWS for name in ("overflow-x", "overflow-y")):
        return True
    words = values.get("contain", "").split()
    return any(word in {"paint", "strict", "content"} for word in words)


def holds_positioned(values: Mapping[str, str], *, fixed: bool = False) -> bool:
    """Whether positioned descendants are placed in this box, and so clipped by it."""
    if not fixed and is_positioned(values):
        return True
    contain = values.get("contain", "")
    return (
        has_transform(values)
        or values.get("filter", "none") != "none"
        or values.get("perspective", "none") != "none"
        or any(word in contain for word in _CONTAINING_WORDS)
        or values.get("content-visibility", "") in {"auto", "hidden"}
    )


def makes_context(values: Mapping[str, str], *, is_item: bool) -> bool:
    """Whether the element stacks its descendants, so that none of them goes behind its background."""
    z_index = values.get("z-index", "auto")
    if z_index != "auto" and (is_positioned(values) or is_item):
        return True
    return (
        values.get("position", "") in {"fixed", "sticky", "-webkit-sticky"}
        or has_transform(values)
        or values.get("opacity", "1") not in {"1", "100%", "1.0"}
        or values.get("filter", "none") != "none"
        or values.get("isolation", "") == "isolate"
        or values.get("mix-blend-mode", "normal") != "normal"
        or values.get("clip-path", "none") != "none"
        or values.get("mask-image", "none") != "none"
        or any(word in values.get("contain", "") for word in _CONTAINING_WORDS)
        or values.get("container-type", "normal") not in {"normal", ""}
        or values.get("will-change", "") in {"transform", "opacity"}
    )


def measure_height(values: Mapping[str, str]) -> float | None:
    """The height of the content box, if the values settle it; padding below shows text too."""
    height = _combine_size_limits(
        values, "height", percent_counts=values.get("position") in {"absolute", "fixed"}
    )
    words = values.get("contain", "").split()
    if height is None and (
        any(word in {"size", "strict"} for word in words)
        or values.get("container-type", "") == "size"
    ):
        height = parse_pixels(values.get("min-height", "")) or 0.0
    return None if height is None else height + _measure_padding(values, "padding-bottom")


def measure_width(values: Mapping[str, str]) -> float | None:
    """The width of the content box, if the values settle it; padding at the right shows text too."""
    width = _combine_size_limits(values, "width", percent_counts=True)
    return None if width is None else width + _measure_padding(values, "padding-right")


def _combine_size_limits(
    values: Mapping[str, str], name: str, *, percent_counts: bool
) -> float | None:
    """The least of the size and its maximum, but not below its minimum."""
    sizes = []
    for each in (name, f"max-{name}"):
        text = values.get(each, "")
        size = parse_pixels(text)
        if size is not None and (percent_counts or not text.endswith("%")):
            sizes.append(size)
    if not sizes:
        return None
    return max(min(sizes), parse_pixels(values.get(f"min-{name}", "")) or 0.0)


def _measure_padding(values: Mapping[str, str], name: str) -> float:
    text = values.get(name, "0")
    return max(0.0, parse_pixels(text) or 0.0)


# Composes an element's transforms into one matrix, to see whether anything of it is left to see.


class TransformEffect(NamedTuple):
    """What a transform does to an element, as far as it can be told without layout."""

    scale: float = 1.0  # the smaller of its two scales, from 0
    shift_x: float = 0.0
    shift_y: float = 0.0
    is_behind_viewer: bool = False
    is_turned_away: bool = False  # its back is seen


def has_transform(values: Mapping[str, str]) -> bool:
    return any(
        values.get(name, "none") != "none"
        for name in ("transform", "translate", "rotate", "scale", "offset-path")
    )


def measure_transform(
    values: Mapping[str, str], *, perspective: float = 0.0, em: float = 16.0
) -> TransformEffect:
    """The effect of `translate`, `rotate`, `scale` and `transform`, in a parent with a perspective."""
    matrix = _build_perspective(perspective) if perspective else _IDENTITY
    for name, parts in _list_functions(values):
        matrix = _multiply_matrices(matrix, _build_matrix(name, parts, em))
    depth = matrix[3][3]
    if depth <= 0:
        return TransformEffect(is_behind_viewer=True, scale=0.0)
    a, b, c, d = (
        value / depth for value in (matrix[0][0], matrix[0][1], matrix[1][0], matrix[1][1])
    )
    # The point around which it is transformed; places inside its box count as its corner.
    origin = split_words(values.get("transform-origin", ""))
    far = [parse_pixels(part, em=em, percent=0.0) or 0.0 for part in origin]
    far_x, far_y = (*far, 0.0, 0.0)[:2]
    path = values.get("offset-path", "none")
    start = _PATH_START.search(path) if path.startswith("path(") else None
    path_x, path_y = map(_limit_number, map(float, start.groups())) if start else (0.0, 0.0)
    (m, n, o, _), (p, q, r, _), (s, t, u, _) = matrix[:3]
    volume = m * (q * u - r * t) - n * (p * u - r * s) + o * (p * t - q * s)
    is_flat = (
        abs(volume) < _MIN_VOLUME
    )  # it has no inverse: browsers paint no element without depth
    return TransformEffect(
        scale=0.0 if is_flat else _measure_smaller_scale(a, b, c, d),
        shift_x=_limit_number(matrix[0][3] / depth + far_x - a * far_x - b * far_y + path_x),
        shift_y=_limit_number(matrix[1][3] / depth + far_y - c * far_x - d * far_y + path_y),
        is_turned_away=matrix[2][2] < -1e-6 and a * d - b * c < 0,
    )


def _measure_smaller_scale(a: float, b: float, c: float, d: float) -> float:
    """The smaller singular value of a matrix of two rows: how flat the transform makes the element."""
    whole = a * a + b * b + c * c + d * d
    spread = math.sqrt(max(0.0, whole * whole - 4 * (a * d - b * c) ** 2))
    return math.sqrt(max(0.0, (whole - spread) / 2))


def _list_functions(values: Mapping[str, str]) -> list[tuple[str, Sequence[str]]]:
    calls = [
        (function, values[name])
        for name, function in _FUNCTION_BY_PROPERTY.items()
        if values.get(name, "none") != "none"
    ]
    calls += parse_calls(values.get("transform", ""))[:_MAX_FUNCTIONS]
    return [(name, split_words(inside)) for name, inside in calls]


def _build_matrix(name: str, parts: Sequence[str], em: float) -> _Matrix:
    if name.startswith("translate"):
        return _build_translation(name, parts, em)
    if name.startswith("scale"):
        return _build_scale(name, parts)
    if name.startswith("rotate"):
        return _build_rotation(name, parts)
    if name.startswith("skew"):
        return _build_skew(name, parts)
    numbers = [parse_number(part) for part in parts]
    if name == "perspective" and parts:
        return _build_perspective(parse_pixels(parts[0], em=em) or 0.0)
    if name == "matrix" and len(numbers) == 6 and None not in numbers:
        a, b, c, d, e, f = (number or 0.0 for number in numbers)
        return ((a, c, 0.0, e), (b, d, 0.0, f), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    if name == "matrix3d" and len(numbers) == 16 and None not in numbers:
        known = [number or 0.0 for number in numbers]
        return tuple(tuple(known[row::4]) for row in range(4))
    return _IDENTITY


def _build_translation(name: str, parts: Sequence[str], em: float) -> _Matrix:
    moves = [parse_pixels(part, em=em, percent=_OWN_WIDTH_PERCENT) or 0.0 for part in parts[:3]]
    if name == "translatey":
        moves = [0.0, *moves]
    elif name == "translatez":
        moves = [0.0, 0.0, *moves]
    x, y, z = (*moves, 0.0, 0.0, 0.0)[:3]
    if "%" in "".join(parts[0 if name == "translatey" else 1 :][:1]):
        y /= _OWN_WIDTH_PERCENT  # a share of its own height: a line or two, taken as 100 pixels
    return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z), (0.0, 0.0, 0.0, 1.0))


def _build_scale(name: str, parts: Sequence[str]) -> _Matrix:
    sizes = [parse_number(part) for part in parts]
    x = 1.0 if not sizes or sizes[0] is None else sizes[0]
    y = x if len(sizes) < 2 or sizes[1] is None else sizes[1]
    z = 1.0 if len(sizes) < 3 or sizes[2] is None else sizes[2]
    if name == "scalex":
        y = 1.0
    elif name == "scaley":
        x, y = 1.0, x
    elif name == "scalez":
        x, y, z = 1.0, 1.0, x
    return ((x, 0.0, 0.0, 0.0), (0.0, y, 0.0, 0.0), (0.0, 0.0, z, 0.0), (0.0, 0.0, 0.0, 1.0))


def _build_rotation(name: str, parts: Sequence[str]) -> _Matrix:
    if not parts:
        return _IDENTITY
    angle_text = parts[0] if name == "rotate" else parts[-1]
    axis = _AXES["z"]
    if name == "rotate":
        return _rotate_about(axis, math.radians(parse_pixels(angle_text) or 0.0))
    if name in {"rotatex", "rotatey"}:
        axis = _AXES[name[-1]]
    elif name == "rotate3d" or len(parts) == 4:
        numbers = [parse_number(part) or 0.0 for part in parts[:3]]
        axis = (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else axis
    elif len(parts) == 2:
        word = next((part for part in parts if part in _AXES), "z")
        angle_text = next((part for part in parts if part not in _AXES), "0")
        axis = _AXES[word]
    return _rotate_about(axis, math.radians(parse_pixels(angle_text) or 0.0))


def _rotate_about(axis: tuple[float, float, float], angle: float) -> _Matrix:
    length = math.sqrt(sum(part * part for part in axis))
    if not length or not math.isfinite(length):
        return _IDENTITY
    x, y, z = (part / length for part in axis)
    s, c = math.sin(angle), math.cos(angle)
    t = 1 - c
    return (
        (t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0),
        (t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0),
        (t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0),
        (0.0, 0.0, 0.0, 1.0),
    )


def _build_skew(name: str, parts: Sequence[str]) -> _Matrix:
    angles = [math.radians(parse_pixels(part) or 0.0) for part in parts[:2]]
    first = math.tan(angles[0]) if angles else 0.0
    second = math.tan(angles[1]) if len(angles) > 1 else 0.0
    if name == "skewy":
        first, second = 0.0, first
    return (
        (1.0, _limit_number(first), 0.0, 0.0),
        (_limit_number(second), 1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0, 1.0),
    )


def _build_perspective(distance: float) -> _Matrix:
    if distance <= 0:
        return _IDENTITY
    last = (0.0, 0.0, -1 / max(1.0, distance), 1.0)
    return (*_IDENTITY[:3], last)


def _multiply_matrices(left: _Matrix, right: _Matrix) -> _Matrix:
    return tuple(
        tuple(
            _limit_number(sum(left[row][inner] * right[inner][column] for inner in range(4)))
            for column in range(4)
        )
        for row in range(4)
    )


def _limit_number(value: float) -> float:
    return max(-1e9, min(1e9, value))
