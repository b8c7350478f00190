"""Parses CSS colours, converts them between colour spaces, and tells whether text is readable on one."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from citewell.reading.css import value_parts
from citewell.text.data_tables import load_table

Triple = tuple[float, float, float]


class RgbColour(NamedTuple):
    red: float
    green: float
    blue: float
    alpha: float = 1.0


_ColourParser = Callable[[str], RgbColour | None]

# What 100% stands for in each of the three parts of a colour space.
_WHOLES: dict[str, Triple] = {
    "rgb": (255, 255, 255),
    "hsl": (360, 100, 100),
    "hwb": (360, 100, 100),
    "lab": (100, 125, 125),
    "lch": (100, 150, 360),
    "oklab": (1, 0.4, 0.4),
    "oklch": (1, 0.4, 360),
}
_FUNCTION_SPACES = {"rgba": "rgb", "hsla": "hsl", **{name: name for name in _WHOLES}}
_CHANNELS = {
    "rgb": "r g b",
    "hsl": "h s l",
    "hwb": "h w b",
    "lab": "l a b",
    "lch": "l c h",
    "oklab": "l a b",
    "oklch": "l c h",
}
_WORD = re.compile(r"[a-z]+")
_HUE_PLACES = {"hsl": 0, "hwb": 0, "lch": 2, "oklch": 2}

WHITE = RgbColour(255, 255, 255)
BLACK = RgbColour(0, 0, 0)
TRANSPARENT = RgbColour(0, 0, 0, 0.0)
_HEX_COLOUR = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")
_DARK_SYSTEM_COLOURS = {
    "canvas": 0x121212, "canvastext": 0xFFFFFF, "field": 0x3B3B3B, "fieldtext": 0xFFFFFF,
    "buttonface": 0x6B6B6B, "buttontext": 0xFFFFFF, "linktext": 0x9E9EFF,
}  # fmt: skip
_MAX_COLOUR_CHARS = 400
_MAX_COLOUR_DEPTH = 6
_MIN_CONTRAST = 1.2  # contrast ratio below which words cannot be read
_WHITE_POINT = (0.96422, 1.0, 0.82521)
_LAB_LIMIT = 216 / 24389
_LAB_SLOPE = 24389 / 27
_MAX_PART = 1e6  # larger numbers in a page are cut, so that no power overflows


@lru_cache(maxsize=4096)
def parse_colour(
    text: str, *, current: RgbColour | None = None, dark: bool = False, depth: int = 0
) -> RgbColour | None:
    """The colour; None if the text is no colour, or one that is not supported.

    `current` is what `currentcolor` stands for; `dark` chooses the dark colour scheme.
    """
    text = text.strip().lower()
    if text == "transparent":
        return TRANSPARENT
    if text == "currentcolor":
        return current
    if dark and text in _DARK_SYSTEM_COLOURS:
        return _unpack_rgb(_DARK_SYSTEM_COLOURS[text])
    if digits := load_table(__package__, "colour_names").get(text):
        return _parse_hex_colour(digits)
    if match := _HEX_COLOUR.fullmatch(text):
        return _parse_hex_colour(match[1])
    if "(" not in text or len(text) > _MAX_COLOUR_CHARS or depth > _MAX_COLOUR_DEPTH:
        return None

    def parse_inner(part: str) -> RgbColour | None:
        return parse_colour(part, current=current, dark=dark, depth=depth + 1)

    return parse_colour_function(text, parse_inner, dark=dark)


def blend_over(front: RgbColour, back: RgbColour) -> RgbColour:
    """The colour that results from painting `front` over an opaque `back`."""
    share = front.alpha
    mix = [share * a + (1 - share) * b for a, b in zip(front[:3], back[:3], strict=True)]
    return RgbColour(mix[0], mix[1], mix[2])


@lru_cache(maxsize=4096)
def is_unreadable_on(text: RgbColour, ground: RgbColour) -> bool:
    """Whether text in this colour cannot be read on this background."""
    seen = blend_over(text, ground)
    dark, bright = sorted((_measure_luminance(seen), _measure_luminance(ground)))
    # Equal brightness is not enough, as red on green shows.
    is_near = max(abs(a - b) for a, b in zip(seen[:3], ground[:3], strict=True)) <= 32
    return is_near and (bright + 0.05) / (dark + 0.05) < _MIN_CONTRAST


def _measure_luminance(colour: RgbColour) -> float:
    red, green, blue = map(_linearize_part, colour[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _unpack_rgb(value: int) -> RgbColour:
    return RgbColour(value >> 16, value >> 8 & 255, value & 255)


def _parse_hex_colour(digits: str) -> RgbColour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    alpha = int(digits[6:], 16) / 255 if len(digits) == 8 else 1.0
    return _unpack_rgb(int(digits[:6], 16))._replace(alpha=alpha)


# Parses colour functions: rgb() and the like, relative colours, color-mix() and light-dark().


def parse_colour_function(text: str, parse_inner: _ColourParser, *, dark: bool) -> RgbColour | None:
    """The colour of a function call; None if it is not supported. `parse_inner` reads nested colours."""
    calls = value_parts.parse_calls(text)
    if len(calls) != 1 or not text.startswith(calls[0][0] + "("):
        return None
    name, inside = calls[0]
    if name == "light-dark":
        choices = value_parts.split_arguments(inside)
        return parse_inner(choices[dark]) if len(choices) == 2 else None
    if name == "color-mix":
        return _mix_colours(inside, parse_inner)
    words = list(value_parts.split_words(inside))
    origin = None
    if words[:1] == ["from"] and len(words) > 2:
        origin = parse_inner(words[1])
        words = words[2:]
        if origin is None:
            return None
    if name == "color" and words and words[0] in _FROM_SPACE:
        return _build_colour(words[0], (1.0, 1.0, 1.0), "r g b", words[1:], origin)
    space = _FUNCTION_SPACES.get(name)
    if space is None:
        return None
    return _build_colour(space, _WHOLES[space], _CHANNELS[space], words, origin)


def _build_colour(
    space: str, wholes: Triple, names: str, words: list[str], origin: RgbColour | None
) -> RgbColour | None:
    known: dict[str, float] = {}
    if origin is not None:
        base = _TO_SPACE[space](origin[:3])
        known = {**dict(zip(names.split(), base, strict=True)), "alpha": origin.alpha}
    if len(words) not in {3, 4}:
        return None
    parts = [
        _parse_channel(word, known, whole)
        for word, whole in zip(words, (*wholes, 1.0), strict=False)
    ]
    numbers = [part for part in parts if part is not None]
    if len(numbers) != len(parts):
        return None
    alpha = numbers[3] if len(numbers) == 4 else known.get("alpha", 1.0)
    red, green, blue = convert_to_rgb(space, numbers[:3])
    return RgbColour(red, green, blue, max(0.0, min(1.0, alpha)))


def _parse_channel(word: str, known: dict[str, float], whole: float) -> float | None:
    """A part of a colour: a number, a percentage of `whole`, or a channel of the original colour."""
    if word == "none":
        return 0.0
    if known:
        word = _WORD.sub(
            lambda name: f"{known[name[0]]:.6f}" if name[0] in known else name[0], word
        )
    value = value_parts.parse_number(word)
    if value is None or not math.isfinite(value):
        return None
    return value * whole if word.endswith("%") else value


def _mix_colours(inside: str, parse_inner: _ColourParser) -> RgbColour | None:
    method, *sides = value_parts.split_arguments(inside)
    words = method.split()
    space = words[1] if words[:1] == ["in"] and len(words) > 1 else "oklab"
    mixed = [_parse_mix_side(side, parse_inner) for side in sides[:2]]
    if len(sides) != 2 or space not in _FROM_SPACE or None in mixed:
        return None
    (left, left_share), (right, right_share) = (side for side in mixed if side is not None)
    if left_share is None:
        left_share = 1 - right_share if right_share is not None else 0.5
    if right_share is None:
        right_share = 1 - left_share
    total = left_share + right_share
    if total <= 0:
        return None
    colour = _interpolate_colours(space, left, right, right_share / total)
    return colour._replace(alpha=colour.alpha * min(1.0, total))


def _parse_mix_side(text: str, parse_inner: _ColourParser) -> tuple[RgbColour, float | None] | None:
    share = None
    colour = None
    for word in value_parts.split_words(text):
        if word.endswith("%"):
            share = value_parts.parse_number(word)
        else:
            colour = parse_inner(word)
    return (colour, share) if colour is not None else None


def _interpolate_colours(
    space: str, left_colour: RgbColour, right_colour: RgbColour, share: float
) -> RgbColour:
    """The mix in `space`, with each side counting by its alpha."""
    alpha = left_colour.alpha * (1 - share) + right_colour.alpha * share
    if alpha <= 0:
        return RgbColour(0, 0, 0, 0.0)
    first, second = _TO_SPACE[space](left_colour[:3]), _TO_SPACE[space](right_colour[:3])
    hue_place = _HUE_PLACES.get(space)
    parts = []
    for place, (left, right) in enumerate(zip(first, second, strict=True)):
        if place == hue_place:
            turn = (right - left + 180) % 360 - 180
            parts.append(left + turn * share)
        else:
            weight = left * left_colour.alpha * (1 - share) + right * right_colour.alpha * share
            parts.append(weight / alpha)
    red, green, blue = convert_to_rgb(space, parts)
    return RgbColour(red, green, blue, alpha)


# Converts colours between sRGB (each part from 0 to 255) and the other colour spaces of CSS.


def convert_to_rgb(space: str, parts: Iterable[float]) -> Triple:
    """The sRGB colour of three parts in `space`; parts outside the gamut are cut off."""
    first, second, third = (max(-_MAX_PART, min(_MAX_PART, part)) for part in parts)
    return _map_parts(
        lambda part: max(0.0, min(255.0, part)), _FROM_SPACE[space]((first, second, third))
    )


def _multiply_by_matrix(name: str, parts: Triple) -> Triple:
    """The product with a matrix between linear sRGB, the cone responses of OKLab, OKLab and XYZ (D50)."""
    rows = load_table(__package__, "colour_matrices")[name]
    first, second, third = (
        row[0] * parts[0] + row[1] * parts[1] + row[2] * parts[2] for row in rows
    )
    return first, second, third


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


def _decode_oklab(parts: Triple) -> Triple:
    cones = _map_parts(lambda part: part**3, _multiply_by_matrix("from_oklab", parts))
    return _map_parts(_encode_linear, _multiply_by_matrix("from_cones", cones))


def _encode_oklab(rgb: Triple) -> Triple:
    cones = _multiply_by_matrix("to_cones", _map_parts(_linearize_part, rgb))
    return _multiply_by_matrix("to_oklab", _map_parts(math.cbrt, cones))


def _decode_lab(parts: Triple) -> Triple:
    middle = (parts[0] + 16) / 116
    bases = (middle + parts[1] / 500, middle, middle - parts[2] / 200)
    xyz = [
        (base**3 if base**3 > _LAB_LIMIT else (116 * base - 16) / _LAB_SLOPE) * white
        for base, white in zip(bases, _WHITE_POINT, strict=True)
    ]
    return _map_parts(_encode_linear, _multiply_by_matrix("from_xyz", (xyz[0], xyz[1], xyz[2])))


def _encode_lab(rgb: Triple) -> Triple:
    xyz = _multiply_by_matrix("to_xyz", _map_parts(_linearize_part, rgb))
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


_SpaceTable = dict[str, Callable[[Triple], Triple]]
# Wide gamuts are read as sRGB: near enough to tell whether text stands out.
_WIDE_SPACES = ("srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")
_XYZ_SPACES = ("xyz", "xyz-d50", "xyz-d65")
_FROM_SPACE: _SpaceTable = {
    "rgb": lambda parts: parts,
    **dict.fromkeys(_WIDE_SPACES, lambda parts: _map_parts(lambda part: part * 255, parts)),
    "srgb-linear": lambda parts: _map_parts(_encode_linear, parts),
    "hsl": _decode_hsl,
    "hwb": _decode_hwb,
    "oklab": _decode_oklab,
    "oklch": lambda parts: _decode_oklab(_straighten_hue(parts)),
    "lab": _decode_lab,
    "lch": lambda parts: _decode_lab(_straighten_hue(parts)),
    **dict.fromkeys(
        _XYZ_SPACES,
        lambda parts: _map_parts(_encode_linear, _multiply_by_matrix("from_xyz", parts)),
    ),
}
_TO_SPACE: _SpaceTable = {
    "rgb": lambda rgb: rgb,
    **dict.fromkeys(_WIDE_SPACES, lambda rgb: _map_parts(lambda part: part / 255, rgb)),
    "srgb-linear": lambda rgb: _map_parts(_linearize_part, rgb),
    "hsl": _encode_hsl,
    "hwb": lambda rgb: (_encode_hsl(rgb)[0], min(rgb) / 2.55, 100 - max(rgb) / 2.55),
    "oklab": _encode_oklab,
    "oklch": lambda rgb: _bend_axes(_encode_oklab(rgb)),
    "lab": _encode_lab,
    "lch": lambda rgb: _bend_axes(_encode_lab(rgb)),
    **dict.fromkeys(
        _XYZ_SPACES, lambda rgb: _multiply_by_matrix("to_xyz", _map_parts(_linearize_part, rgb))
    ),
}
