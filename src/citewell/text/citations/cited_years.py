"""Finds the years that a free-text reference may have as its own: not a volume, a page or a day of access."""

from __future__ import annotations

import re

YEAR_PATTERN = re.compile(r"(?<![\d./:-])(1[5-9]\d\d|20\d\d)(?=[a-z]?(?!\w))(?!\s?[-–/]\s?\d)")
_MAX_TEXT_CHARS = 4000  # characters of a reference that are searched
_ADDRESS_PATTERN = re.compile(r"(?:https?://|www\.|doi:? ?)\S+", re.IGNORECASE)
_ACCESS_PATTERN = re.compile(
    r"\b(?:accessed|retrieved|cited|viewed|visited|available|abgerufen|consulté|consultado|zugriff)\b[^;()\[\]]{0,40}?"
    r"(?:1[5-9]|20)\d\d",
    re.IGNORECASE,
)
# A number in the place of a volume, an issue or a page, though it may look like a year.
_NUMBERING_PATTERN = re.compile(
    r"(?:\b(?:vol|volume|no|nr|number|issue|pp?|pages?|art|article|bd|band|t|#)\.? ?|; ?)"
    r"(?P<marked>(?:1[5-9]|20)\d\d)\b"
    r"|\b(?P<issued>(?:1[5-9]|20)\d\d) ?\(\d{1,3}(?:[-–/]\d{1,3})?\) ?[,:.]"
    r"|\b(?P<paged>(?:1[5-9]|20)\d\d) ?: ?[A-Za-z]{0,2}\d"
    r"|[-–] ?(?P<last>(?:1[5-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_BRACKETED_PATTERN = re.compile(
    r"[(\[](?:[A-Za-z]{3,9}\.? )?((?:1[5-9]|20)\d\d)[a-z]?(?=[)\],;: ])"
)


def find_own_years(
    text: str, *, titles: tuple[str, ...] = (), volume: str = "", year: int | None = None
) -> frozenset[int]:
    """The years that may be the reference's own; `titles` are texts whose years belong to them.

    `year` is the guess of a parser. If it stands in brackets, as most styles have it, only years in
    brackets count.
    """
    rest = _ACCESS_PATTERN.sub(" ", _ADDRESS_PATTERN.sub(" ", text[:_MAX_TEXT_CHARS]))
    for title in titles:
        rest = rest.replace(title, " ") if title else rest
    bracketed = {int(found) for found in _BRACKETED_PATTERN.findall(rest)}
    if year is not None and year in bracketed:
        return frozenset(bracketed)
    found = {int(one) for one in YEAR_PATTERN.findall(_NUMBERING_PATTERN.sub(_blank_number, rest))}
    taken = {int(one) for title in titles for one in YEAR_PATTERN.findall(title)}
    own = found - taken - ({int(volume)} if volume.isdecimal() and len(volume) == 4 else set())
    return frozenset(own or found - taken)


def _blank_number(match: re.Match[str]) -> str:
    """The match with another number in place of its own, so that what surrounds it is read as before."""
    number = next(part for part in match.groups() if part)
    return match[0].replace(number, "0000")
