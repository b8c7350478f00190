"""Reference lists in the formats that reference managers read: BibTeX, RIS and CSL-JSON.

The same references give the same bytes: duplicates are dropped, keys are made unique, and nothing
carries the day on which it was written.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from citewell.text.names import Author

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_BETWEEN = re.compile(r"\s*;\s*|\s+and\s+")
_SMALL = frozenset(
    {"a", "an", "and", "das", "der", "die", "el", "for", "in", "la", "le", "of", "on", "the", "to"}
)
_BIBTEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    char: f"\\{char}" for char in "&%$#_{}"
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One source as somebody recorded it; only the address is certain."""

    url: str
    title: str = ""
    author: str = ""
    site: str = ""
    date: str = ""
    doi: str = ""

    @property
    def authors(self) -> tuple[Author, ...]:
        return tuple(
            Author(name=part.strip()) for part in _BETWEEN.split(self.author) if part.strip()
        )

    @property
    def year(self) -> str:
        found = _YEAR.search(self.date)
        return found[1] if found else ""

    @property
    def bare_doi(self) -> str:
        """10.x/y, whatever form it was given in."""
        found = _DOI.search(self.doi)
        return found[0].rstrip(".,;)") if found else ""


def rendered(references: Iterable[Reference], *, style: str) -> str:
    """All of them in one of bibtex, ris or csl-json, ordered by key."""
    keyed = sorted(_keyed(_unique(references)), key=lambda pair: pair[0])
    if style == "csl-json":
        return json.dumps([_csl(key, item) for key, item in keyed], ensure_ascii=False, indent=2)
    write = {"bibtex": _bibtex, "ris": _ris}[style]
    return "\n\n".join(write(key, item) for key, item in keyed)


def _unique(references: Iterable[Reference]) -> list[Reference]:
    """The first of each address; what has none cannot be cited."""
    first: dict[str, Reference] = {}
    for item in references:
        if item.url:
            first.setdefault(item.url, item)
    return list(first.values())


def _keyed(references: list[Reference]) -> list[tuple[str, Reference]]:
    taken: set[str] = set()
    keyed = []
    for item in references:
        base = _key(item)
        key = next(name for name in _variants(base) if name not in taken)
        taken.add(key)
        keyed.append((key, item))
    return keyed


def _variants(base: str) -> Iterable[str]:
    yield base
    for letter in "abcdefghijklmnopqrstuvwxyz":
        yield base + letter
    number = 2
    while True:
        yield f"{base}z{number}"
        number += 1


def _key(item: Reference) -> str:
    """Surname, year and the first word of the title that says something."""
    surname = item.authors[0].family.split()[-1] if item.authors else item.site.partition(".")[0]
    words = re.findall(r"\w+", item.title.lower())
    word = next((word for word in words if word not in _SMALL), "")
    return _ascii(surname) + item.year + _ascii(word) or "source"


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain.lower())


def _bibtex(key: str, item: Reference) -> str:
    fields = {
        "author": " and ".join(_bibtex_name(author) for author in item.authors),
        "title": f"{{{_escaped(item.title or item.url)}}}",
        "journal" if item.bare_doi else "howpublished": _escaped(item.site),
        "year": item.year,
        "doi": item.bare_doi,
        "url": item.url.replace("{", "%7B").replace("}", "%7D"),
    }
    rows = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{'article' if item.bare_doi else 'misc'}{{{key},\n" + ",\n".join(rows) + "\n}"


def _bibtex_name(author: Author) -> str:
    if author.collective:
        return f"{{{_escaped(author.name)}}}"
    return _escaped(f"{author.family}, {author.given}".rstrip(", "))


def _escaped(text: str) -> str:
    return "".join(_BIBTEX.get(char, char) for char in " ".join(text.split()))


def _ris(_key: str, item: Reference) -> str:
    rows = [("TY", "JOUR" if item.bare_doi else "ELEC"), ("TI", item.title or item.url)]
    rows += [("AU", _inverted(author)) for author in item.authors]
    rows += [("PY", item.year), ("DA", item.date.replace("-", "/")), ("T2", item.site)]
    rows += [("DO", item.bare_doi), ("UR", item.url)]
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in rows if value]
    return "\n".join([*lines, "ER  - "])


def _inverted(author: Author) -> str:
    return author.name if author.collective else f"{author.family}, {author.given}".rstrip(", ")


def _csl(key: str, item: Reference) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": key,
        "type": "article-journal" if item.bare_doi else "webpage",
        "title": item.title or item.url,
        "author": [{"literal": author.spoken} for author in item.authors],
        "issued": _issued(item.date),
        "container-title": item.site,
        "DOI": item.bare_doi,
        "URL": item.url,
    }
    return {name: value for name, value in record.items() if value}


def _issued(date: str) -> dict[str, Any] | None:
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", date.strip())
    return {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None
