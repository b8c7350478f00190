"""Reference lists: styles for readers, and the formats that reference managers read.

The same works give the same bytes: duplicates are dropped, keys are made unique, and the formats
for machines carry no day of writing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from string import ascii_lowercase

from citewell.text import dois, exchange
from citewell.text.citation import Work, bibtex, key
from citewell.text.styles import apa, chicago, harvard, ieee, mla, vancouver

_WRITERS: dict[str, Callable[..., str]] = {
    "apa": apa.entry,
    "mla": mla.entry,
    "chicago": chicago.entry,
    "harvard": harvard.entry,
    "vancouver": vancouver.entry,
    "ieee": ieee.entry,
}
_NUMBERED = {"vancouver": "{}. {}", "ieee": "[{}] {}"}  # in the order of citation
STYLES = (*_WRITERS, "bibtex", "ris", "csl-json")


def rendered(works: Iterable[Work], *, style: str, accessed: date) -> str:
    """All of them in one of STYLES: by their line for readers, by their key for machines."""
    unique = _unique(works)
    if style in _WRITERS:
        lines = [_WRITERS[style](work, accessed=accessed) for work in unique]
        return "\n\n".join(_arranged(lines, style))
    keyed = sorted(_keyed(unique), key=lambda pair: pair[0])
    if style == "csl-json":
        records = [exchange.csl(name, work) for name, work in keyed]
        return json.dumps(records, ensure_ascii=False, indent=2)
    if style == "ris":
        return "\n\n".join(exchange.ris(work) for _, work in keyed)
    return "\n\n".join(bibtex(work, name=name) for name, work in keyed)


def count(works: Iterable[Work]) -> int:
    return len(_unique(works))


def bare_doi(text: str) -> str:
    """10.x/y, whatever form it was given in; empty when there is none."""
    return dois.written(text)


def _arranged(lines: list[str], style: str) -> list[str]:
    if style in _NUMBERED:
        return [_NUMBERED[style].format(number, line) for number, line in enumerate(lines, 1)]
    return sorted(lines, key=str.casefold)


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
