"""One work as RIS or CSL-JSON, the formats that reference managers import."""

from __future__ import annotations

import re
from typing import Any

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CONTAINED_KINDS, CitableWork

_RIS_ENTRY_TYPES = {
    "article-journal": "JOUR", "review": "JOUR", "article-magazine": "MGZN", "article": "UNPB",
    "article-newspaper": "NEWS", "book": "BOOK", "chapter": "CHAP", "paper-conference": "CPAPER",
    "thesis": "THES", "report": "RPRT", "dataset": "DATA", "software": "COMP", "patent": "PAT",
    "legal_case": "CASE", "legislation": "STAT", "regulation": "STAT", "manuscript": "UNPB", "webpage": "ELEC", "post-weblog": "BLOG",
}  # fmt: skip


def format_ris_entry(work: CitableWork) -> str:
    first, _, last = re.sub(r"(?<!\s)\s*+[-‐‑–—]+\s*+", "-", work.pages).partition("-")
    rows = [("TY", _choose_ris_type(work)), ("TI", work.title or work.url)]
    rows += [("AU", author.inverted_name) for author in work.authors]
    rows += [
        ("A2" if work.kind in CONTAINED_KINDS else "ED", editor.inverted_name)
        for editor in work.editors
    ]
    rows += [("PY", work.published[:4]), ("DA", work.published[:10].replace("-", "/"))]
    rows += [("T2", work.site), ("VL", work.volume), ("IS", work.issue), ("SP", first)]
    rows += [("EP", last), ("ET", work.edition), ("PB", work.publisher), ("CY", work.place)]
    rows += [("M1", work.number), ("DO", work.doi), ("UR", work.url)]
    # A line break in a title would let it add RIS tags of its own.
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in rows if value.strip()]
    return "\n".join([*lines, "ER  - "])


def build_csl_record(name: str, work: CitableWork) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": name,
        "type": work.kind or ("article-journal" if work.doi else "webpage"),
        "title": work.title or work.url,
        "author": [_build_csl_person(author) for author in work.authors],
        "editor": [_build_csl_person(editor) for editor in work.editors],
        "issued": _build_csl_date(work.published),
        "container-title": work.site,
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "edition": work.edition,
        "publisher": work.publisher,
        "publisher-place": work.place,
        "number": work.number,
        "authority": work.authority,
        "language": work.language,
        "DOI": work.doi,
        "URL": work.url,
    }
    return {field: value for field, value in record.items() if value}


def _choose_ris_type(work: CitableWork) -> str:
    if not work.kind:
        return "JOUR" if work.doi else "ELEC"
    return _RIS_ENTRY_TYPES.get(work.kind, "GEN")


def _build_csl_person(author: AuthorName) -> dict[str, str]:
    """Name parts if the source gave them separately, else the whole name: a guess is not exported."""
    family, given, suffix = author.known_parts
    if not family:
        return {"literal": author.display_name}
    parts = {"family": family, "given": given, "suffix": suffix}
    return {part: value for part, value in parts.items() if value}


def build_split_person(author: AuthorName) -> dict[str, str]:
    """Name parts, guessed if the source did not give them separately, for engines that need them."""
    if author.is_indivisible:
        return {"literal": author.name}
    parts = {"family": author.family, "given": author.given, "suffix": author.suffix}
    return {part: value for part, value in parts.items() if value}


def _build_csl_date(published: str) -> dict[str, Any] | None:
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", published)
    return {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None
