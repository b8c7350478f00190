"""Evaluates the conditions of at-rules for an ordinary desktop screen."""

from __future__ import annotations

import re
from collections.abc import Mapping

from citewell.fetch.css.sheets.boolean_conditions import evaluate_condition
from citewell.fetch.css.values.lengths import VIEW_HEIGHT_PIXELS, VIEW_WIDTH_PIXELS, parse_pixels
from citewell.fetch.css.values.value_parts import split_arguments

_WIDTH, _HEIGHT = VIEW_WIDTH_PIXELS, VIEW_HEIGHT_PIXELS
_SCREEN_NUMBERS = {
    "width": _WIDTH, "height": _HEIGHT, "device-width": _WIDTH, "device-height": _HEIGHT,
    "inline-size": _WIDTH, "block-size": _HEIGHT, "aspect-ratio": _WIDTH / _HEIGHT,
    "color": 8.0, "monochrome": 0.0, "resolution": 1.0, "grid": 0.0,
}  # fmt: skip
_SCREEN_FEATURES = {
    "orientation": "landscape", "prefers-color-scheme": "light", "hover": "hover", "any-hover": "hover",
    "pointer": "fine", "any-pointer": "fine", "prefers-reduced-motion": "no-preference",
    "scripting": "enabled", "display-mode": "browser", "update": "fast", "color-gamut": "srgb",
    "forced-colors": "none", "inverted-colors": "none", "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference", "prefers-reduced-data": "no-preference",
    "overflow-block": "scroll", "overflow-inline": "scroll", "scan": "progressive",
    "dynamic-range": "standard", "video-dynamic-range": "standard",
}  # fmt: skip
_RESOLUTION_UNIT = re.compile(r"(?<=\d)(?:dppx|x)$")
_MEDIA_TYPES = frozenset({"all", "screen"})
_RANGE_FEATURE = re.compile(
    r"(?:([^<>=]++)(<=|>=|<|>|=)\s*+)?([a-z-]+)\s*+(?:(<=|>=|<|>|=)\s*+([^<>=]++))?"
)


def matches_media_query(query: str) -> bool:
    """Whether a media query list matches; unknown features do not, as in a browser."""
    words = " ".join(query.lower().split())  # runs of spaces would be tried again and again
    return not words or any(_matches_one_query(part.strip()) for part in split_arguments(words))


def matches_container_query(query: str, *, width: float, height: float | None) -> bool:
    """Whether a container of this size matches the condition of a @container rule."""

    def test_container(name: str, inside: str) -> bool:
        return not name and _matches_feature(inside.strip(), {"width": width, "height": height})

    return evaluate_condition(" ".join(query.lower().split()), test_container)


def _matches_one_query(text: str) -> bool:
    negate = text.startswith("not ") and not text.startswith("not (")
    text = text.removeprefix("not ") if negate else text.removeprefix("only ")
    return evaluate_condition(text, _matches_screen_test) is not negate


def _matches_screen_test(name: str, inside: str) -> bool:
    if name:
        return False
    text = inside.strip()
    return text in _MEDIA_TYPES or _matches_feature(text, {})


def _matches_feature(text: str, sizes: Mapping[str, float | None]) -> bool:
    name, colon, value = (part.strip() for part in text.partition(":"))
    if colon:
        return _matches_named_feature(name, value, sizes)
    match = _RANGE_FEATURE.fullmatch(text)
    return _matches_range_feature(match, sizes) if match else False


def _find_number(name: str, sizes: Mapping[str, float | None]) -> float | None:
    own = {"inline-size": "width", "block-size": "height"}.get(name, name)
    return sizes[own] if own in sizes else _SCREEN_NUMBERS.get(name)


def _matches_named_feature(name: str, value: str, sizes: Mapping[str, float | None]) -> bool:
    bound, bare = "", name.removeprefix("-webkit-")
    for prefix in ("min-", "max-"):
        if bare.startswith(prefix):
            bound, bare = prefix, bare.removeprefix(prefix)
    if bare in _SCREEN_NUMBERS:
        own = _find_number(bare, sizes)
        sign = {"min-": ">=", "max-": "<="}.get(bound, "=")
        return own is not None and _compare_feature(own, sign, value)
    return _SCREEN_FEATURES.get(bare) == value


def _matches_range_feature(match: re.Match[str], sizes: Mapping[str, float | None]) -> bool:
    low, low_sign, name, high_sign, high = match.groups()
    if name not in _SCREEN_NUMBERS:
        return name in _SCREEN_FEATURES and _SCREEN_FEATURES[name] not in {"none", "no-preference"}
    own = _find_number(name, sizes)
    if own is None:
        return False
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
    below = _compare_feature(own, turned[low_sign], low.strip()) if low_sign else True
    above = _compare_feature(own, high_sign, high) if high_sign else True
    return below and above and (bool(low_sign or high_sign) or own > 0)


def _compare_feature(own: float, sign: str, text: str) -> bool:
    over, slash, under = text.partition("/")
    value = parse_pixels(_RESOLUTION_UNIT.sub("", over.strip()))
    divisor = parse_pixels(under.strip()) if slash else 1.0
    if value is None or not divisor:
        return False
    value /= divisor
    return {
        "<": own < value,
        ">": own > value,
        "<=": own <= value,
        ">=": own >= value,
        "=": own == value,
    }[sign]
