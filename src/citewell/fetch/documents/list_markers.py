"""Formats the numbers of list items, and the markdown that begins an item."""

from __future__ import annotations

import re

_PLAIN_NUMBER_LABEL = re.compile(r"\d{1,9}[.)]?")
_ROMAN_DIGITS = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
                 (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def format_list_number(number: int, number_format: str) -> str:
    """A number as digits, letters or Roman numerals, by the name that Word has for its format."""
    match number_format:
        case "lowerLetter" | "upperLetter":
            letter = chr(97 + (number - 1) % 26) * ((number - 1) // 26 % 8 + 1)
            return letter if number_format == "lowerLetter" else letter.upper()
        case "lowerRoman" | "upperRoman":
            roman = _format_roman_number(number)
            return roman if number_format == "lowerRoman" else roman.upper()
        case "decimalZero":
            return f"{number:02}"
        case "none" | "bullet":
            return ""
        case _:
            return str(number)


def _format_roman_number(number: int) -> str:
    made: list[str] = []
    for value, digits in _ROMAN_DIGITS:
        made.append(digits * (number // value))
        number %= value
    return "".join(made)


def format_list_marker(label: str) -> str:
    """The markdown that begins a list item; a label that markdown has no list for is kept as text."""
    if not label:
        return "- "
    if _PLAIN_NUMBER_LABEL.fullmatch(label):
        return f"{label.rstrip('.)')}. "
    return f"- {label} "
