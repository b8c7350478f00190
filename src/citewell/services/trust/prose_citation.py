"""Parses a free-text reference into the cited work."""

from __future__ import annotations

from citewell.services.trust.work_identity import CitedWork
from citewell.text import references


def parse_cited_work(text: str) -> tuple[CitedWork, str]:
    """The cited work and its venue; only the text itself if it is not exactly one reference."""
    if not text:
        return CitedWork(), ""
    found = references.parse_bibliography(text, format="prose").references
    if len(found) != 1:
        return CitedWork(text=text), ""
    one = found[0]
    cited = CitedWork(text=text, title=one.title, authors=one.authors, year=one.year)
    return cited, one.venue
