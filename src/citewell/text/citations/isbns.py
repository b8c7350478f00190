"""Finds ISBNs in text, checks their check digit, and converts them to 13 digits."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPACE_REGEX = r"[\s\u00ad\u2010-\u2015\u2212-]?"
_DIGIT_REGEX = rf"{_SPACE_REGEX}\d"
_ISBN13_REGEX = rf"97[89](?:{_DIGIT_REGEX}){{10}}"
_ISBN10_REGEX = rf"\d(?:{_DIGIT_REGEX}){{8}}{_SPACE_REGEX}[\dx]"
_ODD_ISBN_REGEX = rf"\d(?:{_DIGIT_REGEX}){{8,11}}{_SPACE_REGEX}[\dx]"  # to tell that it is wrong
_LABEL_REGEX = r"\be?-?isbns?(?:[- ]?1[03])?\s*+(?:\([^()]{1,24}\)\s*+)?[\"']?[:#=]?\s*+[\"'{]{0,2}"
_ISBN_END_REGEX = r"(?![\d\u2010-\u2015-])"
_LABELLED_ISBN_PATTERN = re.compile(
    rf"{_LABEL_REGEX}(?:({_ISBN13_REGEX}){_ISBN_END_REGEX}|({_ISBN10_REGEX}){_ISBN_END_REGEX}|({_ODD_ISBN_REGEX}){_ISBN_END_REGEX})",
    re.IGNORECASE,
)
_BARE_ISBN_PATTERN = re.compile(rf"\s*+({_ISBN13_REGEX}|{_ISBN10_REGEX})\s*+\.?\s*+", re.IGNORECASE)
_SEPARATOR_PATTERN = re.compile(r"[^0-9xX]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedIsbn:
    """`value` has 13 digits if the check digit is right, else the digits as written."""

    value: str
    is_valid: bool
    written: str


def find_isbn(text: str) -> ParsedIsbn | None:
    """A labelled ISBN, or the whole text as one; an unlabelled 10-digit one must pass its check.

    Of several labelled ones the first with a right check digit, because one is often mistyped.
    """
    marked = [
        parse_isbn(match[match.lastindex or 0]) for match in _LABELLED_ISBN_PATTERN.finditer(text)
    ]
    if marked:
        return next((one for one in marked if one.is_valid), marked[0])
    alone = _BARE_ISBN_PATTERN.fullmatch(text)
    if alone is None:
        return None
    found = parse_isbn(alone[1])
    return found if found.is_valid or len(found.value) == 13 else None


def strip_isbns(text: str) -> str:
    """The text without its labelled ISBNs."""
    return _LABELLED_ISBN_PATTERN.sub(" ", text)


def parse_isbn(written: str) -> ParsedIsbn:
    digits = _SEPARATOR_PATTERN.sub("", written).upper()
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
