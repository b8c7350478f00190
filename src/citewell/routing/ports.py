"""What a provider can offer (one Protocol for each offer), and how it describes itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from citewell.core.errors import InternalError
from citewell.core.values.search_queries import (
    FoundImage,
    ImageFilter,
    ImageQuery,
    SearchFilter,
    SearchHits,
    SearchQuery,
)
from citewell.net.upstream.upstream_client import Upstream
from citewell.workers.worker_tasks import TaskRunner

# Starting the server must not load the values of every domain.
if TYPE_CHECKING:
    from citewell.core.values.brand import BrandQuery, BrandRecord
    from citewell.core.values.court_case import CaseHits, CaseQuery, CitationMatch, LegalCitation
    from citewell.core.values.paper import (
        BibliographicQuery,
        IdentifierScheme,
        IntegrityNotice,
        OpenCopy,
        Paper,
        PaperHits,
        PaperId,
        PaperQuery,
    )
    from citewell.core.values.research import (
        PollOutcome,
        ProviderReport,
        ResearchRequest,
        SubmitOutcome,
        WritingRequest,
    )
    from citewell.core.values.search_results import AnswerQuery, StructuredHits, StructuredQuery
    from citewell.library.library_access import OwnerLibraryIndex

_MAX_LISTED_VALUES = 4


class Offer(StrEnum):
    WEB = "web"
    NEWS = "news"
    IMAGES = "images"
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
    header: str | None = None  # of every request, for a key: X-Api-Key, or Authorization: Bearer {}
    required: bool = False  # without it the provider is not configured
    default: str | None = None
    is_self_hosted: bool = False  # address of a self-hosted service; may be private
    is_switch: bool = False  # counts as set only if it is true, 1, yes or on
    per_second: float | None = None  # request rate that this key allows, if higher


def require_key(env: str, help_text: str, header: str | None = None) -> ProviderOption:
    """The option of a key without which the provider is not configured."""
    return ProviderOption(env=env, help=help_text, header=header, secret=True, required=True)


def accept_key(env: str, help_text: str, header: str | None = None) -> ProviderOption:
    """The option of a key that the provider can do without."""
    return ProviderOption(env=env, help=help_text, header=header, secret=True)


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

    def build_key_headers(self, options: Mapping[str, str]) -> dict[str, str]:
        """The secret headers of all requests; of several keys for one header the first counts."""
        headers: dict[str, str] = {}
        for option in self.options:
            if option.header and (key := options.get(option.env)):
                name, _, form = option.header.partition(": ")
                headers.setdefault(name, (form or "{}").format(key))
        return headers

    @property
    def base_url_env(self) -> str:
        return f"CITEWELL_{self.name.upper()}_BASE_URL"


def encode_spec(spec: ProviderSpec | ProviderOption) -> dict[str, object]:
    """The spec as JSON data, without the fields that have their defaults."""
    return {
        declared.name: _encode_spec_value(value)
        for declared in fields(spec)
        if (value := getattr(spec, declared.name)) not in (declared.default, {})
    }


def _encode_spec_value(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {key: _encode_spec_value(value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return [encode_spec(part) if isinstance(part, ProviderOption) else part for part in value]
    return value


def decode_spec(data: Mapping[str, Any]) -> ProviderSpec:
    """The spec that `encode_spec` turned into this data."""
    sets = {"offers": Offer, "filters": SearchFilter}
    maps = {"image_filters": ImageFilter, "applied_arguments": Offer}
    values = dict(data)
    for name, kind in sets.items():
        values[name] = frozenset(map(kind, data.get(name, ())))
    for name, kind in maps.items():
        values[name] = {kind(key): frozenset(items) for key, items in data.get(name, {}).items()}
    values["options"] = tuple(ProviderOption(**option) for option in data.get("options", ()))
    values["requires_any"] = tuple(data.get("requires_any", ()))
    return ProviderSpec(**values)


@runtime_checkable
class ProviderMemory(Protocol):
    """Small facts of one provider, kept across restarts, such as the health of instances."""

    async def recall_fact(self, key: str) -> bytes | None: ...

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None: ...


class ForgetfulMemory:
    """The memory of a provider that has none."""

    async def recall_fact(self, _key: str) -> bytes | None:
        return None

    async def remember_fact(self, _key: str, _value: bytes, *, ttl: float) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProviders:
    """The offer that serves a search tool, its arguments that narrow a search, and those we can apply ourselves."""

    offer: Offer
    filters: tuple[str, ...] = ()
    applied_by_us: frozenset[str] = frozenset()
    without_provider: str = ""  # what serves the tool if no provider does

    def describe_filter(self, spec: ProviderSpec, argument: str) -> str:
        """How the argument takes effect if this provider answers: native, afterwards or not possible."""
        otherwise = "afterwards" if argument in self.applied_by_us else "not possible"
        if self.offer is Offer.IMAGES:
            values = spec.image_filters.get(ImageFilter(argument))
            if not values:
                return otherwise if values is None else "native"
            most = len(values) > _MAX_LISTED_VALUES
            listed = "most values" if most else ", ".join(sorted(values))
            return f"native for {listed}; else {otherwise}"
        if self.offer is Offer.NEWS and argument == SearchFilter.NEWS_SOURCE:
            argument = SearchFilter.SITES
        if argument in spec.filters or argument in spec.applied_arguments.get(
            self.offer, frozenset()
        ):
            return "native"
        return otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKit:
    """What a provider is constructed with: its upstream, option values, memory and library."""

    upstream: Upstream
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    memory: ProviderMemory = field(default_factory=ForgetfulMemory)
    library: OwnerLibraryIndex | None = None  # the user's own documents, if any are indexed
    workers: TaskRunner | None = None  # parse HTML, which must never be done in this process
    clock: Callable[[], float] = time.time

    def find_option(self, env: str) -> str | None:
        return self.options.get(env)

    def require_workers(self) -> TaskRunner:
        """The workers, for a provider that cannot do without."""
        if self.workers is None:
            raise InternalError("The provider was built without workers to parse HTML.")
        return self.workers


class KitProvider:
    """A provider on its kit. `_upstream` sends the keys of its SPEC's options with every request."""

    def __init__(self, kit: ProviderKit) -> None:
        self._kit = kit
        self._upstream = kit.upstream
        self._set_up()

    def _set_up(self) -> None:
        """For what a provider keeps between its requests."""

    def _read_now(self) -> datetime:
        return datetime.fromtimestamp(self._kit.clock(), UTC)


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
class DeepResearch(Protocol):
    """A provider that researches by itself; a submit is sent once and never retried."""

    is_idempotent: bool  # submitting the same tag twice is charged once

    def estimate_cost(self, request: ResearchRequest) -> int:
        """The probable cost, in ticks."""
        ...

    async def submit_research(self, request: ResearchRequest) -> SubmitOutcome: ...


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


# How long a provider is not asked, after it failed or asked for a pause.


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderPause:
    """How long a provider is not to be asked."""

    seconds: float
    asked_by_provider: bool = False  # the provider asked for the pause (rate limit)


FindPause = Callable[[str], ProviderPause | None]  # None if the provider may be asked


@runtime_checkable
class AnswerSearch(Protocol):
    """Answers a question from its own search; a call is sent once and never retried."""

    def estimate_answer_cost(self, query: AnswerQuery) -> int:
        """The probable cost, in ticks; 0 if it is free."""
        ...

    async def answer_question(self, query: AnswerQuery) -> ProviderReport: ...


@runtime_checkable
class StructuredSearch(Protocol):
    """Finds pages and fills the fields of a schema from them; a call is sent once."""

    structured_categories: tuple[str, ...]  # the values of `category` that it takes

    def estimate_structured_cost(self, query: StructuredQuery) -> int:
        """The probable cost, in ticks; 0 if it is free."""
        ...

    async def search_structured(self, query: StructuredQuery) -> StructuredHits: ...


@runtime_checkable
class CaseSearch(Protocol):
    async def search_cases(self, query: CaseQuery) -> CaseHits: ...


@runtime_checkable
class CitationLookup(Protocol):
    """Looks decisions and texts of law up by their citation."""

    citation_kinds: frozenset[str]  # the kinds of LegalCitation it knows, such as us_case

    async def look_up_citation(self, citation: LegalCitation) -> CitationMatch:
        """What the registry has under this citation; `cases` is empty if it says there is none.

        Raises when the registry cannot be asked: that says nothing about the citation.
        """
        ...


@runtime_checkable
class BrandLookup(Protocol):
    async def look_up_brand(self, query: BrandQuery) -> BrandRecord | None:
        """The brand of a domain; None if the provider does not know it."""
        ...
