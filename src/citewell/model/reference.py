"""A reference as somebody wrote it: the parts that could be read, and where it stood."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.model.paper import PaperId, Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Nothing here is checked against anything: it is what the citation says of itself."""

    raw: str  # as written
    title: str = ""
    authors: tuple[Person, ...] = ()
    year: int | None = None
    published: str = ""  # ISO 8601, as exact as written
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    url: str = ""
    ids: tuple[PaperId, ...] = ()  # DOI first
    kind: str = ""  # CSL's word, where the format says it
    key: str = ""  # cite key, id or number in the list
    line: int | None = None  # 1-based, in the document it came from
    claim: str = ""
    and_others: bool = False  # the list of authors ends in "et al."

    @property
    def doi(self) -> str | None:
        return next((found.value for found in self.ids if found.scheme == "doi"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A record that could not be read: where it is and why."""

    line: int
    reason: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A bibliography document taken apart; nothing of it is dropped in silence."""

    format: str  # csl-json, ris, bibtex, prose
    references: tuple[Reference, ...]
    malformed: tuple[Malformed, ...] = field(default=())
