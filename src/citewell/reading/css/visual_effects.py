"""Tells what `clip`, `clip-path`, `mask`, filters and blend modes leave of an element and its colours."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from citewell.reading.css.colours import RgbColour, parse_colour
from citewell.reading.css.value_parts import (
    parse_calls,
    parse_number,
    parse_pixels,
    split_arguments,
    split_words,
)

MAX_SPECK_PIXELS = 4.0  # nothing can be read in a strip as thin as this
_PATH_NUMBER = re.compile(r"([a-zA-Z])|([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)")
_MAX_PATH_CHARS = 2000
_MIN_READABLE_ALPHA = 0.12
_COLOUR_FILTERS = frozenset({"invert", "brightness", "contrast", "grayscale"})
_Points = list[tuple[float, float]]


def is_empty_rect(value: str) -> bool:
    """Whether a `rect(...)` with top, right, bottom and left has no area; `auto` is the box's own side."""
    calls = parse_calls(value)
    if len(calls) != 1 or calls[0][0] != "rect":
        return False
    words = split_words(calls[0][1])
    if len(words) != 4:
        return False
    sides = [
        (1e6 if place in {1, 2} else 0.0) if word == "auto" else parse_pixels(word, percent=1.0)
        for place, word in enumerate(words)
    ]
    if None in sides:
        return False
    top, right, bottom, left = (side or 0.0 for side in sides)
    return bottom - top <= MAX_SPECK_PIXELS or right - left <= MAX_SPECK_PIXELS


def is_empty_clip_path(value: str, empty_ids: Collection[str] = ()) -> bool:
    """Whether a clip path leaves nothing; `empty_ids` are the page's `clipPath` elements without shapes."""
    for shape, inside in parse_calls(value)[:2]:
        if shape == "url":
            return "#" in inside and _read_reference(value) in empty_ids
        if shape in {"path", "shape"}:
            return _is_empty_area(_list_path_points(inside[:_MAX_PATH_CHARS]))
        if shape == "polygon":
            return _is_empty_area(_list_polygon_points(inside))
        if shape == "rect":
            return is_empty_rect(f"rect({inside.partition(' round ')[0]})")
        test = _SHAPE_TESTS.get(shape)
        if test is not None:
            size, _, place = inside.partition(" round ")[0].partition("at ")
            return test(_parse_lengths(size), _parse_lengths(place))
    return False


def is_masked_out(values: Mapping[str, str], empty_ids: Collection[str] = ()) -> bool:
    """Whether the mask lets nothing through: fully transparent, without size, or far away."""
    image = values.get("mask-image", "none")
    if image == "none":
        return False
    if "#" in image and image.startswith("url("):
        return _read_reference(image) in empty_ids
    layers = split_arguments(image)
    sizes = split_arguments(values.get("mask-size", "auto"))
    places = split_arguments(values.get("mask-position", ""))
    if all(
        any(length is not None and length <= 0.5 for length in _parse_lengths(size))
        for size in sizes
    ):
        return True
    is_far = places and all(
        any(abs(parse_pixels(word) or 0.0) >= 1500 for word in split_words(place))
        for place in places
    )
    if is_far and "no-repeat" in values.get("mask-repeat", ""):
        return True
    luminance = values.get("mask-mode", "") == "luminance"
    return all(_is_dark_gradient(layer, luminance=luminance) for layer in layers)


def _read_reference(value: str) -> str:
    """The id in `url(#id)`."""
    return value.partition("#")[2].partition(")")[0].strip("\"' ")


def list_gradient_colours(image: str) -> list[str]:
    """The colours of a gradient, as written."""
    calls = parse_calls(image)
    if not calls or not calls[0][0].endswith("gradient"):
        return []
    found = []
    for part in split_arguments(calls[0][1]):
        words = split_words(part)
        found += [
            word for word in words if parse_colour(word) is not None or word == "currentcolor"
        ]
    return found


def _parse_lengths(text: str) -> list[float | None]:
    return [parse_pixels(part, percent=1.0) for part in split_words(text)]


def _is_empty_inset(sizes: Sequence[float | None], _: Sequence[float | None]) -> bool:
    if not sizes or None in sizes:
        return False
    known = [size or 0.0 for size in sizes]
    top, right, bottom, left = (
        (known * 4)[:4] if len(known) != 3 else (known[0], known[1], known[2], known[1])
    )
    return top + bottom >= 99 or left + right >= 99


def _is_empty_circle(sizes: Sequence[float | None], place: Sequence[float | None]) -> bool:
    if any(size is not None and size <= MAX_SPECK_PIXELS / 2 for size in sizes):
        return True
    radius = max((size or 0.0 for size in sizes), default=50.0)
    return any(centre is not None and centre + radius <= 0 for centre in place)


_Lengths = Sequence[float | None]
_SHAPE_TESTS: dict[str, Callable[[_Lengths, _Lengths], bool]] = {
    "inset": _is_empty_inset,
    "circle": _is_empty_circle,
    "ellipse": _is_empty_circle,
    "xywh": lambda sizes, _: (
        len(sizes) >= 4
        and any(size is not None and size <= MAX_SPECK_PIXELS for size in sizes[2:4])
    ),
}


def _list_polygon_points(inside: str) -> _Points:
    points: _Points = []
    for point in split_arguments(inside):
        lengths = _parse_lengths(point)
        if point in {"evenodd", "nonzero"}:
            continue
        if len(lengths) != 2 or None in lengths:
            return []
        points.append((lengths[0] or 0.0, lengths[1] or 0.0))
    return points


def _list_path_points(text: str) -> _Points:
    """The points of an SVG path, control points included: enough to know how far it reaches."""
    points: _Points = [(0.0, 0.0)]
    command, numbers = "M", list[float]()
    has_move = False
    for letter, number in [*_PATH_NUMBER.findall(text.strip("\"' ")), ("z", "")]:
        if number:
            numbers.append(max(-1e6, min(1e6, float(number))))
            continue
        if numbers:
            points.extend(_place_numbers(command, numbers, points[-1]))
            if not has_move:
                has_move = True
                points.pop(0)
        command, numbers = letter, []
    return points


def _place_numbers(command: str, numbers: Sequence[float], last: tuple[float, float]) -> _Points:
    x, y = last if command.islower() else (0.0, 0.0)
    kind = command.lower()
    if kind == "h":
        return [(x + number, last[1]) for number in numbers]
    if kind == "v":
        return [(last[0], y + number) for number in numbers]
    if kind == "a":
        numbers = [number for place, number in enumerate(numbers) if place % 7 in {5, 6}]
    pairs = zip(numbers[::2], numbers[1::2], strict=False)
    return [(x + right, y + down) for right, down in pairs]


def _is_empty_area(points: _Points) -> bool:
    """Whether a shape through these points is thin, or lies above or left of the box."""
    if not points:
        return False
    wide = [x for x, _ in points]
    high = [y for _, y in points]
    if max(wide) <= 0 or max(high) <= 0:
        return True
    if max(wide) - min(wide) <= MAX_SPECK_PIXELS or max(high) - min(high) <= MAX_SPECK_PIXELS:
        return True
    return _is_on_line(points)


def _is_on_line(points: _Points) -> bool:
    first_x, first_y = points[0]
    far_x, far_y = max(points, key=lambda point: abs(point[0] - first_x) + abs(point[1] - first_y))
    return all(
        abs((far_x - first_x) * (y - first_y) - (far_y - first_y) * (x - first_x)) < 1
        for x, y in points
    )


def _is_dark_gradient(layer: str, *, luminance: bool) -> bool:
    shades = [parse_colour(text) for text in list_gradient_colours(layer)]
    return bool(shades) and all(
        shade is not None
        and (
            shade.alpha < _MIN_READABLE_ALPHA
            or (luminance and max(shade[:3]) * shade.alpha < 255 * _MIN_READABLE_ALPHA)
        )
        for shade in shades
    )


# Applies filters and blend modes to colours.


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


def find_shadow_colour(layer: str) -> str:
    """The colour in one layer of a shadow, as written."""
    words = [word for word in split_words(layer) if parse_pixels(word) is None]
    return words[0] if words else "currentcolor"


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


_BLEND_MODES: dict[str, Callable[[float, float], float]] = {
    "multiply": lambda under, over: under * over,
    "screen": lambda under, over: under + over - under * over,
    "darken": min,
    "lighten": max,
    "difference": lambda under, over: abs(under - over),
    "exclusion": lambda under, over: under + over - 2 * under * over,
    "hard-light": _hard_light,
    "overlay": lambda under, over: _hard_light(over, under),
    "soft-light": lambda under, over: (1 - 2 * over) * under * under + 2 * over * under,
    "color-dodge": lambda under, over: (
        0.0 if under <= 0 else 1.0 if over >= 1 else under / (1 - over)
    ),
    "color-burn": lambda under, over: (
        1.0 if under >= 1 else 0.0 if over <= 0 else 1 - (1 - under) / over
    ),
    "plus-lighter": lambda under, over: under + over,
    "plus-darker": lambda under, over: under + over - 1,
}
