"""Chicago Manual of Style, author-date system."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import PERIODICAL_KINDS, CitableWork
from citewell.text.citations.styles.style_parts import (
    LONG_MONTHS,
    add_final_mark,
    capitalize_headline,
    format_long_day,
    format_ordinal,
    format_page_range,
    is_same_name,
    join_names,
    join_nonempty,
)

_MAX_CHICAGO_AUTHORS, _CHICAGO_SHORT_LIST_AUTHORS = 6, 3
_UNQUOTED_KINDS = frozenset({"book", "report", "software", "standard"})


def format_chicago_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. Year. "Title." Container. Address."""
    names = format_chicago_authors(work.authors)
    year = work.date_parts[0] or "n.d."
    if names:
        head = join_nonempty(
            (add_final_mark(names), add_final_mark(year), _format_chicago_title(work))
        )
    elif work.is_web_page:  # the site stands in for a missing author
        site = capitalize_headline(work.container_title, work.language)
        head = join_nonempty(
            (add_final_mark(site), add_final_mark(year), _format_chicago_title(work))
        )
    else:
        head = join_nonempty((_format_chicago_title(work), add_final_mark(year)))
    read = ""
    if work.is_web_page and not work.date_parts[0]:
        read = f"Accessed {format_long_day(accessed)}."
    return join_nonempty(
        (head, _format_chicago_container(work, names), read, add_final_mark(work.link))
    )


def format_chicago_authors(people: Sequence[AuthorName]) -> str:
    """Up to six authors; of more, the first three."""
    if not people:
        return ""
    names = [_format_particle_last(people[0]), *(author.display_name for author in people[1:])]
    if len(names) > _MAX_CHICAGO_AUTHORS:
        return f"{', '.join(names[:_CHICAGO_SHORT_LIST_AUTHORS])}, et al."
    return join_names(names, last_separator=", and ")


def _format_particle_last(author: AuthorName) -> str:
    """Family name first, with the particle after the given names: Beauvoir, Simone de."""
    if author.is_indivisible:
        return author.name
    particle = author.particle
    family = author.family.removeprefix(particle).strip()
    given = join_nonempty((author.given, particle))
    return join_nonempty((family, given, author.suffix), ", ")


def _format_chicago_title(work: CitableWork) -> str:
    title = capitalize_headline(work.title, work.language)
    if not title:
        return ""
    return add_final_mark(title) if work.kind in _UNQUOTED_KINDS else f"“{add_final_mark(title)}”"


def _format_chicago_container(work: CitableWork, names: str) -> str:
    if work.kind == "article-journal":
        return add_final_mark(_format_chicago_journal(work))
    if work.kind in PERIODICAL_KINDS or work.is_web_page:
        repeated = work.is_web_page and (is_same_name(work.container_title, names) or not names)
        site = "" if repeated else capitalize_headline(work.container_title, work.language)
        return add_final_mark(join_nonempty((site, _format_month_day(work)), ", "))
    if work.kind == "chapter":
        return join_nonempty(
            (add_final_mark(_format_chicago_book(work)), add_final_mark(work.publisher))
        )
    if work.kind == "paper-conference":
        venue = capitalize_headline(work.container_title, work.language)
        return add_final_mark(join_nonempty((venue, _format_chicago_pages(work)), ", "))
    edition = f"{format_ordinal(work.edition)} ed." if work.edition else ""
    return join_nonempty((edition, add_final_mark(_format_chicago_publisher(work))))


def _format_chicago_publisher(work: CitableWork) -> str:
    name = work.publisher or work.container_title
    return join_nonempty(
        (f"Preprint, {name}" if work.kind == "article" else name, _format_preprint_day(work)), ", "
    )


def _format_preprint_day(work: CitableWork) -> str:
    return _format_month_day(work) if work.kind in {"article", "dataset"} else ""


def _format_chicago_journal(work: CitableWork) -> str:
    issue = f" ({work.issue})" if work.issue else ""
    venue = capitalize_headline(work.container_title, work.language)
    head = join_nonempty((venue, f"{work.volume}{issue}".strip()))
    return (
        f"{head}: {_format_chicago_pages(work)}"
        if work.pages and work.volume
        else join_nonempty((head, _format_chicago_pages(work)), ", ")
    )


def _format_chicago_book(work: CitableWork) -> str:
    edited = join_names([editor.display_name for editor in work.editors], last_separator=" and ")
    return join_nonempty(
        (
            f"In {capitalize_headline(work.container_title, work.language)}",
            f"{format_ordinal(work.edition)} ed." if work.edition else "",
            f"edited by {edited}" if edited else "",
            f"vol. {work.volume}" if work.volume else "",
        ),
        ", ",
    )


def _format_chicago_pages(work: CitableWork) -> str:
    return format_page_range(work.pages, form="chicago")


def _format_month_day(work: CitableWork) -> str:
    _, month, day = work.date_parts
    return join_nonempty(
        (LONG_MONTHS[month - 1] if month else "", str(day) if month and day else "")
    )
