"""APA style, 7th edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CONTAINED_KINDS, PERIODICAL_KINDS, CitableWork
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

_MAX_APA_AUTHORS = 20
_FULL_DATE_KINDS = frozenset(
    {"", "webpage", "post-weblog", "post", "article-magazine", "article-newspaper"}
)
_APA_KIND_LABELS = {"dataset": "[Dataset]", "software": "[Computer software]"}


def format_apa_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. (Date). Title. Container. Address; a web page with its access date."""
    names = format_apa_authors(work.authors)
    when = f"({_format_apa_date(work)})."
    title = join_nonempty((work.title, _format_title_note(work)))
    if names:
        head = join_nonempty((add_final_mark(names), when, add_final_mark(title)))
    else:
        head = join_nonempty((add_final_mark(title or work.container_title), when))
    return join_nonempty(
        (head, _format_apa_container(work, names), _format_apa_address(work, accessed))
    )


def format_apa_authors(people: Sequence[AuthorName]) -> str:
    """Up to twenty authors; of more, the first nineteen and the last."""
    names = [_format_family_first(author) for author in people]
    if len(names) > _MAX_APA_AUTHORS:
        return f"{', '.join(names[: _MAX_APA_AUTHORS - 1])}, … {names[-1]}"
    return join_names(names, last_separator=", & ")


def _format_family_first(author: AuthorName) -> str:
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.family, author.initials, author.suffix), ", ")


def _format_initials_first(author: AuthorName) -> str:
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.initials, author.family, author.suffix))


def _format_apa_date(work: CitableWork) -> str:
    year, month, day = work.date_parts
    if not year:
        return "n.d."
    if not month or work.kind not in _FULL_DATE_KINDS:
        return year
    return f"{year}, {LONG_MONTHS[month - 1]}{f' {day}' if day else ''}"


def _format_title_note(work: CitableWork) -> str:
    """The text between the title and its full stop: school, edition or label."""
    if work.kind == "thesis" and work.publisher:
        return f"[{work.publisher}]"
    edition = (
        f"({format_ordinal(work.edition)} ed.)" if work.edition and work.kind == "book" else ""
    )
    number = f"({work.number})" if work.number and work.kind == "report" else ""
    return join_nonempty((edition, number, _APA_KIND_LABELS.get(work.kind, "")))


def _format_apa_container(work: CitableWork, names: str) -> str:
    if work.is_web_page:
        known = names or work.title
        return (
            ""
            if not known or is_same_name(work.container_title, names)
            else add_final_mark(_capitalize_container(work))
        )
    if work.kind in PERIODICAL_KINDS or work.kind == "paper-conference":
        return add_final_mark(_format_apa_periodical(work))
    if work.kind in CONTAINED_KINDS:
        return join_nonempty(
            (add_final_mark(_format_apa_book(work)), add_final_mark(work.publisher))
        )
    if work.kind == "thesis":
        return ""
    return (
        ""
        if is_same_name(work.publisher or work.container_title, names)
        else add_final_mark(work.publisher or work.container_title)
    )


def _capitalize_container(work: CitableWork) -> str:
    return capitalize_headline(work.container_title, work.language)


def _format_apa_periodical(work: CitableWork) -> str:
    issue = f"({work.issue})" if work.issue else ""
    return join_nonempty(
        (_capitalize_container(work), f"{work.volume}{issue}", format_page_range(work.pages)), ", "
    )


def _format_apa_book(work: CitableWork) -> str:
    edited = join_names(
        [_format_initials_first(editor) for editor in work.editors], last_separator=" & "
    )
    role = "(Eds.)," if len(work.editors) > 1 else "(Ed.),"
    inside = [
        f"{format_ordinal(work.edition)} ed." if work.edition else "",
        f"Vol. {work.volume}" if work.volume else "",
        f"pp. {format_page_range(work.pages)}" if work.pages else "",
    ]
    details = join_nonempty(inside, ", ")
    return join_nonempty(
        (
            "In",
            f"{edited} {role}" if edited else "",
            work.container_title,
            f"({details})" if details else "",
        )
    )


def _format_apa_address(work: CitableWork, accessed: date) -> str:
    if work.is_web_page:
        return f"Retrieved {format_long_day(accessed)}, from {work.url}"
    return work.link
