"""List the works that cite a paper, and those it cites."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field

from citewell.citations import identifiers
from citewell.core.errors import CitewellError, InvalidInput, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import SessionArguments, Tool, ToolCall
from citewell.core.values.argument_types import OptionalName, check_declared_bounds
from citewell.core.values.paper import BibliographicQuery, IdentifierScheme, Paper, PaperId
from citewell.core.values.paper_results import GraphAnswer, PaperResult
from citewell.core.values.routing_trace import RoutingTrace
from citewell.routing import ports, provider_failures
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar import record_merging, work_resolution
from citewell.scholar.registry_records import WorkRecords
from citewell.text.safety.text_cleaning import extract_visible_text

if TYPE_CHECKING:
    from citewell.trust.paper_statuses import PaperStatusFinder


CITED_BY, REFERENCES = "cited_by", "references"
MAX_GRAPH_PAPERS = 25
GRAPH_PROVIDER_ORDER = ("semanticscholar", "openalex")
_INFLUENCE_PROVIDERS = frozenset({"semanticscholar"})
_INFLUENTIAL_OVERASK_FACTOR = 8  # times as many edges are asked for if only influential ones count
_MIN_SEED_TITLE_SIMILARITY = 0.75  # similarity below which a title belongs to another work
_SEED_SCHEMES = (
    IdentifierScheme.DOI,
    IdentifierScheme.ARXIV,
    IdentifierScheme.PMID,
    IdentifierScheme.PMCID,
    IdentifierScheme.S2,
    IdentifierScheme.OPENALEX,
)


@dataclass(frozen=True, kw_only=True)
class CitationGraphRequest:
    """A question about one paper's neighbours; the arguments of citation_graph."""

    paper: Annotated[
        str, Field(min_length=1, max_length=1000, description="DOI, arXiv id, PMID or exact title.")
    ]
    direction: Literal["cited_by", "references", "both"] = "both"
    count: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_GRAPH_PAPERS,
            validation_alias="num_results",
            description="In each direction.",
        ),
    ] = 10
    influential_only: Annotated[bool, Field(description="Where the provider tells influence.")] = (
        False
    )
    provider: Annotated[
        OptionalName, Field(description="Only this one: semanticscholar or openalex.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationEdges:
    """The neighbours from one provider; a direction that was not asked for is None."""

    citing: tuple[Paper, ...] | None
    cited: tuple[Paper, ...] | None
    seed: Paper | None = None
    notes: tuple[str, ...] = ()
    is_sifted: bool = False  # only influential works were kept: that none is left is the answer

    def __bool__(self) -> bool:
        return bool(self.citing or self.cited or self.is_sifted)


@dataclass(slots=True)
class _GraphAttempts:
    empty: dict[str, CitationEdges] = field(default_factory=dict)
    failures: dict[str, CitewellError] = field(default_factory=dict)


class CitationGraphSearch:
    def __init__(
        self,
        *,
        catalogue: ProviderCatalogue,
        panel: ProviderPanel,
        records: WorkRecords,
        retractions: PaperStatusFinder,
    ) -> None:
        self._catalogue = catalogue
        self._panel = panel
        self._records = records
        self._retractions = retractions

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            catalogue=kit.catalogue,
            panel=kit.require_service(ProviderPanel),
            records=kit.require_service(WorkRecords),
            retractions=kit.require_status_finder(),
        )

    async def find_neighbours(
        self, request: CitationGraphRequest, *, trace: RoutingTrace
    ) -> GraphAnswer:
        """The paper's neighbours; raises NotFound if no provider has the paper."""
        check_declared_bounds(request)
        seed = " ".join(extract_visible_text(request.paper).split())
        if not seed:
            raise InvalidInput("paper is empty. Give a DOI, an arXiv id, a PMID or an exact title.")
        names = (
            (self._require_named_provider(request.provider),)
            if request.provider
            else self._require_graph_providers()
        )
        tried = _GraphAttempts()
        for name in names:
            self._panel.record_attempt(name, trace)
            edges = await self._try_graph_provider(name, seed, request, tried, trace)
            if edges:
                trace.record_success(name)
                return await self._build_graph_answer(request, name, edges)
        return await self._answer_without_edges(request, seed, tried, trace)

    async def _answer_without_edges(
        self, request: CitationGraphRequest, seed: str, tried: _GraphAttempts, trace: RoutingTrace
    ) -> GraphAnswer:
        """An empty answer if a provider has the paper; raises if none does or all failed."""
        for name, edges in tried.empty.items():
            trace.record_success(name)
            return await self._build_graph_answer(request, name, edges)
        errors = tried.failures
        if all(isinstance(error, NotFound) for error in errors.values()):
            raise NotFound(
                f"No work was found for {seed[:200]!r} at {', '.join(errors)}. Check the identifier,"
                " or give the exact title.",
                alternatives=[
                    name for name in self._require_graph_providers() if name not in errors
                ],
            )
        known = {name: error for name, error in errors.items() if not isinstance(error, NotFound)}
        raise provider_failures.merge_failures(
            known,
            alternatives=[name for name in self._require_graph_providers() if name not in errors],
        )

    async def _try_graph_provider(
        self,
        name: str,
        seed: str,
        request: CitationGraphRequest,
        tried: _GraphAttempts,
        trace: RoutingTrace,
    ) -> CitationEdges | None:
        answer = await self._panel.ask_provider(
            name, lambda: self._fetch_edges(name, seed, request)
        )
        if answer.value is None:
            tried.failures[name] = answer.error or NotFound(f"{name} does not have it.")
        elif not answer.value:
            trace.record_reply(name)
            tried.empty[name] = answer.value
        return answer.value

    def _require_graph_providers(self) -> tuple[str, ...]:
        able = self._panel.list_able_providers(ports.Offer.GRAPH, GRAPH_PROVIDER_ORDER)
        if not able:
            raise InvalidInput(
                f"No provider of citation graphs is configured. Supported: {', '.join(GRAPH_PROVIDER_ORDER)}."
            )
        return able

    def _require_named_provider(self, name: str) -> str:
        """The provider that the caller named; raises InvalidInput if it has no citation graph."""
        plain = name.strip().lower()
        known = plain in self._catalogue.list_provider_names()
        if not known or ports.Offer.GRAPH not in self._catalogue.find_spec(plain).offers:
            able = self._panel.list_able_providers(ports.Offer.GRAPH, GRAPH_PROVIDER_ORDER)
            raise InvalidInput(
                f"{name[:60]!r} has no citation graph. Supported: {', '.join(able or GRAPH_PROVIDER_ORDER)}.",
                alternatives=able,
            )
        self._catalogue.resolve_provider(plain, ports.Offer.GRAPH)
        return plain

    async def _fetch_edges(
        self, name: str, seed: str, request: CitationGraphRequest
    ) -> CitationEdges | None:
        provider = self._panel.load_provider(name)
        if not isinstance(provider, ports.CitationGraph):
            raise TypeError(f"{name} declares a graph but does not implement it")
        paper_id, paper = await self._resolve_seed(provider, seed)
        if paper_id is None:
            return None
        citing, cited = await _list_neighbours(provider, paper_id, request)
        if citing is None and cited is None:
            return None
        return _choose_edges(request, name, CitationEdges(citing=citing, cited=cited, seed=paper))

    async def _resolve_seed(
        self, provider: ports.CitationGraph, seed: str
    ) -> tuple[PaperId | None, Paper | None]:
        """An identifier of the seed that the provider accepts, and its record if one was looked up."""
        ids = [
            paper_id
            for paper_id in identifiers.identify_citation(seed).ids
            if paper_id.scheme in _SEED_SCHEMES
        ]
        known = (
            provider.schemes
            if isinstance(provider, ports.PaperLookup)
            else frozenset({IdentifierScheme.DOI})
        )
        if fitting := next((paper_id for paper_id in ids if paper_id.scheme in known), None):
            return fitting, None
        paper = (
            await self._look_up_first_record(ids)
            if ids
            else await _match_seed_title(provider, seed)
        )
        return (_choose_seed_id(paper, known), paper) if paper else (None, None)

    async def _look_up_first_record(self, ids: Iterable[PaperId]) -> Paper | None:
        for paper_id in ids:
            record = await self._records.find_record(paper_id)
            if record.paper is not None:
                return record.paper
        return None

    async def _build_graph_answer(
        self, request: CitationGraphRequest, name: str, edges: CitationEdges
    ) -> GraphAnswer:
        seed = (edges.seed,) if edges.seed else ()
        every = (*seed, *(edges.citing or ()), *(edges.cited or ()))
        checked = await self._retractions.find_paper_statuses(every)
        works = iter(
            work_resolution.build_work_view(paper, retraction=status)
            for paper, status in zip(every, checked.statuses, strict=True)
        )
        seed_paper = next(works) if seed else None
        citing = _take_listed_works(works, edges.citing)
        cited = _take_listed_works(works, edges.cited)
        return GraphAnswer(
            seed=request.paper,
            direction=request.direction,
            provider=name,
            seed_paper=seed_paper,
            cited_by=citing,
            cited_by_count=None if citing is None else len(citing),
            references=cited,
            references_count=None if cited is None else len(cited),
            notes=(*edges.notes, *checked.notes) or None,
        )


def _take_listed_works(
    works: Iterator[PaperResult], papers: tuple[Paper, ...] | None
) -> tuple[PaperResult, ...] | None:
    """As many of the works as there are papers; None for a direction that was not asked for."""
    return None if papers is None else tuple(islice(works, len(papers)))


async def _list_neighbours(
    provider: ports.CitationGraph, paper_id: PaperId, request: CitationGraphRequest
) -> tuple[tuple[Paper, ...] | None, tuple[Paper, ...] | None]:
    count = request.count * (_INFLUENTIAL_OVERASK_FACTOR if request.influential_only else 1)

    async def citing() -> tuple[Paper, ...] | None:
        asked = request.direction != REFERENCES
        return await provider.list_citing_papers(paper_id, count=count) if asked else None

    async def cited() -> tuple[Paper, ...] | None:
        asked = request.direction != CITED_BY
        return await provider.list_cited_papers(paper_id, count=count) if asked else None

    return await asyncio.gather(citing(), cited())


def _choose_edges(request: CitationGraphRequest, name: str, edges: CitationEdges) -> CitationEdges:
    """The requested directions, cut to the requested count; one without papers is empty."""
    citing = None if request.direction == REFERENCES else edges.citing or ()
    cited = None if request.direction == CITED_BY else edges.cited or ()
    every = (*(citing or ()), *(cited or ()))
    is_rated = any(paper.influential is not None for paper in every)
    sieve = request.influential_only and is_rated
    notes = []
    if request.influential_only and every and not is_rated:
        notes.append(f"{name} does not say which citations are influential; all are listed.")
    asked = request.count * _INFLUENTIAL_OVERASK_FACTOR
    for papers, kind in ((citing, "citing works"), (cited, "references")):
        if sieve and papers and not any(paper.influential for paper in papers):
            which = f"the first {asked}" if len(papers) >= asked else "the"
            notes.append(f"{name} marks none of {which} {kind} as influential.")
    return CitationEdges(
        citing=_keep_influential(citing, request.count, influential=sieve),
        cited=_keep_influential(cited, request.count, influential=sieve),
        seed=edges.seed,
        notes=tuple(notes),
        is_sifted=request.influential_only
        and (is_rated or (name in _INFLUENCE_PROVIDERS and not every)),
    )


def _keep_influential(
    papers: tuple[Paper, ...] | None, count: int, *, influential: bool
) -> tuple[Paper, ...] | None:
    if papers is None:
        return None
    return tuple(paper for paper in papers if paper.influential or not influential)[:count]


async def _match_seed_title(provider: object, title: str) -> Paper | None:
    """The provider's best match for the title; None if no title is similar enough."""
    if not isinstance(provider, ports.PaperMatch):
        return None
    found = await provider.match_reference(BibliographicQuery(text=title, title=title))
    best = max(
        found, key=lambda paper: record_merging.compare_titles(title, paper.title), default=None
    )
    return (
        best
        if best and record_merging.compare_titles(title, best.title) >= _MIN_SEED_TITLE_SIMILARITY
        else None
    )


def _choose_seed_id(paper: Paper, known: frozenset[IdentifierScheme]) -> PaperId | None:
    """An identifier of the paper that the provider accepts, its own scheme first."""
    order = (IdentifierScheme.S2, IdentifierScheme.OPENALEX, *_SEED_SCHEMES)
    return next(
        (
            PaperId(scheme=scheme, value=paper.ids[scheme])
            for scheme in order
            if scheme in known and scheme in paper.ids
        ),
        None,
    )


class Args(SessionArguments, CitationGraphRequest):
    """List the works that cite a paper (cited_by) and those it cites (references). Semantic Scholar adds citation intents and influence. To find the paper use academic_search."""


async def run(args: Args, call: ToolCall) -> GraphAnswer:
    answer = await call.require_service(CitationGraphSearch).find_neighbours(
        args.build_request(CitationGraphRequest), trace=call.trace
    )
    neighbours = (*(answer.cited_by or ()), *(answer.references or ()))
    call.report_sources(paper.to_source() for paper in neighbours)
    return answer


TOOL = Tool(
    args=Args,
    result=GraphAnswer,
    run=run,
    toolset="scholar",
    in_default_profile=True,
    ttl_seconds=86_400,
    has_long_timeout=True,
    is_empty_result=lambda answer: not (answer.cited_by or answer.references),
)
