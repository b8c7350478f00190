"""IEEE."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.names import Author
from citewell.text.styles.parts import ended, joined, listed, ordinal, pages
from citewell.text.works import PARTS, PERIODICALS, Work

_MOST = 6
_MONTHS = "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.".split()  # noqa: SIM905 - reads as the style prints it
_BOOKS = frozenset({"book", "software", "standard"})


def entry(work: Work, *, accessed: date) -> str:
    """Authors, "Title," where it appeared, vol., no., pp., date, doi."""
    names = authors(work.authors)
    if work.kind in _BOOKS:
        head = joined((names, joined((work.title, _edition(work)), ", ")), ", ")
        return joined((ended(head), ended(_imprint(work)), _address(work)))
    close = "." if work.kind == "dataset" else ","
    title = f"“{ended(work.title, close)}”" if work.title else ""
    head = joined((names, title), ", ")
    if work.kind == "article-journal":
        doi = f"doi: {work.doi}" if work.doi else ""
        place = joined((*_journal(work), doi), ", ")
        return joined((ended(joined((head, place))), "" if doi else _online(work)))
    if work.on_the_web:
        read = f"Accessed: {_MONTHS[accessed.month - 1]} {accessed.day}, {accessed.year}."
        return joined((ended(joined((head, work.within))), read, _online(work)))
    return joined((ended(joined((head, _place(work)))), _address(work)))


def _place(work: Work) -> str:
    if work.kind in PERIODICALS:
        return joined(_journal(work), ", ")
    if work.kind in PARTS:
        return joined(_book(work), ", ")
    if work.kind == "article":
        return joined((_day(work), work.publisher or work.within), ", ")
    return _imprint(work)


def authors(people: Sequence[Author]) -> str:
    """Six are named; of more, the first."""
    names = [_straight(author) for author in people]
    if len(names) > _MOST:
        return f"{names[0]} et al."
    return listed(names, last=" and " if len(names) == 2 else ", and ")


def _straight(author: Author) -> str:
    if author.collective:
        return author.name
    return joined((author.initials, author.family, author.suffix))


def _journal(work: Work) -> list[str]:
    return [
        work.within,
        f"vol. {work.volume}" if work.volume else "",
        f"no. {work.issue}" if work.issue else "",
        _pages(work.pages),
        _day(work) if work.kind == "article-newspaper" else _date(work),
    ]


def _book(work: Work) -> list[str]:
    edited = listed([_straight(editor) for editor in work.editors], last=" and ")
    role = "Eds." if len(work.editors) > 1 else "Ed."
    return [
        f"in {work.within}",
        _edition(work),
        f"vol. {work.volume}" if work.volume else "",
        f"{edited}, {role}" if edited else "",
        joined((work.place, work.publisher), ": "),
        _date(work) if work.kind == "paper-conference" else work.date[0],
        _pages(work.pages),
    ]


def _imprint(work: Work) -> str:
    year = work.date[0] if work.kind in _BOOKS | {"thesis"} else _date(work)
    return joined((joined((work.place, work.publisher or work.within), ": "), year), ", ")


def _edition(work: Work) -> str:
    return f"{ordinal(work.edition)} ed." if work.edition else ""


def _pages(span: str) -> str:
    shown = pages(span)
    return f"pp. {shown}" if "–" in shown else f"p. {shown}" if shown else ""


def _date(work: Work) -> str:
    year, month, _ = work.date
    return joined((_MONTHS[month - 1] if month else "", year))


def _day(work: Work) -> str:
    year, month, day = work.date
    return f"{_MONTHS[month - 1]} {day:02}, {year}" if month and day else _date(work)


def _address(work: Work) -> str:
    return f"doi: {work.doi}." if work.doi else _online(work)


def _online(work: Work) -> str:
    if work.doi and not work.on_the_web:
        return ""
    return f"[Online]. Available: {work.url}" if work.url else ""
