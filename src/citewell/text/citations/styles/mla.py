"""MLA style, 9th edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CONTAINED_KINDS, PERIODICAL_KINDS, CitableWork
from citewell.text.citations.styles.style_parts import (
    SHORT_MONTHS,
    add_final_mark,
    capitalize_headline,
    format_ordinal,
    format_page_range,
    format_short_day,
    is_same_name,
    join_nonempty,
)

_YEAR_ONLY_KINDS = frozenset({"book", "chapter", "paper-conference", "thesis", "manuscript"})
_MONTH_ONLY_KINDS = frozenset({"article-journal", "review"})
# Kinds whose publisher MLA omits.
_UNNAMED_PUBLISHER_KINDS = PERIODICAL_KINDS | {"paper-conference", "thesis"}
_UNQUOTED_KINDS = frozenset({"book", "report", "thesis", "software", "manuscript", "standard"})


def format_mla_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. "Title." Container, details, date, pages, address."""
    names = format_mla_authors(work.authors)
    shown = (
        ""
        if is_same_name(work.container_title, names)
        else capitalize_headline(work.container_title, work.language)
    )
    details = join_nonempty((shown, *_list_mla_details(work), work.link), ", ")
    last = f"Accessed {format_short_day(accessed)}." if work.is_web_page else ""
    if work.kind == "thesis":
        last = add_final_mark(work.publisher)
    return join_nonempty(
        (add_final_mark(names), _format_mla_title(work), add_final_mark(details), last)
    )


def format_mla_authors(people: Sequence[AuthorName]) -> str:
    if not people:
        return ""
    first = people[0].inverted_name
    if len(people) == 1:
        return first
    if len(people) > 2:
        return f"{first}, et al."
    return f"{first}, and {people[1].display_name}"


def _format_mla_title(work: CitableWork) -> str:
    title = capitalize_headline(work.title, work.language)
    if not title:
        return ""
    return add_final_mark(title) if work.kind in _UNQUOTED_KINDS else f'"{add_final_mark(title)}"'


def _list_mla_details(work: CitableWork) -> list[str]:
    edited = " and ".join(editor.display_name for editor in work.editors[:2])
    if len(work.editors) > 2:
        edited = f"{work.editors[0].display_name} et al."
    paged = work.kind in PERIODICAL_KINDS | CONTAINED_KINDS
    return [
        f"edited by {edited}" if edited else "",
        f"{format_ordinal(work.edition)} ed." if work.edition else "",
        f"vol. {work.volume}" if work.volume else "",
        f"no. {work.issue}" if work.issue else "",
        "" if work.kind in _UNNAMED_PUBLISHER_KINDS else work.publisher,
        _format_mla_date(work),
        _format_mla_pages(work.pages) if paged else "",
    ]


def _format_mla_pages(span: str) -> str:
    if not span:
        return ""
    shown = format_page_range(span, form="minimal-two")
    return f"pp. {shown}" if "–" in shown or "," in shown else f"p. {shown}"


def _format_mla_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    if work.kind in _YEAR_ONLY_KINDS or not month:
        return year
    shown = (
        day if day and work.kind not in _MONTH_ONLY_KINDS and work.kind != "article-magazine" else 0
    )
    return join_nonempty((str(shown) if shown else "", SHORT_MONTHS[month - 1], year))
