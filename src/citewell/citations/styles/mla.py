"""MLA style, 9th edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import (
    SHORT_MONTHS,
    add_final_mark,
    capitalize_container,
    capitalize_headline,
    choose_last_separator,
    format_edition,
    format_labelled_pages,
    format_numbered,
    format_short_day,
    format_sorted_name,
    format_spoken_name,
    format_volume,
    is_same_name,
    is_serial,
    join_marked,
    join_nonempty,
    quote_title,
    reviews_title,
    typeset_work,
)

_YEAR_ONLY_KINDS = frozenset({"book", "chapter", "paper-conference", "thesis"})
_ITALIC_KINDS = frozenset({"book", "map", "graphic", "periodical"})
# Kinds whose title stands in quotation marks even without a container.
_QUOTED_KINDS = frozenset(
    {"article", "dataset", "document", "interview", "manuscript", "paper-conference", "speech"}
)


def format_mla_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. "Title." Container, details, date, pages, address."""
    work = typeset_work(work)
    names = format_mla_authors(work.authors) or _format_lead_editors(work)
    title = _format_mla_title(work)
    last = f"Accessed {format_short_day(accessed)}" if work.is_web_page else ""
    if work.kind == "thesis":
        last = work.publisher
    details = join_nonempty(_list_mla_details(work, names), ", ")
    return add_final_mark(join_marked((names, title, details, last)))


def format_mla_authors(people: Sequence[AuthorName]) -> str:
    """One or two authors; of more, the first."""
    if not people:
        return ""
    first = format_sorted_name(people[0])
    if len(people) == 1:
        return first
    if len(people) > 2:
        return f"{first}, et al."
    return f"{first}{choose_last_separator(people, ', and ')}{format_spoken_name(people[1])}"


def _format_lead_editors(work: CitableWork) -> str:
    role = "editors" if len(work.editors) > 1 else "editor"
    return f"{format_mla_authors(work.editors)}, {role}" if work.editors else ""


def _format_mla_title(work: CitableWork) -> str:
    is_post = work.kind == "post"  # it keeps its capitals
    title = work.title if is_post else capitalize_headline(work.title, work.language)
    if reviews_title(work):
        return f"Review of {title}"
    quoted = work.container_title or work.kind in _QUOTED_KINDS
    return quote_title(title) if quoted and work.kind not in _ITALIC_KINDS else title


def _list_mla_details(work: CitableWork, names: str) -> list[str]:
    site = capitalize_container(work)
    if work.is_web_page and is_same_name(site, names):
        site = ""
    place = f" [{work.place}]" if site and work.place and is_serial(work) else ""
    mla_publisher = "" if work.kind == "thesis" or is_serial(work) else work.publisher or work.place
    number = (
        f"no. {work.number}" if work.number.isdigit() and work.kind != "standard" else work.number
    )
    return [
        f"{site}{place}",
        _format_mla_editors(work),
        format_edition(work.edition),
        _format_mla_volume(work),
        format_numbered("no.", work.issue),
        number,
        mla_publisher,
        _format_mla_date(work),
        format_labelled_pages(work.pages, form="minimal-two"),
        work.link,
    ]


def _format_mla_editors(work: CitableWork) -> str:
    if not work.editors or not work.authors:
        return ""
    edited = " and ".join(format_spoken_name(editor) for editor in work.editors[:2])
    if len(work.editors) > 2:
        edited = f"{format_spoken_name(work.editors[0])} et al."
    return f"{'edited' if work.container_title else 'Edited'} by {edited}"


def _format_mla_volume(work: CitableWork) -> str:
    """The volume; that of a book is given only after something that it can be a volume of."""
    follows = work.editors or work.edition or work.container_title
    if is_serial(work) or follows:
        return format_volume(work.volume)
    return "" if work.authors else format_volume(work.volume, "Vol.")


def _format_mla_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    if work.kind in _YEAR_ONLY_KINDS or not month:
        return year
    shown = str(day) if day and work.kind != "article-journal" else ""
    return join_nonempty((shown, SHORT_MONTHS[month - 1], year))
