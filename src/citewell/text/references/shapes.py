"""References that leave out the title, name it first, or put the year between names and title."""

from __future__ import annotations

import re
from dataclasses import dataclass

_YEAR = r"(?:1[4-9]|20)\d\d"
_CAPITAL = "[A-ZÀ-ÖØ-ÞĀ-Ž]"
# “Title” by Given Family and Given Family (2019, Journal)
_BY = re.compile(
    r"[“\"«„]?(?P<title>[^“”\"«»„]{3,500})[”\"»“],?\s(?:by|von|par|por)\s"
    rf"(?P<authors>{_CAPITAL}[^()“”\"—]{{2,400}}?)(?:[\s,]{{1,2}}\(?(?P<date>{_YEAR})\b[,)]?\s?(?P<tail>[^()]{{0,300}})\)?[\s—–-]{{0,3}}|\.?)$"
)
# Family et al. 2019, Title
_BETWEEN = re.compile(
    rf"(?P<authors>(?:(?:van|von|de|der|den|di|da)\s){{0,2}}{_CAPITAL}[\w'’-]{{1,40}}(?:\s(?:and|&)\s{_CAPITAL}[\w'’-]{{1,40}}|,?\set\sal\.?))"
    rf"[,.]?\s\(?(?P<date>{_YEAR}[a-z]?)\)?[,:]\s(?P<rest>\S.{{8,}})"
)
_INITIALS = rf"{_CAPITAL}{{1,4}}(?:-{_CAPITAL})?"
_NAME = rf"(?:{_CAPITAL}[\w'’ -]{{1,40}}?\s{_INITIALS}|(?:{_CAPITAL}\.[\s-]?){{1,4}}\s?{_CAPITAL}[\w'’-]{{1,40}}(?:\s{_CAPITAL}[\w'’-]{{1,40}})?)"
_NAMES = re.compile(
    rf"(?:(?:van|von|de|der|den|di|da)\s){{0,2}}{_NAME}(?:,?\s(?:and|&)\s|[,;]\s(?:and\s)?|,?\set\sal\.?,\s)"
)
# Journal, 2010, 49, 2011–2013 and J. Am. Chem. Soc. 2010, 132, 1234 and Phys. Rev. Lett. 116, 061102 (2016)
_WHERE = re.compile(
    rf"(?P<venue>[^\d;:]{{2,90}}?),?\s(?:{_YEAR},\s\d{{1,4}}|\d{{1,4}}|\d{{1,4}},)(?:\s?\(\w{{1,7}}\))?[,:]?\s[A-Za-z]?\d[\w.–-]{{0,20}}(?:\s\({_YEAR}\))?"
)
_SMALL = frozenset(
    {"of", "the", "and", "in", "on", "for", "für", "der", "et", "de", "des", "la", "&"}
)
_LONGEST_VENUE = 8  # words


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    authors: str = ""
    date: str = ""
    title: str = ""
    tail: str = ""
    rest: str = ""  # title and tail, still together


def read(body: str) -> Parts | None:
    """The parts of a reference in one of these shapes; None when it has another."""
    if (found := _BY.match(body)) is not None:
        return Parts(
            authors=found["authors"],
            date=found["date"] or "",
            title=found["title"],
            tail=found["tail"] or "",
        )
    if (found := _BETWEEN.match(body)) is not None:
        return Parts(authors=found["authors"], date=found["date"], rest=found["rest"])
    return _untitled(body)


def _untitled(body: str) -> Parts | None:
    """Names and then at once a journal with its year, volume and pages, as chemists cite."""
    end = 0
    while (name := _NAMES.match(body, end)) is not None:
        end = name.end()
    where = _WHERE.fullmatch(body[end:].rstrip(" .")) if end else None
    if where is None or not _journal(where["venue"]):
        return None
    return Parts(authors=body[:end].rstrip(" ,"), tail=body[end:])


def _journal(venue: str) -> bool:
    """A name in capitals, whole or abbreviated; a long word with a full stop ends a title instead."""
    words = venue.split()
    named = all(word[:1].isupper() or word in _SMALL for word in words)
    stopped = [word for word in words[:-1] if word.endswith(".")]
    short = words[-1].endswith(".") or len(stopped) > 1 or all(len(word) < 7 for word in stopped)
    return named and len(words) <= _LONGEST_VENUE and short
