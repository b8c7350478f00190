"""Evaluates the conditions of at-rules for an ordinary desktop screen."""

from __future__ import annotations

import re

from citewell.fetch.css.lengths import parse_pixels

_WIDTH, _HEIGHT = 1280.0, 900.0
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
}  # fmt: skip
_RESOLUTION_UNIT = re.compile(r"(?<=\d)(?:dppx|x)$")
_MEDIA_TYPES = {"all": True, "screen": True}
_RANGE_FEATURE = re.compile(
    r"(?:([^<>=]+?)\s*(<=|>=|<|>|=)\s*)?([a-z-]+)\s*(?:(<=|>=|<|>|=)\s*([^<>=]+))?"
)
_MAX_QUERY_CHARS = 2000  # of one query; real ones have a few hundred
_QUERY_PART = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)|\b(and|or|not|only)\b|([a-z-]+)")


def matches_media_query(query: str) -> bool:
    """Whether a media query list matches; unknown features do not, as in a browser."""
    words = " ".join(query.lower().split())  # runs of spaces would be tried again and again
    return not words or any(
        _matches_one_query(part[:_MAX_QUERY_CHARS]) for part in _split_query_list(words)
    )


def is_supported_condition(condition: str) -> bool:
    """Whether an @supports condition holds: a modern browser is assumed to support everything."""
    return not re.match(r"\s*not\b", condition.lower())


def _split_query_list(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth <= 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _matches_one_query(text: str) -> bool:
    holds, negate, either = True, False, False
    seen = False
    for inside, word, kind in _QUERY_PART.findall(text):
        if word:
            negate = negate or word == "not"
            either = either or word == "or"
            continue
        value = _matches_feature(inside.strip()) if inside else _MEDIA_TYPES.get(kind, False)
        holds = value if not seen else (holds or value if either else holds and value)
        seen = True
    return seen and holds is not negate


def _matches_feature(text: str) -> bool:
    if "(" in text or text.startswith("not "):
        return _matches_one_query(text)
    name, colon, value = (part.strip() for part in text.partition(":"))
    if colon:
        return _matches_named_feature(name, value)
    match = _RANGE_FEATURE.fullmatch(text)
    return _matches_range_feature(match) if match else False


def _matches_named_feature(name: str, value: str) -> bool:
    bound, bare = "", name.removeprefix("-webkit-")
    for prefix in ("min-", "max-"):
        if bare.startswith(prefix):
            bound, bare = prefix, bare.removeprefix(prefix)
    if bare in _SCREEN_NUMBERS:
        return _compare_feature(
            _SCREEN_NUMBERS[bare], {"min-": ">=", "max-": "<="}.get(bound, "="), value
        )
    return _SCREEN_FEATURES.get(bare) == value


def _matches_range_feature(match: re.Match[str]) -> bool:
    low, low_sign, name, high_sign, high = match.groups()
    if name not in _SCREEN_NUMBERS:
        return name in _SCREEN_FEATURES and _SCREEN_FEATURES[name] not in {"none", "no-preference"}
    own = _SCREEN_NUMBERS[name]
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
    below = _compare_feature(own, turned[low_sign], low) if low_sign else True
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
