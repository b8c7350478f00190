"""MLA, 9th edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.names import Author
from citewell.text.styles.parts import (
    SHORT_MONTHS,
    ended,
    headline,
    joined,
    ordinal,
    pages,
    same,
    short_day,
)
from citewell.text.works import PARTS, PERIODICALS, Work

_YEAR_ONLY = frozenset({"book", "chapter", "paper-conference", "thesis", "manuscript"})
_NO_DAY = frozenset({"article-journal", "review"})
_UNPUBLISHED = PERIODICALS | {"paper-conference", "thesis"}  # or its publisher goes without saying
_WHOLE = frozenset({"book", "report", "thesis", "software", "manuscript", "standard"})


def entry(work: Work, *, accessed: date) -> str:
    """Authors. "Title." Container, details, date, pages, address."""
    names = authors(work.authors)
    shown = "" if same(work.within, names) else headline(work.within, work.language)
    details = joined((shown, *_details(work), work.link), ", ")
    last = f"Accessed {short_day(accessed)}." if work.on_the_web else ""
    if work.kind == "thesis":
        last = ended(work.publisher)
    return joined((ended(names), _title(work), ended(details), last))


def authors(people: Sequence[Author]) -> str:
    if not people:
        return ""
    first = turned(people[0])
    if len(people) == 1:
        return first
    if len(people) > 2:
        return f"{first}, et al."
    return f"{first}, and {people[1].spoken}"


def turned(author: Author) -> str:
    """Family name first."""
    if author.collective:
        return author.name
    return joined((author.family, author.given, author.suffix), ", ")


def _title(work: Work) -> str:
    title = headline(work.title, work.language)
    if not title:
        return ""
    return ended(title) if work.kind in _WHOLE else f'"{ended(title)}"'


def _details(work: Work) -> list[str]:
    edited = " and ".join(editor.spoken for editor in work.editors[:2])
    if len(work.editors) > 2:
        edited = f"{work.editors[0].spoken} et al."
    paged = work.kind in PERIODICALS | PARTS
    return [
        f"edited by {edited}" if edited else "",
        f"{ordinal(work.edition)} ed." if work.edition else "",
        f"vol. {work.volume}" if work.volume else "",
        f"no. {work.issue}" if work.issue else "",
        "" if work.kind in _UNPUBLISHED else work.publisher,
        _date(work),
        _pages(work.pages) if paged else "",
    ]


def _pages(span: str) -> str:
    if not span:
        return ""
    shown = pages(span, form="minimal-two")
    return f"pp. {shown}" if "–" in shown or "," in shown else f"p. {shown}"


def _date(work: Work) -> str:
    year, month, day = work.date
    if work.kind in _YEAR_ONLY or not month:
        return year
    shown = day if day and work.kind not in _NO_DAY and work.kind != "article-magazine" else 0
    return joined((str(shown) if shown else "", SHORT_MONTHS[month - 1], year))
