"""Bibliographies to be checked, from wherever they come: a document, a list of entries, a session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.paper import PaperId, Person, Scheme
from citewell.model.reference import Document, Malformed, Reference
from citewell.services.trust.coverage import LONGEST
from citewell.text import dois, identifiers
from citewell.text.citation import Work, people

FIELDS = ("url", "title", "author", "site", "date", "doi", "claim")
_SAME = {"authors": "author", "journal": "site", "year": "date"}  # as other tools name them
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """`parted` when the fields are their author's own, not our guess at a text."""

    source: str
    references: tuple[Reference, ...]
    malformed: tuple[Malformed, ...] = ()
    parted: bool = True


def of_document(document: Document) -> Wish:
    return Wish(
        source=f"bibliography:{document.format}",
        references=document.references,
        malformed=document.malformed,
        parted=document.format != "prose",
    )


def of_entries(entries: Sequence[Mapping[str, Any]]) -> Wish:
    """Raises InvalidInput for a field that nobody knows and a claim that is too long."""
    given = [_given(number, entry) for number, entry in enumerate(entries, start=1)]
    unread = tuple(
        Malformed(line=number, reason=f"“{entry['doi'][:100]}” is not a DOI.")
        for number, entry in enumerate(given, start=1)
        if entry["doi"] and identifiers.doi(entry["doi"]) is None
    )
    return Wish(source="entries", references=tuple(map(_reference, given)), malformed=unread)


def of_works(works: Iterable[Work]) -> Wish:
    """The sources of a session."""
    references = tuple(
        _reference(
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
    return Wish(source="session", references=references)


def _given(number: int, entry: Mapping[str, Any]) -> dict[str, str]:
    entry = {_SAME.get(name, name): value for name, value in entry.items()}
    unknown = sorted(set(entry) - set(FIELDS))
    if unknown:
        raise InvalidInput(
            f"Entry {number} has {', '.join(unknown)}; an entry takes {', '.join(FIELDS)}."
        )
    given = {name: _text(number, name, entry.get(name)) for name in FIELDS}
    if len(given["claim"]) > LONGEST:
        raise InvalidInput(
            f"The claim of entry {number} has {len(given['claim'])} characters; {LONGEST} is the most."
        )
    return given


def _text(number: int, name: str, value: Any) -> str:
    """A field's text; authors may come as a list of names."""
    if name == "author" and isinstance(value, list | tuple):
        return "; ".join(str(one).strip() for one in value if str(one or "").strip())
    if isinstance(value, list | tuple | dict):
        raise InvalidInput(f"The {name} of entry {number} must be text.")
    return str(value or "").strip()


def _ids(doi: str) -> tuple[PaperId, ...]:
    """The identifiers in the field, and the other DOIs that its characters may mean."""
    meant = (PaperId(scheme=Scheme.DOI, value=one) for one in dois.readings(doi))
    return tuple(dict.fromkeys((*meant, *identifiers.ids(doi))))


def _reference(given: Mapping[str, str]) -> Reference:
    year = _YEAR.search(given["date"])
    ids = _ids(given["doi"]) or identifiers.ids(given["url"])
    shown = (given["author"], given["date"], given["title"], given["site"], given["url"])
    return Reference(
        raw=". ".join(part for part in shown if part),
        title=given["title"],
        authors=tuple(map(_person, people(given["author"]))),
        year=int(year[0]) if year else None,
        published=given["date"],
        venue=given["site"],
        url=given["url"],
        ids=ids,
        claim=given["claim"],
    )


def _person(author: Any) -> Person:
    if author.collective:
        return Person(name=author.name, organisation=author.organisation)
    return Person(name=author.spoken, family=author.family, given=author.given)
