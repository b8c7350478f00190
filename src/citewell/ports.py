"""What a provider may offer, and how it describes itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from citewell.model.paper import (
    BibliographicQuery,
    Copy,
    Event,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Scheme,
)
from citewell.model.research import Polled, ProviderReport, ResearchAsk, Submission, Writing
from citewell.model.search import Filter, Found, Picture, PictureQuery, Query
from citewell.net.upstream import Upstream


class Offer(StrEnum):
    WEB = "web"
    IMAGES = "images"
    NEWS = "news"
    PAPERS = "papers"  # finds works by subject
    LOOKUP = "lookup"  # knows a work by its identifier
    MATCH = "match"  # finds the work that a reference means
    GRAPH = "graph"  # knows what cites what
    INTEGRITY = "integrity"  # knows of retractions and corrections
    COPIES = "copies"  # knows where a work can be read freely
    REGISTRY = "registry"  # says whether a DOI is registered at all
    RESEARCH = "research"  # researches a question by itself, for money
    WRITING = "writing"  # writes a text from material of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting that belongs to one provider, read from `env`."""

    env: str
    help: str
    secret: bool = False
    required: bool = False  # without it the provider is not configured
    default: str | None = None
    own_address: bool = False  # a service of the user's own, so it may be on a private network
    per_second: float | None = None  # the pace that it buys, where it is a key


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A provider's description: documentation, settings, doctor and router all read it."""

    name: str
    title: str
    home: str  # where a person reads about it and gets a key
    base_url: str  # overridden by CITEWELL_<NAME>_BASE_URL
    offers: frozenset[Offer]
    options: tuple[Option, ...] = ()
    requires_any: tuple[
        str, ...
    ] = ()  # without one of these options the provider is not configured
    filters: frozenset[Filter] = (
        frozenset()
    )  # what it applies itself; the rest is applied afterwards
    max_results: int = 10  # what one call of the port can return, pages included
    max_sites: int = 10  # domains one query can carry; longer lens lists are split
    max_query: int = 500  # characters of the final query text, operators included
    per_second: float | None = None  # polite pace; real headers override it
    burst: int = 1
    rank: int = 50  # order among configured providers when nobody chose; lower goes first
    general: bool = True  # searches the whole web, not one site or the user's own documents
    terms: str = ""  # what its operator asks of users, in a line
    evidence: str = "shape-tested only"  # what its parser was tested against

    @property
    def keyless(self) -> bool:
        return not self.requires_any and not any(option.required for option in self.options)

    def pace(self, options: Mapping[str, str]) -> float | None:
        """Requests a second with these options; a key may buy a faster pace."""
        bought = (option.per_second for option in self.options if options.get(option.env))
        return next((pace for pace in bought if pace), self.per_second)

    @property
    def base_url_env(self) -> str:
        return f"CITEWELL_{self.name.upper()}_BASE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What the frame hands a provider: its door to the network and its options' values."""

    upstream: Upstream
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    memory: Memory | None = None  # small facts that outlive the process, such as instance health
    library: LibraryIndex | None = None  # the user's own documents, where some are indexed

    def option(self, env: str) -> str | None:
        return self.options.get(env)


@runtime_checkable
class Memory(Protocol):
    """Small facts kept across restarts under one provider's name."""

    async def recall(self, key: str) -> bytes | None: ...

    async def remember(self, key: str, value: bytes, *, ttl: float) -> None: ...


@runtime_checkable
class LibraryIndex(Protocol):
    """Whatever holds the user's indexed documents; it answers as a provider does."""

    async def search(self, query: Query) -> Found: ...

    async def empty(self) -> bool: ...


@runtime_checkable
class WebSearch(Protocol):
    async def web(self, query: Query) -> Found: ...


@runtime_checkable
class NewsSearch(Protocol):
    async def news(self, query: Query) -> Found: ...


@runtime_checkable
class ImageSearch(Protocol):
    async def images(self, query: PictureQuery) -> tuple[Picture, ...]: ...


@runtime_checkable
class PaperSearch(Protocol):
    async def papers(self, query: PaperQuery) -> PapersFound: ...


@runtime_checkable
class PaperLookup(Protocol):
    schemes: frozenset[Scheme]  # the identifiers it can be asked for

    async def paper(self, paper_id: PaperId) -> Paper | None:
        """The very work with this identifier; None when the registry says it has none."""
        ...


@runtime_checkable
class PaperLookupMany(PaperLookup, Protocol):
    """Knows many works in one request, where its operator documents how to ask for them."""

    most: Mapping[Scheme, int]  # identifiers in one request, for each scheme that can be bundled

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """What it has under these identifiers of one scheme; None where it says that it has none.

        One that is left out was not asked for, or the answer does not settle it: ask for it alone.
        """
        ...


@runtime_checkable
class PaperMatch(Protocol):
    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]: ...


@runtime_checkable
class CitationGraph(Protocol):
    async def citing(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        """Works that cite it, None when it is not known here."""
        ...

    async def cited(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None: ...


@runtime_checkable
class Integrity(Protocol):
    async def events(self, paper_id: PaperId) -> tuple[Event, ...] | None:
        """Every notice about it; empty for a clean record, None when it is not known here."""
        ...


@runtime_checkable
class OpenCopies(Protocol):
    async def copies(self, doi: str) -> tuple[Copy, ...] | None: ...


@runtime_checkable
class DoiRegistry(Protocol):
    async def registered(self, doi: str) -> bool:
        """Whether the handle system knows it; an error when that cannot be learnt."""
        ...


@runtime_checkable
class DeepResearch(Protocol):
    """A provider that researches by itself; a submit is never repeated by this layer."""

    idempotent: bool  # the same tag submitted twice is charged once

    def estimate(self, ask: ResearchAsk) -> int:
        """What it will probably cost, in ticks."""
        ...

    async def submit(self, ask: ResearchAsk) -> Submission: ...


@runtime_checkable
class BackgroundResearch(DeepResearch, Protocol):
    """Its submits come back with a reference that outlives our process."""

    async def poll(self, ref: str) -> Polled: ...

    async def cancel(self, ref: str) -> None:
        """Stop a run; one that has ended already is no error."""
        ...


@runtime_checkable
class Writer(Protocol):
    async def write(self, writing: Writing) -> ProviderReport: ...
