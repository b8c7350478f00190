"""Parses colour functions: rgb() and the like, relative colours, color-mix() and light-dark()."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from citewell.fetch.css.values.colour_spaces import (
    RgbColour,
    Triple,
    convert_from_rgb,
    convert_to_rgb,
    is_known_space,
)
from citewell.fetch.css.values.lengths import parse_number
from citewell.fetch.css.values.value_parts import parse_calls, split_arguments, split_words

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


def parse_colour_function(text: str, parse_inner: _ColourParser, *, dark: bool) -> RgbColour | None:
    """The colour of a function call; None if it is not supported. `parse_inner` reads nested colours."""
    calls = parse_calls(text)
    if len(calls) != 1 or not text.startswith(calls[0][0] + "("):
        return None
    name, inside = calls[0]
    if name == "light-dark":
        choices = split_arguments(inside)
        return parse_inner(choices[dark]) if len(choices) == 2 else None
    if name == "color-mix":
        return _mix_colours(inside, parse_inner)
    words = list(split_words(inside))
    origin = None
    if words[:1] == ["from"] and len(words) > 2:
        origin = parse_inner(words[1])
        words = words[2:]
        if origin is None:
            return None
    if name == "color" and words and is_known_space(words[0]):
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
        base = convert_from_rgb(space, origin[:3])
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
        word = _WORD.sub(lambda match: _write_channel(match[0], known), word)
    value = parse_number(word)
    if value is None or not math.isfinite(value):
        return None
    return value * whole if word.endswith("%") else value


def _write_channel(name: str, known: dict[str, float]) -> str:
    return f"{known[name]:.6f}" if name in known else name


def _mix_colours(inside: str, parse_inner: _ColourParser) -> RgbColour | None:
    method, *sides = split_arguments(inside)
    words = method.split()
    space = words[1] if words[:1] == ["in"] and len(words) > 1 else "oklab"
    mixed = [_parse_mix_side(side, parse_inner) for side in sides[:2]]
    if len(sides) != 2 or not is_known_space(space) or None in mixed:
        return None
    (one, share_one), (two, share_two) = (side for side in mixed if side is not None)
    if share_one is None:
        share_one = 1 - share_two if share_two is not None else 0.5
    if share_two is None:
        share_two = 1 - share_one
    total = share_one + share_two
    if total <= 0:
        return None
    colour = _interpolate_colours(space, one, two, share_two / total)
    return colour._replace(alpha=colour.alpha * min(1.0, total))


def _parse_mix_side(text: str, parse_inner: _ColourParser) -> tuple[RgbColour, float | None] | None:
    share = None
    colour = None
    for word in split_words(text):
        if word.endswith("%"):
            share = parse_number(word)
        else:
            colour = parse_inner(word)
    return (colour, share) if colour is not None else None


def _interpolate_colours(space: str, one: RgbColour, two: RgbColour, share: float) -> RgbColour:
    """The mix in `space`, with each side counting by its alpha."""
    alpha = one.alpha * (1 - share) + two.alpha * share
    if alpha <= 0:
        return RgbColour(0, 0, 0, 0.0)
    first, second = convert_from_rgb(space, one[:3]), convert_from_rgb(space, two[:3])
    hue_place = _HUE_PLACES.get(space)
    parts = []
    for place, (left, right) in enumerate(zip(first, second, strict=True)):
        if place == hue_place:
            turn = (right - left + 180) % 360 - 180
            parts.append(left + turn * share)
        else:
            weight = left * one.alpha * (1 - share) + right * two.alpha * share
            parts.append(weight / alpha)
    red, green, blue = convert_to_rgb(space, parts)
    return RgbColour(red, green, blue, alpha)
