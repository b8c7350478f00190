"""Bibliographies in citation styles and in the formats that reference managers import.

Output is reproducible: duplicates are dropped, keys are made unique, and the machine-readable formats
contain no access date.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from string import ascii_lowercase
from typing import Any

from citewell.text.citations import dois, exchange_formats
from citewell.text.citations.bibtex_format import build_citation_key, format_bibtex_entry
from citewell.text.citations.citable_works import CitableWork
from citewell.text.citations.official_records import recognize_official_record
from citewell.text.citations.styles import apa, chicago, harvard, ieee, mla, vancouver
from citewell.text.citations.styles.official_records import format_official_record

_STYLE_FORMATTERS: dict[str, Callable[..., str]] = {
    "apa": apa.format_apa_entry,
    "mla": mla.format_mla_entry,
    "chicago": chicago.format_chicago_entry,
    "harvard": harvard.format_harvard_entry,
    "vancouver": vancouver.format_vancouver_entry,
    "ieee": ieee.format_ieee_entry,
}
_LEADING_MARKS = "“”‘’\"'([¿¡«» "
_NUMBERING_TEMPLATES = {"vancouver": "{}. {}", "ieee": "[{}] {}"}  # numbered in citation order


def render_bibliography(
    works: Iterable[CitableWork], *, style: str, accessed: date, keeps_unaddressed: bool = False
) -> str:
    """The works in one of BIBLIOGRAPHY_STYLES, without those that have no address unless they are kept.

    Numbered styles keep the given order, other citation styles are sorted by entry, and BibTeX,
    RIS and CSL-JSON by citation key.
    """
    unique = _drop_duplicate_works(works, keeps_unaddressed=keeps_unaddressed)
    if style in _STYLE_FORMATTERS:
        lines = [format_style_entry(work, style=style, accessed=accessed) for work in unique]
        return "\n\n".join(_order_style_entries(lines, style))
    keyed = sorted(_assign_citation_keys(unique), key=lambda pair: pair[0])
    if style == "csl-json":
        records = [exchange_formats.build_csl_record(name, work) for name, work in keyed]
        return json.dumps(records, ensure_ascii=False, indent=2)
    if style == "ris":
        return "\n\n".join(exchange_formats.format_ris_entry(work) for _, work in keyed)
    return "\n\n".join(format_bibtex_entry(work, citation_key=name) for name, work in keyed)


def format_style_entry(work: CitableWork, *, style: str, accessed: date) -> str:
    """One work in one of the citation styles."""
    special = format_official_record(work, style)
    if special is not None:
        return special
    return _STYLE_FORMATTERS[style](work, accessed=accessed)


def build_csl_records(works: Iterable[CitableWork], *, accessed: date) -> list[dict[str, Any]]:
    """The works in the given order as CSL engines take them: names in parts, and pages with the day of reading."""
    keyed = _assign_citation_keys(_drop_duplicate_works(works, keeps_unaddressed=True))
    return [build_engine_record(name, work, accessed) for name, work in keyed]


def build_engine_record(name: str, work: CitableWork, accessed: date) -> dict[str, Any]:
    """One work as CSL-JSON with the citation key `name`."""
    record = exchange_formats.build_csl_record(name, work)
    for field, people in (("author", work.authors), ("editor", work.editors)):
        if people:
            record[field] = [exchange_formats.build_split_person(one) for one in people]
    if work.is_web_page:
        record["accessed"] = {"date-parts": [[accessed.year, accessed.month, accessed.day]]}
    elif work.doi:
        record.pop("URL", None)  # it is the address of the DOI, which styles write themselves
    return record


def count_unique_works(works: Iterable[CitableWork]) -> int:
    return len(_drop_duplicate_works(works))


def _order_style_entries(lines: list[str], style: str) -> list[str]:
    if style in _NUMBERING_TEMPLATES:
        return [
            _NUMBERING_TEMPLATES[style].format(number, line) for number, line in enumerate(lines, 1)
        ]
    return sorted(lines, key=_build_entry_sort_key)


def _build_entry_sort_key(line: str) -> tuple[str, str]:
    """The letters without accents and leading marks, so that Öhman stands by Ohm and not after Z."""
    flat = unicodedata.normalize("NFKD", line)
    letters = "".join(char for char in flat if not unicodedata.combining(char))
    bare = letters.lstrip(_LEADING_MARKS)
    return bare.casefold(), line


def _drop_duplicate_works(
    works: Iterable[CitableWork], *, keeps_unaddressed: bool = False
) -> list[CitableWork]:
    """The first work of each address; works without an address are dropped, or kept as they are."""
    first: dict[str, CitableWork] = {}
    for work in works:
        if work.url or keeps_unaddressed:
            known = recognize_official_record(work)
            first.setdefault(
                work.url or repr(work), replace(known, doi=dois.find_doi_as_written(work.doi))
            )
    return list(first.values())


def _assign_citation_keys(works: list[CitableWork]) -> list[tuple[str, CitableWork]]:
    taken: dict[str, CitableWork] = {}
    for work in works:
        name = next(
            name for name in _generate_key_variants(build_citation_key(work)) if name not in taken
        )
        taken[name] = work
    return list(taken.items())


def _generate_key_variants(base: str) -> Iterator[str]:
    yield base
    for letter in ascii_lowercase:
        yield base + letter
    number = 2
    while True:
        yield f"{base}z{number}"
        number += 1
