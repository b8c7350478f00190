"""Whether the condition of an at-rule holds for a reader at an ordinary desktop screen."""

from __future__ import annotations

import re

from citewell.fetch.css.length import px

_WIDTH, _HEIGHT = 1280.0, 900.0
_SIZES = {
    "width": _WIDTH, "height": _HEIGHT, "device-width": _WIDTH, "device-height": _HEIGHT,
    "inline-size": _WIDTH, "block-size": _HEIGHT, "aspect-ratio": _WIDTH / _HEIGHT,
    "color": 8.0, "monochrome": 0.0, "resolution": 1.0, "grid": 0.0,
}  # fmt: skip
_FEATURES = {
    "orientation": "landscape", "prefers-color-scheme": "light", "hover": "hover", "any-hover": "hover",
    "pointer": "fine", "any-pointer": "fine", "prefers-reduced-motion": "no-preference",
    "scripting": "enabled", "display-mode": "browser", "update": "fast", "color-gamut": "srgb",
    "forced-colors": "none", "inverted-colors": "none", "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference", "prefers-reduced-data": "no-preference",
    "overflow-block": "scroll", "overflow-inline": "scroll", "scan": "progressive",
}  # fmt: skip
_RESOLUTION = re.compile(r"(?<=\d)(?:dppx|x)$")
_TYPES = {"all": True, "screen": True}
_RANGE = re.compile(r"(?:([^<>=]+?)\s*(<=|>=|<|>|=)\s*)?([a-z-]+)\s*(?:(<=|>=|<|>|=)\s*([^<>=]+))?")
_PART = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)|\b(and|or|not|only)\b|([a-z-]+)")


def applies(query: str) -> bool:
    """A media query list; unknown features do not hold, as in a browser."""
    return not query.strip() or any(_query(part) for part in _split(query.lower()))


def supported(condition: str) -> bool:
    """An @supports condition; a modern browser supports what sheets ask for."""
    return not re.match(r"\s*not\b", condition.lower())


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth <= 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _query(text: str) -> bool:
    holds, negate, either = True, False, False
    seen = False
    for inside, word, kind in _PART.findall(text):
        if word:
            negate = negate or word == "not"
            either = either or word == "or"
            continue
        value = _feature(inside.strip()) if inside else _TYPES.get(kind, False)
        holds = value if not seen else (holds or value if either else holds and value)
        seen = True
    return seen and holds is not negate


def _feature(text: str) -> bool:
    if "(" in text or text.startswith("not "):
        return _query(text)
    name, colon, value = (part.strip() for part in text.partition(":"))
    if colon:
        return _plain(name, value)
    match = _RANGE.fullmatch(text)
    return _ranged(match) if match else False


def _plain(name: str, value: str) -> bool:
    bound, bare = "", name.removeprefix("-webkit-")
    for prefix in ("min-", "max-"):
        if bare.startswith(prefix):
            bound, bare = prefix, bare.removeprefix(prefix)
    if bare in _SIZES:
        return _compare(_SIZES[bare], {"min-": ">=", "max-": "<="}.get(bound, "="), value)
    return _FEATURES.get(bare) == value


def _ranged(match: re.Match[str]) -> bool:
    low, low_sign, name, high_sign, high = match.groups()
    if name not in _SIZES:
        return name in _FEATURES and _FEATURES[name] not in {"none", "no-preference"}
    own = _SIZES[name]
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
    below = _compare(own, turned[low_sign], low) if low_sign else True
    above = _compare(own, high_sign, high) if high_sign else True
    return below and above and (bool(low_sign or high_sign) or own > 0)


def _compare(own: float, sign: str, text: str) -> bool:
    over, slash, under = text.partition("/")
    value = px(_RESOLUTION.sub("", over.strip()))
    divisor = px(under.strip()) if slash else 1.0
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
