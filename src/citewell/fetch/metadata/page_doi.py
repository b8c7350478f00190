"""Finds the DOI of a scholarly page: in its citation elements, its address, then its front matter."""

from __future__ import annotations

import re

from citewell.fetch.metadata import source_types
from citewell.model.scrape_results import StructuredData
from citewell.text.citations.dois import find_doi, find_doi_in_address

__all__ = ["detect_page_doi", "find_doi"]

_FRONT_MATTER_CHARS = 4000  # characters of front matter, before any list of references
_REFERENCES_HEADING = re.compile(
    r"^\W*(?:references|bibliography|works cited|literature cited)\W*$",
    re.IGNORECASE | re.MULTILINE,
)


def detect_page_doi(
    url: str, data: StructuredData | None, text: str, *, source_type: str
) -> str | None:
    """The page's own DOI; None if it declares none, or is not scholarly by source type or host."""
    if source_type != "peer_reviewed" and not source_types.is_scholarly_host(url):
        return None
    marks = (data.citation or {}) if data is not None else {}
    front = _REFERENCES_HEADING.split(text[:_FRONT_MATTER_CHARS], maxsplit=1)[0]
    return find_doi(marks.get("citation_doi", "")) or find_doi_in_address(url) or find_doi(front)
