"""Harvard style, as in Cite Them Right."""

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
    join_names,
    join_nonempty,
)

_MAX_HARVARD_AUTHORS = 3
_QUOTED_TITLE_KINDS = PERIODICAL_KINDS | CONTAINED_KINDS | {"article", "dataset", "software"}


def format_harvard_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors (year) 'Title', container. Available at: address."""
    names = format_harvard_authors(work.authors)
    year = f"({work.date_parts[0] or 'no date'})"
    title = f"‘{work.title}’" if work.title and work.kind in _QUOTED_TITLE_KINDS else work.title
    head = (
        join_nonempty((names, year, title))
        if names
        else join_nonempty((title or work.container_title, year))
    )
    read = f" (Accessed: {accessed.day} {LONG_MONTHS[accessed.month - 1]} {accessed.year})"
    address = f"Available at: {work.link}{read if work.is_web_page else ''}." if work.link else ""
    return join_nonempty((add_final_mark(_format_harvard_container(work, head, names)), address))


def format_harvard_authors(people: Sequence[AuthorName]) -> str:
    """Up to three authors; of more, the first."""
    names = [_format_family_first(author) for author in people]
    if len(names) > _MAX_HARVARD_AUTHORS:
        return f"{names[0]} et al."
    return join_names(names, last_separator=" and ")


def _format_family_first(author: AuthorName) -> str:
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.family, _close_initials(author), author.suffix), ", ")


def _close_initials(author: AuthorName) -> str:
    return author.initials.replace(" ", "")


def _format_initials_first(author: AuthorName) -> str:
    return (
        author.name
        if author.is_indivisible
        else join_nonempty((_close_initials(author), author.family))
    )


def _format_harvard_container(work: CitableWork, head: str, names: str) -> str:
    if work.kind in PERIODICAL_KINDS:
        return join_nonempty((head, *_list_harvard_journal_parts(work)), ", ")
    if work.kind in CONTAINED_KINDS:
        imprint = join_nonempty(
            (join_nonempty((work.place, work.publisher), ": "), _format_labelled_pages(work.pages)),
            ", ",
        )
        if work.publisher:
            return join_nonempty((add_final_mark(f"{head}, {_format_harvard_book(work)}"), imprint))
        return join_nonempty((f"{head}, {_format_harvard_book(work)}", imprint), ", ")
    if work.is_web_page:
        if not names:
            return join_nonempty((head, work.container_title)) if work.title else head
        return join_nonempty((head, work.container_title), ", ")
    edition = f"{format_ordinal(work.edition)} ed." if work.edition else ""
    who = join_nonempty((work.place, work.publisher or work.container_title), ": ")
    return join_nonempty((add_final_mark(head) if names else head, edition, who))


def _list_harvard_journal_parts(work: CitableWork) -> list[str]:
    issue = f"({work.issue})" if work.issue else ""
    if work.kind != "article-journal":
        return [work.container_title, _format_day_month(work), _format_labelled_pages(work.pages)]
    return [work.container_title, f"{work.volume}{issue}", _format_labelled_pages(work.pages)]


def _format_harvard_book(work: CitableWork) -> str:
    edited = join_names(
        [_format_initials_first(editor) for editor in work.editors], last_separator=" and "
    )
    role = "(eds)" if len(work.editors) > 1 else "(ed.)"
    edition = f"{format_ordinal(work.edition)} ed" if work.edition else ""
    return join_nonempty(
        (f"in {edited} {role} {work.container_title}" if edited else work.container_title, edition),
        ". ",
    )


def _format_labelled_pages(span: str) -> str:
    shown = format_page_range(span)
    return f"pp. {shown}" if "–" in shown else f"p. {shown}" if shown else ""


def _format_day_month(work: CitableWork) -> str:
    _, month, day = work.date_parts
    return join_nonempty(
        (str(day) if month and day else "", LONG_MONTHS[month - 1] if month else "")
    )
