"""Applies filters and blend modes to colours."""

from __future__ import annotations

from collections.abc import Callable

from citewell.fetch.css.values.colour_spaces import RgbColour
from citewell.fetch.css.values.lengths import parse_number, parse_pixels
from citewell.fetch.css.values.value_parts import parse_calls, split_words

_COLOUR_FILTERS = frozenset({"invert", "brightness", "contrast", "grayscale"})


def has_colour_filter(value: str) -> bool:
    return any(name in _COLOUR_FILTERS for name, _ in parse_calls(value))


def filter_colour(value: str, colour: RgbColour) -> RgbColour:
    """The colour after the filter functions that change its lightness."""
    for name, inside in parse_calls(value):
        amount = parse_number(inside.strip()) if inside.strip() else 1.0
        if name in _COLOUR_FILTERS and amount is not None and amount >= 0:
            colour = _filter_once(name, amount, colour)
    return colour


def measure_filter_opacity(value: str) -> float:
    """The opacity that `filter: opacity(...)` leaves."""
    share = 1.0
    for name, inside in parse_calls(value):
        if name == "opacity" and inside.strip():
            amount = parse_number(inside.strip())
            share *= 1.0 if amount is None else max(0.0, min(1.0, amount))
    return share


def measure_blur_pixels(value: str) -> float:
    radii = (parse_pixels(inside.strip()) for name, inside in parse_calls(value) if name == "blur")
    return max((radius or 0.0 for radius in radii), default=0.0)


def list_drop_shadows(value: str) -> list[str]:
    """The colours of `drop-shadow(...)`, as written."""
    found = []
    for name, inside in parse_calls(value):
        if name == "drop-shadow":
            words = [word for word in split_words(inside) if parse_pixels(word) is None]
            found.append(words[0] if words else "currentcolor")
    return found


def blend_colours(mode: str, source: RgbColour, backdrop: RgbColour) -> RgbColour | None:
    """The colour of `source` painted on `backdrop` in a blend mode; None if the mode is not supported."""
    function = _BLEND_MODES.get(mode)
    if function is None:
        return None
    red, green, blue = (
        255 * max(0.0, min(1.0, function(under / 255, over / 255)))
        for over, under in zip(source[:3], backdrop[:3], strict=True)
    )
    return RgbColour(red, green, blue, source.alpha)


def _filter_once(name: str, amount: float, colour: RgbColour) -> RgbColour:
    if name == "invert":
        share = min(1.0, amount)
        parts = [part * (1 - share) + (255 - part) * share for part in colour[:3]]
    elif name == "brightness":
        parts = [part * amount for part in colour[:3]]
    elif name == "contrast":
        parts = [(part - 127.5) * amount + 127.5 for part in colour[:3]]
    else:
        share = min(1.0, amount)
        grey = 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue
        parts = [part * (1 - share) + grey * share for part in colour[:3]]
    red, green, blue = (max(0.0, min(255.0, part)) for part in parts)
    return RgbColour(red, green, blue, colour.alpha)


def _hard_light(under: float, over: float) -> float:
    return 2 * under * over if over <= 0.5 else 1 - 2 * (1 - under) * (1 - over)


def _soft_light(under: float, over: float) -> float:
    return (1 - 2 * over) * under * under + 2 * over * under


def _colour_dodge(under: float, over: float) -> float:
    return 0.0 if under <= 0 else 1.0 if over >= 1 else under / (1 - over)


def _colour_burn(under: float, over: float) -> float:
    return 1.0 if under >= 1 else 0.0 if over <= 0 else 1 - (1 - under) / over


_BLEND_MODES: dict[str, Callable[[float, float], float]] = {
    "multiply": lambda under, over: under * over,
    "screen": lambda under, over: under + over - under * over,
    "darken": min,
    "lighten": max,
    "difference": lambda under, over: abs(under - over),
    "exclusion": lambda under, over: under + over - 2 * under * over,
    "hard-light": _hard_light,
    "overlay": lambda under, over: _hard_light(over, under),
    "soft-light": _soft_light,
    "color-dodge": _colour_dodge,
    "color-burn": _colour_burn,
    "plus-lighter": lambda under, over: under + over,
    "plus-darker": lambda under, over: under + over - 1,
}
