"""CSS colours as numbers, and how well one stands out from another."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from citewell.fetch.css.length import number


class Colour(NamedTuple):
    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE = Colour(255, 255, 255)
BLACK = Colour(0, 0, 0)
CLEAR = Colour(0, 0, 0, 0.0)
_WORDS = (
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
_PAIRS = iter(_WORDS.split())
_NAMES = {name: int(shade, 16) for name, shade in zip(_PAIRS, _PAIRS, strict=True)}
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")
_CALL = re.compile(r"([a-z-]+)\(([^()]*)\)")
_FAINT = 1.2  # contrast below which words cannot be made out


@lru_cache(maxsize=2048)
def read(text: str) -> Colour | None:
    """The colour; None when it is no colour or one that cannot be worked out."""
    text = text.strip().lower()
    if text == "transparent":
        return CLEAR
    if text in _NAMES:
        return _rgb(_NAMES[text])
    if match := _HEX.fullmatch(text):
        return _hex(match[1])
    match = _CALL.fullmatch(text)
    return _call(match[1], match[2]) if match else None


def bare(text: str) -> Colour | None:
    """A colour as old attributes give it, where the hash may be missing."""
    return read(text) or read("#" + text.strip())


def over(front: Colour, back: Colour) -> Colour:
    """What is seen of `front` on an opaque `back`."""
    share = front.alpha
    mix = [share * a + (1 - share) * b for a, b in zip(front[:3], back[:3], strict=True)]
    return Colour(mix[0], mix[1], mix[2])


@lru_cache(maxsize=4096)
def lost(text: Colour, ground: Colour) -> bool:
    """Whether words in this colour vanish on this ground."""
    bright, dark = sorted((_luminance(over(text, ground)), _luminance(ground)), reverse=True)
    return (bright + 0.05) / (dark + 0.05) < _FAINT and _near(over(text, ground), ground)


def _near(one: Colour, other: Colour) -> bool:
    """Red on green of one brightness is ugly, and legible."""
    return max(abs(a - b) for a, b in zip(one[:3], other[:3], strict=True)) <= 32


def _luminance(colour: Colour) -> float:
    parts = [part / 255 for part in colour[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(value: int) -> Colour:
    return Colour(value >> 16, value >> 8 & 255, value & 255)


def _hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    alpha = int(digits[6:], 16) / 255 if len(digits) == 8 else 1.0
    return _rgb(int(digits[:6], 16))._replace(alpha=alpha)


def _call(name: str, inside: str) -> Colour | None:
    parts = inside.replace(",", " ").replace("/", " ").split()
    if name == "color" and parts[:1] and parts[0] in {"srgb", "display-p3"}:
        values = _numbers(parts[1:], whole=1.0)
        return _made([value * 255 for value in values[:3]], values[3:]) if values else None
    if name in {"rgb", "rgba"}:
        values = _numbers(parts, whole=255.0)
        return _made(values[:3], values[3:]) if values else None
    if name in {"hsl", "hsla", "hwb"}:
        values = _numbers(parts, whole=1.0)
        return _wheel(name, values, parts) if values else None
    if name in {"lab", "lch", "oklab", "oklch"}:
        return _grey(name, parts)
    return None


def _numbers(parts: list[str], *, whole: float) -> list[float]:
    """Three or four numbers, percentages taken of `whole` (the alpha of one); else none."""
    found: list[float] = []
    for place, part in enumerate(parts):
        share = 1.0 if place == 3 else whole
        value = number(part)
        if part == "none":
            value = 0.0
        if value is None:
            return []
        found.append(value * share if part.endswith("%") else value)
    return found if len(found) in {3, 4} else []


def _made(values: list[float], alpha: list[float]) -> Colour:
    red, green, blue = (max(0.0, min(255.0, value)) for value in values)
    return Colour(red, green, blue, max(0.0, min(1.0, alpha[0])) if alpha else 1.0)


def _wheel(name: str, values: list[float], parts: list[str]) -> Colour:
    import colorsys

    hue = values[0] / 360 % 1
    second, third = (
        v if p.endswith("%") else v / 100 for v, p in zip(values[1:3], parts[1:3], strict=True)
    )
    if name == "hwb":
        total = max(1.0, second + third)
        pure = colorsys.hls_to_rgb(hue, 0.5, 1.0)
        mixed = [part * (1 - (second + third) / total) + second / total for part in pure]
        return _made([part * 255 for part in mixed], values[3:])
    rgb = colorsys.hls_to_rgb(hue, max(0.0, min(1.0, third)), max(0.0, min(1.0, second)))
    return _made([part * 255 for part in rgb], values[3:])


def _grey(name: str, parts: list[str]) -> Colour | None:
    """Only the greys of the newer spaces, which is where hidden text would hide."""
    values = _numbers(parts, whole=1.0)
    if not values:
        return None
    light = values[0] if name.startswith("ok") or parts[0].endswith("%") else values[0] / 100
    chroma = abs(values[1]) + (abs(values[2]) if name.endswith("lab") else 0.0)
    if chroma > (0.02 if name.startswith("ok") else 4):
        return None
    level = min(1.0, light) * 255
    return _made([level] * 3, values[3:])
