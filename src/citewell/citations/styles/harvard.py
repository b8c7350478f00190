"""Harvard style, as in Cite Them Right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import (
    LONG_MONTHS,
    add_final_mark,
    capitalize_headline,
    close_initials,
    format_labelled_pages,
    format_ordinal,
    format_sorted_name,
    format_spoken_name,
    join_marked,
    join_names,
    join_nonempty,
    nest_quotation_marks,
    typeset_work,
)

_MAX_HARVARD_AUTHORS = 3
_SECOND_LEVEL_MARKS = "“”‘’"
_ITALIC_TITLE_KINDS = frozenset({"", "book", "report", "thesis", "webpage"})
_NEWS_KINDS = frozenset({"article-journal", "article-magazine", "article-newspaper"})
_DAY_KINDS = frozenset({"article-magazine", "article-newspaper", "post-weblog", "speech"})
_PAGED_KINDS = _NEWS_KINDS | {
    *("article", "book", "chapter", "paper-conference", "report", "review", "review-book")
}
_EDITED_VOLUME_KINDS = frozenset({"chapter", "paper-conference"})


def format_harvard_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors (year) 'Title', container. Available at: address."""
    work = typeset_work(work)
    names = (
        format_harvard_authors(work.authors)
        if work.authors or not work.editors
        else f"{format_harvard_authors(work.editors)} {_name_harvard_role(work)}"
    )
    year = f"({work.date_parts[0] or 'no date'})"
    title, container = _format_harvard_title(work), _format_harvard_container(work)
    if not names:  # the title, or the name of a newspaper, stands in their place
        if work.kind in _NEWS_KINDS and work.site:
            names, container = capitalize_headline(work.site, work.language), ""
        elif title:
            names, title = title, ""
        else:
            names, container = container, ""
    head = join_nonempty((names, year, join_nonempty((title, container), ", ")))
    editors = (
        ""
        if work.kind in _EDITED_VOLUME_KINDS or not work.editors or not work.authors
        else f"Edited by {_format_editor_names(work)}"
    )
    body = join_marked((head, editors, _format_harvard_publisher(work)), british=True)
    issue = f"({work.issue})" if work.issue else ""
    work_locator = f"{work.volume}{issue}" if work.kind == "article-journal" else ""
    pages = format_labelled_pages(work.pages) if work.kind in _PAGED_KINDS else ""
    details = join_nonempty((body, work_locator, _format_day_month(work), pages), ", ")  # fmt: skip
    read = f" (Accessed: {accessed.day} {LONG_MONTHS[accessed.month - 1]} {accessed.year})"
    harvard_access = (
        f"Available at: {work.link}{read if work.is_web_page else ''}." if work.link else ""
    )
    return join_nonempty((add_final_mark(details, british=True), harvard_access))


def format_harvard_authors(people: Sequence[AuthorName]) -> str:
    """Up to three authors; of more, the first."""
    names = [format_sorted_name(author, close_initials(author)) for author in people]
    if len(names) > _MAX_HARVARD_AUTHORS:
        return f"{names[0]} et al."
    return join_names(names, last_separator=" and ")


def _name_harvard_role(work: CitableWork) -> str:
    return "(eds)" if len(work.editors) > 1 else "(ed.)"


def _format_editor_names(work: CitableWork) -> str:
    names = [format_spoken_name(editor, close_initials(editor)) for editor in work.editors]
    if len(names) > _MAX_HARVARD_AUTHORS:
        return f"{names[0]} et al."
    return join_names(names, last_separator=" and " if len(names) == 2 else ", and ")


def _format_harvard_title(work: CitableWork) -> str:
    if not work.title:
        return ""
    # Single quotation marks stand outside, double ones inside.
    if work.kind in _ITALIC_TITLE_KINDS:
        return join_marked(
            (nest_quotation_marks(work.title), _format_harvard_edition(work)), british=True
        )
    return f"‘{nest_quotation_marks(work.title, marks=_SECOND_LEVEL_MARKS)}’"


def _format_harvard_edition(work: CitableWork) -> str:
    ordinal = format_ordinal(work.edition)
    return ordinal if ordinal == work.edition else f"{ordinal} edn"


def _format_harvard_container(work: CitableWork) -> str:
    site = nest_quotation_marks(work.container_title)
    if not site:
        return ""
    if work.kind in {"article", "article-journal"} and not work.pages and not work.volume:
        site = f"{site} [Preprint]"
    edition = "" if work.kind in _ITALIC_TITLE_KINDS else _format_harvard_edition(work)
    site = join_marked((site, edition), british=True)
    if work.kind in _EDITED_VOLUME_KINDS and work.editors and work.authors:
        return f"in {_format_editor_names(work)} {_name_harvard_role(work)} {site}"
    return site


def _format_harvard_publisher(work: CitableWork) -> str:
    if work.kind in _NEWS_KINDS:
        return ""
    if work.kind == "thesis":
        return work.publisher
    number = work.number if work.kind == "report" else ""
    publisher = join_nonempty((work.place, work.publisher), ": ")
    return join_marked((number, publisher), british=True)


def _format_day_month(work: CitableWork) -> str:
    _, month, day = work.date_parts
    if work.kind not in _DAY_KINDS or not month:
        return ""
    return join_nonempty((str(day) if day else "", LONG_MONTHS[month - 1]))
