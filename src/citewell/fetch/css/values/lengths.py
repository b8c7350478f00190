"""Parses CSS lengths and numbers, including calc(); None for what cannot be computed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

EM_PIXELS = 16.0
VIEW_WIDTH_PIXELS, VIEW_HEIGHT_PIXELS = 1280.0, 900.0
# A percentage counts as pixels of a box 400 pixels wide, unless the caller knows better.
_PIXELS_PER_UNIT = {
    "": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "em": EM_PIXELS, "rem": EM_PIXELS, "ex": 8.0, "ch": 8.0, "lh": 20.0, "rlh": 20.0, "%": 4.0,
    "cap": 11.0, "ic": 16.0, "rex": 8.0, "rch": 8.0,
    "deg": 1.0, "turn": 360.0, "rad": 57.2958, "grad": 0.9,
}  # fmt: skip
_PIXELS_PER_UNIT |= {
    prefix + unit: (VIEW_WIDTH_PIXELS if unit in {"vw", "vi", "vmax"} else VIEW_HEIGHT_PIXELS) / 100
    for prefix in ("", "s", "l", "d")
    for unit in ("vw", "vi", "vh", "vb", "vmin", "vmax")
} | dict.fromkeys(("cqw", "cqi", "cqh", "cqb", "cqmin", "cqmax"), 4.0)
_CALC_CONSTANTS = {"pi": 3.14159, "e": 2.71828, "infinity": 1e9, "nan": 0.0}
_NUMBER_WITH_UNIT = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++)(?:e[+-]?\d+)?)(%|[a-z]*)")
_CALC_TOKEN = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|[a-z]*)|([-+*/(),])|(-?[a-z][a-z0-9-]*))"
)
_MAX_CALC_CHARS = 200
_CALC_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "sign": lambda value: float((value > 0) - (value < 0)),
    "sqrt": lambda value: math.sqrt(max(0.0, value)),
    "round": lambda value: float(round(value)),
}


@lru_cache(maxsize=4096)
def parse_pixels(text: str, *, em: float = EM_PIXELS, percent: float | None = None) -> float | None:
    """The length in pixels; `em` is the font size and `percent` the pixels of one per cent."""
    match = _NUMBER_WITH_UNIT.fullmatch(text)
    if match:
        return _convert_to_pixels(match[1], match[2], em, percent)
    if "(" in text and len(text) <= _MAX_CALC_CHARS:
        return _CalcParser(text, em, percent).parse_calc()
    return None


def parse_number(text: str) -> float | None:
    """A number, or a percentage as a fraction of one."""
    return parse_pixels(text, percent=0.01)


def _convert_to_pixels(digits: str, unit: str, em: float, percent: float | None) -> float | None:
    size = _PIXELS_PER_UNIT.get(unit)
    if size is None:
        return None
    if unit in {"em", "ex", "ch"}:
        size = size * em / EM_PIXELS
    elif unit == "%" and percent is not None:
        size = percent
    return max(-1e9, min(1e9, float(digits) * size))


class _CalcParser:
    """A recursive-descent parser of calc(), min(), max() and clamp()."""

    def __init__(self, text: str, em: float, percent: float | None) -> None:
        self._em, self._percent = em, percent
        self._tokens = list(_split_calc_tokens(text))
        self._at = 0

    def parse_calc(self) -> float | None:
        try:
            found = self._parse_sum()
        except (ValueError, IndexError, RecursionError, OverflowError):
            return None
        return found if self._at == len(self._tokens) else None

    def _peek_token(self) -> tuple[str, str] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take_token(self, *wanted: str) -> str | None:
        token = self._peek_token()
        if token is not None and token[0] in wanted:
            self._at += 1
            return token[0]
        return None

    def _parse_sum(self) -> float:
        total = self._parse_product()
        while sign := self._take_token("+", "-"):
            total += self._parse_product() if sign == "+" else -self._parse_product()
        return total

    def _parse_product(self) -> float:
        total = self._parse_operand()
        while sign := self._take_token("*", "/"):
            other = self._parse_operand()
            total = total * other if sign == "*" else total / (other or 1e-9)
        return max(-1e9, min(1e9, total))

    def _parse_operand(self) -> float:
        if self._take_token("-"):
            return -self._parse_operand()
        if self._take_token("+"):
            return self._parse_operand()
        if self._take_token("("):
            inner = self._parse_sum()
            return self._expect_closing(inner)
        first, second = self._tokens[self._at]
        self._at += 1
        if second == "call":
            return _CALC_CONSTANTS[first] if first in _CALC_CONSTANTS else self._parse_call(first)
        value = _convert_to_pixels(first, second, self._em, self._percent)
        if value is None:
            raise ValueError(second)
        return value

    def _parse_call(self, name: str) -> float:
        if not self._take_token("("):
            raise ValueError(name)
        values = [self._parse_sum()]
        while self._take_token(","):
            values.append(self._parse_sum())
        return self._expect_closing(_apply_calc_function(name, values))

    def _expect_closing(self, value: float) -> float:
        if not self._take_token(")"):
            raise ValueError("unclosed")
        return value


def _apply_calc_function(name: str, values: list[float]) -> float:
    if name in {"calc", "-webkit-calc", "-moz-calc"}:
        return values[0]
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name == "clamp" and len(values) == 3:
        return max(values[0], min(values[1], values[2]))
    if name in _CALC_FUNCTIONS and len(values) == 1:
        return _CALC_FUNCTIONS[name](values[0])
    if name in {"mod", "rem"} and len(values) == 2 and values[1]:
        return math.fmod(values[0], values[1])
    if name == "hypot":
        return math.hypot(*values)
    raise ValueError(name)


def _split_calc_tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    text = text.strip()
    while place < len(text):
        match = _CALC_TOKEN.match(text, place)
        if match is None:
            yield "?", "?"
            return
        place = match.end()
        if match[1]:
            yield match[1], match[2]
        elif match[3]:
            yield match[3], "sign"
        else:
            yield match[4], "call"
