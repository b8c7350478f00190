"""IEEE style, as in the Reference Guide of 2023."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import (
    add_final_mark,
    format_edition,
    format_labelled_pages,
    format_short_name,
    join_marked,
    join_names,
    join_nonempty,
    quote_title,
    typeset_work,
)

_MAX_IEEE_AUTHORS = 6
_IEEE_MONTHS = "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.".split()  # noqa: SIM905 - easier to compare with the style guide
_UNQUOTED_KINDS = frozenset({"book", "software", "standard"})
_EDITION_KINDS = frozenset({"book", "chapter", "paper-conference", "report"})
_PLACE_FIRST_KINDS = frozenset({"book", "chapter", "paper-conference"})
_MONTH_KINDS = frozenset({"article-journal", "report", "paper-conference"})
_YEAR_KINDS = frozenset({"book", "chapter", "thesis"})
_ONE_SENTENCE_KINDS = frozenset(
    {"article-magazine", "article-newspaper", "manuscript", "map", "broadcast", "interview"}
)


def format_ieee_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors, "Title," container, vol., no., pp., date, doi."""
    work = typeset_work(work)
    named = format_ieee_authors(work.authors) or _format_ieee_editors(work)
    title = work.title if work.kind in _UNQUOTED_KINDS else quote_title(work.title)
    if work.kind == "article-journal":
        body = _join_commas((named, title, *_list_ieee_journal_parts(work)))
        if work.doi or work.url:
            return join_nonempty((add_final_mark(body, ","), _format_ieee_address(work)))
        return add_final_mark(body)
    first, second = _list_ieee_sentences(work, title)
    body = join_marked((_join_commas((named, *first)), _join_commas(second)))
    return join_nonempty((add_final_mark(body), _format_access_date(work, accessed)))


def format_ieee_authors(people: Sequence[AuthorName]) -> str:
    """Up to six authors; of more, the first."""
    names = [format_short_name(author) for author in people]
    if len(names) > _MAX_IEEE_AUTHORS:
        return f"{names[0]} et al."
    return _join_people_names(names)


def _join_commas(parts: Sequence[str]) -> str:
    return join_marked(parts, ",")


def _join_people_names(names: Sequence[str]) -> str:
    return join_names(names, last_separator=" and " if len(names) == 2 else ", and ")


def _format_ieee_editors(work: CitableWork) -> str:
    if not work.editors:
        return ""
    role = "Eds." if len(work.editors) > 1 else "Ed."
    return f"{_join_people_names([format_short_name(editor) for editor in work.editors])}, {role}"


def _list_ieee_journal_parts(work: CitableWork) -> list[str]:
    return [
        work.container_title,
        *_list_work_locators(work),
        format_labelled_pages(work.pages),
        _format_ieee_date(work),
    ]


def _list_ieee_sentences(work: CitableWork, title: str) -> tuple[list[str], list[str]]:
    """The parts after the authors, and those of a second sentence if the kind has one."""
    editors = _format_ieee_editors(work) if work.authors else ""
    imprint = (
        join_nonempty((work.place, work.publisher), ": ")
        if work.kind in _PLACE_FIRST_KINDS
        else join_nonempty((work.publisher, work.place), ", ")
    )
    when = _format_ieee_date(work)
    pages, inside = format_labelled_pages(work.pages), f"in {work.site}" if work.site else ""
    located = _list_work_locators(work)
    numbered = [title, imprint, work.number, when]
    layouts: dict[str, tuple[list[str], list[str]]] = {
        "paper-conference": ([title, inside, editors, imprint, when, pages], []),
        "chapter": ([title, inside, *located, editors, imprint, when, pages], []),
        "report": (numbered, []),
        "thesis": (numbered, []),
        "software": ([title], [join_marked((f"({when})" if when else "", imprint))]),
        "article": ([title, when, join_nonempty((imprint, work.number), ": ")], []),
        "standard": ([title, work.number, work.place, when], []),
        "book": ([title, *located], [imprint, when, pages]),
    }
    if work.is_web_page:
        return [title, work.container_title], []
    if work.kind in _ONE_SENTENCE_KINDS:
        return [title, work.site, *located, imprint, pages, when], []
    return layouts.get(work.kind, ([title, work.site, *located], [imprint, pages, when]))


def _list_work_locators(work: CitableWork) -> list[str]:
    return [
        format_edition(work.edition) if work.kind in _EDITION_KINDS else "",
        f"vol. {work.volume}" if work.volume else "",
        f"no. {work.issue}" if work.issue else "",
    ]


def _format_ieee_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    if work.kind in _YEAR_KINDS or not month:
        return year
    name = _IEEE_MONTHS[month - 1]
    if work.kind in _MONTH_KINDS or not day:
        return join_nonempty((name, year))
    return f"{name} {day:02}, {year}"


def _format_access_date(work: CitableWork, accessed: date) -> str:
    if not work.is_web_page:
        return _format_ieee_address(work)
    read = f"Accessed: {_IEEE_MONTHS[accessed.month - 1]} {accessed.day:02}, {accessed.year}."
    return f"{read} [Online]. Available: {work.url}" if work.url else ""


def _format_ieee_address(work: CitableWork) -> str:
    if work.doi:
        return f"doi: {work.doi}."
    return f"[Online]. Available: {work.url}" if work.url else ""
