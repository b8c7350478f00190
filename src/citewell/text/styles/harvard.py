"""Harvard, as Cite Them Right sets it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.names import Author
from citewell.text.styles.parts import MONTHS, ended, joined, listed, ordinal, pages
from citewell.text.works import PARTS, PERIODICALS, Work

_MOST = 3
_QUOTED = PERIODICALS | PARTS | {"article", "dataset", "software"}


def entry(work: Work, *, accessed: date) -> str:
    """Authors (year) 'Title', where it appeared. Available at: address."""
    names = authors(work.authors)
    year = f"({work.date[0] or 'no date'})"
    title = f"‘{work.title}’" if work.title and work.kind in _QUOTED else work.title
    head = joined((names, year, title)) if names else joined((title or work.within, year))
    read = f" (Accessed: {accessed.day} {MONTHS[accessed.month - 1]} {accessed.year})"
    address = f"Available at: {work.link}{read if work.on_the_web else ''}." if work.link else ""
    return joined((ended(_placed(work, head, names)), address))


def authors(people: Sequence[Author]) -> str:
    """Three are named; of more, the first."""
    names = [_turned(author) for author in people]
    if len(names) > _MOST:
        return f"{names[0]} et al."
    return listed(names, last=" and ")


def _turned(author: Author) -> str:
    if author.collective:
        return author.name
    return joined((author.family, _closed(author), author.suffix), ", ")


def _closed(author: Author) -> str:
    return author.initials.replace(" ", "")


def _straight(author: Author) -> str:
    return author.name if author.collective else joined((_closed(author), author.family))


def _placed(work: Work, head: str, names: str) -> str:
    if work.kind in PERIODICALS:
        return joined((head, *_journal(work)), ", ")
    if work.kind in PARTS:
        imprint = joined((joined((work.place, work.publisher), ": "), _pages(work.pages)), ", ")
        if work.publisher:
            return joined((ended(f"{head}, {_book(work)}"), imprint))
        return joined((f"{head}, {_book(work)}", imprint), ", ")
    if work.on_the_web:
        if not names:
            return joined((head, work.within)) if work.title else head
        return joined((head, work.within), ", ")
    edition = f"{ordinal(work.edition)} ed." if work.edition else ""
    who = joined((work.place, work.publisher or work.within), ": ")
    return joined((ended(head) if names else head, edition, who))


def _journal(work: Work) -> list[str]:
    issue = f"({work.issue})" if work.issue else ""
    if work.kind != "article-journal":
        return [work.within, _day(work), _pages(work.pages)]
    return [work.within, f"{work.volume}{issue}", _pages(work.pages)]


def _book(work: Work) -> str:
    edited = listed([_straight(editor) for editor in work.editors], last=" and ")
    role = "(eds)" if len(work.editors) > 1 else "(ed.)"
    edition = f"{ordinal(work.edition)} ed" if work.edition else ""
    return joined((f"in {edited} {role} {work.within}" if edited else work.within, edition), ". ")


def _pages(span: str) -> str:
    shown = pages(span)
    return f"pp. {shown}" if "–" in shown else f"p. {shown}" if shown else ""


def _day(work: Work) -> str:
    _, month, day = work.date
    return joined((str(day) if month and day else "", MONTHS[month - 1] if month else ""))
