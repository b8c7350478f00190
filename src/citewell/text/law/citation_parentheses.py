"""Reads what a citation of a case says of itself right after its page: pin cite, court and year."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PIN_REGEX = r"(?:at |¶¶? ?|slip op\. at |\*)?\*?\d{1,6}(?:\.\d{1,3})?(?:[-–]\*?\d{1,6})?(?: ?(?:&|and) ?)?(?: ?nn?\. ?\d{1,4}(?:[-–]\d{1,4})?)?"
_PIN_CITES_PATTERN = re.compile(rf"(?:, ?| )(?P<pins>{_PIN_REGEX}(?:, ?{_PIN_REGEX}){{0,5}})")
_OWN_PARENTHESIS_PATTERN = re.compile(r",? ?[(\[](?P<inside>[^()\[\]\n]{0,90})[)\]]")
_LEADING_YEAR_PATTERN = re.compile(r"\((?P<inside>[^()\n]{0,60})\) ?$")
_DATE_REGEX = (
    r"(?:(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.? ?(?:\d{1,2},? ?)?)?"
)
_YEAR_INSIDE_PATTERN = re.compile(rf"(?P<court>[^\d].{{0,70}}?|.{{0,70}}?)[, ]?{_DATE_REGEX}(?P<year>1[6-9]\d\d|2[01]\d\d)(?:[-–/]\d{{2,4}})?$")  # fmt: skip
_COURT_INSIDE_PATTERN = re.compile(
    r"[\w.' &-]{0,60}\b(?:Cir\.|D\. ?[A-Z]|Ct\.|App\.|Sup\.)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDetails:
    """What stands in the citation's own parentheses; None where it does not say."""

    year: int | None = None
    court: str | None = None
    pin_cite: str | None = None
    end: int = 0  # characters of the text that were read


def read_following_details(after: str) -> OwnDetails:
    """The details in the text directly after a citation's page; `after` may go on for long."""
    after = after[:400]
    pins = _PIN_CITES_PATTERN.match(after)
    position = pins.end() if pins else 0
    pin_cite = pins["pins"] if pins else None
    found = _OWN_PARENTHESIS_PATTERN.match(after, position)
    if found is None:
        return OwnDetails(pin_cite=pin_cite, end=position)
    year, court = read_parenthesis(found["inside"])
    if year is None and court is None:
        return OwnDetails(pin_cite=pin_cite, end=position)
    return OwnDetails(year=year, court=court, pin_cite=pin_cite, end=found.end())


def read_leading_year(before: str) -> tuple[int | None, str | None, int]:
    """Year and court in parentheses right before the volume, as California writes them, and where they begin."""
    found = _LEADING_YEAR_PATTERN.search(before[-80:])
    if found is None:
        return None, None, len(before)
    year, court = read_parenthesis(found["inside"])
    if year is None:
        return None, None, len(before)
    return year, court, len(before) - len(before[-80:]) + found.start()


def read_parenthesis(inside: str) -> tuple[int | None, str | None]:
    """The year and the court of a parenthesis such as "9th Cir. June 3, 2019"; None for other content."""
    inside = " ".join(inside.split()).strip()
    found = _YEAR_INSIDE_PATTERN.fullmatch(inside)
    if found is None:
        return None, inside if _COURT_INSIDE_PATTERN.match(inside) else None
    court = found["court"].strip(" ,")
    if any(word.isalpha() and word.islower() and len(word) > 3 for word in court.split()):
        return None, None  # a sentence that ends in a year
    return int(found["year"]), court if "." in court else None
