"""Parses CSS colours, and tells whether text in one colour is readable on another."""

from __future__ import annotations

import re
from functools import lru_cache

from citewell.fetch.css.values.colour_functions import parse_colour_function
from citewell.fetch.css.values.colour_spaces import RgbColour
from citewell.text.data_tables import load_table

__all__ = [
    "BLACK",
    "TRANSPARENT",
    "WHITE",
    "RgbColour",
    "blend_over",
    "is_unreadable_on",
    "parse_colour",
]
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
    bright, dark = sorted(
        (_measure_luminance(blend_over(text, ground)), _measure_luminance(ground)), reverse=True
    )
    return (bright + 0.05) / (dark + 0.05) < _MIN_CONTRAST and _is_near_colour(
        blend_over(text, ground), ground
    )


def _is_near_colour(one: RgbColour, other: RgbColour) -> bool:
    """Whether two colours are nearly the same: equal brightness is not enough, as red on green shows."""
    return max(abs(a - b) for a, b in zip(one[:3], other[:3], strict=True)) <= 32


def _measure_luminance(colour: RgbColour) -> float:
    parts = [part / 255 for part in colour[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _unpack_rgb(value: int) -> RgbColour:
    return RgbColour(value >> 16, value >> 8 & 255, value & 255)


def _parse_hex_colour(digits: str) -> RgbColour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    alpha = int(digits[6:], 16) / 255 if len(digits) == 8 else 1.0
    return _unpack_rgb(int(digits[:6], 16))._replace(alpha=alpha)
