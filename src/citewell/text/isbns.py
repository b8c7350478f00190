"""ISBNs: found in a text, checked by their own digit, in their 13-digit form."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKED = re.compile(
    r"\bisbn(?:[- ]?1[03])?\s*[:#]?\s*((?:\d[\s-]?){9,12}[\dx])(?![\d-])", re.IGNORECASE
)
_ALONE = re.compile(r"\s*((?:97[89][\s-]?)?\d(?:[\s-]?\d){8}[\s-]?[\dx])\s*\.?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Isbn:
    """`value` as 13 digits when the check digit is right, else the digits as written."""

    value: str
    valid: bool
    written: str


def find(text: str) -> Isbn | None:
    """One that is marked as such, or the whole of the text; a bare number must pass its check."""
    marked = _MARKED.search(text)
    if marked is not None:
        return read(marked[1])
    alone = _ALONE.fullmatch(text)
    if alone is None:
        return None
    found = read(alone[1])
    return found if found.valid or len(found.value) == 13 else None


def read(written: str) -> Isbn:
    digits = re.sub(r"[\s-]", "", written).upper()
    if _checked(digits):
        value = digits if len(digits) == 13 else _thirteen(digits)
        return Isbn(value=value, valid=True, written=written.strip())
    return Isbn(value=digits, valid=False, written=written.strip())


def _checked(digits: str) -> bool:
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0  # fmt: skip
    if re.fullmatch(r"97[89]\d{10}", digits):
        return _sum13(digits) % 10 == 0
    return False


def _thirteen(ten: str) -> str:
    body = "978" + ten[:9]
    return body + str(-_sum13(body) % 10)


def _sum13(digits: str) -> int:
    return sum(int(digit) * (1 if place % 2 == 0 else 3) for place, digit in enumerate(digits))
