"""Parses references without a title, with the title first, or with the year after the names."""

from __future__ import annotations

import re
from dataclasses import dataclass

_YEAR_REGEX = r"(?:1[4-9]|20)\d\d"
_CAPITAL_REGEX = "[A-ZÀ-ÖØ-ÞĀ-Ž]"
# “Title” by Given Family and Given Family (2019, Journal)
_TITLE_BY_AUTHOR_PATTERN = re.compile(
    r"[“\"«„]?(?P<title>[^“”\"«»„]{3,500})[”\"»“],?\s(?:by|von|par|por)\s"
    rf"(?P<authors>{_CAPITAL_REGEX}[^()“”\"—]{{2,400}}?)(?:[\s,]{{1,2}}\(?(?P<date>{_YEAR_REGEX})\b[,)]?\s?(?P<tail>[^()]{{0,300}})\)?[\s—–-]{{0,3}}|\.?)$"
)
# Family et al. 2019, Title
_AUTHOR_YEAR_TITLE_PATTERN = re.compile(
    rf"(?P<authors>(?:(?:van|von|de|der|den|di|da)\s){{0,2}}{_CAPITAL_REGEX}[\w'’-]{{1,40}}(?:\s(?:and|&)\s{_CAPITAL_REGEX}[\w'’-]{{1,40}}|,?\set\sal\.?))"
    rf"[,.]?\s\(?(?P<date>{_YEAR_REGEX}[a-z]?)\)?[,:]\s(?P<rest>\S.{{8,}})"
)
_INITIALS_REGEX = rf"{_CAPITAL_REGEX}{{1,4}}(?:-{_CAPITAL_REGEX})?"
_ABBREVIATED_NAME_REGEX = rf"(?:{_CAPITAL_REGEX}[\w'’ -]{{1,40}}?\s{_INITIALS_REGEX}|(?:{_CAPITAL_REGEX}\.[\s-]?){{1,4}}\s?{_CAPITAL_REGEX}[\w'’-]{{1,40}}(?:\s{_CAPITAL_REGEX}[\w'’-]{{1,40}})?)"
_ABBREVIATED_NAMES_PATTERN = re.compile(
    rf"(?:(?:van|von|de|der|den|di|da)\s){{0,2}}{_ABBREVIATED_NAME_REGEX}(?:,?\s(?:and|&)\s|[,;]\s(?:and\s)?|,?\set\sal\.?,\s)"
)
# Journal, 2010, 49, 2011–2013 and J. Am. Chem. Soc. 2010, 132, 1234 and Phys. Rev. Lett. 116, 061102 (2016)
_JOURNAL_VOLUME_PAGES_PATTERN = re.compile(
    rf"(?P<venue>[^\d;:]{{2,90}}?),?\s(?:{_YEAR_REGEX},\s\d{{1,4}}|\d{{1,4}}|\d{{1,4}},)(?:\s?\(\w{{1,7}}\))?[,:]?\s[A-Za-z]?\d[\w.–-]{{0,20}}(?:\s\({_YEAR_REGEX}\))?"
)
_JOURNAL_SMALL_WORDS = frozenset(
    {"of", "the", "and", "in", "on", "for", "für", "der", "et", "de", "des", "la", "&"}
)
_MAX_VENUE_WORDS = 8  # words


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusualParts:
    authors: str = ""
    date: str = ""
    title: str = ""
    imprint_text: str = ""
    title_and_imprint: str = ""  # title and tail, not yet split


def parse_unusual_form(body: str) -> UnusualParts | None:
    """The parts of a reference in one of these forms; None for any other form."""
    if (found := _TITLE_BY_AUTHOR_PATTERN.match(body)) is not None:
        return UnusualParts(
            authors=found["authors"],
            date=found["date"] or "",
            title=found["title"],
            imprint_text=found["tail"] or "",
        )
    if (found := _AUTHOR_YEAR_TITLE_PATTERN.match(body)) is not None:
        return UnusualParts(
            authors=found["authors"], date=found["date"], title_and_imprint=found["rest"]
        )
    return _parse_untitled_reference(body)


def _parse_untitled_reference(body: str) -> UnusualParts | None:
    """Names followed directly by journal, year, volume and pages, as in chemistry; else None."""
    end = 0
    while (name := _ABBREVIATED_NAMES_PATTERN.match(body, end)) is not None:
        end = name.end()
    where = _JOURNAL_VOLUME_PAGES_PATTERN.fullmatch(body[end:].rstrip(" .")) if end else None
    if where is None or not _is_journal_name(where["venue"]):
        return None
    return UnusualParts(authors=body[:end].rstrip(" ,"), imprint_text=body[end:])


def _is_journal_name(venue: str) -> bool:
    """Whether this is a journal name: capitalised words, of which only short ones end in a stop."""
    words = venue.split()
    named = all(word[:1].isupper() or word in _JOURNAL_SMALL_WORDS for word in words)
    stopped = [word for word in words[:-1] if word.endswith(".")]
    short = words[-1].endswith(".") or len(stopped) > 1 or all(len(word) < 7 for word in stopped)
    return named and len(words) <= _MAX_VENUE_WORDS and short
