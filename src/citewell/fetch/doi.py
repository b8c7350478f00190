"""The DOI that a scholarly page declares as its own, by the most authoritative of its marks."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from citewell.fetch import classify
from citewell.model.scrape import StructuredData

_DOI = re.compile(r"10\.\d{4,9}/[-._;()/:<>a-z0-9]+", re.IGNORECASE)
_VIEWERS = re.compile(
    r"/(?:full|fulltext|pdf|epdf|pdfdirect|abstract|html|xml|meta|summary|references|figures|suppl[a-z_]*|citation|download)(?:/.*)?$|\.(?:pdf|full|html|xml)$",
    re.IGNORECASE,
)
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
    path = unquote(urlsplit(url).path)
    front = _REFERENCES.split(text[:_FRONT], maxsplit=1)[0]
    return find(marks.get("citation_doi", "")) or find(path) or find(front)


def find(text: str) -> str | None:
    """The first DOI in a text, bare and without what viewers and sentences hang on to it."""
    match = _DOI.search(text)
    if match is None:
        return None
    found = match[0]
    while (shorter := _VIEWERS.sub("", found).rstrip(".,;:/<>")) != found:
        found = shorter
    if found.count(")") > found.count("("):
        found = found.rstrip(")").rstrip(".,;:")
    return found.lower() if "/" in found and found.partition("/")[2] else None
