"""The sections of a markdown text, so that a caller can read on where it wants to."""

from __future__ import annotations

from citewell.errors import InvalidInput
from citewell.model.wire_values import TextSection
from citewell.text.passages.plain_markdown import render_plain_text
from citewell.text.web.markdown_headings import PlacedHeading, list_headings

MAX_LISTED_SECTIONS = 50
_MAX_NAMED_SECTIONS = 12  # in an error
_MAX_TITLE_CHARS = 100


def list_sections(text: str) -> tuple[TextSection, ...]:
    """The sections in text order; of a text with very many only the upper levels."""
    headings = list_headings(text)
    depth = max((len(heading.path) for heading in headings), default=0)
    while depth > 1 and sum(len(one.path) <= depth for one in headings) > MAX_LISTED_SECTIONS:
        depth -= 1
    return tuple(
        TextSection(title=_name_section(heading), offset=heading.start)
        for heading in headings
        if len(heading.path) <= depth
    )[:MAX_LISTED_SECTIONS]


def find_section(text: str, title: str) -> tuple[int, int]:
    """Where the section with this heading begins and ends, with its subsections.

    Raises InvalidInput if no heading is called so.
    """
    headings = list_headings(text)
    wanted = _fold_section_title(title)
    for place, heading in enumerate(headings):
        if _fold_section_title(_name_section(heading)) == wanted:
            following = (one for one in headings[place + 1 :] if len(one.path) <= len(heading.path))
            return heading.start, next((one.start for one in following), len(text))
    names = [repr(_name_section(heading)) for heading in headings[:_MAX_NAMED_SECTIONS]]
    more = f" and {len(headings) - len(names)} more" if len(headings) > len(names) else ""
    known = f"It has {', '.join(names)}{more}" if names else "It has no headings: use offset"
    raise InvalidInput(f"The text has no section {title[:_MAX_TITLE_CHARS]!r}. {known}.")


def _name_section(heading: PlacedHeading) -> str:
    return render_plain_text(heading.path[-1])[:_MAX_TITLE_CHARS]


def _fold_section_title(title: str) -> str:
    return " ".join(title.lstrip("# ").casefold().split())
