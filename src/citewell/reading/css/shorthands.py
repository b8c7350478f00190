"""Expands shorthand properties, such as `background` or `inset`, into the properties they set."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from citewell.reading.css import colours
from citewell.reading.css.value_parts import (
    load_css_words,
    parse_number,
    parse_pixels,
    split_arguments,
    split_words,
)
from citewell.text.data_tables import load_table

_Pairs = list[tuple[str, str]]
_SIDES = ("top", "right", "bottom", "left")
_SYSTEM_FONTS = frozenset(["caption", "icon", "menu", "message-box", "small-caption", "status-bar"])
_TIME = re.compile(r"[+-]?[\d.]+m?s")
_FILL_MODES = frozenset({"forwards", "backwards", "both"})
_PLAY_STATES = frozenset({"running", "paused"})
_DIRECTIONS = frozenset({"normal", "reverse", "alternate", "alternate-reverse"})
_TIMINGS = frozenset(
    {"linear", "ease", "ease-in", "ease-out", "ease-in-out", "step-start", "step-end"}
)
_REPEATS = frozenset({"repeat", "no-repeat", "repeat-x", "repeat-y", "space", "round"})
_MASK_MODES = frozenset({"alpha", "luminance", "match-source"})
_PLACES = frozenset({"left", "right", "top", "bottom", "center"})
_IMAGE_STARTS = ("url(", "image(", "image-set(", "-webkit-image-set(", "element(", "cross-fade(")
_ANIMATION_PARTS = (
    "name", "duration", "delay", "fill-mode", "play-state", "iteration-count", "direction",
)  # fmt: skip


def expand_shorthand(name: str, value: str) -> _Pairs:
    """The properties that a declaration sets, with their values; empty if the value is invalid."""
    expand = _EXPANDERS.get(name)
    return [(name, value)] if expand is None else expand(value)


def is_image_value(text: str) -> bool:
    return text.startswith(_IMAGE_STARTS) or "gradient(" in text.partition("(")[0] + "("


def _expand_sides(pattern: str) -> Callable[[str], _Pairs]:
    def expand_four_sides(value: str) -> _Pairs:
        parts = split_words(value)
        if not 1 <= len(parts) <= 4:
            return []
        # A side that is not given is as the one opposite, and the right one as the top one.
        right = parts[1] if len(parts) > 1 else parts[0]
        sides = [*parts, *(right, parts[0], right)[len(parts) - 1 :]]
        return [(pattern.format(side), each) for side, each in zip(_SIDES, sides, strict=True)]

    return expand_four_sides


def _expand_pair(first: str, second: str) -> Callable[[str], _Pairs]:
    def expand_two_sides(value: str) -> _Pairs:
        parts = split_words(value)
        if not 1 <= len(parts) <= 2:
            return []
        return [(first, parts[0]), (second, parts[-1])]

    return expand_two_sides


def _expand_background(value: str) -> _Pairs:
    last = split_arguments(value)[-1]
    parts = split_words(last)
    shades = [
        part
        for part in parts
        if colours.parse_colour(part, current=colours.BLACK) is not None
        or part.startswith(("color(", "light-dark(", "contrast-color("))
    ]
    images = [
        part
        for layer in split_arguments(value)
        for part in split_words(layer)
        if is_image_value(part)
    ]
    return [
        ("background-color", shades[-1] if shades else "transparent"),
        ("background-image", ", ".join(images) or "none"),
        ("background-clip", "text" if "text" in split_words(value) else "border-box"),
        ("background-size", ", ".join(_read_layer_size(layer) for layer in split_arguments(value))),
    ]


def _read_layer_size(layer: str) -> str:
    """The size in a background layer, which stands after a slash."""
    _, slash, after = _part_at_slash(layer)
    sizes = [word for word in split_words(after) if _is_size(word)][:2]
    return " ".join(sizes) if slash and sizes else "auto"


def _expand_font(value: str) -> _Pairs:
    if value in _SYSTEM_FONTS:
        return [("font-size", "13px"), ("line-height", "normal")]
    before, slash, after = value.partition("/")
    words = before.split()
    if slash and words:
        line = after.split()
        return [("font-size", words[-1]), ("line-height", line[0] if line else "normal")]
    for word in words[:-1]:
        if (
            parse_pixels(word) is not None and not (word.isdigit() and word != "0")
        ) or word in load_css_words("font_sizes"):
            return [("font-size", word), ("line-height", "normal")]
        if "(" in word:
            return [("font-size", value[value.index(word) :].partition(")")[0] + ")")]
    return []


def _expand_flex(value: str) -> _Pairs:
    words = split_words(value)
    if value in {"none", "auto"}:
        return [("flex-grow", "0"), ("flex-basis", "auto")]
    numbers = [word for word in words if word.replace(".", "", 1).isdigit()]
    lengths = [word for word in words if word not in numbers]
    basis = lengths[0] if lengths else (numbers[2] if len(numbers) > 2 else "0%")
    return [("flex-grow", numbers[0] if numbers else "1"), ("flex-basis", basis)]


def _expand_mask(value: str) -> _Pairs:
    images, sizes, places = list[str](), list[str](), list[str]()
    repeats, modes = "repeat", "match-source"
    for layer in split_arguments(value):
        before, slash, after = _part_at_slash(layer)
        words = split_words(before)
        images.extend(word for word in words if is_image_value(word) or word == "none")
        places.append(
            " ".join(word for word in words if word in _PLACES or parse_pixels(word) is not None)
        )
        rest = split_words(after)
        sizes.append(" ".join([word for word in rest if _is_size(word)][:2]) if slash else "auto")
        for word in (*words, *rest):
            repeats = word if word in _REPEATS else repeats
            modes = word if word in _MASK_MODES else modes
    return [
        ("mask-image", ", ".join(images) or "none"),
        ("mask-size", ", ".join(sizes)),
        ("mask-position", ", ".join(places)),
        ("mask-repeat", repeats),
        ("mask-mode", modes),
    ]


def _part_at_slash(text: str) -> tuple[str, str, str]:
    """Split at the first slash outside brackets."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "/" and depth == 0:
            return text[:place], "/", text[place + 1 :]
    return text, "", ""


def _is_size(word: str) -> bool:
    return word in {"auto", "cover", "contain"} or parse_pixels(word) is not None


def _expand_animation(value: str) -> _Pairs:
    columns: list[list[str]] = [[] for _ in _ANIMATION_PARTS]
    for animation in split_arguments(value):
        times: list[str] = []
        row = ["none", "0s", "0s", "none", "running", "1", "normal"]
        for word in split_words(animation):
            _place_animation_word(word, row, times)
        row[1:3] = [*times, "0s", "0s"][:2]
        for column, cell in zip(columns, row, strict=True):
            column.append(cell)
    return [
        (f"animation-{part}", ",".join(column))
        for part, column in zip(_ANIMATION_PARTS, columns, strict=True)
    ]


def _place_animation_word(word: str, row: list[str], times: list[str]) -> None:
    if _TIME.fullmatch(word):
        times.append(word)
    elif word in _FILL_MODES:
        row[3] = word
    elif word in _PLAY_STATES:
        row[4] = word
    elif word == "infinite" or parse_number(word) is not None:
        row[5] = word
    elif word in _DIRECTIONS:
        row[6] = word
    elif word not in _TIMINGS and not word.startswith(("cubic-bezier(", "steps(", "linear(")):
        row[0] = word


def _expand_text_stroke(value: str) -> _Pairs:
    found = [("-webkit-text-stroke-width", "0"), ("-webkit-text-stroke-color", "currentcolor")]
    for word in split_words(value):
        if parse_pixels(word) is not None or word in {"thin", "medium", "thick"}:
            found[0] = (found[0][0], word)
        else:
            found[1] = (found[1][0], word)
    return found


def _expand_grid(value: str) -> _Pairs:
    if value == "none":
        return [("grid-template-rows", "none"), ("grid-template-columns", "none")]
    rows, slash, columns = _part_at_slash(value)
    return [
        ("grid-template-rows", rows.strip()),
        ("grid-template-columns", columns.strip() if slash else "none"),
    ]


_EXPANDERS: dict[str, Callable[[str], _Pairs]] = {
    "margin": _expand_sides("margin-{}"),
    "padding": _expand_sides("padding-{}"),
    "inset": _expand_sides("{}"),
    "inset-inline": _expand_pair("left", "right"),
    "inset-block": _expand_pair("top", "bottom"),
    "margin-inline": _expand_pair("margin-left", "margin-right"),
    "margin-block": _expand_pair("margin-top", "margin-bottom"),
    "padding-inline": _expand_pair("padding-left", "padding-right"),
    "padding-block": _expand_pair("padding-top", "padding-bottom"),
    "overflow": _expand_pair("overflow-x", "overflow-y"),
    "background": _expand_background,
    "font": _expand_font,
    "flex": _expand_flex,
    "mask": _expand_mask,
    "animation": _expand_animation,
    "-webkit-text-stroke": _expand_text_stroke,
    "grid": _expand_grid,
    "grid-template": _expand_grid,
    "container": lambda value: [
        ("container-name", value.partition("/")[0].strip()),
        ("container-type", value.partition("/")[2].strip() or "normal"),
    ],
    # Resets the properties by which an element hides itself or its text.
    "all": lambda value: [
        (name, value) for name in load_table(__package__, "css_words")["reset_properties"]
    ],
}


@cache
def map_longhands() -> dict[str, tuple[str, ...]]:
    """The shorthands, with the properties that each sets."""
    samples = {"font": "1px/1 a", "background": "red", "all": "unset"}
    return {
        name: tuple(each for each, _ in expand(samples.get(name, "0")))
        for name, expand in _EXPANDERS.items()
    }
