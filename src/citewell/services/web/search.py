"""Web search as one service: whoever is configured answers, and the answer says how it came about."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from citewell.config import Settings
from citewell.errors import CitewellError, InvalidInput
from citewell.model.routing import Trace
from citewell.model.search import Filter, Query
from citewell.model.source import FetchStats, Hints, SearchAnswer, SearchMetadata, SearchResult
from citewell.ports import Offer
from citewell.services.catalogue import Catalogue
from citewell.services.reputation import Reputations
from citewell.services.web import contents, failure, filters, hints, results
from citewell.services.web.ask import Ask, checked, question
from citewell.services.web.asking import Asker
from citewell.services.web.lenses import Lens, Lenses
from citewell.services.web.rounds import Harvest, Rest, Resting, Rounds
from citewell.services.web.route import Chain, Router
from citewell.text import claims

__all__ = ["Ask", "Web"]

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _never(_provider: str) -> Rest | None:
    return None


class Web:
    """Searches through one provider or several, and never fails in silence."""

    def __init__(
        self,
        *,
        settings: Settings,
        catalogue: Catalogue,
        lenses: Lenses | None = None,
        reader: contents.ReadMany | None = None,
        reputations: Reputations | None = None,
        resting: Resting = _never,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._catalogue = catalogue
        self._lenses = lenses or Lenses(settings.custom_lenses_path)
        self._reader = reader
        self._reputations = reputations or Reputations()
        self._resting = resting
        self._clock = clock
        self.router = Router(settings, catalogue)
        self._rounds = Rounds(
            Asker(catalogue, now=now),
            resting=resting,
            thin=settings.search_thin_threshold,
            patience=settings.search_timeout,
        )

    async def search(
        self, ask: Ask, *, trace: Trace, progress: Progress | None = None
    ) -> SearchAnswer:
        """Results, or hints why there are none; an error when nobody could answer at all."""
        started = self._clock()
        asked = checked(ask)
        if asked.fetch_content and self._reader is None:
            raise InvalidInput("fetch_content is not available here; read the links one by one.")
        lens = self._lenses.get(asked.lens) if asked.lens else None
        harvest = await self._harvest(asked, lens, trace)
        found = self._results(asked, harvest)
        stats = None
        if asked.fetch_content and found and self._reader:
            if progress is not None:
                await progress(0, len(found), "reading the pages")
            found, stats = await contents.attached(found, self._reader, clock=self._clock)
        milliseconds = round(1000 * (self._clock() - started))
        return self._answer(asked, harvest, found, stats=stats, milliseconds=milliseconds)

    async def _harvest(self, ask: Ask, lens: Lens | None, trace: Trace) -> Harvest:
        query = question(ask)
        name = ask.provider or (lens.bound_to if lens else None)
        if name:
            return await self._from_one(name, query, lens, trace)
        chain = self._chain(ask)
        harvest = await self._rounds.through(chain, query, lens=lens, trace=trace)
        if not harvest.replies:
            raise failure.verdict(
                harvest.failures, alternatives=self._healthy(but=tuple(harvest.failures))
            )
        return harvest

    async def _from_one(self, name: str, query: Query, lens: Lens | None, trace: Trace) -> Harvest:
        spec = self._catalogue.resolve(name, self._offer_of(name, query.category))
        try:
            return await self._rounds.only(name, query, lens=lens, trace=trace)
        except CitewellError as error:
            others = self._healthy(but=(spec.name,))
            raise failure.completed(error, provider=spec.name, alternatives=others) from None

    def _offer_of(self, name: str, category: str) -> Offer:
        """News only where the provider has it; elsewhere a web search that says so."""
        known = name in self._catalogue.names()
        news = category == "news" and known and Offer.NEWS in self._catalogue.spec(name).offers
        return Offer.NEWS if news else Offer.WEB

    def _chain(self, ask: Ask) -> Chain:
        """Those who can honour the category come first; the rest say that they could not."""
        web = self.router.chain(Offer.WEB)
        if ask.category == "general":
            return web
        if ask.category == "news":
            able = self.router.able(Offer.NEWS).main
        else:
            able = tuple(name for name in web.main if self._has(name, Filter.CATEGORY))
        return Chain(main=tuple(dict.fromkeys((*able, *web.main))), spare=web.spare)

    def _has(self, name: str, constraint: Filter) -> bool:
        return constraint in self._catalogue.spec(name).filters

    def _healthy(self, *, but: tuple[str, ...]) -> tuple[str, ...]:
        able = self._catalogue.offering(Offer.WEB)
        return tuple(name for name in able if name not in but and self._resting(name) is None)

    def _results(self, ask: Ask, harvest: Harvest) -> tuple[SearchResult, ...]:
        return results.shown(
            harvest.ranked()[: ask.count],
            reputations=self._reputations,
            claim=claims.claim(ask.claim, language=ask.language) if ask.claim else None,
            own_scores=len(harvest.replies) == 1,
        )

    def _answer(
        self,
        ask: Ask,
        harvest: Harvest,
        found: tuple[SearchResult, ...],
        *,
        stats: FetchStats | None,
        milliseconds: int,
    ) -> SearchAnswer:
        limit = max(reply.limit for reply in harvest.replies)
        rows = filters.joined(reply.reports for reply in harvest.replies)
        return SearchAnswer(
            urls=tuple(result.url for result in found),
            query=ask.query,
            result_count=len(found),
            results=found,
            hints=None if found else self._hints(ask, harvest),
            requested_num_results=ask.count if ask.count > limit else None,
            filters=rows or None,
            notes=_notes(ask, harvest, limit) or None,
            metadata=_metadata(ask, harvest, found, stats=stats, milliseconds=milliseconds),
        )

    def _hints(self, ask: Ask, harvest: Harvest) -> Hints:
        others = self._healthy(but=harvest.attempted())
        return hints.explained(ask, harvest, others=others)


def _notes(ask: Ask, harvest: Harvest, limit: int) -> tuple[str, ...]:
    notes = [note for reply in harvest.replies for note in reply.notes] + harvest.notes
    if ask.count > limit:
        notes.append(f"{limit} results are the most that the provider asked can return.")
    return tuple(dict.fromkeys(notes))


def _metadata(
    ask: Ask,
    harvest: Harvest,
    found: tuple[SearchResult, ...],
    *,
    stats: FetchStats | None,
    milliseconds: int,
) -> SearchMetadata:
    replies = [reply for reply in harvest.replies if reply.hits] or harvest.replies
    engines = [engine for reply in replies for engine in reply.engines or (reply.provider,)]
    return SearchMetadata(
        query=ask.query,
        category=ask.category,
        language=ask.language,
        results_count=len(found),
        search_time_ms=milliseconds,
        instance_used=next((reply.instance for reply in replies if reply.instance), None),
        engines_used=tuple(dict.fromkeys(engines)),
        total_results=replies[0].total,
        content_fetch_stats=stats,
    )
