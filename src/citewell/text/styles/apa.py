"""APA, 7th edition."""

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
from citewell.text.works import PARTS, PERIODICALS, Work

_MOST = 20
_FULL_DATES = frozenset(
    {"", "webpage", "post-weblog", "post", "article-magazine", "article-newspaper"}
)
_LABELS = {"dataset": "[Dataset]", "software": "[Computer software]"}


def entry(work: Work, *, accessed: date) -> str:
    """Authors. (Date). Title. Where it appeared. Address; a page with the day it was read."""
    names = authors(work.authors)
    when = f"({_date(work)})."
    title = joined((work.title, _note(work)))
    if names:
        head = joined((ended(names), when, ended(title)))
    else:
        head = joined((ended(title or work.within), when))
    return joined((head, _place(work, names), _address(work, accessed)))


def authors(people: Sequence[Author]) -> str:
    """All up to twenty; of more, the first nineteen and the last."""
    names = [_turned(author) for author in people]
    if len(names) > _MOST:
        return f"{', '.join(names[: _MOST - 1])}, … {names[-1]}"
    return listed(names, last=", & ")


def _turned(author: Author) -> str:
    if author.collective:
        return author.name
    return joined((author.family, author.initials, author.suffix), ", ")


def _straight(author: Author) -> str:
    if author.collective:
        return author.name
    return joined((author.initials, author.family, author.suffix))


def _date(work: Work) -> str:
    year, month, day = work.date
    if not year:
        return "n.d."
    if not month or work.kind not in _FULL_DATES:
        return year
    return f"{year}, {MONTHS[month - 1]}{f' {day}' if day else ''}"


def _note(work: Work) -> str:
    """What stands between a title and its full stop."""
    if work.kind == "thesis" and work.publisher:
        return f"[{work.publisher}]"
    edition = f"({ordinal(work.edition)} ed.)" if work.edition and work.kind == "book" else ""
    return joined((edition, _LABELS.get(work.kind, "")))


def _place(work: Work, names: str) -> str:
    if work.on_the_web:
        known = names or work.title
        return "" if not known or same(work.within, names) else ended(_container(work))
    if work.kind in PERIODICALS or work.kind == "paper-conference":
        return ended(_periodical(work))
    if work.kind in PARTS:
        return joined((ended(_book(work)), ended(work.publisher)))
    if work.kind == "thesis":
        return ""
    return (
        "" if same(work.publisher or work.within, names) else ended(work.publisher or work.within)
    )


def _container(work: Work) -> str:
    return headline(work.within, work.language)


def _periodical(work: Work) -> str:
    issue = f"({work.issue})" if work.issue else ""
    return joined((_container(work), f"{work.volume}{issue}", pages(work.pages)), ", ")


def _book(work: Work) -> str:
    edited = listed([_straight(editor) for editor in work.editors], last=" & ")
    role = "(Eds.)," if len(work.editors) > 1 else "(Ed.),"
    inside = [
        f"{ordinal(work.edition)} ed." if work.edition else "",
        f"Vol. {work.volume}" if work.volume else "",
        f"pp. {pages(work.pages)}" if work.pages else "",
    ]
    details = joined(inside, ", ")
    return joined(
        ("In", f"{edited} {role}" if edited else "", work.within, f"({details})" if details else "")
    )


def _address(work: Work, accessed: date) -> str:
    if work.on_the_web:
        return f"Retrieved {long_day(accessed)}, from {work.url}"
    return work.link
