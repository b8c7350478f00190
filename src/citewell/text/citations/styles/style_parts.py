"""Shared by the styles: final marks, dates, page ranges, capitals and lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

_LONG_MONTH_LIST = (
    "January February March April May June July August September October November December"
)
_SHORT_MONTH_LIST = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec."
LONG_MONTHS, SHORT_MONTHS = tuple(_LONG_MONTH_LIST.split()), tuple(_SHORT_MONTH_LIST.split())
_PAGE_SPAN_PATTERN = re.compile(r"(\D*)(\d++)\s*+[-–—‐‑]{1,2}\s*+(\D*+)(\d+)")
_TITLE_SMALL_WORD_LIST = (
    "a an and as at but by de down for from in into nor of on onto or over so the till to up via von"
    " vs vs. with yet"
)
_TITLE_SMALL_WORDS = frozenset(_TITLE_SMALL_WORD_LIST.split())
_HYPHEN_PATTERN = re.compile(r"([-‐–—/])")
_WHITESPACE_RUN_PATTERN = re.compile(r"(\s+)")


def add_final_mark(text: str, mark: str = ".") -> str:
    text = text.strip()
    return text if not text or text[-1] in ".?!。？！" else f"{text}{mark}"


def join_nonempty(parts: Iterable[str], separator: str = " ") -> str:
    return separator.join(part for part in parts if part)


def join_names(names: Sequence[str], *, last_separator: str, separator: str = ", ") -> str:
    """The names joined by `separator`, with `last_separator` before the last one."""
    if len(names) < 2:
        return "".join(names)
    return f"{separator.join(names[:-1])}{last_separator}{names[-1]}"


def is_same_name(first: str, second: str) -> bool:
    return first.casefold().strip(". ") == second.casefold().strip(". ")


def format_long_day(day: date) -> str:
    return f"{LONG_MONTHS[day.month - 1]} {day.day}, {day.year}"


def format_short_day(day: date) -> str:
    return f"{day.day} {SHORT_MONTHS[day.month - 1]} {day.year}"


def format_ordinal(edition: str) -> str:
    """3 as 3rd; anything but a plain number is returned unchanged."""
    if not edition.isascii() or not edition.isdigit():
        return edition
    number = int(edition[-2:])
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{edition}{ending}"


def format_page_range(span: str, *, form: str = "expanded") -> str:
    """A page range with an en dash: expanded, chicago, minimal (436–44, 48–9) or minimal-two (48–49)."""
    match = _PAGE_SPAN_PATTERN.fullmatch(span.strip())
    if match is None:
        return re.sub(r"(?<!\s)\s*+[-‐‑–]{1,2}\s*+", "–", span.strip())
    prefix, first, again, last = match.groups()
    whole = first[: len(first) - len(last)] + last if len(last) < len(first) else last
    if again or form == "expanded" or len(whole) != len(first):
        return f"{prefix}{first}–{again or prefix if prefix else ''}{whole}"
    return f"{prefix}{first}–{_shorten_last_page(first, whole, form)}"


def _shorten_last_page(first: str, last: str, form: str) -> str:
    alike = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(last))
    if form == "chicago":
        return _shorten_chicago_page(first, last, alike)
    fewest = 2 if form == "minimal-two" else 1
    return last[min(alike, max(len(last) - fewest, 0)) :]


def _shorten_chicago_page(first: str, last: str, alike: int) -> str:
    """The last page by Chicago's rule.

    In full below 100, after multiples of 100, and from 1000 on if more than two digits change;
    otherwise the changed digits, with at least two unless the first page ends in 01 to 09.
    """
    if len(first) < 3 or first.endswith("00") or (len(last) - alike > 2 and len(first) > 3):
        return last
    changed = last[alike:]
    return changed if first[-2] == "0" and len(changed) == 1 else last[min(alike, len(last) - 2) :]


def capitalize_headline(text: str, language: str) -> str:
    """An English title with capitals as in MLA and Chicago; no letter is made lower-case.

    Titles in other languages are returned unchanged.
    """
    if not language.lower().startswith("en"):
        return text
    words = _WHITESPACE_RUN_PATTERN.split(text)
    places = [place for place, word in enumerate(words) if word.strip()]
    for place in places:
        before = words[place - 2] if place > 1 else ""
        begins = place in {places[0], places[-1]} or before[-1:] in {":", "?", "!", "—"}
        words[place] = _capitalize_headline_word(words[place], begins=begins)
    return "".join(words)


def _capitalize_headline_word(word: str, *, begins: bool) -> str:
    if word != word.lower() or (not begins and word.strip("“”\"'()[],.;:") in _TITLE_SMALL_WORDS):
        return word
    pieces = _HYPHEN_PATTERN.split(word)
    return "".join(
        piece if number and piece in _TITLE_SMALL_WORDS else _capitalize_first_letter(piece)
        for number, piece in enumerate(pieces)
    )


def _capitalize_first_letter(word: str) -> str:
    at = next((place for place, char in enumerate(word) if char.isalnum()), 0)
    return word[:at] + word[at : at + 1].upper() + word[at + 1 :]
