"""Vancouver style, as used by the National Library of Medicine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CONTAINED_KINDS, PERIODICAL_KINDS, CitableWork
from citewell.text.citations.styles.style_parts import (
    LONG_MONTHS,
    add_final_mark,
    format_ordinal,
    format_page_range,
    join_nonempty,
)

_MAX_VANCOUVER_AUTHORS = 6


def format_vancouver_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. Title. Journal. Date;volume(issue):pages. doi."""
    head = join_nonempty(
        (
            add_final_mark(format_vancouver_authors(work.authors)),
            add_final_mark(_format_vancouver_title(work)),
        )
    )
    if work.kind in PERIODICAL_KINDS:
        place = add_final_mark(_format_vancouver_journal(work))
    elif work.kind in CONTAINED_KINDS:
        place = join_nonempty(
            (
                add_final_mark(_format_vancouver_book(work)),
                add_final_mark(_format_vancouver_pages(work.pages, mark="p. ")),
            )
        )
    else:
        place = add_final_mark(_format_vancouver_imprint(work, accessed))
    return join_nonempty((head, place, _format_vancouver_address(work)))


def format_vancouver_authors(people: Sequence[AuthorName]) -> str:
    names = [format_vancouver_name(author) for author in people[:_MAX_VANCOUVER_AUTHORS]]
    return ", ".join([*names, "et al"] if len(people) > _MAX_VANCOUVER_AUTHORS else names)


def format_vancouver_name(author: AuthorName) -> str:
    """Family name, initials and suffix without full stops: Family GI Jr."""
    if author.is_indivisible:
        return author.name
    initials = author.initials.replace(".", "").replace("-", "").replace(" ", "")
    return join_nonempty((author.family, initials, author.suffix.rstrip(".")))


def _format_vancouver_title(work: CitableWork) -> str:
    title = (work.title or work.container_title).rstrip(". ")
    return (
        title
        if work.kind in PERIODICAL_KINDS | CONTAINED_KINDS
        else join_nonempty((title, _format_internet_label(work)))
    )


def _format_internet_label(work: CitableWork) -> str:
    """[Internet] for works that are cited by an address instead of a DOI."""
    return "" if work.doi and not work.is_web_page else "[Internet]"


def _format_vancouver_journal(work: CitableWork) -> str:
    issue = f"({work.issue})" if work.issue else ""
    span = f":{_format_vancouver_pages(work.pages)}" if work.pages else ""
    where = f"{work.volume}{issue}{span}"
    when = (
        join_nonempty((_format_vancouver_date(work), where), ";")
        if where
        else _format_vancouver_date(work)
    )
    return join_nonempty(
        (add_final_mark(join_nonempty((work.container_title, _format_internet_label(work)))), when)
    )


def _format_vancouver_book(work: CitableWork) -> str:
    editors = ", ".join(format_vancouver_name(editor) for editor in work.editors)
    role = "editors" if len(work.editors) > 1 else "editor"
    return join_nonempty(
        (
            f"In: {add_final_mark(f'{editors}, {role}') if editors else ''}".strip(),
            add_final_mark(join_nonempty((work.container_title, _format_internet_label(work)))),
            f"{format_ordinal(work.edition)} ed." if work.edition else "",
            _format_publisher_year(work),
        )
    )


def _format_vancouver_imprint(work: CitableWork, accessed: date) -> str:
    edition = f"{format_ordinal(work.edition)} ed." if work.edition else ""
    cited = ""
    if work.is_web_page:
        cited = f"[cited {accessed.year} {LONG_MONTHS[accessed.month - 1][:3]} {accessed.day}]"
    return join_nonempty((edition, join_nonempty((_format_publisher_year(work), cited))))


def _format_publisher_year(work: CitableWork) -> str:
    who = work.publisher or (
        work.container_title if work.kind not in CONTAINED_KINDS and work.title else ""
    )
    year = _format_vancouver_date(work) if work.is_web_page else work.date_parts[0]
    return join_nonempty((join_nonempty((work.place, who), ": "), year), "; ")


def _format_vancouver_pages(span: str, *, mark: str = "") -> str:
    return f"{mark}{format_page_range(span, form='minimal')}" if span else ""


def _format_vancouver_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    return join_nonempty(
        (year, LONG_MONTHS[month - 1][:3] if month else "", str(day) if month and day else "")
    )


def _format_vancouver_address(work: CitableWork) -> str:
    if work.doi and not work.is_web_page:
        return f"doi:{work.doi}"
    return f"Available from: {work.url}" if work.url else ""
