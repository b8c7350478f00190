"""What a provider can offer (one Protocol for each offer), and how it describes itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from citewell.errors import InternalError
from citewell.model.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.model.research import (
    PollOutcome,
    ProviderReport,
    ResearchRequest,
    SubmitOutcome,
    WritingRequest,
)
from citewell.model.search_queries import (
    FoundImage,
    ImageFilter,
    ImageQuery,
    SearchFilter,
    SearchHits,
    SearchQuery,
)
from citewell.net.upstream.upstream_client import Upstream
from citewell.workers.worker_tasks import TaskRunner

LIBRARY_PROVIDER = "library"  # the provider that searches the user's own documents


class Offer(StrEnum):
    WEB = "web"
    IMAGES = "images"
    NEWS = "news"
    PAPERS = "papers"  # searches works by subject
    LOOKUP = "lookup"  # looks a work up by its identifier
    MATCH = "match"  # finds the work that a reference means
    GRAPH = "graph"  # lists citing and cited works
    INTEGRITY = "integrity"  # lists retractions and corrections
    COPIES = "copies"  # lists places where a work can be read freely
    REGISTRY = "registry"  # says whether a DOI is registered at all
    RESEARCH = "research"  # researches a question by itself; paid
    WRITING = "writing"  # writes a text from material we give it
    PATENTS = "patents"
    FILINGS = "filings"  # of companies, with a securities regulator
    CASES = "cases"  # searches decisions of courts and texts of law
    CITATIONS = "citations"  # looks a case or a text of law up by its citation
    SERIES = "series"  # searches statistical series and lists their observations
    TRIALS = "trials"  # searches registered clinical trials
    PLACES = "places"
    AREAS = "areas"  # finds where a named city, district or landmark is
    ANSWERS = "answers"  # answers a question with citations; mostly paid
    STRUCTURED = "structured"  # finds pages and fills the fields of a schema from them
    BRANDS = "brands"  # looks up the brand of a company


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOption:
    """A setting of one provider, read from the environment variable `env`."""

    env: str
    help: str
    secret: bool = False
    required: bool = False  # without it the provider is not configured
    default: str | None = None
    is_self_hosted: bool = False  # address of a self-hosted service; may be private
    is_switch: bool = False  # counts as set only if it is true, 1, yes or on
    per_second: float | None = None  # request rate that this key allows, if higher


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """A provider's description, used by the router, the settings, the doctor and the documentation."""

    name: str
    title: str
    homepage: str  # the page where a person gets a key
    base_url: str  # CITEWELL_<NAME>_BASE_URL overrides it
    offers: frozenset[Offer]
    options: tuple[ProviderOption, ...] = ()
    address_key: str | None = (
        None  # the query parameter of the key, for an upstream that takes it in no header
    )
    requires_any: tuple[
        str, ...
    ] = ()  # without one of these options the provider is not configured
    filters: frozenset[SearchFilter] = (
        frozenset()
    )  # applied by the provider; all others are applied to its results
    image_filters: Mapping[ImageFilter, frozenset[str]] = field(
        default_factory=dict
    )  # the same for its image search, with the values it knows; empty if it knows all
    max_images: int = 10  # most images of one call
    applied_arguments: Mapping[Offer, frozenset[str]] = field(
        default_factory=dict
    )  # further arguments of the tool that it applies itself, by offer
    max_results: int = 10  # most results of one call, which may fetch several result pages
    max_sites: int = 10  # domains in one query; longer lists are split into several queries
    max_query_chars: int = 500  # characters, search operators included
    per_second: float | None = None  # assumed request rate; rate limit headers override it
    burst: int = 1
    rank: int = 50  # default order of providers; the lowest is tried first
    covers_whole_web: bool = True  # False if it searches one site or the user's own documents
    terms: str = ""  # the operator's terms of use, in one line
    test_evidence: str = "shape-tested only"  # what its parser was tested against

    @property
    def is_keyless(self) -> bool:
        return not self.requires_any and not any(option.required for option in self.options)

    def choose_pace(self, options: Mapping[str, str]) -> float | None:
        """Requests per second with these options: that of the first key given, else the default."""
        bought = (option.per_second for option in self.options if options.get(option.env))
        return next((pace for pace in bought if pace), self.per_second)

    @property
    def base_url_env(self) -> str:
        return f"CITEWELL_{self.name.upper()}_BASE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKit:
    """What a provider is constructed with: its upstream, option values, memory and library."""

    upstream: Upstream
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    memory: ProviderMemory | None = None  # facts kept across restarts, such as instance health
    library: LibraryIndex | None = None  # the user's own documents, if any are indexed
    workers: TaskRunner | None = None  # parse HTML, which must never be done in this process

    def find_option(self, env: str) -> str | None:
        return self.options.get(env)

    def require_workers(self) -> TaskRunner:
        """The workers, for a provider that cannot do without."""
        if self.workers is None:
            raise InternalError("The provider was built without workers to parse HTML.")
        return self.workers


@runtime_checkable
class ProviderMemory(Protocol):
    """Small facts of one provider, kept across restarts."""

    async def recall_fact(self, key: str) -> bytes | None: ...

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None: ...


@runtime_checkable
class LibraryIndex(Protocol):
    """The index of the user's own documents; results have the form of a provider's."""

    async def search_documents(self, query: SearchQuery) -> SearchHits: ...

    async def is_empty(self) -> bool: ...


class TextEncoder(Protocol):
    """Turns texts into vectors: the more alike two texts are in meaning, the larger their cosine."""

    @property
    def name(self) -> str:
        """The model's identity; vectors of encoders with different names cannot be compared."""
        ...

    @property
    def is_local(self) -> bool:
        """True if no text leaves this machine."""
        ...

    async def embed_texts(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        """One vector for each text: signed bytes, as many as the model has dimensions.

        The same text gives the same vector, whatever it is embedded with; what is longer than the
        model reads is cut. Raises a CitewellError if the encoder cannot be used.
        """
        ...


@runtime_checkable
class WebSearch(Protocol):
    async def search_web(self, query: SearchQuery) -> SearchHits: ...


@runtime_checkable
class NewsSearch(Protocol):
    async def search_news(self, query: SearchQuery) -> SearchHits: ...


@runtime_checkable
class ImageSearch(Protocol):
    async def search_images(self, query: ImageQuery) -> tuple[FoundImage, ...]: ...


@runtime_checkable
class PaperSearch(Protocol):
    async def search_papers(self, query: PaperQuery) -> PaperHits: ...


@runtime_checkable
class PaperLookup(Protocol):
    schemes: frozenset[IdentifierScheme]  # the kinds of identifier it accepts

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        """The work with this identifier; None if the registry says that there is none."""
        ...


@runtime_checkable
class PaperLookupMany(PaperLookup, Protocol):
    """A lookup that can ask for several works in one request."""

    max_batch: Mapping[
        IdentifierScheme, int
    ]  # identifiers per request, for each scheme that allows several

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """The works with these identifiers, all of one scheme; None where the registry has none.

        An identifier missing from the result is undecided: look it up by itself.
        """
        ...


@runtime_checkable
class PaperMatch(Protocol):
    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]: ...


@runtime_checkable
class CitationGraph(Protocol):
    async def list_citing_papers(
        self, paper_id: PaperId, *, count: int
    ) -> tuple[Paper, ...] | None:
        """Works that cite it; None if the provider does not know it."""
        ...

    async def list_cited_papers(
        self, paper_id: PaperId, *, count: int
    ) -> tuple[Paper, ...] | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRest:
    """One server of a provider that is not asked for a while."""

    address: str
    seconds: float
    is_limited: bool  # after a 429, not after failures


@runtime_checkable
class RestingServers(Protocol):
    """A provider with several servers, each of which may rest by itself."""

    def list_rests(self) -> tuple[ServerRest, ...]: ...


@runtime_checkable
class IntegrityNotices(Protocol):
    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        """Every notice about it; empty if there is none, None if the provider does not know the work."""
        ...


@runtime_checkable
class OpenCopies(Protocol):
    async def list_open_copies(self, doi: str) -> tuple[OpenCopy, ...] | None: ...


@runtime_checkable
class DoiRegistry(Protocol):
    async def is_registered(self, doi: str) -> bool:
        """Whether the DOI is registered; raises when the registry cannot be asked."""
        ...


@runtime_checkable
class DeepResearch(Protocol):
    """A provider that researches by itself; a submit is sent once and never retried."""

    is_idempotent: bool  # submitting the same tag twice is charged once

    def estimate_cost(self, ask: ResearchRequest) -> int:
        """The probable cost, in ticks."""
        ...

    async def submit_research(self, ask: ResearchRequest) -> SubmitOutcome: ...


@runtime_checkable
class BackgroundResearch(DeepResearch, Protocol):
    """Research in the background: submit returns a reference that can be polled after a restart."""

    async def poll_research(self, ref: str) -> PollOutcome: ...

    async def cancel_research(self, ref: str) -> None:
        """Stop a run; does nothing if it has already ended."""
        ...


@runtime_checkable
class SelfHostedModel(Protocol):
    """A model server at an address that the operator chose."""

    server_address: str


@runtime_checkable
class ReportWriter(Protocol):
    async def write_report(self, writing: WritingRequest) -> ProviderReport: ...
