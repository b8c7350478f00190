"""Searches for papers with the configured providers or on scholarly sites, and says which of them answered."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Self

from citewell.citations import identifiers
from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.values.argument_types import MAX_SITES
from citewell.core.values.paper import IdentifierScheme, Paper
from citewell.core.values.paper_results import PaperResult, PapersAnswer
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.scrape_results import RetractionStatus
from citewell.core.values.search_results import EmptySearchHints, SearchAnswer, SearchResult
from citewell.routing import provider_failures
from citewell.routing.ports import FindPause, Offer
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.settings import RoutingSettings
from citewell.scholar import work_resolution
from citewell.scholar.paper_search_ladder import (
    PaperFilter,
    PaperHarvest,
    PaperProviderReply,
    PaperSearchLadder,
    PaperSearchRequest,
    check_paper_request,
    sort_newest_first,
)
from citewell.search import result_filters
from citewell.search.search_hints import build_domain_hints
from citewell.search.search_request import SearchRequest as WebAsk
from citewell.search.search_service import WebSearchService
from citewell.text.addresses import extract_host, is_within_domain
from citewell.text.data_tables import load_texts

if TYPE_CHECKING:
    from citewell.trust.paper_statuses import PaperStatusFinder

WEB_SEARCH_NAME = "web_search"
SCHOLARLY_SITES = (
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org",
    "dl.acm.org", "nature.com", "sciencedirect.com", "link.springer.com", "researchgate.net",
    "plos.org", "frontiersin.org", "mdpi.com", "wiley.com", "jstor.org", "semanticscholar.org",
    "biorxiv.org", "medrxiv.org",
)  # fmt: skip
_LEADING_ID_PATTERN = re.compile(r"^\[[\w.\-/]+\]\s+")  # [1706.03762] Attention Is All You Need
_SITE_SUFFIX_PATTERN = re.compile(
    r"(?<!\s)\s++[-|–—:]\s++(?:PubMed(?: Central)?|PMC|arXiv(?:\.org)?|Nature|IEEE Xplore|IEEE .{0,60}"
    r"|ScienceDirect|Springer\w*|SpringerLink|Semantic Scholar|ResearchGate|JSTOR|Wiley.{0,20}"
    r"|MDPI|Frontiers|PLOS.{0,20}|bioRxiv|medRxiv|ACM Digital Library|Google Scholar)\s*$",
    re.IGNORECASE,
)

__all__ = ["PaperSearchRequest"]

PAPER_PROVIDER_ORDER = (
    "openalex", "crossref", "pubmed", "semanticscholar", "core", "arxiv", "europepmc",
    "datacite", "exa",
)  # fmt: skip
_SOURCE_PROVIDERS = {"arxiv": "arxiv", "pubmed": "pubmed"}  # sources that are providers themselves
_ROUTER_SOURCE = "router"


class LiteratureSearch:
    """Asks the provider named by the caller, or else the user's order, ours, and the web in turn."""

    def __init__(
        self,
        *,
        catalogue: ProviderCatalogue,
        ladder: PaperSearchLadder,
        web: Callable[[], WebSearchService],
        resting: FindPause,
        retractions: PaperStatusFinder,
    ) -> None:
        self._catalogue = catalogue
        self._ladder = ladder
        self._web = web
        self._resting = resting
        self._retractions = retractions

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.routing.provider_panel import ProviderPanel
        from citewell.scholar.free_copies import OpenCopyFinder

        panel = kit.require_service(ProviderPanel)
        thin = kit.settings[RoutingSettings].search_thin_threshold
        return cls(
            catalogue=kit.catalogue,
            ladder=PaperSearchLadder(kit.catalogue, panel, OpenCopyFinder(panel), thin_count=thin),
            web=lambda: kit.require_service(WebSearchService),
            resting=kit.find_pause,
            retractions=kit.require_status_finder(),
        )

    async def search_literature(
        self, request: PaperSearchRequest, *, trace: RoutingTrace
    ) -> PapersAnswer:
        """Papers, or hints why there are none; raises if no provider could answer."""
        asked = check_paper_request(request)
        if asked.provider:
            harvest, source = await self._search_named_provider(asked.provider, asked, trace)
        else:
            harvest, source = await self._search_any_provider(asked, trace)
        for reply in harvest.replies:
            trace.record_reply(reply.provider)
        for name in harvest.list_served_providers():
            if name != WEB_SEARCH_NAME:  # the web search has recorded its providers itself
                trace.record_success(name)
        return await self._build_papers_answer(asked, harvest, source)

    async def _search_named_provider(
        self, name: str, request: PaperSearchRequest, trace: RoutingTrace
    ) -> tuple[PaperHarvest, str]:
        """Papers from the named provider only, and the source for the answer."""
        offer = self._choose_offer(name)
        if request.lens and offer is not Offer.WEB:
            raise InvalidInput(
                f"A lens is searched on the web, and {name} is a registry of papers: leave out one of the two."
            )
        self._catalogue.resolve_provider(name, offer)
        if offer is Offer.WEB:
            return await ScholarlyWebSearch(self._web()).search_scholarly_sites(
                request, trace=trace, provider=name
            ), WEB_SEARCH_NAME
        try:
            return await self._ladder.search_one_provider(name, request, trace=trace), name
        except CitewellError as error:
            others = self._list_healthy_providers(excluded=(name,))
            raise provider_failures.complete_provider_error(
                error, provider=name, alternatives=others
            ) from None

    def _choose_offer(self, name: str) -> Offer:
        known = name in self._catalogue.list_provider_names()
        offers = self._catalogue.find_spec(name).offers if known else frozenset()
        if Offer.PAPERS in offers:
            return Offer.PAPERS
        if Offer.WEB in offers and self._catalogue.find_spec(name).base_url:
            return Offer.WEB  # a provider without a base URL, the library, is not the web
        raise InvalidInput(
            f"{name!r} cannot search for papers. Supported: {', '.join(self._list_supported_providers())}.",
            alternatives=self._list_healthy_providers(excluded=()),
        )

    def _list_supported_providers(self) -> list[str]:
        able = {
            name
            for name in self._catalogue.list_provider_names()
            if {Offer.PAPERS, Offer.WEB} & self._catalogue.find_spec(name).offers
            and self._catalogue.find_spec(name).base_url
        }
        return [name for name in PAPER_PROVIDER_ORDER if name in able] + sorted(
            able - set(PAPER_PROVIDER_ORDER)
        )

    async def _search_any_provider(
        self, request: PaperSearchRequest, trace: RoutingTrace
    ) -> tuple[PaperHarvest, str]:
        """Papers from the user's order, else ours, else the web, and the source for the answer."""
        if request.lens:
            return await ScholarlyWebSearch(self._web()).search_scholarly_sites(
                request, trace=trace
            ), WEB_SEARCH_NAME
        harvest = PaperHarvest()
        listed = self._keep_usable_providers(self._web().router.list_routed_names("academic"))
        if listed and await self._search_user_order(harvest, listed, request, trace):
            return harvest, _ROUTER_SOURCE
        ours = [name for name in self._list_default_order(request) if name not in listed]
        await self._ladder.search_in_turn(ours, request, trace=trace, harvest=harvest)
        if not harvest.list_papers() and await self._search_scholarly_web(harvest, request, trace):
            return harvest, WEB_SEARCH_NAME
        if not harvest.replies:
            others = self._list_healthy_providers(excluded=tuple(harvest.failures))
            raise provider_failures.merge_failures(harvest.failures, alternatives=others)
        return harvest, harvest.list_served_providers()[0]

    async def _search_user_order(
        self,
        harvest: PaperHarvest,
        names: tuple[str, ...],
        request: PaperSearchRequest,
        trace: RoutingTrace,
    ) -> bool:
        """Whether the providers listed in SEARCH_ROUTING found any papers."""
        papers = [name for name in names if self._choose_offer(name) is Offer.PAPERS]
        await self._ladder.search_in_turn(papers, request, trace=trace, harvest=harvest)
        for name in names:
            if not harvest.list_papers() and name not in papers:
                await self._search_scholarly_web(harvest, request, trace, provider=name)
        return bool(harvest.list_papers())

    async def _search_scholarly_web(
        self,
        harvest: PaperHarvest,
        request: PaperSearchRequest,
        trace: RoutingTrace,
        *,
        provider: str | None = None,
    ) -> bool:
        """Whether a web search succeeded; its results or its failure are added to the harvest."""
        try:
            found = await ScholarlyWebSearch(self._web()).search_scholarly_sites(
                request, trace=trace, provider=provider
            )
        except CitewellError as error:
            harvest.failures[provider or WEB_SEARCH_NAME] = error
            return False
        harvest.replies += found.replies
        harvest.notes += found.notes
        return True

    def _list_default_order(self, request: PaperSearchRequest) -> tuple[str, ...]:
        """Our order of providers, with the source's own provider in second place."""
        home = _SOURCE_PROVIDERS.get(request.source)
        wanted = dict.fromkeys(
            [PAPER_PROVIDER_ORDER[0], *([home] if home else []), *PAPER_PROVIDER_ORDER]
        )
        able = self._catalogue.list_offering(Offer.PAPERS)
        return tuple(name for name in wanted if name in able)

    def _keep_usable_providers(self, names: tuple[str, ...]) -> tuple[str, ...]:
        catalogue = self._catalogue
        return tuple(
            name
            for name in names
            if {Offer.PAPERS, Offer.WEB} & catalogue.find_spec(name).offers
            and catalogue.is_configured(name)
        )

    def _list_healthy_providers(self, *, excluded: tuple[str, ...]) -> tuple[str, ...]:
        able = self._catalogue.list_offering(Offer.PAPERS)
        return tuple(name for name in able if name not in excluded and self._resting(name) is None)

    async def _build_papers_answer(
        self, request: PaperSearchRequest, harvest: PaperHarvest, source: str
    ) -> PapersAnswer:
        papers = harvest.list_papers()
        if request.sort == "date" and len(harvest.replies) > 1:
            papers = tuple(sort_newest_first(papers))
        shown = papers[: request.count]
        checked = await self._retractions.find_paper_statuses(shown)
        works = tuple(
            _build_flagged_work(paper, status)
            for paper, status in zip(shown, checked.statuses, strict=True)
        )
        totals = [reply.total for reply in harvest.replies if reply.total is not None]
        rows = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
        others = self._list_healthy_providers(excluded=harvest.list_attempted_providers())
        return PapersAnswer(
            papers=works,
            query=request.query,
            total_results=max([*totals[:1], len(works)]),
            result_count=len(works),
            source=source,
            hints=None if works else explain_no_papers(request, harvest, others=others),
            filters=rows or None,
            notes=tuple(dict.fromkeys((*harvest.notes, *checked.notes))) or None,
        )


def _build_flagged_work(paper: Paper, status: RetractionStatus | None) -> PaperResult:
    work = work_resolution.build_work_view(paper, retraction=status)
    host = extract_host(paper.url)
    is_scholarly = any(is_within_domain(host, site) for site in SCHOLARLY_SITES)
    doubtful = not paper.ids and not is_scholarly
    return work.model_copy(update={"low_confidence_domain": True}) if doubtful else work


# Explains why a search found no papers, and what to try next.


def explain_no_papers(
    request: PaperSearchRequest, harvest: PaperHarvest, *, others: Iterable[str]
) -> EmptySearchHints:
    """The hints; `others` are the configured and healthy providers that were not asked."""
    return build_domain_hints(
        filters=request.list_constraints(),
        attempted=harvest.list_attempted_providers(),
        failures=tuple(harvest.failures.values()),
        others=tuple(others),
        details=tuple(
            f"{reply.provider}: our own filters removed {reply.dropped} of its results."
            for reply in harvest.replies
            if reply.dropped
        ),
    )


# Finds papers by a web search limited to scholarly sites.


class ScholarlyWebSearch:
    def __init__(self, web: WebSearchService) -> None:
        self._web = web

    async def search_scholarly_sites(
        self, request: PaperSearchRequest, *, trace: RoutingTrace, provider: str | None = None
    ) -> PaperHarvest:
        """Papers found on scholarly sites, or on those of the lens; raises the error if every web search failed."""
        site = load_texts(__package__, "paper_sources", "sites").get(request.source)
        groups = ((site,),) if site else (SCHOLARLY_SITES[:MAX_SITES], SCHOLARLY_SITES[MAX_SITES:])
        searches = [
            WebAsk(
                query=request.query,
                count=request.count,
                sites=sites,
                lens=request.lens,
                provider=provider,
            )
            for sites in (((),) if request.lens else groups)
        ]
        answers = await asyncio.gather(
            *(self._web.search_web_pages(search, trace=trace) for search in searches),
            return_exceptions=True,
        )
        found = [answer for answer in answers if isinstance(answer, SearchAnswer)]
        for answer in answers:
            if isinstance(answer, BaseException) and not (
                found and isinstance(answer, CitewellError)
            ):
                raise answer
        return _collect_web_papers(request, found, provider)


def _collect_web_papers(
    request: PaperSearchRequest, answers: Sequence[SearchAnswer], provider: str | None
) -> PaperHarvest:
    rows = zip_longest(*(answer.results for answer in answers))
    papers = [
        _build_web_paper(result, provider) for row in rows for result in row if result is not None
    ]
    sieve = PaperFilter(request, applied={"source", "lens"})
    kept = [paper for paper in papers if sieve.should_keep(paper)]
    reply = PaperProviderReply(
        provider=provider or WEB_SEARCH_NAME,
        papers=tuple(sort_newest_first(kept) if request.sort == "date" else kept),
        reports=sieve.build_filter_reports(name=WEB_SEARCH_NAME, title="the web search"),
        dropped=len(papers) - len(kept),
    )
    searched = f"the domains of the lens {request.lens}" if request.lens else "scholarly sites"
    note = f"These come from a web search of {searched}: titles and snippets, no registry records."
    return PaperHarvest(replies=[reply], notes=[note] if kept else [])


def _build_web_paper(result: SearchResult, provider: str | None) -> Paper:
    """A paper from an address and a snippet; the year is the page's and may be off by one."""
    ids = {found.scheme: found.value for found in identifiers.find_identifiers(result.url)}
    year = (result.published_at or "")[:4]
    arxiv = ids.get(IdentifierScheme.ARXIV)
    is_pdf = result.url.partition("?")[0].lower().endswith(".pdf")
    direct = result.url if is_pdf else None
    return Paper(
        title=_SITE_SUFFIX_PATTERN.sub("", _LEADING_ID_PATTERN.sub("", result.title))
        or result.title,
        source=provider or result.engine or WEB_SEARCH_NAME,
        url=result.url,
        ids=ids,
        year=int(year) if year.isdecimal() else None,
        abstract=result.snippet or None,
        pdf_url=f"https://arxiv.org/pdf/{arxiv}" if arxiv else direct,
    )
