"""Searches providers in turn until there are enough results, and records answers and failures."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from citewell.errors import (
    CitewellError,
    FailureReason,
    NetworkFailed,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.model.counted_words import pluralize
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchQuery
from citewell.services.routing.provider_chains import ProviderChain
from citewell.services.routing.provider_pauses import FindPause, ProviderPause
from citewell.services.web import rank_fusion
from citewell.services.web.foreign_results import drop_foreign_coincidences
from citewell.services.web.lenses import SearchLens
from citewell.services.web.provider_search import ProviderReply, ProviderSearch
from citewell.text.language import detection, stopwords


@dataclass(slots=True)
class SearchHarvest:
    """The replies and failures of all providers asked."""

    replies: list[ProviderReply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def fuse_replies(self) -> tuple[rank_fusion.RankedHit, ...]:
        return rank_fusion.fuse_rankings(reply.hits for reply in self.replies)

    def list_attempted_providers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(r.provider for r in self.replies), *self.failures]))


class SearchRounds:
    """Searches the providers of a chain in turn; repeats a query once in relaxed form if it found little."""

    def __init__(
        self, asker: ProviderSearch, *, find_pause: FindPause, thin_count: int, more_seconds: float
    ) -> None:
        """`more_seconds` limits the wait for further providers once there are results."""
        self._asker = asker
        self._resting = find_pause
        self._thin = thin_count
        self._patience = more_seconds

    async def search_one_provider(
        self, name: str, query: SearchQuery, *, lens: SearchLens | None, trace: RoutingTrace
    ) -> SearchHarvest:
        """Search one provider only; raises its error."""
        harvest = SearchHarvest()
        trace.record_attempt(name)
        reply = await self._search_provider(name, query, lens)
        harvest.replies.append(reply)
        await self._retry_relaxed_query(harvest, reply, query, lens)
        _credit_providers(harvest, trace)
        return harvest

    async def search_chain(
        self,
        chain: ProviderChain,
        query: SearchQuery,
        *,
        lens: SearchLens | None,
        trace: RoutingTrace,
    ) -> SearchHarvest:
        """Search the chain in order until there are enough results; failures are recorded, not raised."""
        harvest = SearchHarvest()
        await self._search_in_order(harvest, chain.main, query, lens=lens, trace=trace)
        if not harvest.fuse_replies() and (harvest.failures or not harvest.replies):
            await self._search_in_order(harvest, chain.spare, query, lens=lens, trace=trace)
        _credit_providers(harvest, trace)
        return harvest

    async def _search_in_order(
        self,
        harvest: SearchHarvest,
        names: Iterable[str],
        query: SearchQuery,
        *,
        lens: SearchLens | None,
        trace: RoutingTrace,
    ) -> None:
        for name in names:
            if (rest := self._resting(name)) is not None:
                trace.record_skip(name, reason="circuit_open")
                harvest.failures[name] = _build_pause_error(name, rest)
                continue
            trace.record_attempt(name)
            reply = await self._try_provider(harvest, name, query, lens)
            if reply is None:
                continue
            await self._retry_relaxed_query(harvest, reply, query, lens)
            if not self._is_thin_harvest(harvest, query):
                return

    async def _retry_relaxed_query(
        self,
        harvest: SearchHarvest,
        reply: ProviderReply,
        query: SearchQuery,
        lens: SearchLens | None,
    ) -> None:
        """If little was found, search the same provider once more without stop-words."""
        spoken = query.language or detection.detect_language(query.text)
        text = stopwords.drop_query_stopwords(query.text, language=spoken)
        if text == query.text or not self._is_thin_harvest(harvest, query) or reply.query_count > 1:
            return  # a lens split into several queries has cost enough
        before = len(harvest.fuse_replies())
        await self._try_provider(harvest, reply.provider, query.with_changes(text=text), lens)
        if len(harvest.fuse_replies()) > before:
            harvest.notes.append(f"Little was found, so {text!r} was searched as well.")

    async def _try_provider(
        self, harvest: SearchHarvest, name: str, query: SearchQuery, lens: SearchLens | None
    ) -> ProviderReply | None:
        """The reply, added to the harvest; None if it failed, with its error added instead."""
        limit = self._patience if harvest.fuse_replies() else None
        try:
            async with asyncio.timeout(limit):
                reply = await self._search_provider(name, query, lens)
        except CitewellError as error:
            harvest.failures[name] = error
            return None
        except TimeoutError:
            harvest.failures[name] = NetworkFailed(
                f"{name} gave no answer in {self._patience:g} {pluralize(self._patience, 'second')}.",
                reason=FailureReason.TIMEOUT,
            )
            return None
        harvest.replies.append(reply)
        return reply

    async def _search_provider(
        self, name: str, query: SearchQuery, lens: SearchLens | None
    ) -> ProviderReply:
        """The provider's reply without unrelated pages in another language than the query's."""
        reply = await self._asker.search_provider(name, query, lens=lens)
        kept = drop_foreign_coincidences(reply.hits, query)
        if len(kept) == len(reply.hits):
            return reply
        note = f"{name}: results in another language that have no word of the query were left out."
        return replace(reply, hits=kept, notes=(*reply.notes, note))

    def _is_thin_harvest(self, harvest: SearchHarvest, query: SearchQuery) -> bool:
        found = len(harvest.fuse_replies())
        return found <= self._thin and found < query.count


def _build_pause_error(name: str, rest: ProviderPause) -> RateLimited | UpstreamUnavailable:
    kind, why = (
        (RateLimited, "asked for a pause")
        if rest.asked_by_provider
        else (UpstreamUnavailable, "failed repeatedly")
    )
    message = f"{name} {why} and will not be asked for {rest.seconds:.0f} {pluralize(round(rest.seconds), 'more second')}."
    return kind(message, provider=name, retry_after=rest.seconds)


def _credit_providers(harvest: SearchHarvest, trace: RoutingTrace) -> None:
    """Record which providers served the call: those with results or, if none has any, all that answered."""
    for reply in harvest.replies:
        trace.record_reply(reply.provider)
    with_hits = [reply.provider for reply in harvest.replies if reply.hits]
    for name in with_hits or [reply.provider for reply in harvest.replies]:
        trace.record_success(name)
