"""A reference as it was written: the parts that could be parsed, and its position."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.core.values.paper import PaperId, WorkAuthor


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a reference states about its work; nothing here has been verified."""

    raw: str  # as written
    title: str = ""
    authors: tuple[WorkAuthor, ...] = ()
    year: int | None = None
    published: str = ""  # ISO 8601, as precise as the reference
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    url: str = ""
    ids: tuple[PaperId, ...] = ()  # DOI first
    kind: str = ""  # a CSL type, if the format states it
    key: str = ""  # cite key, id or number in the list
    line: int | None = None  # 1-based, in the document it came from
    claim: str = ""
    and_others: bool = False  # the list of authors ends in "et al."

    @property
    def doi(self) -> str | None:
        return next((found.value for found in self.ids if found.scheme == "doi"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedEntry:
    """An entry that could not be parsed: its line and the reason."""

    line: int
    reason: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BibliographyDocument:
    """A parsed bibliography; entries that could not be parsed are in `malformed`."""

    format: str  # one of BIBLIOGRAPHY_FORMATS
    references: tuple[Reference, ...]
    malformed: tuple[MalformedEntry, ...] = field(default=())
    is_guessed: bool = False  # the fields were guessed from text, as in every list in prose
    notes: tuple[str, ...] = ()  # what a reader should know of how the document was read
