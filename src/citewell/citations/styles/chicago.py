"""Chicago Manual of Style, 18th edition, author-date system."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import (
    LONG_MONTHS,
    add_final_mark,
    capitalize_container,
    capitalize_headline,
    choose_last_separator,
    format_edition,
    format_long_day,
    format_numbered,
    format_page_range,
    format_spoken_name,
    format_volume,
    is_same_name,
    is_serial,
    join_marked,
    join_names,
    join_nonempty,
    quote_title,
    reviews_title,
    typeset_work,
)

_MAX_CHICAGO_AUTHORS, _CHICAGO_SHORT_LIST_AUTHORS = 6, 3
_ITALIC_KINDS = frozenset({"book", "map", "graphic"})
# Kinds whose title stands in quotation marks even without a container.
_QUOTED_KINDS = frozenset({
    "", "article", "dataset", "document", "interview", "manuscript", "paper-conference", "post", "speech",
    "thesis", "webpage",
})  # fmt: skip
_NEWS_KINDS = frozenset({"article-magazine", "article-newspaper"})
_ENTRY_KINDS = frozenset({"entry", "entry-dictionary", "entry-encyclopedia"})
_SITE_KINDS = frozenset({"", "webpage", "post"})
_DATED_KINDS = _SITE_KINDS | _ENTRY_KINDS | {
    *("article", "dataset", "document", "graphic", "manuscript", "map", "software", "standard"),
}  # fmt: skip


def format_chicago_entry(work: CitableWork, *, accessed: date) -> str:
    """Authors. Year. "Title." Container. Address."""
    work = typeset_work(work)
    title, source = _format_chicago_title(work), ""
    if work.kind not in _SITE_KINDS:
        source = _format_serial(work) if is_serial(work) else _format_volume_inside(work)
    names = _format_chicago_creators(work)
    publication = _format_publication_facts(work, names)
    if not names:
        names, title, source = _choose_author_substitute(work, title, source)
    read = ""
    if work.is_web_page and not work.date_parts[0]:
        read = f"Accessed {format_long_day(accessed)}"
    parts = (names, work.date_parts[0] or "n.d.", title, source, publication, read, work.link)
    return add_final_mark(join_marked(parts))


def format_chicago_authors(people: Sequence[AuthorName]) -> str:
    """Up to six authors; of more, the first three."""
    if not people:
        return ""
    names = [_format_particle_last(people[0]), *map(format_spoken_name, people[1:])]
    if len(names) > _MAX_CHICAGO_AUTHORS:
        return f"{', '.join(names[:_CHICAGO_SHORT_LIST_AUTHORS])}, et al."
    return join_names(names, last_separator=choose_last_separator(people, ", and "))


def _format_particle_last(author: AuthorName) -> str:
    """Family name first, with the particle after the given names: Beauvoir, Simone de."""
    if author.is_indivisible:
        return author.name
    particle = author.particle
    family = author.family.removeprefix(particle).strip()
    given = join_nonempty((author.punctuated_given, particle))
    return join_nonempty((family, given, author.suffix), ", ")


def _format_chicago_creators(work: CitableWork) -> str:
    """The authors, or the editors of a work without authors, or who publishes software."""
    if work.authors:
        return format_chicago_authors(work.authors)
    if work.editors and not (work.kind in _ENTRY_KINDS and work.container_title):
        role = "eds." if len(work.editors) > 1 else "ed."
        return f"{format_chicago_authors(work.editors)}, {role}"
    return work.publisher if work.kind in {"", "webpage", "software"} else ""


def _choose_author_substitute(work: CitableWork, title: str, source: str) -> tuple[str, str, str]:
    """What stands in the authors' place, then the title and the source without it.

    For a page its site, for a newspaper article or an encyclopedia entry the whole; else the title.
    """
    site = capitalize_container(work)
    if work.kind in {"", "webpage"} and site:
        return site, title, source
    if site and (work.kind in _NEWS_KINDS | _ENTRY_KINDS or reviews_title(work)):
        lead = join_nonempty((site, f"({work.place})")) if work.place and is_serial(work) else site
        return lead, title, source.removeprefix(lead).removeprefix(site).lstrip(", ")
    return title.removesuffix("."), _format_chicago_identifier(work), source


def _format_chicago_title(work: CitableWork) -> str:
    title = capitalize_headline(work.title, work.language)
    if not title:
        return ""
    if _is_headword(work):
        title = work.title
    if reviews_title(work):
        return f"Review of {title}" if work.authors else f"Unsigned review of {title}"
    quoted = (work.container_title or work.kind in _QUOTED_KINDS) and work.kind not in _ITALIC_KINDS
    shown = quote_title(title) if quoted else title
    if not work.authors and not work.editors and work.kind not in {"", "webpage", "software"}:
        return shown
    return join_marked((shown, _format_chicago_identifier(work)))


def _is_headword(work: CitableWork) -> bool:
    """Whether the title is a headword or a post, which keep their capitals."""
    if work.kind == "entry-encyclopedia":
        return bool(work.container_title) and not work.authors
    return work.kind == "post" or (work.kind == "entry-dictionary" and bool(work.container_title))


def _format_chicago_identifier(work: CitableWork) -> str:
    """After the title of a work that stands alone: number, edition, editors and volume."""
    if work.container_title or is_serial(work):
        return ""
    number = f"No. {work.number}" if work.number.isdigit() else work.number
    edited = f"Edited by {_join_chicago_editors(work)}" if work.editors and work.authors else ""
    volume = format_volume(work.volume, "Vol.")
    return join_marked((number, format_edition(work.edition), edited, volume))


def _join_chicago_editors(work: CitableWork) -> str:
    names = [format_spoken_name(editor) for editor in work.editors]
    if len(names) > _MAX_CHICAGO_AUTHORS:
        return f"{', '.join(names[:_CHICAGO_SHORT_LIST_AUTHORS])}, et al."
    return join_names(names, last_separator=" and " if len(names) == 2 else ", and ")


def _format_serial(work: CitableWork) -> str:
    """Journal volume (issue): pages; the month stands for a missing issue or volume."""
    venue, when = capitalize_container(work), _format_month_day(work)
    if venue and work.place:
        venue = f"{venue} ({work.place})"
    pages = "" if work.kind in _NEWS_KINDS else format_page_range(work.pages, form="chicago")
    if work.kind in _NEWS_KINDS or not (work.volume or work.issue):
        ahead = work.kind == "article-journal" and work.doi and not work.pages
        early = "ahead of print" if ahead and work.date_parts[0] else ""
        return join_nonempty((venue, early, when, pages), ", ")
    month = LONG_MONTHS[work.date_parts[1] - 1] if work.date_parts[1] else ""
    if work.volume:
        inside = work.issue or month
        place = join_nonempty((work.volume, f"({inside})" if inside else ""))
        return join_nonempty((join_nonempty((venue, place)), pages), ": ")
    dated = f"({month})" if month and (work.authors or work.editors) else ""
    place = join_nonempty((format_numbered("no.", work.issue), dated))
    return join_nonempty((join_nonempty((venue, place), ", "), pages), ": ")


def _format_volume_inside(work: CitableWork) -> str:
    """In book title, edition, editors, volume; Chicago gives no pages of a chapter."""
    if not work.container_title:
        return ""
    unsigned_entry = work.kind in _ENTRY_KINDS and not work.authors
    shows_editors = work.editors and (work.authors or unsigned_entry)
    return join_nonempty(
        (
            f"{'' if unsigned_entry else 'In '}{capitalize_container(work)}",
            f"No. {work.number}" if work.number.isdigit() else work.number,
            format_edition(work.edition),
            f"edited by {_join_chicago_editors(work)}" if shows_editors else "",
            format_volume(work.volume),
        ),
        ", ",
    )


def _format_publication_facts(work: CitableWork, names: str) -> str:
    """Publisher and date of works whose day matters; of a page, its site."""
    if is_serial(work):
        return ""
    when = _format_month_day(work) if work.kind in _DATED_KINDS else ""
    publisher = work.publisher or work.place
    if not work.authors and is_same_name(names, publisher):
        publisher = ""
    if work.kind in _SITE_KINDS:
        site = capitalize_container(work)
        repeated = is_same_name(site, names) or not names
        return join_nonempty(("" if repeated else site, publisher, when), ", ")
    if work.kind == "article":
        publisher = join_nonempty(("Preprint", publisher), ", ")
    if work.kind == "software" and when:
        when = f"{'released' if publisher else 'Released'} {when}"
    return join_nonempty((publisher, when), ", ")


def _format_month_day(work: CitableWork) -> str:
    _, month, day = work.date_parts
    return join_nonempty(
        (LONG_MONTHS[month - 1] if month else "", str(day) if month and day else "")
    )
