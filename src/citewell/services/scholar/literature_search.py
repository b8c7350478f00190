"""Searches for papers with the configured providers, and says which of them answered."""

from __future__ import annotations

from collections.abc import Callable

from citewell.errors import CitewellError, InvalidInput
from citewell.model.paper import Paper
from citewell.model.paper_results import PaperResult, PapersAnswer
from citewell.model.routing_trace import RoutingTrace
from citewell.model.scrape_results import RetractionStatus
from citewell.ports import Offer
from citewell.services.routing import provider_failures
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_pauses import FindPause
from citewell.services.scholar import paper_search_hints, work_views
from citewell.services.scholar.paper_filters import sort_newest_first
from citewell.services.scholar.paper_request import PaperSearchRequest, check_paper_request
from citewell.services.scholar.paper_search_ladder import PaperHarvest, PaperSearchLadder
from citewell.services.scholar.web_fallback import WEB_SEARCH_NAME as WEB
from citewell.services.scholar.web_fallback import ScholarlyWebSearch, is_scholarly_site
from citewell.services.web import result_filters
from citewell.services.web.search_service import WebSearchService

__all__ = ["LiteratureSearch", "PaperSearchRequest"]

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
        retractions: work_views.StatusFinder,
    ) -> None:
        self._catalogue = catalogue
        self._ladder = ladder
        self._web = web
        self._resting = resting
        self._retractions = retractions

    async def search_literature(
        self, ask: PaperSearchRequest, *, trace: RoutingTrace
    ) -> PapersAnswer:
        """Papers, or hints why there are none; raises if no provider could answer."""
        asked = check_paper_request(ask)
        if asked.provider:
            harvest, source = await self._search_named_provider(asked.provider, asked, trace)
        else:
            harvest, source = await self._search_any_provider(asked, trace)
        for reply in harvest.replies:
            trace.record_reply(reply.provider)
        for name in harvest.list_served_providers():
            if name != WEB:  # the web search has recorded its providers itself
                trace.record_success(name)
        return await self._build_papers_answer(asked, harvest, source)

    async def _search_named_provider(
        self, name: str, ask: PaperSearchRequest, trace: RoutingTrace
    ) -> tuple[PaperHarvest, str]:
        """Papers from the named provider only, and the source for the answer."""
        offer = self._choose_offer(name)
        if ask.lens and offer is not Offer.WEB:
            raise InvalidInput(
                f"A lens is searched on the web, and {name} is a registry of papers: leave out one of the two."
            )
        self._catalogue.resolve_provider(name, offer)
        if offer is Offer.WEB:
            return await ScholarlyWebSearch(self._web()).search_scholarly_sites(
                ask, trace=trace, provider=name
            ), WEB
        try:
            return await self._ladder.search_one_provider(name, ask, trace=trace), name
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
        self, ask: PaperSearchRequest, trace: RoutingTrace
    ) -> tuple[PaperHarvest, str]:
        """Papers from the user's order, else ours, else the web, and the source for the answer."""
        if ask.lens:
            return await ScholarlyWebSearch(self._web()).search_scholarly_sites(
                ask, trace=trace
            ), WEB
        harvest = PaperHarvest()
        listed = self._keep_usable_providers(self._web().router.list_routed_names("academic"))
        if listed and await self._search_user_order(harvest, listed, ask, trace):
            return harvest, _ROUTER_SOURCE
        ours = [name for name in self._list_default_order(ask) if name not in listed]
        await self._ladder.search_in_turn(ours, ask, trace=trace, harvest=harvest)
        if not harvest.list_papers() and await self._search_scholarly_web(harvest, ask, trace):
            return harvest, WEB
        if not harvest.replies:
            others = self._list_healthy_providers(excluded=tuple(harvest.failures))
            raise provider_failures.merge_failures(harvest.failures, alternatives=others)
        return harvest, harvest.list_served_providers()[0]

    async def _search_user_order(
        self,
        harvest: PaperHarvest,
        names: tuple[str, ...],
        ask: PaperSearchRequest,
        trace: RoutingTrace,
    ) -> bool:
        """Whether the providers listed in SEARCH_ROUTING found any papers."""
        papers = [name for name in names if self._choose_offer(name) is Offer.PAPERS]
        await self._ladder.search_in_turn(papers, ask, trace=trace, harvest=harvest)
        for name in names:
            if not harvest.list_papers() and name not in papers:
                await self._search_scholarly_web(harvest, ask, trace, provider=name)
        return bool(harvest.list_papers())

    async def _search_scholarly_web(
        self,
        harvest: PaperHarvest,
        ask: PaperSearchRequest,
        trace: RoutingTrace,
        *,
        provider: str | None = None,
    ) -> bool:
        """Whether a web search succeeded; its results or its failure are added to the harvest."""
        try:
            found = await ScholarlyWebSearch(self._web()).search_scholarly_sites(
                ask, trace=trace, provider=provider
            )
        except CitewellError as error:
            harvest.failures[provider or WEB] = error
            return False
        harvest.replies += found.replies
        harvest.notes += found.notes
        return True

    def _list_default_order(self, ask: PaperSearchRequest) -> tuple[str, ...]:
        """Our order of providers, with the source's own provider in second place."""
        home = _SOURCE_PROVIDERS.get(ask.source)
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
        self, ask: PaperSearchRequest, harvest: PaperHarvest, source: str
    ) -> PapersAnswer:
        papers = harvest.list_papers()
        if ask.sort == "date" and len(harvest.replies) > 1:
            papers = tuple(sort_newest_first(papers))
        shown = papers[: ask.count]
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
            query=ask.query,
            total_results=max([*totals[:1], len(works)]),
            result_count=len(works),
            source=source,
            hints=None
            if works
            else paper_search_hints.explain_no_papers(ask, harvest, others=others),
            filters=rows or None,
            notes=tuple(dict.fromkeys((*harvest.notes, *checked.notes))) or None,
        )


def _build_flagged_work(paper: Paper, status: RetractionStatus | None) -> PaperResult:
    work = work_views.build_work_view(paper, retraction=status)
    doubtful = not paper.ids and not is_scholarly_site(paper.url)
    return work.model_copy(update={"low_confidence_domain": True}) if doubtful else work
