"""Builds audit requests from a parsed document, a list of entries or a session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.argument_types import MAX_CLAIM_CHARS
from citewell.model.counted_words import pluralize
from citewell.model.paper import IdentifierScheme, PaperId, WorkAuthor
from citewell.model.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.text.citations import dois, identifiers
from citewell.text.citations.citable_works import CitableWork, parse_author_line
from citewell.text.citations.result_items import SOURCE_FIELDS, convert_result_item

ENTRY_FIELDS = ("url", "title", "author", "site", "date", "doi", "claim")
_ENTRY_YEAR_PATTERN = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """A bibliography to audit; `structured` if its fields were given, not guessed from text."""

    source: str
    references: tuple[Reference, ...]
    malformed: tuple[MalformedEntry, ...] = ()
    structured: bool = True
    notes: tuple[str, ...] = ()


def build_document_request(document: BibliographyDocument) -> AuditRequest:
    return AuditRequest(
        source=f"bibliography:{document.format}",
        references=document.references,
        malformed=document.malformed,
        structured=document.format != "prose" and not document.is_guessed,
        notes=document.notes,
    )


def build_entries_request(entries: Sequence[Mapping[str, Any]]) -> AuditRequest:
    """Raises InvalidInput for an unknown field or a claim that is too long."""
    given = [_normalize_entry(number, entry) for number, entry in enumerate(entries, start=1)]
    unread = tuple(
        MalformedEntry(line=number, reason=f"“{entry['doi'][:100]}” is not a DOI.")
        for number, entry in enumerate(given, start=1)
        if entry["doi"] and dois.find_doi(entry["doi"]) is None
    )
    return AuditRequest(
        source="entries", references=tuple(map(_build_entry_reference, given)), malformed=unread
    )


def build_works_request(works: Iterable[CitableWork]) -> AuditRequest:
    """A request for the sources of a session."""
    references = tuple(
        _build_entry_reference(
            {
                "url": work.url,
                "title": work.title,
                "author": "; ".join(author.name for author in work.authors),
                "site": work.site,
                "date": work.published,
                "doi": work.doi,
                "claim": "",
            }
        )
        for work in works
    )
    return AuditRequest(source="session", references=references)


def _normalize_entry(number: int, entry: Mapping[str, Any]) -> dict[str, str]:
    entry = convert_result_item(entry)
    unknown = sorted(set(entry) - {*ENTRY_FIELDS, *SOURCE_FIELDS})
    if unknown:
        raise InvalidInput(
            f"Entry {number} has {', '.join(unknown)}; an entry takes {', '.join(ENTRY_FIELDS)},"
            " or is an item of another tool's answer as it is."
        )
    given = {name: _read_entry_field(number, name, entry.get(name)) for name in ENTRY_FIELDS}
    if len(given["claim"]) > MAX_CLAIM_CHARS:
        raise InvalidInput(
            f"The claim of entry {number} has {len(given['claim'])} {pluralize(len(given['claim']), 'character')}; {MAX_CLAIM_CHARS} is the maximum."
        )
    return given


def _read_entry_field(number: int, name: str, value: Any) -> str:
    """The field as text; authors may be a list of names. Raises InvalidInput for any other list."""
    if name == "author" and isinstance(value, list | tuple):
        return "; ".join(str(one).strip() for one in value if str(one or "").strip())
    if isinstance(value, list | tuple | dict):
        raise InvalidInput(f"The {name} of entry {number} must be text.")
    return str(value or "").strip()


def _collect_entry_ids(doi: str) -> tuple[PaperId, ...]:
    """The identifiers in the field, including alternative readings of a mistyped DOI."""
    meant = (PaperId(scheme=IdentifierScheme.DOI, value=one) for one in dois.list_doi_readings(doi))
    return tuple(dict.fromkeys((*meant, *identifiers.find_identifiers(doi))))


def _build_entry_reference(given: Mapping[str, str]) -> Reference:
    year = _ENTRY_YEAR_PATTERN.search(given["date"])
    ids = _collect_entry_ids(given["doi"]) or identifiers.find_identifiers(given["url"])
    shown = (given["author"], given["date"], given["title"], given["site"], given["url"])
    return Reference(
        raw=". ".join(part for part in shown if part),
        title=given["title"],
        authors=tuple(map(_convert_author, parse_author_line(given["author"]))),
        year=int(year[0]) if year else None,
        published=given["date"],
        venue=given["site"],
        url=given["url"],
        ids=ids,
        claim=given["claim"],
    )


def _convert_author(author: Any) -> WorkAuthor:
    if author.is_indivisible:
        return WorkAuthor(name=author.name, organisation=author.organisation)
    return WorkAuthor(name=author.display_name, family=author.family, given=author.given)
