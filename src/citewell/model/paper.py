"""Scholarly works: what is asked about them, what registries answer, and who said what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Scheme(StrEnum):
    """The kinds of identifier a work may be known by."""

    DOI = "doi"
    ARXIV = "arxiv"
    PMID = "pmid"
    PMCID = "pmcid"
    S2 = "s2"
    OPENALEX = "openalex"
    ISBN = "isbn"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperId:
    """One identifier in its bare form: a DOI in lower case, an arXiv id without its version."""

    scheme: Scheme
    value: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An author; `family` and `given` only where the registry itself parts them."""

    name: str  # first name first, or the organisation
    family: str = ""  # with its particle: van der Berg
    given: str = ""
    suffix: str = ""
    organisation: bool = False


class Notice(StrEnum):
    """What was published about a work afterwards, the worst first."""

    RETRACTION = "retraction"
    CONCERN = "expression_of_concern"
    CORRECTION = "correction"
    REINSTATEMENT = "reinstatement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One notice about a work, as one source records it."""

    kind: Notice
    source: str  # retraction-watch, publisher, pubmed, openalex, offline-table
    label: str = ""  # the source's own word: partial_retraction, withdrawal, erratum, …
    date: str | None = None  # ISO 8601, as exact as the source is
    notice_doi: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A place where a work can be read freely."""

    url: str
    pdf: bool = False
    version: str | None = None  # publishedVersion, acceptedVersion, submittedVersion
    license: str | None = None
    host: str | None = None  # publisher, repository
    source: str = ""  # who knows of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A work as one registry has it, or several merged; what nobody said is absent."""

    title: str
    source: str  # the provider that answered first
    url: str = ""  # DOI address, or the landing page
    ids: Mapping[Scheme, str] = field(default_factory=dict)
    authors: tuple[Person, ...] = ()
    kind: str | None = (
        None  # CSL's word: article-journal, book, chapter, paper-conference, thesis, …
    )
    year: int | None = None
    published: str | None = None  # ISO 8601, may stop at the year or the month
    venue: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    abstract: str | None = None  # plain text, whole
    language: str | None = None
    citation_count: int | None = None
    reference_count: int | None = None
    open_access: bool | None = None
    in_doaj: bool | None = None
    pdf_url: str | None = None
    copies: tuple[Copy, ...] = ()
    tldr: str | None = None
    influential: bool | None = None
    intents: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    preprint_of: str | None = None  # DOI of the version of record, where the registry links it
    provenance: Mapping[str, str] = field(default_factory=dict)  # field → provider, once merged

    @property
    def doi(self) -> str | None:
        return self.ids.get(Scheme.DOI)

    def with_(self, **changes: object) -> Paper:
        return replace(self, **changes)  # type: ignore[arg-type]  # the fields' own types check at the call


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperQuery:
    """One question to one scholarly provider, already validated."""

    text: str
    count: int = 5
    year_from: int | None = None
    year_to: int | None = None
    source: str = "all"  # all, arxiv, pubmed, ieee, nature, springer
    sort: str = "relevance"  # relevance, date
    open_access: bool = False
    full_text: bool = False  # only works whose text can be had


@dataclass(frozen=True, slots=True, kw_only=True)
class PapersFound:
    papers: tuple[Paper, ...]
    total: int | None = None
    applied: frozenset[str] = (
        frozenset()
    )  # of year, source, sort, open_access: what the provider did itself


@dataclass(frozen=True, slots=True, kw_only=True)
class BibliographicQuery:
    """A reference to be matched with real works: by its parts where known, else by its text."""

    text: str = ""  # the whole reference, as written
    title: str = ""
    author: str = ""  # first author's family name
    year: int | None = None
    venue: str = ""
    glance: bool = False  # an absence decides nothing, so that few need be asked
    count: int = 5
