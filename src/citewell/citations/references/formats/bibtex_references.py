"""Converts BibTeX and biblatex documents to references."""

from __future__ import annotations

import re
from collections.abc import Mapping

from citewell.citations.author_names import AuthorName
from citewell.citations.references import reference_fields
from citewell.citations.references.formats import latex_text
from citewell.citations.references.formats.bibtex_entries import BibtexEntry, BibtexReader
from citewell.citations.references.formats.latex_text import convert_latex_text
from citewell.citations.references.reference_fields import (
    MAX_VALUE_CHARS,
    BibliographyDocument,
    MalformedEntry,
    Reference,
    clean_reference_value,
)
from citewell.core.values.paper import PaperId, WorkAuthor
from citewell.text.calendar_dates import build_partial_date, extract_year, parse_partial_date
from citewell.text.data_tables import load_texts

_NAME_SEPARATOR_PATTERN = re.compile(r"[{}]|\s(?:and|AND|And)\s")
_COMMA_OR_BRACE_PATTERN = re.compile(r"[{},]")
_WORD_GAP_PATTERN = re.compile(r"[{}]|[\s~]+")
_BIBLATEX_NAME_FIELD_PATTERN = re.compile(
    r"\b(family|given|prefix|suffix)\s{0,5}=\s{0,5}\"?([^,\"]{1,200})"
)
_INITIALS_ONLY_PATTERN = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,4}")
_MAX_NAME_LIST_CHARS = 20_000  # characters; enough for collaborations of thousands

_HELPER_ENTRY_TYPES = frozenset({"xdata", "set"})  # used only by other entries
_TEXT_FIELD_LIST = (
    "title subtitle booktitle maintitle journal journaltitle year month date volume number issue pages"
    " publisher institution school organization howpublished note series eid"
)
_CODE_FIELD_LIST = "doi url eprint archiveprefix eprinttype isbn pmid pmcid arxivid ee"
_TEXT_FIELDS = frozenset(_TEXT_FIELD_LIST.split())
_CODE_FIELDS = frozenset(_CODE_FIELD_LIST.split())
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
        malformed=tuple(sorted(damage, key=lambda item: item.line)),
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
    authors, and_others = parse_bibtex_people(
        entry.fields.get("author") or entry.fields.get("editor", "")
    )
    published = _parse_bibtex_date(own)
    title = own.get("title") or own.get("booktitle", "")
    subtitle = own.get("subtitle", "")
    names = ("publisher", "institution", "school", "organization")
    bibtex_publisher = next((own[name] for name in names if own.get(name)), "")
    bibtex_venue = next((own[name] for name in _BIBTEX_VENUE_NAMES if own.get(name)), "")
    medium = own.get("howpublished", "")
    is_address = "://" in medium or medium.startswith("www.")
    return Reference(
        raw=entry.raw,
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=authors,
        year=extract_year(published),
        published=published,
        venue=bibtex_venue or ("" if is_address else medium),
        volume=own.get("volume", ""),
        issue=own.get("issue", "") or own.get("number", ""),
        pages=_PAGE_DASH_PATTERN.sub("-", own.get("pages", "") or own.get("eid", "")),
        publisher=bibtex_publisher,
        url=own.get("url", "") or own.get("ee", ""),
        ids=_collect_bibtex_ids(own),
        kind=_choose_bibtex_kind(entry, own),
        key=clean_reference_value(entry.key),
        line=entry.line,
        and_others=and_others,
    )


def _choose_bibtex_kind(entry: BibtexEntry, own: BibtexFields) -> str:
    if entry.kind == "misc":
        if own.get("eprint"):
            return "article"
        # With a DOI it may be anything; a registry knows.
        return "webpage" if own.get("url") and not own.get("doi") else ""
    return load_texts(__package__, "bibtex_references", "bibtex_kinds").get(entry.kind, "")


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


def _collect_bibtex_ids(own: BibtexFields) -> tuple[PaperId, ...]:
    kind = (own.get("eprinttype") or own.get("archiveprefix", "")).lower()
    eprint, note = own.get("eprint", ""), own.get("note", "") + " " + own.get("journal", "")
    preprint = kind == "arxiv" or (not kind and "arxiv" in note.lower())
    return reference_fields.order_paper_ids(
        reference_fields.parse_doi_id(own.get("doi", "")),
        reference_fields.parse_arxiv_id(eprint) if preprint else None,
        reference_fields.parse_arxiv_id(own.get("arxivid", "")),
        reference_fields.parse_pmid_id(own.get("pmid", ""))
        or (reference_fields.parse_pmid_id(eprint) if kind == "pubmed" else None),
        reference_fields.parse_pmcid_id(own.get("pmcid", "")),
        *reference_fields.find_ids_in_addresses(
            [own.get("url", ""), own.get("ee", ""), own.get("howpublished", "")]
        ),
        reference_fields.parse_doi_id(note),
        reference_fields.parse_arxiv_id(note) if "arxiv" in note.lower() else None,
        reference_fields.parse_pmid_id(note),
        reference_fields.parse_isbn_id(own.get("isbn", "")),
    )


# Parses BibTeX names: "First von Last", "von Last, First", "von Last, Jr, First".


def parse_bibtex_people(text: str) -> tuple[tuple[WorkAuthor, ...], bool]:
    """The people in an author or editor field, and whether it contains "and others"."""
    names = [
        name.strip(" \n\t,")
        for name in _split_outside_braces(text[:_MAX_NAME_LIST_CHARS], _NAME_SEPARATOR_PATTERN)
    ]
    if len(names) == 1:
        names = _split_informal_list(names[0])
    known = [
        name
        for name in names
        if name
        and convert_latex_text(name).strip().lower() not in reference_fields.AND_OTHERS_NAMES
    ]
    found = tuple(person for name in known if (person := _parse_bibtex_person(name)).name)
    return found, len(known) < len([name for name in names if name])


def _parse_bibtex_person(name: str) -> WorkAuthor:
    if (
        name.startswith("{")
        and name.endswith("}")
        and not _split_outside_braces(name, _COMMA_OR_BRACE_PATTERN)[1:]
    ):
        bare = convert_latex_text(name)
        if bare.strip():
            return reference_fields.build_organisation(bare)
    if "=" in name and (parts := dict(_BIBLATEX_NAME_FIELD_PATTERN.findall(name))).get("family"):
        family = f"{parts.get('prefix', '')} {parts['family']}"
        return reference_fields.build_person(
            family=convert_latex_text(family),
            given=convert_latex_text(parts.get("given", "")),
            suffix=parts.get("suffix", ""),
        )
    pieces = [
        convert_latex_text(piece).strip()
        for piece in _split_outside_braces(name, _COMMA_OR_BRACE_PATTERN)
    ]
    if len(pieces) == 1:
        return _parse_first_name_first(name)
    suffix = pieces[1] if len(pieces) > 2 else ""
    return reference_fields.build_person(
        family=pieces[0], given=" ".join(pieces[2:] or pieces[1:2]), suffix=suffix
    )


def _parse_first_name_first(name: str) -> WorkAuthor:
    """A name without commas: the family name starts at the first lower-case word, or is the last."""
    words = [
        convert_latex_text(word).strip()
        for word in _split_outside_braces(name, _WORD_GAP_PATTERN)
        if word.strip()
    ]
    whole = " ".join(words)
    if len(words) < 2 or AuthorName(name=whole).is_indivisible:
        return reference_fields.parse_whole_name(whole)
    small = next((place for place, word in enumerate(words[:-1]) if word[:1].islower()), None)
    cut = small or len(words) - 1
    return reference_fields.build_person(given=" ".join(words[:cut]), family=" ".join(words[cut:]))


def _split_informal_list(name: str) -> list[str]:
    """The names of a list separated by commas or semicolons, which BibTeX would take for one name."""
    if ";" in name:
        return [part.strip() for part in name.split(";")]
    pieces = [piece.strip() for piece in _split_outside_braces(name, _COMMA_OR_BRACE_PATTERN)]
    turned = len(pieces) > 3 and all(
        _INITIALS_ONLY_PATTERN.fullmatch(given) for given in pieces[1::2]
    )
    if turned and len(pieces) % 2 == 0:
        return [
            f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)
        ]
    if len(pieces) > 3 and all(" " in piece for piece in pieces):
        return pieces
    return [name]


def _split_outside_braces(text: str, at: re.Pattern[str]) -> list[str]:
    """The text split at the pattern, but not inside braces."""
    if "{" not in text and "}" not in text:
        return at.split(text)
    pieces, depth, start = [], 0, 0
    for match in at.finditer(text):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
        elif depth <= 0:
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]
