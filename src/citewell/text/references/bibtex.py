"""BibTeX and biblatex entries as references."""

from __future__ import annotations

import re
from collections.abc import Mapping

from citewell.model.paper import PaperId
from citewell.model.reference import Document, Malformed, Reference
from citewell.text.references import bibnames, dates, ids, latex
from citewell.text.references.entries import Entry, Reader
from citewell.text.references.tidy import LONGEST, tidy

_KINDS = {
    "article": "article-journal", "book": "book", "mvbook": "book", "booklet": "book",
    "inbook": "chapter", "incollection": "chapter", "suppbook": "chapter",
    "inproceedings": "paper-conference", "conference": "paper-conference", "proceedings": "book",
    "collection": "book", "phdthesis": "thesis", "mastersthesis": "thesis", "thesis": "thesis",
    "techreport": "report", "report": "report", "manual": "report", "online": "webpage",
    "electronic": "webpage", "www": "webpage", "unpublished": "manuscript", "patent": "patent",
    "dataset": "dataset", "software": "software", "inreference": "entry-encyclopedia",
}  # fmt: skip
_NOT_CITED = frozenset({"xdata", "set"})  # they only serve other entries
_TEXT_NAMES = (
    "title subtitle booktitle maintitle journal journaltitle year month date volume number issue pages"
    " publisher institution school organization howpublished note series eid"
)
_CODE_NAMES = "doi url eprint archiveprefix eprinttype isbn pmid pmcid arxivid ee"
_TEXTS, _CODES = frozenset(_TEXT_NAMES.split()), frozenset(_CODE_NAMES.split())
_PARENTS = ("crossref", "xdata", "xref")
_OWN = frozenset(
    {"title", "subtitle", "author", "editor", "key", "crossref", "xdata", "doi", "url"}
)
_VENUES = ("journaltitle", "journal", "booktitle", "maintitle", "series")
_RANGE = re.compile(r"\s{0,5}(?:[-–—‐‑]{1,3})\s{0,5}")
Fields = Mapping[str, str]


def read(text: str) -> Document:
    reader = Reader(text)
    reader.read()
    plain = [_plain(entry) for entry in reader.entries]
    by_key = {entry.key.lower(): each for entry, each in zip(reader.entries, plain, strict=True)}
    references = [
        _reference(entry, _inherited(each, by_key))
        for entry, each in zip(reader.entries, plain, strict=True)
        if entry.kind not in _NOT_CITED
    ]
    damage = [*reader.malformed, *_repeated(reader.entries)]
    if not reader.entries and not damage:
        damage = [Malformed(line=1, reason="No entry was found.")]
    return Document(
        format="bibtex",
        references=tuple(references),
        malformed=tuple(sorted(damage, key=lambda one: one.line)),
    )


def _repeated(entries: list[Entry]) -> list[Malformed]:
    """A key used twice: both entries are read, though BibTeX would know only one."""
    first: dict[str, int] = {}
    again: list[Malformed] = []
    for entry in entries:
        if entry.key and first.setdefault(entry.key, entry.line) != entry.line:
            reason = f"The key {tidy(entry.key)} is used before, in line {first[entry.key]}."
            again.append(Malformed(line=entry.line, reason=reason, excerpt=tidy(entry.key)))
    return again


def _plain(entry: Entry) -> dict[str, str]:
    """The fields that matter, as a reader sees them; names stay as written."""
    shown: dict[str, str] = {}
    for name, value in entry.fields.items():
        value = value[:LONGEST]  # noqa: PLW2901 - the bound holds for all that follows
        if name in _TEXTS:
            shown[name] = tidy(latex.plain(value))
        elif name in _CODES:
            shown[name] = latex.address(value)
        elif name in {"author", "editor", *_PARENTS}:
            shown[name] = value if name in {"author", "editor"} else value.strip().lower()
    return shown


def _inherited(own: dict[str, str], by_key: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """With what the entry it refers to says and it does not; a volume's title is the book's title."""
    for link in _PARENTS:
        parent = by_key.get(own.get(link, ""))
        if parent is None or parent is own:
            continue
        theirs = {name: value for name, value in parent.items() if name not in _OWN}
        if parent.get("title") and link != "xdata":
            theirs.setdefault("booktitle", parent["title"])
        if link == "xdata":
            theirs = parent
        own = {**theirs, **own}
    return own


def _reference(entry: Entry, own: Fields) -> Reference:
    authors, and_others = bibnames.people(
        entry.fields.get("author") or entry.fields.get("editor", "")
    )
    published = _published(own)
    title = own.get("title") or own.get("booktitle", "")
    subtitle = own.get("subtitle", "")
    return Reference(
        raw=entry.raw,
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=authors,
        year=dates.year_of(published),
        published=published,
        venue=next((own[name] for name in _VENUES if own.get(name)), ""),
        volume=own.get("volume", ""),
        issue=own.get("issue", "") or own.get("number", ""),
        pages=_RANGE.sub("-", own.get("pages", "") or own.get("eid", "")),
        publisher=_publisher(own),
        url=own.get("url", "") or own.get("ee", ""),
        ids=_ids(own),
        kind=_kind(entry, own),
        key=tidy(entry.key),
        line=entry.line,
        and_others=and_others,
    )


def _kind(entry: Entry, own: Fields) -> str:
    if entry.kind == "misc":
        return "article" if own.get("eprint") else "webpage" if own.get("url") else ""
    return _KINDS.get(entry.kind, "")


def _published(own: Fields) -> str:
    if date := dates.iso(own.get("date", "")):
        return date
    year = dates.iso(own.get("year", ""))
    month = own.get("month", "")
    if len(year) != 4 or not month:
        return year
    number = int(month) if month.isascii() and month.isdigit() and len(month) < 3 else 0
    return dates.joined(int(year), number) if number else dates.iso(f"{month} {year}")


def _publisher(own: Fields) -> str:
    names = ("publisher", "institution", "school", "organization")
    return next((own[name] for name in names if own.get(name)), "")


def _ids(own: Fields) -> tuple[PaperId, ...]:
    kind = (own.get("eprinttype") or own.get("archiveprefix", "")).lower()
    eprint, note = own.get("eprint", ""), own.get("note", "") + " " + own.get("journal", "")
    preprint = kind == "arxiv" or (not kind and "arxiv" in note.lower())
    return ids.ordered(
        ids.doi(own.get("doi", "")),
        ids.arxiv(eprint) if preprint else None,
        ids.arxiv(own.get("arxivid", "")),
        ids.pmid(own.get("pmid", "")) or (ids.pmid(eprint) if kind == "pubmed" else None),
        ids.pmcid(own.get("pmcid", "")),
        *ids.of_addresses([own.get("url", ""), own.get("ee", ""), own.get("howpublished", "")]),
        ids.doi(note),
        ids.arxiv(note) if "arxiv" in note.lower() else None,
        ids.pmid(note),
        ids.isbn(own.get("isbn", "")),
    )
