"""Finds ISBNs in text, checks their check digit, and converts them to 13 digits."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABELLED_ISBN_PATTERN = re.compile(
    r"\bisbn(?:[- ]?1[03])?\s*+[:#]?\s*+((?:\d[\s-]?){9,12}[\dx])(?![\d-])", re.IGNORECASE
)
_BARE_ISBN_PATTERN = re.compile(
    r"\s*((?:97[89][\s-]?)?\d(?:[\s-]?\d){8}[\s-]?[\dx])\s*+\.?\s*+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedIsbn:
    """`value` has 13 digits if the check digit is right, else the digits as written."""

    value: str
    is_valid: bool
    written: str


def find_isbn(text: str) -> ParsedIsbn | None:
    """A labelled ISBN, or the whole text as one; an unlabelled 10-digit one must pass its check."""
    marked = _LABELLED_ISBN_PATTERN.search(text)
    if marked is not None:
        return parse_isbn(marked[1])
    alone = _BARE_ISBN_PATTERN.fullmatch(text)
    if alone is None:
        return None
    found = parse_isbn(alone[1])
    return found if found.is_valid or len(found.value) == 13 else None


def parse_isbn(written: str) -> ParsedIsbn:
    digits = re.sub(r"[\s-]", "", written).upper()
    if _has_valid_check_digit(digits):
        value = digits if len(digits) == 13 else _convert_to_isbn13(digits)
        return ParsedIsbn(value=value, is_valid=True, written=written.strip())
    return ParsedIsbn(value=digits, is_valid=False, written=written.strip())


def _has_valid_check_digit(digits: str) -> bool:
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0  # fmt: skip
    if re.fullmatch(r"97[89]\d{10}", digits):
        return _sum_isbn13_digits(digits) % 10 == 0
    return False


def _convert_to_isbn13(ten: str) -> str:
    body = "978" + ten[:9]
    return body + str(-_sum_isbn13_digits(body) % 10)


def _sum_isbn13_digits(digits: str) -> int:
    return sum(int(digit) * (1 if place % 2 == 0 else 3) for place, digit in enumerate(digits))
