"""The web search service: asks the configured providers and reports how the answer came about."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

from citewell.config import SEARXNG_PROFILE, Settings
from citewell.errors import CitewellError, InvalidInput
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchFilter, SearchQuery
from citewell.model.search_results import (
    EmptySearchHints,
    FetchStats,
    SearchAnswer,
    SearchMetadata,
    SearchResult,
)
from citewell.ports import Offer
from citewell.services.routing import provider_failures
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_chains import ProviderChain, SearchRouter
from citewell.services.routing.provider_pauses import FindPause, ProviderPause
from citewell.services.web import result_contents, result_filters, scored_results, search_hints
from citewell.services.web.lenses import LensCatalogue, SearchLens
from citewell.services.web.provider_search import ProviderSearch
from citewell.services.web.search_request import (
    SearchRequest,
    build_search_query,
    normalize_request,
)
from citewell.services.web.search_rounds import SearchHarvest, SearchRounds
from citewell.text.evidence import nearest_sentences
from citewell.tooling import ProgressCallback, SourceCallback

__all__ = ["SearchRequest", "WebSearchService"]


def _get_utc_now() -> datetime:
    return datetime.now(UTC)


def _find_no_pause(_provider: str) -> ProviderPause | None:
    return None


class WebSearchService:
    """Searches one provider or several; every failure is reported in the answer or raised."""

    def __init__(
        self,
        *,
        settings: Settings,
        catalogue: ProviderCatalogue,
        lenses: LensCatalogue | None = None,
        reader: result_contents.ReadMany | None = None,
        find_pause: FindPause = _find_no_pause,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = _get_utc_now,
    ) -> None:
        self._catalogue = catalogue
        self._lenses = lenses or LensCatalogue(settings.custom_lenses_path)
        self._reader = reader
        self._resting = find_pause
        self._clock = clock
        self._max_results = settings.search_max_results
        self.follows_searxng = settings.profile == SEARXNG_PROFILE
        self.router = SearchRouter(settings, catalogue)
        self._rounds = SearchRounds(
            ProviderSearch(catalogue, now=now),
            find_pause=find_pause,
            thin_count=settings.search_thin_threshold,
            more_seconds=settings.search_timeout,
        )

    def check_result_count(self, count: int) -> None:
        """Raise InvalidInput for more results than the settings allow one call to ask for."""
        if self._max_results is not None and count > self._max_results:
            raise InvalidInput(
                f"num_results (results_count) is at most {self._max_results} on this server."
            )

    async def search_web_pages(
        self,
        ask: SearchRequest,
        *,
        trace: RoutingTrace,
        progress: ProgressCallback | None = None,
        report: SourceCallback = lambda _: None,
    ) -> SearchAnswer:
        """Results, or hints why there are none; raises if no provider could answer."""
        started = self._clock()
        asked = normalize_request(ask)
        if asked.fetch_content and self._reader is None:
            raise InvalidInput("fetch_content is not available here; read the links one by one.")
        lens = self._lenses.resolve_lens(asked.lens) if asked.lens else None
        harvest = await self._harvest_results(asked, lens, trace)
        found = self._build_harvest_results(asked, harvest)
        report(hit.to_source() for hit in found)
        stats = None
        if asked.fetch_content and found and self._reader:
            if progress is not None:
                await progress(0, len(found), "reading the pages")
            found, stats = await result_contents.attach_page_contents(
                found, self._reader, report=report, clock=self._clock
            )
            if claim := _build_claim_terms(asked):
                found = await asyncio.to_thread(scored_results.read_claim_signals, found, claim)
        milliseconds = round(1000 * (self._clock() - started))
        return self._build_search_answer(
            asked, harvest, found, stats=stats, milliseconds=milliseconds
        )

    async def _harvest_results(
        self, ask: SearchRequest, lens: SearchLens | None, trace: RoutingTrace
    ) -> SearchHarvest:
        query = build_search_query(ask)
        name = ask.provider or (lens.required_provider if lens else None)
        if name:
            return await self._search_named_provider(name, query, lens, trace)
        chain = self._choose_category_chain(ask)
        harvest = await self._rounds.search_chain(chain, query, lens=lens, trace=trace)
        if not harvest.replies:
            raise provider_failures.merge_failures(
                harvest.failures,
                alternatives=self._list_healthy_providers(but=tuple(harvest.failures)),
            )
        return harvest

    async def _search_named_provider(
        self, name: str, query: SearchQuery, lens: SearchLens | None, trace: RoutingTrace
    ) -> SearchHarvest:
        spec = self._catalogue.resolve_provider(
            name, self._choose_provider_offer(name, query.category)
        )
        try:
            return await self._rounds.search_one_provider(name, query, lens=lens, trace=trace)
        except CitewellError as error:
            others = self._list_healthy_providers(but=(spec.name,))
            raise provider_failures.complete_provider_error(
                error, provider=spec.name, alternatives=others
            ) from None

    def _choose_provider_offer(self, name: str, category: str) -> Offer:
        """News if asked for and the provider offers it; otherwise web, which the filter report mentions."""
        known = name in self._catalogue.list_provider_names()
        news = category == "news" and known and Offer.NEWS in self._catalogue.find_spec(name).offers
        return Offer.NEWS if news else Offer.WEB

    def _choose_category_chain(self, ask: SearchRequest) -> ProviderChain:
        """The web chain with providers that support the category first."""
        web = self.router.require_chain(Offer.WEB)
        if ask.category == "general":
            return web
        if ask.category == "news":
            able = self.router.find_chain(Offer.NEWS).main
        else:
            able = tuple(
                name for name in web.main if self._has_native_filter(name, SearchFilter.CATEGORY)
            )
        return ProviderChain(main=tuple(dict.fromkeys((*able, *web.main))), spare=web.spare)

    def _has_native_filter(self, name: str, constraint: SearchFilter) -> bool:
        return constraint in self._catalogue.find_spec(name).filters

    def _list_healthy_providers(self, *, but: tuple[str, ...]) -> tuple[str, ...]:
        chain = self.router.find_chain(Offer.WEB)
        able = (*chain.main, *chain.spare)
        return tuple(name for name in able if name not in but and self._resting(name) is None)

    def _build_harvest_results(
        self, ask: SearchRequest, harvest: SearchHarvest
    ) -> tuple[SearchResult, ...]:
        return scored_results.build_search_results(
            harvest.fuse_replies()[: ask.count],
            claim=_build_claim_terms(ask),
            own_scores=len(harvest.replies) == 1,
        )

    def _build_search_answer(
        self,
        ask: SearchRequest,
        harvest: SearchHarvest,
        found: tuple[SearchResult, ...],
        *,
        stats: FetchStats | None,
        milliseconds: int,
    ) -> SearchAnswer:
        limit = max(reply.max_results for reply in harvest.replies)
        rows = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
        return SearchAnswer(
            urls=tuple(result.url for result in found),
            query=ask.query,
            result_count=len(found),
            results=found,
            hints=None if found else self._explain_empty_harvest(ask, harvest),
            requested_num_results=ask.count if ask.count > limit else None,
            filters=rows or None,
            notes=_collect_answer_notes(ask, harvest, limit) or None,
            metadata=_build_search_metadata(
                ask, harvest, found, stats=stats, milliseconds=milliseconds
            ),
        )

    def _explain_empty_harvest(
        self, ask: SearchRequest, harvest: SearchHarvest
    ) -> EmptySearchHints:
        others = self._list_healthy_providers(but=harvest.list_attempted_providers())
        return search_hints.explain_empty_answer(ask, harvest, others=others)


def _build_claim_terms(ask: SearchRequest) -> nearest_sentences.ClaimTerms | None:
    if not ask.claim:
        return None
    return nearest_sentences.build_claim_terms(ask.claim, language=ask.language)


def _collect_answer_notes(
    ask: SearchRequest, harvest: SearchHarvest, limit: int
) -> tuple[str, ...]:
    notes = [note for reply in harvest.replies for note in reply.notes] + harvest.notes
    if ask.count > limit:
        notes.append(f"{limit} results are the maximum that the provider can return.")
    return tuple(dict.fromkeys(notes))


def _build_search_metadata(
    ask: SearchRequest,
    harvest: SearchHarvest,
    found: tuple[SearchResult, ...],
    *,
    stats: FetchStats | None,
    milliseconds: int,
) -> SearchMetadata:
    replies = [reply for reply in harvest.replies if reply.hits] or harvest.replies
    engines = [engine for reply in replies for engine in reply.engines or (reply.provider,)]
    instance = next((reply.instance for reply in replies if reply.instance), None)
    asked = dict.fromkeys(url for reply in harvest.replies for url in reply.instances_asked)
    return SearchMetadata(
        query=ask.query,
        category=ask.category,
        language=ask.language,
        results_count=len(found),
        fetch_content=ask.fetch_content,
        search_time_ms=milliseconds,
        instance_used=instance,
        attempted_instances=tuple(asked) if set(asked) - {instance} else None,
        engines_used=tuple(dict.fromkeys(engines)),
        total_results=replies[0].total,
        content_fetch_stats=stats,
    )
