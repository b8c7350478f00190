"""Converts BibTeX and biblatex documents to references."""

from __future__ import annotations

import re
from collections.abc import Mapping

from citewell.model.paper import PaperId
from citewell.model.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.text.dates.partial_dates import build_partial_date, extract_year, parse_partial_date
from citewell.text.references import reference_identifiers
from citewell.text.references.field_cleaning import MAX_VALUE_CHARS, clean_reference_value
from citewell.text.references.formats import latex_text
from citewell.text.references.formats.bibtex import bibtex_names
from citewell.text.references.formats.bibtex.bibtex_entries import BibtexEntry, BibtexReader

BIBTEX_KINDS = {
    "article": "article-journal", "book": "book", "mvbook": "book", "booklet": "book",
    "inbook": "chapter", "incollection": "chapter", "suppbook": "chapter",
    "inproceedings": "paper-conference", "conference": "paper-conference", "proceedings": "book",
    "collection": "book", "phdthesis": "thesis", "mastersthesis": "thesis", "thesis": "thesis",
    "techreport": "report", "report": "report", "manual": "report", "online": "webpage",
    "electronic": "webpage", "www": "webpage", "unpublished": "manuscript", "patent": "patent",
    "dataset": "dataset", "software": "software", "inreference": "entry-encyclopedia",
}  # fmt: skip
_HELPER_ENTRY_TYPES = frozenset({"xdata", "set"})  # used only by other entries
_TEXT_FIELD_LIST = (
    "title subtitle booktitle maintitle journal journaltitle year month date volume number issue pages"
    " publisher institution school organization howpublished note series eid"
)
_CODE_FIELD_LIST = "doi url eprint archiveprefix eprinttype isbn pmid pmcid arxivid ee"
_TEXT_FIELDS, _CODE_FIELDS = (
    frozenset(_TEXT_FIELD_LIST.split()),
    frozenset(_CODE_FIELD_LIST.split()),
)
_PARENT_FIELDS = ("crossref", "xdata", "xref")
_UNINHERITED_FIELDS = frozenset(
    {"title", "subtitle", "author", "editor", "key", "crossref", "xdata", "doi", "url"}
)
_BIBTEX_VENUE_NAMES = ("journaltitle", "journal", "booktitle", "maintitle", "series")
_PAGE_DASH_PATTERN = re.compile(r"\s{0,5}(?:[-–—‐‑]{1,3})\s{0,5}")
BibtexFields = Mapping[str, str]


def parse_bibtex_document(text: str) -> BibliographyDocument:
    reader = BibtexReader(text)
    reader.read_entries()
    plain = [_convert_entry_fields(entry) for entry in reader.entries]
    by_key = {entry.key.lower(): each for entry, each in zip(reader.entries, plain, strict=True)}
    references = [
        _build_bibtex_reference(entry, _inherit_parent_fields(each, by_key))
        for entry, each in zip(reader.entries, plain, strict=True)
        if entry.kind not in _HELPER_ENTRY_TYPES
    ]
    damage = [*reader.malformed, *_find_repeated_keys(reader.entries)]
    if not reader.entries and not damage:
        damage = [MalformedEntry(line=1, reason="No entry was found.")]
    return BibliographyDocument(
        format="bibtex",
        references=tuple(references),
        malformed=tuple(sorted(damage, key=lambda one: one.line)),
    )


def _find_repeated_keys(entries: list[BibtexEntry]) -> list[MalformedEntry]:
    """Reports keys that are used twice; both entries are read, although BibTeX would reject one."""
    first: dict[str, int] = {}
    again: list[MalformedEntry] = []
    for entry in entries:
        if entry.key and first.setdefault(entry.key, entry.line) != entry.line:
            reason = f"The key {clean_reference_value(entry.key)} is already used in line {first[entry.key]}."
            again.append(
                MalformedEntry(
                    line=entry.line, reason=reason, excerpt=clean_reference_value(entry.key)
                )
            )
    return again


def _convert_entry_fields(entry: BibtexEntry) -> dict[str, str]:
    """The fields we use, as plain text; names stay LaTeX."""
    shown: dict[str, str] = {}
    for name, value in entry.fields.items():
        value = value[:MAX_VALUE_CHARS]  # noqa: PLW2901 - nothing below may see more
        if name in _TEXT_FIELDS:
            shown[name] = clean_reference_value(latex_text.convert_latex_text(value))
        elif name in _CODE_FIELDS:
            shown[name] = latex_text.convert_latex_address(value)
        elif name in {"author", "editor", *_PARENT_FIELDS}:
            shown[name] = value if name in {"author", "editor"} else value.strip().lower()
    return shown


def _inherit_parent_fields(
    own: dict[str, str], by_key: Mapping[str, dict[str, str]]
) -> dict[str, str]:
    """The fields plus those inherited by crossref, xdata and xref.

    The title of the parent becomes the booktitle.
    """
    for link in _PARENT_FIELDS:
        parent = by_key.get(own.get(link, ""))
        if parent is None or parent is own:
            continue
        theirs = {name: value for name, value in parent.items() if name not in _UNINHERITED_FIELDS}
        if parent.get("title") and link != "xdata":
            theirs.setdefault("booktitle", parent["title"])
        if link == "xdata":
            theirs = parent
        own = {**theirs, **own}
    return own


def _build_bibtex_reference(entry: BibtexEntry, own: BibtexFields) -> Reference:
    authors, and_others = bibtex_names.parse_bibtex_people(
        entry.fields.get("author") or entry.fields.get("editor", "")
    )
    published = _parse_bibtex_date(own)
    title = own.get("title") or own.get("booktitle", "")
    subtitle = own.get("subtitle", "")
    return Reference(
        raw=entry.raw,
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=authors,
        year=extract_year(published),
        published=published,
        venue=_choose_bibtex_venue(own),
        volume=own.get("volume", ""),
        issue=own.get("issue", "") or own.get("number", ""),
        pages=_PAGE_DASH_PATTERN.sub("-", own.get("pages", "") or own.get("eid", "")),
        publisher=_choose_bibtex_publisher(own),
        url=own.get("url", "") or own.get("ee", ""),
        ids=_collect_bibtex_ids(own),
        kind=_choose_bibtex_kind(entry, own),
        key=clean_reference_value(entry.key),
        line=entry.line,
        and_others=and_others,
    )


def _choose_bibtex_venue(own: BibtexFields) -> str:
    venue = next((own[name] for name in _BIBTEX_VENUE_NAMES if own.get(name)), "")
    published = own.get("howpublished", "")
    return venue or ("" if "://" in published or published.startswith("www.") else published)


def _choose_bibtex_kind(entry: BibtexEntry, own: BibtexFields) -> str:
    if entry.kind == "misc":
        if own.get("eprint"):
            return "article"
        # With a DOI it may be anything; a registry knows.
        return "webpage" if own.get("url") and not own.get("doi") else ""
    return BIBTEX_KINDS.get(entry.kind, "")


def _parse_bibtex_date(own: BibtexFields) -> str:
    if date := parse_partial_date(own.get("date", "")):
        return date
    year = parse_partial_date(own.get("year", ""))
    month = own.get("month", "")
    if len(year) != 4 or not month:
        return year
    number = int(month) if month.isascii() and month.isdigit() and len(month) < 3 else 0
    return (
        build_partial_date(int(year), number) if number else parse_partial_date(f"{month} {year}")
    )


def _choose_bibtex_publisher(own: BibtexFields) -> str:
    names = ("publisher", "institution", "school", "organization")
    return next((own[name] for name in names if own.get(name)), "")


def _collect_bibtex_ids(own: BibtexFields) -> tuple[PaperId, ...]:
    kind = (own.get("eprinttype") or own.get("archiveprefix", "")).lower()
    eprint, note = own.get("eprint", ""), own.get("note", "") + " " + own.get("journal", "")
    preprint = kind == "arxiv" or (not kind and "arxiv" in note.lower())
    return reference_identifiers.order_paper_ids(
        reference_identifiers.parse_doi_id(own.get("doi", "")),
        reference_identifiers.parse_arxiv_id(eprint) if preprint else None,
        reference_identifiers.parse_arxiv_id(own.get("arxivid", "")),
        reference_identifiers.parse_pmid_id(own.get("pmid", ""))
        or (reference_identifiers.parse_pmid_id(eprint) if kind == "pubmed" else None),
        reference_identifiers.parse_pmcid_id(own.get("pmcid", "")),
        *reference_identifiers.find_ids_in_addresses(
            [own.get("url", ""), own.get("ee", ""), own.get("howpublished", "")]
        ),
        reference_identifiers.parse_doi_id(note),
        reference_identifiers.parse_arxiv_id(note) if "arxiv" in note.lower() else None,
        reference_identifiers.parse_pmid_id(note),
        reference_identifiers.parse_isbn_id(own.get("isbn", "")),
    )
