"""Title, author, date and language as an office document declares them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive
from citewell.fetch.documents.document import Broken

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_SOURCES = ("docProps/core.xml", "docProps/app.xml", "meta.xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    title: str | None = None
    author: str | None = None
    created: str | None = None
    language: str | None = None
    pages: int | None = None


def read_properties(archive: Archive) -> Properties:
    """What is declared; damaged properties are as good as none."""
    found: dict[str, str] = {}
    pages: int | None = None
    for name in _SOURCES:
        root = _part(archive, name)
        for element in root.iter() if root is not None else ():
            text = trees.words(element)
            if text and len(element) == 0:
                found.setdefault(trees.local(element), text)
            count = trees.attribute(element, "page-count")
            pages = int(count) if count.isascii() and count.isdigit() and len(count) < 7 else pages
    counted = found.get("Pages", "")
    return Properties(
        title=found.get("title"),
        author=found.get("creator") or found.get("initial-creator"),
        created=iso_date(found.get("created") or found.get("creation-date") or found.get("date")),
        language=(found.get("language") or "")[:2].lower() or None,
        pages=int(counted)
        if counted.isascii() and counted.isdigit() and len(counted) < 7
        else pages,
    )


def _part(archive: Archive, name: str) -> Element | None:
    if name not in archive:
        return None
    try:
        return trees.parse(archive.read(name))
    except Broken:
        return None


def iso_date(text: str | None) -> str | None:
    match = _DATE.match((text or "").strip())
    return match.group() if match else None
