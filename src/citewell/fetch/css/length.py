"""CSS lengths and numbers as plain numbers, with sums worked out; what cannot be told is None."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

EM = 16.0
# A percentage and a viewport unit become pixels of a small window: -100% is off-screen, -50% is not.
_UNITS = {
    "": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "em": EM, "rem": EM, "ex": 8.0, "ch": 8.0, "lh": 20.0, "rlh": 20.0, "%": 4.0,
    "vw": 4.0, "vh": 4.0, "vi": 4.0, "vb": 4.0, "vmin": 4.0, "vmax": 4.0,
    "svw": 4.0, "svh": 4.0, "lvw": 4.0, "lvh": 4.0, "dvw": 4.0, "dvh": 4.0, "cqw": 4.0, "cqi": 4.0,
    "deg": 1.0, "turn": 360.0, "rad": 57.2958, "grad": 0.9,
}  # fmt: skip
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)")
_TOKEN = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)|([-+*/(),])|([a-z][a-z0-9-]*)(?=\())"
)
_LONGEST = 200


@lru_cache(maxsize=4096)
def px(text: str, *, em: float = EM, percent: float | None = None) -> float | None:
    """`em` is the size that em stands for, `percent` what one per cent stands for."""
    match = _NUMBER.fullmatch(text)
    if match:
        return _value(match[1], match[2], em, percent)
    if "(" in text and len(text) <= _LONGEST:
        return _Sum(text, em, percent).result()
    return None


def number(text: str) -> float | None:
    """A bare number, or a percentage of one."""
    return px(text, percent=0.01)


def _value(digits: str, unit: str, em: float, percent: float | None) -> float | None:
    size = _UNITS.get(unit)
    if size is None:
        return None
    if unit in {"em", "ex", "ch"}:
        size = size * em / EM
    elif unit == "%" and percent is not None:
        size = percent
    return max(-1e9, min(1e9, float(digits) * size))


class _Sum:
    """A reader of calc(), min(), max() and clamp() by recursive descent."""

    def __init__(self, text: str, em: float, percent: float | None) -> None:
        self._em, self._percent = em, percent
        self._tokens = list(_tokens(text))
        self._at = 0

    def result(self) -> float | None:
        try:
            found = self._terms()
        except (ValueError, IndexError, RecursionError, OverflowError):
            return None
        return found if self._at == len(self._tokens) else None

    def _peek(self) -> tuple[str, str] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, *wanted: str) -> str | None:
        token = self._peek()
        if token is not None and token[0] in wanted:
            self._at += 1
            return token[0]
        return None

    def _terms(self) -> float:
        total = self._factors()
        while sign := self._take("+", "-"):
            total += self._factors() if sign == "+" else -self._factors()
        return total

    def _factors(self) -> float:
        total = self._atom()
        while sign := self._take("*", "/"):
            other = self._atom()
            total = total * other if sign == "*" else total / (other or 1e-9)
        return max(-1e9, min(1e9, total))

    def _atom(self) -> float:
        if self._take("-"):
            return -self._atom()
        if self._take("+"):
            return self._atom()
        if self._take("("):
            inner = self._terms()
            return self._closed(inner)
        first, second = self._tokens[self._at]
        self._at += 1
        if second == "call":
            return self._call(first)
        value = _value(first, second, self._em, self._percent)
        if value is None:
            raise ValueError(second)
        return value

    def _call(self, name: str) -> float:
        if not self._take("("):
            raise ValueError(name)
        values = [self._terms()]
        while self._take(","):
            values.append(self._terms())
        return self._closed(_applied(name, values))

    def _closed(self, value: float) -> float:
        if not self._take(")"):
            raise ValueError("unclosed")
        return value


def _applied(name: str, values: list[float]) -> float:
    if name in {"calc", "-webkit-calc", "-moz-calc"}:
        return values[0]
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name == "clamp" and len(values) == 3:
        return max(values[0], min(values[1], values[2]))
    raise ValueError(name)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    text = text.strip()
    while place < len(text):
        match = _TOKEN.match(text, place)
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
