"""Composes an element's transforms into one matrix, to see whether anything of it is left to see."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from citewell.fetch.css.values.lengths import VIEW_WIDTH_PIXELS, parse_number, parse_pixels
from citewell.fetch.css.values.value_parts import parse_calls, split_words

_Matrix = tuple[tuple[float, ...], ...]
_IDENTITY: _Matrix = tuple(tuple(float(row == column) for column in range(4)) for row in range(4))
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_MAX_FUNCTIONS = 24  # of one transform; the rest is left out
_MIN_VOLUME = 1e-7
_PATH_START = re.compile(r"m\s*([+-]?\d+(?:\.\d+)?)[\s,]*([+-]?\d+(?:\.\d+)?)", re.IGNORECASE)
_OWN_WIDTH_PERCENT = VIEW_WIDTH_PIXELS / 100


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
    far_x, far_y = _read_origin(values.get("transform-origin", ""), em)
    path_x, path_y = _read_path_start(values.get("offset-path", "none"))
    is_flat = abs(_measure_volume(matrix)) < _MIN_VOLUME  # browsers paint no element without depth
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


def _measure_volume(matrix: _Matrix) -> float:
    """What a transform makes of a volume: nothing, if it has no inverse."""
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = matrix[:3]
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _read_origin(value: str, em: float) -> tuple[float, float]:
    """The point around which the element is transformed; places inside its box count as its corner."""
    parts = [parse_pixels(part, em=em, percent=0.0) or 0.0 for part in split_words(value)]
    x, y = (*parts, 0.0, 0.0)[:2]
    return x, y


def _read_path_start(value: str) -> tuple[float, float]:
    """Where a path begins along which the element is placed."""
    match = _PATH_START.search(value) if value.startswith("path(") else None
    if match is None:
        return 0.0, 0.0
    return _limit_number(float(match[1])), _limit_number(float(match[2]))


def _list_functions(values: Mapping[str, str]) -> list[tuple[str, Sequence[str]]]:
    found: list[tuple[str, Sequence[str]]] = []
    if (move := values.get("translate", "none")) != "none":
        found.append(("translate3d", split_words(move)))
    if (turn := values.get("rotate", "none")) != "none":
        found.append(("rotate-property", split_words(turn)))
    if (size := values.get("scale", "none")) != "none":
        found.append(("scale", split_words(size)))
    calls = parse_calls(values.get("transform", ""))
    found.extend((name, split_words(inside)) for name, inside in calls[:_MAX_FUNCTIONS])
    return found


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


def _multiply_matrices(one: _Matrix, two: _Matrix) -> _Matrix:
    return tuple(
        tuple(
            _limit_number(sum(one[row][inner] * two[inner][column] for inner in range(4)))
            for column in range(4)
        )
        for row in range(4)
    )


def _limit_number(value: float) -> float:
    return max(-1e9, min(1e9, value))
