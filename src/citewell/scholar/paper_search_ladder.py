"""A search for papers: its request, and the providers asked in turn until there are enough."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field

from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.values import argument_types
from citewell.core.values.argument_types import check_declared_bounds
from citewell.core.values.paper import IdentifierScheme, Paper, PaperHits, PaperQuery
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import FilterReport
from citewell.routing.ports import PaperSearch
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_panel import ProviderAnswer, ProviderPanel
from citewell.scholar import record_merging
from citewell.scholar.free_copies import OpenCopyFinder
from citewell.search.result_filters import APPLIED_AFTERWARDS
from citewell.search.search_request import (
    clean_query_text,
    clean_single_line,
    normalize_provider_name,
)
from citewell.text.data_tables import load_table
from citewell.text.language import word_forms

MAX_PAPER_RESULTS = 10


_OVERASK_FACTOR = 2  # times as many are asked for if our own filters may remove some


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperProviderReply:
    """A provider's papers after our own filters, and who applied which filter."""

    provider: str
    papers: tuple[Paper, ...]
    total: int | None = None
    reports: tuple[FilterReport, ...] = ()
    dropped: int = 0  # papers our own filters removed


@dataclass(slots=True)
class PaperHarvest:
    """The replies and failures of all providers that were asked."""

    replies: list[PaperProviderReply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def list_papers(self) -> tuple[Paper, ...]:
        """The papers of all replies, each work once."""
        return record_merging.merge_papers(
            paper for reply in self.replies for paper in reply.papers
        )

    def list_attempted_providers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(reply.provider for reply in self.replies), *self.failures]))

    def list_served_providers(self) -> tuple[str, ...]:
        """The providers with results; if there are none, all that answered."""
        with_papers = [reply.provider for reply in self.replies if reply.papers]
        return tuple(dict.fromkeys(with_papers or [reply.provider for reply in self.replies]))


class PaperSearchLadder:
    """Asks scholarly providers in turn, and again with fewer words if an answer is thin."""

    def __init__(
        self,
        catalogue: ProviderCatalogue,
        panel: ProviderPanel,
        copies: OpenCopyFinder,
        *,
        thin_count: int,
    ) -> None:
        self._catalogue = catalogue
        self._panel = panel
        self._copies = copies
        self._thin = thin_count

    async def search_one_provider(
        self, name: str, request: PaperSearchRequest, *, trace: RoutingTrace
    ) -> PaperHarvest:
        """Ask one provider only; raises its error."""
        harvest = PaperHarvest()
        self._panel.record_attempt(name, trace)
        await self._try_paper_provider(harvest, name, request)
        if name in harvest.failures:
            raise harvest.failures[name]
        await self._retry_relaxed(harvest, name, request)
        return harvest

    async def search_in_turn(
        self,
        names: Iterable[str],
        request: PaperSearchRequest,
        *,
        trace: RoutingTrace,
        harvest: PaperHarvest,
    ) -> None:
        """Ask the providers in order until the answer is not thin; failures are stored in `harvest`."""
        for name in names:
            self._panel.record_attempt(name, trace)
            if not await self._try_paper_provider(harvest, name, request):
                continue
            await self._retry_relaxed(harvest, name, request)
            if not self._is_thin(harvest, request):
                return

    async def _retry_relaxed(
        self, harvest: PaperHarvest, name: str, request: PaperSearchRequest
    ) -> None:
        """If the answer is thin, ask once more without the query's stop words."""
        text = word_forms.drop_query_stopwords(request.query, language=None)
        if text == request.query or not self._is_thin(harvest, request):
            return
        before = len(harvest.list_papers())
        await self._try_paper_provider(harvest, name, replace(request, query=text))
        if len(harvest.list_papers()) > before:
            harvest.notes.append(f"Little was found, so {text!r} was searched as well.")

    async def _try_paper_provider(
        self, harvest: PaperHarvest, name: str, request: PaperSearchRequest
    ) -> bool:
        answer = await self._ask_paper_provider(name, request)
        if answer.value is None:
            if answer.error is not None:
                harvest.failures.setdefault(name, answer.error)
            return False
        harvest.replies.append(await self._build_provider_reply(name, request, answer.value))
        return True

    async def _ask_paper_provider(
        self, name: str, request: PaperSearchRequest
    ) -> ProviderAnswer[PaperHits]:
        provider = self._panel.load_provider(name)
        if not isinstance(provider, PaperSearch):
            raise TypeError(f"{name} declares papers but does not implement them")
        room = _OVERASK_FACTOR * request.count if request.list_constraints() else request.count
        most = self._catalogue.find_spec(name).max_results
        sent = replace(build_paper_query(request), count=min(room, most))
        return await self._panel.ask_provider(name, lambda: provider.search_papers(sent))

    async def _build_provider_reply(
        self, name: str, request: PaperSearchRequest, found: PaperHits
    ) -> PaperProviderReply:
        papers = await self._copies.add_open_copies(found.papers)
        sieve = PaperFilter(request, found.applied)
        kept = tuple(paper for paper in papers if sieve.should_keep(paper))
        later = request.sort == "date" and "sort" not in found.applied
        return PaperProviderReply(
            provider=name,
            papers=tuple(sort_newest_first(kept)) if later else kept,
            total=found.total,
            reports=sieve.build_filter_reports(
                name=name, title=self._catalogue.find_spec(name).title
            ),
            dropped=len(papers) - len(kept),
        )

    def _is_thin(self, harvest: PaperHarvest, request: PaperSearchRequest) -> bool:
        found = len(harvest.list_papers())
        return found <= self._thin and found < request.count


# Applies the filters that a provider did not apply itself, and reports who applied which.


class PaperFilter:
    """Filters papers by what the provider left to us; `undated` counts those kept without a year."""

    def __init__(self, request: PaperSearchRequest, applied: Collection[str]) -> None:
        self._request = request
        self._unapplied = [
            name
            for name in request.list_constraints()
            if ("year" if name.startswith("year") else name) not in applied
        ]
        self.undated = 0

    def should_keep(self, paper: Paper) -> bool:
        tests: Mapping[str, Callable[[Paper], bool]] = {
            "pdf_only": lambda work: work.pdf_url is not None,
            "full_text": has_free_text,
            "open_access": lambda work: work.open_access is True,
            "source": lambda work: is_from_source(work, self._request.source),
            "year_from": self._is_after_first_year,
            "year_to": self._is_before_last_year,
        }
        return all(tests[name](paper) for name in self._unapplied)

    def build_filter_reports(self, *, name: str, title: str) -> tuple[FilterReport, ...]:
        """One report for each filter: who applied it to this provider's results, and how."""
        return tuple(
            FilterReport(
                filter=filter_name,
                by=APPLIED_AFTERWARDS,
                note=self._describe_filtering(filter_name, title),
            )
            if filter_name in self._unapplied
            else FilterReport(filter=filter_name, by=name)
            for filter_name in self._request.list_constraints()
        )

    def _is_after_first_year(self, paper: Paper) -> bool:
        first = self._request.year_from or 0
        return self._choose_year(paper, first) >= first

    def _is_before_last_year(self, paper: Paper) -> bool:
        last = self._request.year_to or 0
        return self._choose_year(paper, last) <= last

    def _choose_year(self, paper: Paper, otherwise: int) -> int:
        if paper.year is None:
            self.undated += 1
            return otherwise
        return paper.year

    def _describe_filtering(self, name: str, title: str) -> str:
        kept = f"; {self.undated} without a year were kept" if self.undated else ""
        how = f"by year{kept}" if name.startswith("year") else "by their metadata"
        return f"Results of {title} were checked {how}."


def has_free_text(paper: Paper) -> bool:
    """Whether the record names a place where the full text is free."""
    held = IdentifierScheme.PMCID in paper.ids or IdentifierScheme.ARXIV in paper.ids
    return held or paper.pdf_url is not None or bool(paper.copies)


def is_from_source(paper: Paper, source: str) -> bool:
    """Whether a paper is of the source: by its provider, a scheme of identifiers, DOI prefix or words."""
    if source in ("all", paper.source):
        return True
    known = load_table(__package__, "paper_sources")
    if any(scheme in paper.ids for scheme in known["schemes"].get(source, ())):
        return True
    if (paper.doi or "").startswith(tuple(known["doi_prefixes"].get(source, ("\0",)))):
        return True
    words = f"{paper.venue or ''} {paper.publisher or ''} {paper.url}".casefold()
    return source in words if source != "nature" else "nature.com" in words


def sort_newest_first(papers: Iterable[Paper]) -> list[Paper]:
    """The latest first; papers without a date come last, in their former order."""
    return sorted(papers, key=lambda paper: paper.published or str(paper.year or ""), reverse=True)


# The request of one search for papers, and its check.


@dataclass(frozen=True, kw_only=True)
class PaperSearchRequest:
    """One search for papers, as the caller wrote it; the arguments of academic_search."""

    query: argument_types.QueryText
    count: Annotated[int, Field(ge=1, le=MAX_PAPER_RESULTS, validation_alias="num_results")] = 5
    year_from: argument_types.PaperYear = None
    year_to: argument_types.PaperYear = None
    source: argument_types.PaperSource = "all"
    pdf_only: bool = False
    sort: Annotated[argument_types.PaperSort, Field(validation_alias="sort_by")] = "relevance"
    open_access: bool = False
    full_text: Annotated[bool, Field(description="Only papers with free full text.")] = False
    lens: Annotated[
        argument_types.OptionalName,
        Field(description="As in web_search: searches its domains on the web."),
    ] = None
    provider: Annotated[
        argument_types.OptionalName,
        Field(
            description="Only this one: openalex, crossref, pubmed, semanticscholar, arxiv, europepmc, core, datacite, exa, or a web provider."
        ),
    ] = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "pdf_only": self.pdf_only,
            "full_text": self.full_text,
            "open_access": self.open_access,
            "source": self.source != "all",
            "lens": self.lens,
            "year_from": self.year_from is not None,
            "year_to": self.year_to is not None,
        }
        return tuple(name for name, value in given.items() if value)


def check_paper_request(request: PaperSearchRequest) -> PaperSearchRequest:
    """The request with its query and provider cleaned; raises InvalidInput if a value is invalid."""
    check_declared_bounds(request)
    first, last = request.year_from, request.year_to
    if first is not None and last is not None and first > last:
        raise InvalidInput(f"year_from {first} is after year_to {last}.")
    if request.lens and request.source != "all":
        raise InvalidInput("source and lens cannot be combined: a lens is a set of sites itself.")
    return replace(
        request,
        query=clean_query_text(request.query),
        lens=clean_single_line(request.lens),
        provider=normalize_provider_name(request.provider),
    )


def build_paper_query(request: PaperSearchRequest) -> PaperQuery:
    """A checked request as the query that providers take."""
    return PaperQuery(
        text=request.query,
        count=request.count,
        year_from=request.year_from,
        year_to=request.year_to,
        source=request.source,
        sort=request.sort,
        open_access=request.open_access,
        full_text=request.full_text,
    )
