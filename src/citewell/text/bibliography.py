"""Reference lists: styles for readers, and the formats that reference managers read.

The same works give the same bytes: duplicates are dropped, keys are made unique, and the formats
for machines carry no day of writing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from string import ascii_lowercase
from typing import Any

from citewell.text import dois
from citewell.text.citation import Work, apa, bibtex, key, mla, turned

STYLES = ("apa", "mla", "bibtex", "ris", "csl-json")


def rendered(works: Iterable[Work], *, style: str, accessed: date) -> str:
    """All of them in one of STYLES: by their line for readers, by their key for machines."""
    unique = _unique(works)
    if style in {"apa", "mla"}:
        write = apa if style == "apa" else mla
        return "\n\n".join(
            sorted((write(work, accessed=accessed) for work in unique), key=str.casefold)
        )
    keyed = sorted(_keyed(unique))
    if style == "csl-json":
        return json.dumps([_csl(name, work) for name, work in keyed], ensure_ascii=False, indent=2)
    if style == "ris":
        return "\n\n".join(_ris(work) for _, work in keyed)
    return "\n\n".join(bibtex(work, name=name) for name, work in keyed)


def count(works: Iterable[Work]) -> int:
    return len(_unique(works))


def bare_doi(text: str) -> str:
    """10.x/y, whatever form it was given in; empty when there is none."""
    return dois.written(text)


def _unique(works: Iterable[Work]) -> list[Work]:
    """The first of each address; what has none cannot be cited."""
    first: dict[str, Work] = {}
    for work in works:
        if work.url:
            first.setdefault(work.url, replace(work, doi=bare_doi(work.doi)))
    return list(first.values())


def _keyed(works: list[Work]) -> list[tuple[str, Work]]:
    taken: dict[str, Work] = {}
    for work in works:
        name = next(name for name in _variants(key(work)) if name not in taken)
        taken[name] = work
    return list(taken.items())


def _variants(base: str) -> Iterator[str]:
    yield base
    for letter in ascii_lowercase:
        yield base + letter
    number = 2
    while True:
        yield f"{base}z{number}"
        number += 1


def _ris(work: Work) -> str:
    rows = [("TY", "JOUR" if work.doi else "ELEC"), ("TI", work.title or work.url)]
    rows += [("AU", turned(author)) for author in work.authors]
    rows += [("PY", work.published[:4]), ("DA", work.published[:10].replace("-", "/"))]
    rows += [("T2", work.site), ("DO", work.doi), ("UR", work.url)]
    # Line breaks in a value would let a title add tags of its own.
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in rows if value]
    return "\n".join([*lines, "ER  - "])


def _csl(name: str, work: Work) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": name,
        "type": "article-journal" if work.doi else "webpage",
        "title": work.title or work.url,
        "author": [{"literal": author.spoken} for author in work.authors],
        "issued": _issued(work.published),
        "container-title": work.site,
        "DOI": work.doi,
        "URL": work.url,
    }
    return {field: value for field, value in record.items() if value}


def _issued(published: str) -> dict[str, Any] | None:
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", published)
    return {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None
