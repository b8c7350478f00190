"""Chicago Manual of Style, author-date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.names import Author
from citewell.text.styles.parts import (
    MONTHS,
    ended,
    headline,
    joined,
    listed,
    long_day,
    ordinal,
    pages,
    same,
)
from citewell.text.works import PERIODICALS, Work

_MOST, _SHOWN = 6, 3
_WHOLE = frozenset({"book", "report", "software", "standard"})


def entry(work: Work, *, accessed: date) -> str:
    """Authors. Year. "Title." Where it appeared. Address."""
    names = authors(work.authors)
    year = work.date[0] or "n.d."
    if names:
        head = joined((ended(names), ended(year), _title(work)))
    elif work.on_the_web:  # a page without an author is its site's
        site = headline(work.within, work.language)
        head = joined((ended(site), ended(year), _title(work)))
    else:
        head = joined((_title(work), ended(year)))
    read = ""
    if work.on_the_web and not work.date[0]:
        read = f"Accessed {long_day(accessed)}."
    return joined((head, _place(work, names), read, ended(work.link)))


def authors(people: Sequence[Author]) -> str:
    """Six are named; of more, the first three."""
    if not people:
        return ""
    names = [_turned(people[0]), *(author.spoken for author in people[1:])]
    if len(names) > _MOST:
        return f"{', '.join(names[:_SHOWN])}, et al."
    return listed(names, last=", and ")


def _turned(author: Author) -> str:
    """The particle goes behind the given names: Beauvoir, Simone de."""
    if author.collective:
        return author.name
    particle = author.particle
    family = author.family.removeprefix(particle).strip()
    given = joined((author.given, particle))
    return joined((family, given, author.suffix), ", ")


def _title(work: Work) -> str:
    title = headline(work.title, work.language)
    if not title:
        return ""
    return ended(title) if work.kind in _WHOLE else f"“{ended(title)}”"


def _place(work: Work, names: str) -> str:
    if work.kind == "article-journal":
        return ended(_journal(work))
    if work.kind in PERIODICALS or work.on_the_web:
        repeated = work.on_the_web and (same(work.within, names) or not names)
        site = "" if repeated else headline(work.within, work.language)
        return ended(joined((site, _day(work)), ", "))
    if work.kind == "chapter":
        return joined((ended(_book(work)), ended(work.publisher)))
    if work.kind == "paper-conference":
        venue = headline(work.within, work.language)
        return ended(joined((venue, _pages(work)), ", "))
    edition = f"{ordinal(work.edition)} ed." if work.edition else ""
    return joined((edition, ended(_publisher(work))))


def _publisher(work: Work) -> str:
    name = work.publisher or work.within
    return joined(
        (f"Preprint, {name}" if work.kind == "article" else name, _preprint_day(work)), ", "
    )


def _preprint_day(work: Work) -> str:
    return _day(work) if work.kind in {"article", "dataset"} else ""


def _journal(work: Work) -> str:
    issue = f" ({work.issue})" if work.issue else ""
    venue = headline(work.within, work.language)
    head = joined((venue, f"{work.volume}{issue}".strip()))
    return (
        f"{head}: {_pages(work)}"
        if work.pages and work.volume
        else joined((head, _pages(work)), ", ")
    )


def _book(work: Work) -> str:
    edited = listed([editor.spoken for editor in work.editors], last=" and ")
    return joined(
        (
            f"In {headline(work.within, work.language)}",
            f"{ordinal(work.edition)} ed." if work.edition else "",
            f"edited by {edited}" if edited else "",
            f"vol. {work.volume}" if work.volume else "",
        ),
        ", ",
    )


def _pages(work: Work) -> str:
    return pages(work.pages, form="chicago")


def _day(work: Work) -> str:
    _, month, day = work.date
    return joined((MONTHS[month - 1] if month else "", str(day) if month and day else ""))
