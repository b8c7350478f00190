"""Vancouver, as the National Library of Medicine sets it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.names import Author
from citewell.text.styles.parts import MONTHS, ended, joined, ordinal, pages
from citewell.text.works import PARTS, PERIODICALS, Work

_MOST = 6


def entry(work: Work, *, accessed: date) -> str:
    """Authors. Title. Journal. Date;volume(issue):pages. doi."""
    head = joined((ended(authors(work.authors)), ended(_title(work))))
    if work.kind in PERIODICALS:
        place = ended(_journal(work))
    elif work.kind in PARTS:
        place = joined((ended(_book(work)), ended(_pages(work.pages, mark="p. "))))
    else:
        place = ended(_imprint(work, accessed))
    return joined((head, place, _address(work)))


def authors(people: Sequence[Author]) -> str:
    names = [name(author) for author in people[:_MOST]]
    return ", ".join([*names, "et al"] if len(people) > _MOST else names)


def name(author: Author) -> str:
    """Family GI Jr, without stops."""
    if author.collective:
        return author.name
    initials = author.initials.replace(".", "").replace("-", "").replace(" ", "")
    return joined((author.family, initials, author.suffix.rstrip(".")))


def _title(work: Work) -> str:
    title = (work.title or work.within).rstrip(". ")
    return title if work.kind in PERIODICALS | PARTS else joined((title, _label(work)))


def _label(work: Work) -> str:
    """What is cited by an address says that it is on the net."""
    return "" if work.doi and not work.on_the_web else "[Internet]"


def _journal(work: Work) -> str:
    issue = f"({work.issue})" if work.issue else ""
    span = f":{_pages(work.pages)}" if work.pages else ""
    where = f"{work.volume}{issue}{span}"
    when = joined((_date(work), where), ";") if where else _date(work)
    return joined((ended(joined((work.within, _label(work)))), when))


def _book(work: Work) -> str:
    editors = ", ".join(name(editor) for editor in work.editors)
    role = "editors" if len(work.editors) > 1 else "editor"
    return joined(
        (
            f"In: {ended(f'{editors}, {role}') if editors else ''}".strip(),
            ended(joined((work.within, _label(work)))),
            f"{ordinal(work.edition)} ed." if work.edition else "",
            _published(work),
        )
    )


def _imprint(work: Work, accessed: date) -> str:
    edition = f"{ordinal(work.edition)} ed." if work.edition else ""
    cited = ""
    if work.on_the_web:
        cited = f"[cited {accessed.year} {MONTHS[accessed.month - 1][:3]} {accessed.day}]"
    return joined((edition, joined((_published(work), cited))))


def _published(work: Work) -> str:
    who = work.publisher or (work.within if work.kind not in PARTS and work.title else "")
    year = _date(work) if work.on_the_web else work.date[0]
    return joined((joined((work.place, who), ": "), year), "; ")


def _pages(span: str, *, mark: str = "") -> str:
    return f"{mark}{pages(span, form='minimal')}" if span else ""


def _date(work: Work) -> str:
    year, month, day = work.date
    return joined((year, MONTHS[month - 1][:3] if month else "", str(day) if month and day else ""))


def _address(work: Work) -> str:
    if work.doi and not work.on_the_web:
        return f"doi:{work.doi}"
    return f"Available from: {work.url}" if work.url else ""
