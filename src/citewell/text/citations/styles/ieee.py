"""IEEE style."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CONTAINED_KINDS, PERIODICAL_KINDS, CitableWork
from citewell.text.citations.styles.style_parts import (
    add_final_mark,
    format_ordinal,
    format_page_range,
    join_names,
    join_nonempty,
)

_MAX_IEEE_AUTHORS = 6
_IEEE_MONTHS = "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.".split()  # noqa: SIM905 - easier to compare with the style guide
_BOOK_LIKE_KINDS = frozenset({"book", "software", "standard"})


def format_ieee_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors, "Title," container, vol., no., pp., date, doi."""
    names = format_ieee_authors(work.authors)
    if work.kind in _BOOK_LIKE_KINDS:
        head = join_nonempty(
            (names, join_nonempty((work.title, _format_ieee_edition(work)), ", ")), ", "
        )
        return join_nonempty(
            (
                add_final_mark(head),
                add_final_mark(_format_ieee_imprint(work)),
                _format_ieee_address(work),
            )
        )
    close = "." if work.kind == "dataset" else ","
    title = f"“{add_final_mark(work.title, close)}”" if work.title else ""
    head = join_nonempty((names, title), ", ")
    if work.kind == "article-journal":
        doi = f"doi: {work.doi}" if work.doi else ""
        place = join_nonempty((*_list_ieee_journal_parts(work), doi), ", ")
        return join_nonempty(
            (
                add_final_mark(join_nonempty((head, place))),
                "" if doi else _format_online_address(work),
            )
        )
    if work.is_web_page:
        read = f"Accessed: {_IEEE_MONTHS[accessed.month - 1]} {accessed.day}, {accessed.year}."
        return join_nonempty(
            (
                add_final_mark(join_nonempty((head, work.container_title))),
                read,
                _format_online_address(work),
            )
        )
    return join_nonempty(
        (
            add_final_mark(join_nonempty((head, _format_ieee_container(work)))),
            _format_ieee_address(work),
        )
    )


def _format_ieee_container(work: CitableWork) -> str:
    if work.kind in PERIODICAL_KINDS:
        return join_nonempty(_list_ieee_journal_parts(work), ", ")
    if work.kind in CONTAINED_KINDS:
        return join_nonempty(_list_ieee_book_parts(work), ", ")
    if work.kind == "article":
        return join_nonempty((_format_ieee_day(work), work.publisher or work.container_title), ", ")
    return _format_ieee_imprint(work)


def format_ieee_authors(people: Sequence[AuthorName]) -> str:
    """Up to six authors; of more, the first."""
    names = [_format_initials_first(author) for author in people]
    if len(names) > _MAX_IEEE_AUTHORS:
        return f"{names[0]} et al."
    return join_names(names, last_separator=" and " if len(names) == 2 else ", and ")


def _format_initials_first(author: AuthorName) -> str:
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.initials, author.family, author.suffix))


def _list_ieee_journal_parts(work: CitableWork) -> list[str]:
    return [
        work.container_title,
        f"vol. {work.volume}" if work.volume else "",
        f"no. {work.issue}" if work.issue else "",
        _format_labelled_pages(work.pages),
        _format_ieee_day(work) if work.kind == "article-newspaper" else _format_ieee_month(work),
    ]


def _list_ieee_book_parts(work: CitableWork) -> list[str]:
    edited = join_names(
        [_format_initials_first(editor) for editor in work.editors], last_separator=" and "
    )
    role = "Eds." if len(work.editors) > 1 else "Ed."
    return [
        f"in {work.container_title}",
        _format_ieee_edition(work),
        f"vol. {work.volume}" if work.volume else "",
        f"{edited}, {role}" if edited else "",
        join_nonempty((work.place, work.publisher), ": "),
        _format_ieee_month(work) if work.kind == "paper-conference" else work.date_parts[0],
        _format_labelled_pages(work.pages),
    ]


def _format_ieee_imprint(work: CitableWork) -> str:
    year = (
        work.date_parts[0]
        if work.kind in _BOOK_LIKE_KINDS | {"thesis"}
        else _format_ieee_month(work)
    )
    return join_nonempty(
        (join_nonempty((work.place, work.publisher or work.container_title), ": "), year), ", "
    )


def _format_ieee_edition(work: CitableWork) -> str:
    return f"{format_ordinal(work.edition)} ed." if work.edition else ""


def _format_labelled_pages(span: str) -> str:
    shown = format_page_range(span)
    return f"pp. {shown}" if "–" in shown else f"p. {shown}" if shown else ""


def _format_ieee_month(work: CitableWork) -> str:
    year, month, _ = work.date_parts
    return join_nonempty((_IEEE_MONTHS[month - 1] if month else "", year))


def _format_ieee_day(work: CitableWork) -> str:
    year, month, day = work.date_parts
    return (
        f"{_IEEE_MONTHS[month - 1]} {day:02}, {year}" if month and day else _format_ieee_month(work)
    )


def _format_ieee_address(work: CitableWork) -> str:
    return f"doi: {work.doi}." if work.doi else _format_online_address(work)


def _format_online_address(work: CitableWork) -> str:
    if work.doi and not work.is_web_page:
        return ""
    return f"[Online]. Available: {work.url}" if work.url else ""
