"""Evaluates the conditions of @media, @supports and @container rules for an ordinary desktop screen."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from citewell.reading.css import value_parts
from citewell.reading.page_nodes import iterate_upwards

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Gets a function's name, or nothing, and the text inside.
ConditionTest = Callable[[str, str], bool]

_TOKEN = re.compile(r"\(|\)|[^\s()]+")
_JOINS: dict[str, Callable[[bool, bool], bool]] = {"and": operator.and_, "or": operator.or_}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip
_MAX_CONDITION_CHARS = 2000  # real ones have a few hundred
_MAX_BRACKETS = 12

_WIDTH, _HEIGHT = value_parts.VIEW_WIDTH_PIXELS, value_parts.VIEW_HEIGHT_PIXELS
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

_STYLE_QUERY = re.compile(r"style\(\s*+(--[^\s:()]++)\s*+(?::\s*+([^()]*+))?\)", re.IGNORECASE)
_CONDITION_WORDS = frozenset({"not", "and", "or", "style", "scroll-state"})


class _StyledElement(Protocol):
    values: dict[str, str]


class ContainerRules:
    """The containers among a page's elements that were styled so far."""

    def __init__(self, found: Mapping[int, _StyledElement]) -> None:
        self._found = found

    def matches_container(self, condition: str, node: LexborNode) -> bool:
        """Whether the nearest container above the element meets the condition."""
        first = condition.split("(", 1)[0].split()
        name = first[0] if first and first[0].lower() not in _CONDITION_WORDS else ""
        rest = condition[len(name) :].strip()
        if match := _STYLE_QUERY.search(rest):
            name, wanted = match[1], (match[2] or "").strip().lower()
            styles = (values[name] for values in self._iterate_values(node) if name in values)
            nearest = next(styles, None)
            return nearest is not None and (not wanted or nearest.strip().lower() == wanted)
        for values in self._iterate_values(node):
            kind = values.get("container-type", "normal")
            names = {"", *values.get("container-name", "").split()}
            if kind not in {"normal", ""} and name in names:
                return not rest or _matches_size(rest, values)
        return False

    def _iterate_values(self, node: LexborNode) -> Iterator[dict[str, str]]:
        """The values of the styled elements around the node, the nearest first."""
        for above in iterate_upwards(node.parent):
            if (style := self._found.get(above.mem_id)) is not None:
                yield style.values


def _matches_size(query: str, values: Mapping[str, str]) -> bool:
    """Whether a container with these values matches the condition of a @container rule."""
    width = value_parts.parse_pixels(
        values.get("width", ""), percent=value_parts.VIEW_WIDTH_PIXELS / 100
    )
    sizes = {
        "width": value_parts.VIEW_WIDTH_PIXELS if width is None else width,
        "height": value_parts.parse_pixels(values.get("height", "")),
    }
    return evaluate_condition(
        " ".join(query.lower().split()),
        lambda name, inside: not name and _matches_feature(inside.strip(), sizes),
    )


# Evaluates the conditions of at-rules for an ordinary desktop screen.


def matches_media_query(queries: str) -> bool:
    """Whether a media query list matches; unknown features do not, as in a browser."""
    words = " ".join(queries.lower().split())  # runs of spaces would be tried again and again
    if not words:
        return True
    for query in value_parts.split_arguments(words):
        negate = query.startswith("not ") and not query.startswith("not (")
        condition = query.removeprefix("not ") if negate else query.removeprefix("only ")
        if evaluate_condition(condition, _matches_screen_test) is not negate:
            return True
    return False


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
    value = value_parts.parse_pixels(_RESOLUTION_UNIT.sub("", over.strip()))
    divisor = value_parts.parse_pixels(under.strip()) if slash else 1.0
    if value is None or not divisor:
        return False
    value /= divisor
    return _COMPARISONS[sign](own, value)


# Evaluates conditions joined by `and`, `or` and `not`, as @media, @supports and @container have them.


def evaluate_condition(text: str, test: ConditionTest, *, depth: int = 0) -> bool:
    """Whether the condition holds. `test` decides about each bracket that holds no further condition."""
    text = text[:_MAX_CONDITION_CHARS]
    holds: bool | None = None
    negate, word = False, "and"
    for name, inside in _list_terms(text):
        if inside is None:
            if name == "not":
                negate = not negate
            elif name in {"and", "or"}:
                word = name
            else:
                value = test("", name) is not negate
                holds = value if holds is None else _JOINS[word](holds, value)
                negate = False
            continue
        nested = inside.lstrip().startswith(("(", "not ", "not(")) or ") and " in inside
        if not name and nested and depth < _MAX_BRACKETS:
            value = evaluate_condition(inside, test, depth=depth + 1) is not negate
        else:
            value = test(name, inside) is not negate
        holds = value if holds is None else _JOINS[word](holds, value)
        negate = False
    return bool(holds)


def _list_terms(text: str) -> list[tuple[str, str | None]]:
    """The words at the top level, and the brackets with the name before them and the text inside."""
    found: list[tuple[str, str | None]] = []
    depth = start = 0
    name = ""
    before = -1  # where the word before a bracket ends, to tell `not (` from `style(`
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark == "(":
            if depth == 0:
                start = match.end()
                is_call = before == match.start() and found and found[-1][1] is None
                name = found.pop()[0] if is_call else ""
            depth += 1
        elif mark == ")":
            depth -= 1
            if depth == 0:
                found.append((name, text[start : match.start()]))
            depth = max(0, depth)
        elif depth == 0:
            found.append((mark, None))
            before = match.end()
    if depth > 0 and start < len(text):
        found.append((name, text[start:]))
    return found
