"""What the styles share: ends of sentences, dates, page ranges, capitals and lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

_LONG_NAMES = (
    "January February March April May June July August September October November December"
)
_SHORT_NAMES = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec."
MONTHS, SHORT_MONTHS = tuple(_LONG_NAMES.split()), tuple(_SHORT_NAMES.split())
_RANGE = re.compile(r"(\D*)(\d+)\s*[-–—‐‑]{1,2}\s*(\D*)(\d+)")
_SMALL_NAMES = (
    "a an and as at but by de down for from in into nor of on onto or over so the till to up via von"
    " vs vs. with yet"
)
_SMALL = frozenset(_SMALL_NAMES.split())
_HYPHENS = re.compile(r"([-‐–—/])")
_SPACES = re.compile(r"(\s+)")


def ended(text: str, mark: str = ".") -> str:
    text = text.strip()
    return text if not text or text[-1] in ".?!。？！" else f"{text}{mark}"


def joined(parts: Iterable[str], by: str = " ") -> str:
    return by.join(part for part in parts if part)


def listed(names: Sequence[str], *, last: str, by: str = ", ") -> str:
    """A, B and C, with what stands before the last one."""
    if len(names) < 2:
        return "".join(names)
    return f"{by.join(names[:-1])}{last}{names[-1]}"


def same(first: str, second: str) -> bool:
    return first.casefold().strip(". ") == second.casefold().strip(". ")


def long_day(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


def short_day(day: date) -> str:
    return f"{day.day} {SHORT_MONTHS[day.month - 1]} {day.year}"


def ordinal(edition: str) -> str:
    """3 as 3rd; what is no bare number stays as it is."""
    if not edition.isascii() or not edition.isdigit():
        return edition
    number = int(edition[-2:])
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{edition}{ending}"


def pages(span: str, *, form: str = "expanded") -> str:
    """A range with an en dash: expanded, chicago, minimal (436–44, 48–9) or minimal-two (48–49)."""
    match = _RANGE.fullmatch(span.strip())
    if match is None:
        return re.sub(r"\s*[-‐‑–]{1,2}\s*", "–", span.strip())
    prefix, first, again, last = match.groups()
    whole = first[: len(first) - len(last)] + last if len(last) < len(first) else last
    if again or form == "expanded" or len(whole) != len(first):
        return f"{prefix}{first}–{again or prefix if prefix else ''}{whole}"
    return f"{prefix}{first}–{_shortened(first, whole, form)}"


def _shortened(first: str, last: str, form: str) -> str:
    alike = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(last))
    if form == "chicago":
        return _chicago(first, last, alike)
    fewest = 2 if form == "minimal-two" else 1
    return last[min(alike, max(len(last) - fewest, 0)) :]


def _chicago(first: str, last: str, alike: int) -> str:
    """All digits below 100 and from hundreds; else the changed part, two digits at least from 10 on."""
    if len(first) < 3 or first.endswith("00") or (len(last) - alike > 2 and len(first) > 3):
        return last
    changed = last[alike:]
    return changed if first[-2] == "0" and len(changed) == 1 else last[min(alike, len(last) - 2) :]


def headline(text: str, language: str) -> str:
    """Capitals as MLA and Chicago set English titles; no letter is ever lowered."""
    if not language.lower().startswith("en"):
        return text
    words = _SPACES.split(text)
    places = [place for place, word in enumerate(words) if word.strip()]
    for place in places:
        before = words[place - 2] if place > 1 else ""
        begins = place in {places[0], places[-1]} or before[-1:] in {":", "?", "!", "—"}
        words[place] = _raised(words[place], begins=begins)
    return "".join(words)


def _raised(word: str, *, begins: bool) -> str:
    if word != word.lower() or (not begins and word.strip("“”\"'()[],.;:") in _SMALL):
        return word
    pieces = _HYPHENS.split(word)
    return "".join(
        piece if number and piece in _SMALL else _capital(piece)
        for number, piece in enumerate(pieces)
    )


def _capital(word: str) -> str:
    at = next((place for place, char in enumerate(word) if char.isalnum()), 0)
    return word[:at] + word[at : at + 1].upper() + word[at + 1 :]
