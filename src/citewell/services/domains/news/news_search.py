"""Searches news with the configured providers in turn; filters they lack are applied afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.model.answers.news_results import NewsAnswer
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchFilter
from citewell.model.search_results import EmptySearchHints, FilterReport
from citewell.ports import Offer
from citewell.services.domains.news.news_articles import build_news_article, choose_articles
from citewell.services.domains.news.news_request import (
    NewsSearchRequest,
    build_news_query,
    check_news_request,
)
from citewell.services.routing import provider_failures
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_chains import SearchRouter
from citewell.services.routing.provider_pauses import FindPause
from citewell.services.web import result_filters, search_hints
from citewell.services.web.lenses import LensCatalogue, SearchLens
from citewell.services.web.provider_search import ProviderSearch
from citewell.services.web.search_rounds import SearchHarvest, SearchRounds

__all__ = ["NewsSearchRequest", "NewsSearchService"]

_WIDEST_RANGE = "year"


def _read_utc_clock() -> datetime:
    return datetime.now(UTC)


class NewsSearchService:
    def __init__(
        self,
        *,
        settings: Settings,
        catalogue: ProviderCatalogue,
        lenses: LensCatalogue,
        find_pause: FindPause,
        now: Callable[[], datetime] = _read_utc_clock,
    ) -> None:
        self._catalogue = catalogue
        self._lenses = lenses
        self._resting = find_pause
        self._now = now
        self._router = SearchRouter(settings, catalogue)
        self._rounds = SearchRounds(
            ProviderSearch(catalogue, now=now),
            find_pause=find_pause,
            thin_count=settings.search_thin_threshold,
            more_seconds=settings.search_timeout,
        )

    async def search_news(self, ask: NewsSearchRequest, *, trace: RoutingTrace) -> NewsAnswer:
        """Articles, or hints why there are none; raises if no provider could answer."""
        asked = check_news_request(ask)
        lens = self._lenses.resolve_lens(asked.lens) if asked.lens else None
        harvest = await self._harvest_articles(asked, lens, trace)
        return self._build_news_answer(asked, harvest)

    async def _harvest_articles(
        self, ask: NewsSearchRequest, lens: SearchLens | None, trace: RoutingTrace
    ) -> SearchHarvest:
        query = build_news_query(ask)
        name = ask.provider or (lens.required_provider if lens else None)
        if name:
            spec = self._catalogue.resolve_provider(name, Offer.NEWS)
            try:
                return await self._rounds.search_one_provider(
                    spec.name, query, lens=lens, trace=trace
                )
            except CitewellError as error:
                raise provider_failures.complete_provider_error(
                    error, provider=spec.name, alternatives=self._list_healthy((spec.name,))
                ) from None
        chain = self._router.require_chain(Offer.NEWS)
        harvest = await self._rounds.search_chain(chain, query, lens=lens, trace=trace)
        if not harvest.replies:
            raise provider_failures.merge_failures(
                harvest.failures, alternatives=self._list_healthy(tuple(harvest.failures))
            )
        return harvest

    def _list_healthy(self, asked: tuple[str, ...]) -> tuple[str, ...]:
        able = self._catalogue.list_offering(Offer.NEWS)
        return tuple(name for name in able if name not in asked and self._resting(name) is None)

    def _build_news_answer(self, ask: NewsSearchRequest, harvest: SearchHarvest) -> NewsAnswer:
        hits = choose_articles(
            (item.hit for item in harvest.fuse_replies()),
            by_date=ask.sort_by == "date",
            count=ask.count,
            now=self._now(),
        )
        limit = max(reply.max_results for reply in harvest.replies)
        return NewsAnswer(
            articles=tuple(map(build_news_article, hits)),
            query=ask.query,
            result_count=len(hits),
            hints=None if hits else self._explain_no_articles(ask, harvest),
            requested_num_results=ask.count if ask.count > limit else None,
            filters=_collect_news_reports(harvest) or None,
            notes=_collect_news_notes(harvest) or None,
        )

    def _explain_no_articles(
        self, ask: NewsSearchRequest, harvest: SearchHarvest
    ) -> EmptySearchHints:
        wider = f"Only the last {ask.time_range} was searched; a longer time_range may find more."
        return search_hints.explain_empty_harvest(
            ask.list_constraints(),
            harvest,
            others=self._list_healthy(harvest.list_attempted_providers()),
            details=(wider,) if ask.time_range != _WIDEST_RANGE else (),
        )


def _collect_news_reports(harvest: SearchHarvest) -> tuple[FilterReport, ...]:
    """Who applied each filter; the site of a search for news is called news_source."""
    rows = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
    return tuple(
        row.model_copy(update={"filter": SearchFilter.NEWS_SOURCE.value})
        if row.filter == SearchFilter.SITES.value
        else row
        for row in rows
        if row.filter != SearchFilter.CATEGORY.value  # that it is news needs no report
    )


def _collect_news_notes(harvest: SearchHarvest) -> tuple[str, ...]:
    notes = [note for reply in harvest.replies for note in reply.notes] + harvest.notes
    return tuple(dict.fromkeys(notes))
