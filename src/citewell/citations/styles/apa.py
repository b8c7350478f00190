"""APA style, 7th edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import (
    LONG_MONTHS,
    add_final_mark,
    capitalize_container,
    choose_last_separator,
    format_edition,
    format_labelled_pages,
    format_long_day,
    format_page_range,
    format_short_name,
    format_sorted_name,
    format_volume,
    is_same_name,
    is_serial,
    join_marked,
    join_names,
    join_nonempty,
    reviews_title,
    typeset_work,
)

_MAX_APA_AUTHORS = 20
_FULL_DATE_KINDS = frozenset(
    {"", "webpage", "post-weblog", "post", "article-magazine", "article-newspaper", "document"}
)
_APA_KIND_LABELS = {"dataset": "[Dataset]", "software": "[Computer software]"}
_ENTRY_KINDS = frozenset({"entry-dictionary", "entry-encyclopedia"})
_SITE_KINDS = frozenset({"", "webpage", "post"})
# Kinds whose description follows the container instead of the title.
_LATE_LABEL_KINDS = frozenset({"document", "report", "software", "standard"})


def format_apa_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. (Date). Title. Container. Address; a web page with its access date."""
    work = typeset_work(work)
    when, label = f"({_format_apa_date(work)})", _format_apa_label(work)
    apa_publisher = "" if work.kind == "thesis" or is_serial(work) else work.publisher
    names, publisher = _format_apa_creators(work), apa_publisher
    if not work.authors and is_same_name(names, publisher):
        publisher = ""
    bare_title = "" if reviews_title(work) else work.title
    titled = join_nonempty((bare_title, _format_apa_identifier(work)))
    if not names and titled:
        head = join_marked((titled, when, label))
    elif not names:
        head = join_marked((label or work.container_title, when))
    else:
        head = join_marked((names, when, join_nonempty((titled, label))))
    body = join_marked((head, _format_apa_source(work, names), publisher))
    address = (
        f"Retrieved {format_long_day(accessed)}, from {work.url}"
        if work.is_web_page and work.url
        else work.link
    )
    return join_nonempty((add_final_mark(body), address))


def format_apa_authors(people: Sequence[AuthorName]) -> str:
    """Up to twenty authors; of more, the first nineteen and the last."""
    names = [format_sorted_name(author, author.initials) for author in people]
    if len(names) > _MAX_APA_AUTHORS:
        return f"{', '.join(names[: _MAX_APA_AUTHORS - 1])}, … {names[-1]}"
    return join_names(names, last_separator=choose_last_separator(people, ", & "))


def _format_apa_creators(work: CitableWork) -> str:
    """The authors, or who stands in their place: publisher of an entry or of software, or editors."""
    if work.authors:
        return format_apa_authors(work.authors)
    if work.kind in _ENTRY_KINDS and work.publisher:
        return work.publisher
    if _leads_with_editors(work):
        return f"{format_apa_authors(work.editors)} {_name_apa_role(work, '(Ed.)', '(Eds.)')}"
    return work.publisher if work.kind in _SITE_KINDS | {"software"} else ""


def _leads_with_editors(work: CitableWork) -> bool:
    has_publisher = work.kind in _ENTRY_KINDS and bool(work.publisher)
    return bool(work.editors) and not work.authors and not has_publisher


def _name_apa_role(work: CitableWork, text: str, several: str) -> str:
    return several if len(work.editors) > 1 else text


def _format_apa_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    if not year:
        return "n.d."
    presented = work.kind == "paper-conference" and not (
        work.editors or work.issue or work.pages or work.volume
    )
    if not month or not (presented or work.kind in _FULL_DATE_KINDS):
        return year
    return f"{year}, {LONG_MONTHS[month - 1]}{f' {day}' if day else ''}"


def _format_apa_identifier(work: CitableWork) -> str:
    """In brackets after the title of a work that stands alone: editors, number, edition, volume, pages."""
    if work.kind in _SITE_KINDS or work.container_title or is_serial(work):
        return ""
    edited = ""
    if work.editors and not _leads_with_editors(work):
        role = _name_apa_role(work, "Ed.", "Eds.")
        edited = f"{_join_apa_editors(work)}, {role}"
    inside = join_nonempty((edited, _format_apa_number(work), _format_apa_details(work)), "; ")
    return f"({inside})" if inside else ""


def _format_apa_number(work: CitableWork) -> str:
    if work.number.isdigit() and work.kind != "standard":
        return f"No. {work.number}"
    return work.number


def _format_apa_details(work: CitableWork) -> str:
    parts = (
        format_edition(work.edition),
        format_volume(work.volume, "Vol."),
        f"Issue {work.issue}" if work.issue else "",
        format_labelled_pages(work.pages),
    )
    return join_nonempty(parts, ", ")


def _format_apa_label(work: CitableWork) -> str:
    """The description in square brackets: school of a thesis, reviewed title, or kind of work."""
    if work.kind == "thesis":
        return f"[{work.publisher}]" if work.publisher else ""
    if reviews_title(work):
        return f"[Review of {work.title}]"
    if work.container_title and work.kind in _LATE_LABEL_KINDS:
        return ""
    return _APA_KIND_LABELS.get(work.kind, "")


def _join_apa_editors(work: CitableWork) -> str:
    names = [format_short_name(editor) for editor in work.editors]
    return join_names(names, last_separator=" & " if len(names) == 2 else ", & ")


def _format_apa_source(work: CitableWork, names: str) -> str:
    site = capitalize_container(work)
    if work.kind in _SITE_KINDS:
        known = names or work.title
        return "" if not known or is_same_name(site, names) else site
    if is_serial(work):
        if work.is_web_page and is_same_name(site, names):
            site = ""
        issue = f"({work.issue})" if work.issue else ""
        pages = format_page_range(work.pages)
        return join_nonempty((site, f"{work.volume}{issue}", pages), ", ")
    return _format_apa_volume(work) if work.container_title else ""


def _format_apa_volume(work: CitableWork) -> str:
    """In editors, book title (number; edition, volume, pages)."""
    edited = ""
    if work.editors and not _leads_with_editors(work):
        edited = f"{_join_apa_editors(work)} {_name_apa_role(work, '(Ed.)', '(Eds.)')},"
    inside = join_nonempty((_format_apa_number(work), _format_apa_details(work)), "; ")
    label = _APA_KIND_LABELS.get(work.kind, "") if work.kind in _LATE_LABEL_KINDS else ""
    return join_nonempty(
        ("In", edited, work.container_title, f"({inside})" if inside else "", label)
    )
