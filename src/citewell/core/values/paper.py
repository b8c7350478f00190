"""Papers: queries about them, what registries return, and which provider stated what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from citewell.core.values.argument_types import PaperSort, PaperSource, PaperYear


class IdentifierScheme(StrEnum):
    """The kinds of identifier of a work."""

    DOI = "doi"
    ARXIV = "arxiv"
    PMID = "pmid"
    PMCID = "pmcid"
    S2 = "s2"
    OPENALEX = "openalex"
    ISBN = "isbn"
    RFC = "rfc"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperId:
    """One identifier in its bare form: a DOI in lower case, an arXiv id without its version."""

    scheme: IdentifierScheme
    value: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkAuthor:
    """An author; `family` and `given` are set only if the registry separates them."""

    name: str  # given name first, or the organisation's name
    family: str = ""  # with its particle, for example "van der Berg"
    given: str = ""
    suffix: str = ""
    organisation: bool = False


class NoticeKind(StrEnum):
    """The kinds of notice about a published work, the most serious first."""

    RETRACTION = "retraction"
    CONCERN = "expression_of_concern"
    CORRECTION = "correction"
    REINSTATEMENT = "reinstatement"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityNotice:
    """One notice about a work, as recorded by one source."""

    kind: NoticeKind
    source: str  # retraction-watch, publisher, pubmed, openalex, offline-table
    label: str = ""  # the source's own term: partial_retraction, withdrawal, erratum, …
    date: str | None = None  # ISO 8601, as precise as the source
    notice_doi: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCopy:
    """A place where a work can be read freely."""

    url: str
    pdf: bool = False
    version: str | None = None  # publishedVersion, acceptedVersion, submittedVersion
    license: str | None = None
    host: str | None = None  # publisher, repository
    source: str = ""  # the provider that listed it


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReading:
    """What one registry says of a work, kept beside the merged record: registries are wrong, too."""

    source: str
    title: str
    authors: tuple[WorkAuthor, ...] = ()
    year: int | None = None
    venue: str | None = None
    volume: str | None = None
    pages: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A work as described by one registry, or by several merged; unstated fields are empty."""

    title: str
    source: str  # the provider that answered first
    url: str = ""  # the DOI's URL, or the landing page
    ids: Mapping[IdentifierScheme, str] = field(default_factory=dict)
    authors: tuple[WorkAuthor, ...] = ()
    kind: str | None = (
        None  # a CSL type: article-journal, book, chapter, paper-conference, thesis, …
    )
    year: int | None = None
    published: str | None = None  # ISO 8601: a date, a month or a year
    venue: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    abstract: str | None = None  # plain text, not truncated
    language: str | None = None
    citation_count: int | None = None
    reference_count: int | None = None
    open_access: bool | None = None
    in_doaj: bool | None = None
    pdf_url: str | None = None
    copies: tuple[OpenCopy, ...] = ()
    tldr: str | None = None
    influential: bool | None = None
    intents: tuple[str, ...] = ()
    events: tuple[IntegrityNotice, ...] = ()
    preprint_of: str | None = None  # DOI of the version of record, if the registry links it
    preprint_doi: str | None = None  # DOI of its preprint, if the registry links it
    provenance: Mapping[str, str] = field(default_factory=dict)  # field → provider, if merged
    readings: tuple[RecordReading, ...] = ()  # of each registry, if merged

    @property
    def doi(self) -> str | None:
        return self.ids.get(IdentifierScheme.DOI)

    def list_readings(self) -> tuple[RecordReading, ...]:
        """What each registry says; of a record that was not merged, what it says itself."""
        return self.readings or (
            RecordReading(
                source=self.source,
                title=self.title,
                authors=self.authors,
                year=self.year,
                venue=self.venue,
                volume=self.volume,
                pages=self.pages,
            ),
        )

    def with_changes(self, **changes: object) -> Paper:
        return replace(self, **changes)  # type: ignore[arg-type]  # the fields' own types check at the call


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperQuery:
    """One query to one scholarly provider, already validated."""

    text: str
    count: int = 5
    year_from: PaperYear = None
    year_to: PaperYear = None
    source: PaperSource = "all"
    sort: PaperSort = "relevance"
    open_access: bool = False
    full_text: bool = False  # only works whose full text is available


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperHits:
    papers: tuple[Paper, ...]
    total: int | None = None
    applied: frozenset[str] = (
        frozenset()
    )  # those of year, source, sort and open_access that the provider applied


@dataclass(frozen=True, slots=True, kw_only=True)
class BibliographicQuery:
    """A reference to match with registered works: by its parts if they are known, else by its text."""

    text: str = ""  # the whole reference, as written
    title: str = ""
    author: str = ""  # first author's family name
    year: int | None = None
    venue: str = ""
    glance: bool = False  # finding nothing has no consequence, so asking a few registries is enough
    count: int = 5
