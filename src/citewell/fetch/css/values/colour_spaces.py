"""Converts colours between sRGB (each part from 0 to 255) and the other colour spaces of CSS."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

Triple = tuple[float, float, float]
_Matrix = tuple[Triple, Triple, Triple]


class RgbColour(NamedTuple):
    red: float
    green: float
    blue: float
    alpha: float = 1.0


# From linear sRGB to the cone responses of OKLab, from those to OKLab, and both ways back.
_TO_CONES: _Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_OKLAB: _Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_OKLAB: _Matrix = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES: _Matrix = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)
# Between linear sRGB and XYZ at the white point of CSS Lab (D50).
_TO_XYZ: _Matrix = (
    (0.4360747, 0.3850649, 0.1430804),
    (0.2225045, 0.7168786, 0.0606169),
    (0.0139322, 0.0971045, 0.7141733),
)
_FROM_XYZ: _Matrix = (
    (3.1338561, -1.6168667, -0.4906146),
    (-0.9787684, 1.9161415, 0.0334540),
    (0.0719453, -0.2289914, 1.4052427),
)
_WHITE_POINT = (0.96422, 1.0, 0.82521)
_LAB_LIMIT = 216 / 24389
_LAB_SLOPE = 24389 / 27
_MAX_PART = 1e6  # larger numbers in a page are cut, so that no power overflows


def convert_to_rgb(space: str, parts: Sequence[float]) -> Triple:
    """The sRGB colour of three parts in `space`; parts outside the gamut are cut off."""
    one, two, three = (max(-_MAX_PART, min(_MAX_PART, part)) for part in parts)
    red, green, blue = _FROM_SPACE[space]((one, two, three))
    return _cut_part(red), _cut_part(green), _cut_part(blue)


def convert_from_rgb(space: str, rgb: Triple) -> Triple:
    """The three parts in `space` of an sRGB colour."""
    return _TO_SPACE[space](rgb)


def is_known_space(space: str) -> bool:
    return space in _FROM_SPACE


def _cut_part(value: float) -> float:
    return max(0.0, min(255.0, value))


def _multiply_by_matrix(matrix: _Matrix, parts: Triple) -> Triple:
    one, two, three = (row[0] * parts[0] + row[1] * parts[1] + row[2] * parts[2] for row in matrix)
    return one, two, three


def _map_parts(function: Callable[[float], float], parts: Triple) -> Triple:
    return function(parts[0]), function(parts[1]), function(parts[2])


def _linearize_part(part: float) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _encode_linear(share: float) -> float:
    share = max(0.0, min(1.0, share))
    return 255 * (12.92 * share if share <= 0.0031308 else 1.055 * share ** (1 / 2.4) - 0.055)


def _decode_hsl(parts: Triple) -> Triple:
    light, rich = (max(0.0, min(1.0, part / 100)) for part in (parts[2], parts[1]))
    red, green, blue = colorsys.hls_to_rgb(parts[0] / 360 % 1, light, rich)
    return red * 255, green * 255, blue * 255


def _encode_hsl(rgb: Triple) -> Triple:
    hue, light, rich = colorsys.rgb_to_hls(rgb[0] / 255, rgb[1] / 255, rgb[2] / 255)
    return hue * 360, rich * 100, light * 100


def _decode_hwb(parts: Triple) -> Triple:
    white, black = max(0.0, parts[1] / 100), max(0.0, parts[2] / 100)
    if white + black >= 1:
        level = 255 * white / (white + black)
        return level, level, level
    pure = colorsys.hls_to_rgb(parts[0] / 360 % 1, 0.5, 1.0)
    return _map_parts(lambda part: 255 * (part * (1 - white - black) + white), pure)


def _encode_hwb(rgb: Triple) -> Triple:
    return _encode_hsl(rgb)[0], min(rgb) / 2.55, 100 - max(rgb) / 2.55


def _decode_oklab(parts: Triple) -> Triple:
    cones = _map_parts(lambda part: part**3, _multiply_by_matrix(_FROM_OKLAB, parts))
    return _map_parts(_encode_linear, _multiply_by_matrix(_FROM_CONES, cones))


def _encode_oklab(rgb: Triple) -> Triple:
    cones = _multiply_by_matrix(_TO_CONES, _map_parts(_linearize_part, rgb))
    return _multiply_by_matrix(_TO_OKLAB, _map_parts(math.cbrt, cones))


def _decode_lab(parts: Triple) -> Triple:
    middle = (parts[0] + 16) / 116
    bases = (middle + parts[1] / 500, middle, middle - parts[2] / 200)
    xyz = [
        (base**3 if base**3 > _LAB_LIMIT else (116 * base - 16) / _LAB_SLOPE) * white
        for base, white in zip(bases, _WHITE_POINT, strict=True)
    ]
    return _map_parts(_encode_linear, _multiply_by_matrix(_FROM_XYZ, (xyz[0], xyz[1], xyz[2])))


def _encode_lab(rgb: Triple) -> Triple:
    xyz = _multiply_by_matrix(_TO_XYZ, _map_parts(_linearize_part, rgb))
    x, y, z = (
        math.cbrt(part / white)
        if part / white > _LAB_LIMIT
        else (_LAB_SLOPE * part / white + 16) / 116
        for part, white in zip(xyz, _WHITE_POINT, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _straighten_hue(parts: Triple) -> Triple:
    """Lightness, chroma and hue as lightness and two axes."""
    angle = math.radians(parts[2])
    return parts[0], parts[1] * math.cos(angle), parts[1] * math.sin(angle)


def _bend_axes(parts: Triple) -> Triple:
    """Lightness and two axes as lightness, chroma and hue."""
    hue = math.degrees(math.atan2(parts[2], parts[1])) % 360
    return parts[0], math.hypot(parts[1], parts[2]), hue


def _decode_linear(parts: Triple) -> Triple:
    return _map_parts(_encode_linear, parts)


def _encode_from_linear(rgb: Triple) -> Triple:
    return _map_parts(_linearize_part, rgb)


def _scale_up(parts: Triple) -> Triple:
    return _map_parts(lambda part: part * 255, parts)


def _scale_down(rgb: Triple) -> Triple:
    return _map_parts(lambda part: part / 255, rgb)


def _keep_parts(parts: Triple) -> Triple:
    return parts


# Wide gamuts are read as sRGB: near enough to tell whether text stands out.
_WIDE_SPACES = ("srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")
_FROM_SPACE: dict[str, Callable[[Triple], Triple]] = {
    "rgb": _keep_parts,
    **dict.fromkeys(_WIDE_SPACES, _scale_up),
    "srgb-linear": _decode_linear,
    "hsl": _decode_hsl,
    "hwb": _decode_hwb,
    "oklab": _decode_oklab,
    "oklch": lambda parts: _decode_oklab(_straighten_hue(parts)),
    "lab": _decode_lab,
    "lch": lambda parts: _decode_lab(_straighten_hue(parts)),
    **dict.fromkeys(
        ("xyz", "xyz-d50", "xyz-d65"),
        lambda parts: _decode_linear(_multiply_by_matrix(_FROM_XYZ, parts)),
    ),
}
_TO_SPACE: dict[str, Callable[[Triple], Triple]] = {
    "rgb": _keep_parts,
    **dict.fromkeys(_WIDE_SPACES, _scale_down),
    "srgb-linear": _encode_from_linear,
    "hsl": _encode_hsl,
    "hwb": _encode_hwb,
    "oklab": _encode_oklab,
    "oklch": lambda rgb: _bend_axes(_encode_oklab(rgb)),
    "lab": _encode_lab,
    "lch": lambda rgb: _bend_axes(_encode_lab(rgb)),
    **dict.fromkeys(
        ("xyz", "xyz-d50", "xyz-d65"),
        lambda rgb: _multiply_by_matrix(_TO_XYZ, _encode_from_linear(rgb)),
    ),
}
