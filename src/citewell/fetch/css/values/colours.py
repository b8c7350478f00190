"""Parses CSS colours, and tells whether text in one colour is readable on another."""

from __future__ import annotations

import re
from functools import lru_cache

from citewell.fetch.css.values.colour_functions import parse_colour_function
from citewell.fetch.css.values.colour_spaces import RgbColour

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
_COLOUR_WORDS = (
    "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc "
    "bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a "
    "burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 "
    "cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan "
    "008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki "
    "bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred "
    "8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f "
    "darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue "
    "00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 "
    "forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod "
    "daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink "
    "ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa "
    "lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 "
    "lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey "
    "d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa "
    "lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime "
    "00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa "
    "mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 "
    "mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred "
    "c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite "
    "ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered "
    "ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee "
    "palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd "
    "powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue "
    "4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee "
    "sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey "
    "708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 "
    "tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 "
    "yellow ffff00 yellowgreen 9acd32 canvas ffffff canvastext 000000 field ffffff fieldtext "
    "000000 window ffffff windowtext 000000 buttonface efefef buttontext 000000 linktext 0000ee "
    "graytext 808080"
)
_COLOUR_PAIRS = iter(_COLOUR_WORDS.split())
_RGB_BY_NAME = {
    name: int(shade, 16) for name, shade in zip(_COLOUR_PAIRS, _COLOUR_PAIRS, strict=True)
}
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
    if text in _RGB_BY_NAME:
        return _unpack_rgb(_RGB_BY_NAME[text])
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
