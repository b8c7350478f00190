"""The DOI that a scholarly page declares as its own, by the most authoritative of its marks."""

from __future__ import annotations

import re

from citewell.fetch import classify
from citewell.model.scrape import StructuredData
from citewell.text.dois import find, from_address

__all__ = ["detect", "find"]

_FRONT = 4000  # characters of front matter, before any list of references
_REFERENCES = re.compile(
    r"^\W*(?:references|bibliography|works cited|literature cited)\W*$",
    re.IGNORECASE | re.MULTILINE,
)


def detect(url: str, data: StructuredData | None, text: str, *, source_type: str) -> str | None:
    """Only for pages that are scholarly by their marks or host; None when they declare none."""
    if source_type != "peer_reviewed" and not classify.scholarly(url):
        return None
    marks = (data.citation or {}) if data is not None else {}
    front = _REFERENCES.split(text[:_FRONT], maxsplit=1)[0]
    return find(marks.get("citation_doi", "")) or from_address(url) or find(front)
