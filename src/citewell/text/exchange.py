"""One work as RIS or CSL-JSON, the formats that reference managers take in."""

from __future__ import annotations

import re
from typing import Any

from citewell.text.names import Author
from citewell.text.works import PARTS, Work

_TYPES = {
    "article-journal": "JOUR", "review": "JOUR", "article-magazine": "MGZN", "article": "UNPB",
    "article-newspaper": "NEWS", "book": "BOOK", "chapter": "CHAP", "paper-conference": "CPAPER",
    "thesis": "THES", "report": "RPRT", "dataset": "DATA", "software": "COMP", "patent": "PAT",
    "manuscript": "UNPB", "webpage": "ELEC", "post-weblog": "BLOG",
}  # fmt: skip


def ris(work: Work) -> str:
    first, _, last = re.sub(r"\s*[-‐‑–—]+\s*", "-", work.pages).partition("-")
    rows = [("TY", _ris_type(work)), ("TI", work.title or work.url)]
    rows += [("AU", turned(author)) for author in work.authors]
    rows += [("A2" if work.kind in PARTS else "ED", turned(editor)) for editor in work.editors]
    rows += [("PY", work.published[:4]), ("DA", work.published[:10].replace("-", "/"))]
    rows += [("T2", work.site), ("VL", work.volume), ("IS", work.issue), ("SP", first)]
    rows += [("EP", last), ("ET", work.edition), ("PB", work.publisher), ("CY", work.place)]
    rows += [("DO", work.doi), ("UR", work.url)]
    # Line breaks in a value would let a title add tags of its own.
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in rows if value.strip()]
    return "\n".join([*lines, "ER  - "])


def csl(name: str, work: Work) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": name,
        "type": work.kind or ("article-journal" if work.doi else "webpage"),
        "title": work.title or work.url,
        "author": [_person(author) for author in work.authors],
        "editor": [_person(editor) for editor in work.editors],
        "issued": _issued(work.published),
        "container-title": work.site,
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "edition": work.edition,
        "publisher": work.publisher,
        "publisher-place": work.place,
        "language": work.language,
        "DOI": work.doi,
        "URL": work.url,
    }
    return {field: value for field, value in record.items() if value}


def turned(author: Author) -> str:
    """Family name, given names, suffix, as RIS parts them."""
    if author.collective:
        return author.name
    parts = (author.family, author.given, author.suffix)
    return ", ".join(part for part in parts if part)


def _ris_type(work: Work) -> str:
    if not work.kind:
        return "JOUR" if work.doi else "ELEC"
    return _TYPES.get(work.kind, "GEN")


def _person(author: Author) -> dict[str, str]:
    """In parts where the source kept them apart, else whole: a guess is not passed on."""
    family, given, suffix = author.parts
    if not family:
        return {"literal": author.spoken}
    parts = {"family": family, "given": given, "suffix": suffix}
    return {part: value for part, value in parts.items() if value}


def _issued(published: str) -> dict[str, Any] | None:
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", published)
    return {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None
