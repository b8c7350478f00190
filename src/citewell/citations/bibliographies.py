"""Bibliographies in citation styles and in the formats that reference managers import.

Output is reproducible: duplicates are dropped, keys are made unique, and the machine-readable formats
contain no access date.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from string import ascii_lowercase
from typing import Any

from citewell.citations import dois
from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CONTAINED_KINDS, CitableWork
from citewell.citations.official_records import format_official_record, recognize_official_record
from citewell.citations.styles import apa, chicago, harvard, ieee, mla, vancouver
from citewell.text import addresses

_LATEX_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_UNPAIRED_BRACE_ESCAPES = str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
_KEY_WORD_PATTERN = re.compile(r"[a-z0-9]+")
_KEY_STOP_WORDS = frozenset(
    {"a", "an", "the", "on", "of", "in", "and", "der", "die", "das", "le", "la", "el"}
)
_BIBTEX_ENTRY_TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "review": "article", "book": "book", "chapter": "incollection", "report": "techreport",
    "paper-conference": "inproceedings", "thesis": "phdthesis", "manuscript": "unpublished",
}  # fmt: skip
_BIBTEX_VENUE_FIELDS = {
    "article": "journal",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
}
_BIBTEX_PUBLISHER_FIELDS = {"phdthesis": "school", "techreport": "institution"}

_RIS_ENTRY_TYPES = {
    "article-journal": "JOUR", "review": "JOUR", "article-magazine": "MGZN", "article": "UNPB",
    "article-newspaper": "NEWS", "book": "BOOK", "chapter": "CHAP", "paper-conference": "CPAPER",
    "thesis": "THES", "report": "RPRT", "dataset": "DATA", "software": "COMP", "patent": "PAT",
    "legal_case": "CASE", "legislation": "STAT", "regulation": "STAT", "manuscript": "UNPB", "webpage": "ELEC", "post-weblog": "BLOG",
}  # fmt: skip

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
        records = [build_csl_record(name, work) for name, work in keyed]
        return json.dumps(records, ensure_ascii=False, indent=2)
    if style == "ris":
        return "\n\n".join(format_ris_entry(work) for _, work in keyed)
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
    record = build_csl_record(name, work)
    for field, people in (("author", work.authors), ("editor", work.editors)):
        if people:
            record[field] = [build_split_person(person) for person in people]
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
            found = dois.locate_doi(work.doi)
            doi = found.bare if found else ""
            first.setdefault(work.url or repr(work), replace(known, doi=doi))
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


# One work as RIS or CSL-JSON, the formats that reference managers import.


def format_ris_entry(work: CitableWork) -> str:
    first, _, last = re.sub(r"(?<!\s)\s*+[-‐‑–—]+\s*+", "-", work.pages).partition("-")
    default_type = "JOUR" if work.doi else "ELEC"
    ris_type = _RIS_ENTRY_TYPES.get(work.kind, "GEN") if work.kind else default_type
    rows = [("TY", ris_type), ("TI", work.title or work.url)]
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
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", work.published)
    csl_date = {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None
    record: dict[str, Any] = {
        "id": name,
        "type": work.kind or ("article-journal" if work.doi else "webpage"),
        "title": work.title or work.url,
        "author": [_build_csl_person(author) for author in work.authors],
        "editor": [_build_csl_person(editor) for editor in work.editors],
        "issued": csl_date,
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


# One work as a BibTeX entry, with its citation key; unknown fields are left out.


def format_bibtex_entry(
    work: CitableWork, *, accessed: date | None = None, citation_key: str | None = None
) -> str:
    """A BibTeX entry of the type that fits the work's kind.

    A work without a kind becomes @article if it has a DOI; every other unknown kind is @misc.
    Leave out `accessed` for an entry that is the same every day.
    """
    kind = _BIBTEX_ENTRY_TYPES.get(work.kind) or (
        "article" if work.doi and not work.kind else "misc"
    )
    year, month, _ = work.date_parts
    rows = [
        ("author", _format_bibtex_names(work.authors)),
        ("title", f"{{{_escape_latex_text(work.title)}}}" if work.title else ""),
        (_BIBTEX_VENUE_FIELDS.get(kind, "howpublished"), _escape_latex_text(work.site or (addresses.format_host_name(work.url) if not work.kind else ""))),
        ("editor", _format_bibtex_names(work.editors)),
        ("edition", _escape_latex_text(work.edition)),
        ("volume", _escape_latex_text(work.volume)),
        ("number", _escape_latex_text(work.issue or work.number)),
        ("pages", _escape_latex_text(re.sub(r"(?<!\s)\s*+[-‐‑–—]+\s*+", "--", work.pages))),
        (_BIBTEX_PUBLISHER_FIELDS.get(kind, "publisher"), _escape_latex_text(work.publisher)),
        ("address", _escape_latex_text(work.place)),
        ("year", year),
        ("month", f"{month:02}" if month else ""),
        ("doi", work.doi),
        ("url", work.url),
        ("urldate", accessed.isoformat() if accessed else ""),
    ]  # fmt: skip
    body = ",\n".join(f"  {field} = {{{value}}}" for field, value in rows if value)
    return f"@{kind}{{{citation_key or build_citation_key(work)},\n{body}\n}}"


def build_citation_key(work: CitableWork) -> str:
    """First author's family name, year and first title word that is no stop-word, in lower-case ASCII."""
    first = (
        work.authors[0].family
        if work.authors
        else work.site or addresses.format_host_name(work.url)
    )
    words = [
        word
        for word in _KEY_WORD_PATTERN.findall(_fold_to_ascii(work.title))
        if word not in _KEY_STOP_WORDS
    ]
    return (
        "".join((*_KEY_WORD_PATTERN.findall(_fold_to_ascii(first)), work.date_parts[0], *words[:1]))
        or "source"
    )


def _fold_to_ascii(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text)
    return "".join(char for char in flat if char.isascii()).lower()


def _format_bibtex_names(people: tuple[AuthorName, ...]) -> str:
    return " and ".join(_format_bibtex_name(author) for author in people)


def _format_bibtex_name(author: AuthorName) -> str:
    if author.is_indivisible:
        return f"{{{_escape_latex_text(author.name)}}}"
    parts = (author.family, author.suffix, author.given)  # von Last, Jr, First
    return ", ".join(_escape_latex_text(part) for part in parts if part)


def _escape_latex_text(text: str) -> str:
    # BibTeX counts braces even after a backslash, so unpaired ones are written as commands.
    table = _LATEX_ESCAPES if _has_paired_braces(text) else _LATEX_ESCAPES | _UNPAIRED_BRACE_ESCAPES
    return " ".join(text.translate(table).split())


def _has_paired_braces(text: str) -> bool:
    depth = 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0
