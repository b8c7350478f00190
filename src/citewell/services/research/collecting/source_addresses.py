"""How a source is shown to a person: where to open it, and what it is."""

from __future__ import annotations

from citewell.model.research import ResearchSource
from citewell.text.web import addresses

_MAX_DATE_CHARS = 10  # of an ISO date without its time


def format_source_address(source: ResearchSource) -> str:
    """What a person opens: the page's address, or the link or file of a library document."""
    return source.address or source.url


def find_source_link(source: ResearchSource) -> str | None:
    """The web address of a source; None for a document that only its owner can open."""
    shown = format_source_address(source)
    return shown if addresses.is_web_address(shown) else None


def format_source_facts(source: ResearchSource) -> str:
    """Type, date and site of a source, joined by commas; what is unknown is left out."""
    date = (source.published or "")[:_MAX_DATE_CHARS]
    return ", ".join(fact for fact in (source.type, date, source.domain) if fact)
