"""Vancouver style, as in Citing Medicine of the National Library of Medicine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import (
    LONG_MONTHS,
    SERIAL_KINDS,
    add_final_mark,
    close_initials,
    format_edition,
    format_page_range,
    format_volume,
    join_marked,
    join_nonempty,
    typeset_work,
)

_MAX_VANCOUVER_AUTHORS = 6
_INSIDE_KINDS = frozenset({"chapter", "paper-conference", "entry-dictionary", "entry-encyclopedia"})
_ABBREVIATED_KINDS = frozenset({"article-journal", "review", "review-book"})


def format_vancouver_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. Title. Journal. Date;volume(issue):pages. doi."""
    work = typeset_work(work)
    vancouver_creators = format_vancouver_authors(work.authors) or _format_vancouver_editors(work)
    pages = (
        ""
        if work.kind in SERIAL_KINDS | {"book"} or not work.pages
        else f"p. {_shorten_pages(work.pages)}"
    )
    body = join_marked(
        (
            vancouver_creators,
            _format_vancouver_title(work),
            "" if work.container_title else format_edition(work.edition),
            _format_vancouver_container(work),
            _format_imprint(work, accessed),
            pages,
            # A page of a site is cited under the name of the site.
            work.title if work.kind in {"", "webpage"} else "",
            _format_report_number(work),
        )
    )
    return join_nonempty((add_final_mark(body), _format_vancouver_address(work)))


def format_vancouver_authors(people: Sequence[AuthorName]) -> str:
    names = [format_vancouver_name(author) for author in people[:_MAX_VANCOUVER_AUTHORS]]
    return ", ".join([*names, "et al"] if len(people) > _MAX_VANCOUVER_AUTHORS else names)


def format_vancouver_name(author: AuthorName) -> str:
    """Family name, initials and suffix without full stops: Family GI Jr."""
    if author.is_indivisible:
        return author.name
    initials = close_initials(author).replace(".", "").replace("-", "")
    return join_nonempty((author.family, initials, author.suffix.replace(".", "")))


def _format_vancouver_editors(work: CitableWork) -> str:
    role = "editors" if len(work.editors) > 1 else "editor"
    return f"{format_vancouver_authors(work.editors)}, {role}" if work.editors else ""


def _format_vancouver_title(work: CitableWork) -> str:
    if work.kind in {"", "webpage"}:
        return f"{work.container_title} [Internet]"
    shows_medium = not work.container_title and work.kind not in _INSIDE_KINDS
    return join_nonempty((work.title, _format_internet_label(work) if shows_medium else ""))


def _format_internet_label(work: CitableWork) -> str:
    """[Internet] for works that are cited by an address instead of a DOI."""
    return "" if not work.url or (work.doi and not work.is_web_page) else "[Internet]"


def _format_vancouver_container(work: CitableWork) -> str:
    if work.kind in {"", "webpage"}:
        return ""
    if work.container_title:
        plain = work.kind in _ABBREVIATED_KINDS
        site = work.container_title.replace(".", "") if plain else work.container_title
        named = join_nonempty((site, _format_internet_label(work)))
        shown = join_marked((named, format_edition(work.edition)))
    else:
        shown = format_volume(work.volume, "Vol.")
    editors = _format_vancouver_editors(work) if work.authors else ""
    inside = join_marked((editors, shown))
    return f"In: {inside}" if inside and work.kind in _INSIDE_KINDS else inside


def _format_imprint(work: CitableWork, accessed: date) -> str:
    where = f"[{work.place}]" if work.place and work.kind == "thesis" else work.place
    who = "" if work.kind in SERIAL_KINDS else join_nonempty((where, work.publisher), ": ")
    when = _format_vancouver_date(work)
    if work.is_web_page:
        read = f"{accessed.year} {LONG_MONTHS[accessed.month - 1][:3]} {accessed.day}"
        when = join_nonempty((when, f"[cited {read}]"))
    if work.kind == "article-newspaper":
        when = join_nonempty((when, _shorten_pages(work.pages)), ":")
    return join_nonempty((who, join_nonempty((when, _format_serial_place(work)), ";")), "; ")


def _format_serial_place(work: CitableWork) -> str:
    if work.kind not in SERIAL_KINDS - {"article-newspaper"}:
        return ""
    issue = f"({work.issue})" if work.issue else ""
    return join_nonempty((f"{work.volume}{issue}", _shorten_pages(work.pages)), ":")


def _format_report_number(work: CitableWork) -> str:
    if work.kind != "report" or not work.number:
        return ""
    return f"Report no.: {work.number}" if work.number.isdigit() else f"Report {work.number}"


def _shorten_pages(span: str) -> str:
    return format_page_range(span, form="minimal")


def _format_vancouver_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    if work.kind not in SERIAL_KINDS | {"report"} or not month:
        return year
    shows_day = day and work.kind != "report"
    return join_nonempty((year, LONG_MONTHS[month - 1][:3], str(day) if shows_day else ""))


def _format_vancouver_address(work: CitableWork) -> str:
    if work.doi and not work.is_web_page:
        return f"doi:{work.doi}"
    return f"Available from: {work.url}" if work.url else ""
