"""Searches providers in turn until there are enough results, and records answers and failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from citewell.core.config import Settings
from citewell.core.errors import (
    CitewellError,
    FailureReason,
    NetworkFailed,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.values.counted_words import pluralize
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchQuery
from citewell.net.settings import NetSettings
from citewell.routing.ports import FindPause, Offer, ProviderPause
from citewell.routing.provider_catalogue import ProviderCatalogue, ProviderChain
from citewell.routing.provider_failures import complete_provider_error, merge_failures
from citewell.routing.settings import RoutingSettings
from citewell.search.lenses import SearchLens
from citewell.search.provider_search import ProviderReply, search_provider
from citewell.search.ranked_results import RankedHit, fuse_rankings
from citewell.text.language import detection, word_forms


@dataclass(slots=True)
class SearchHarvest:
    """The replies and failures of all providers asked."""

    replies: list[ProviderReply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def fuse_replies(self) -> tuple[RankedHit, ...]:
        return fuse_rankings(reply.hits for reply in self.replies)

    def list_attempted_providers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(r.provider for r in self.replies), *self.failures]))


class SearchRounds:
    """Searches the providers of a chain in turn; repeats a query once in relaxed form if it found little."""

    def __init__(
        self,
        settings: Settings,
        catalogue: ProviderCatalogue,
        *,
        list_able: Callable[[], Iterable[str]],
        find_pause: FindPause,
        now: Callable[[], datetime],
    ) -> None:
        """`list_able` names the providers that may be recommended if others fail."""
        self._catalogue = catalogue
        self._list_able = list_able
        self._find_pause = find_pause
        self._now = now
        self._thin_count = settings[RoutingSettings].search_thin_threshold
        self._more_seconds = settings[
            NetSettings
        ].search_timeout  # for further providers if there are results

    async def search_named_provider(
        self,
        name: str,
        offer: Offer,
        query: SearchQuery,
        *,
        lens: SearchLens | None,
        trace: RoutingTrace,
    ) -> SearchHarvest:
        """Search the provider that the caller named; raises its error, with others that are healthy."""
        self._catalogue.resolve_provider(name, offer)
        trace.record_attempt(name)
        try:
            reply = await search_provider(self._catalogue, name, query, lens=lens, now=self._now)
            harvest = SearchHarvest(replies=[reply])
            await self._retry_relaxed_query(harvest, reply, query, lens)
        except CitewellError as error:
            raise complete_provider_error(
                error, provider=name, alternatives=self.list_healthy_providers(but=(name,))
            ) from None
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
        """Search the chain in order until there are enough results.

        Failures are recorded; raises one error for all if no provider answered.
        """
        harvest = SearchHarvest()
        for name in _list_in_turn(chain, harvest):
            if (pause := self._find_pause(name)) is not None:
                trace.record_skip(name, reason="circuit_open")
                harvest.failures[name] = _build_pause_error(name, pause)
                continue
            trace.record_attempt(name)
            reply = await self._try_provider(harvest, name, query, lens)
            if reply is None:
                continue
            await self._retry_relaxed_query(harvest, reply, query, lens)
            if not self._is_thin_harvest(harvest, query):
                break
        _credit_providers(harvest, trace)
        if not harvest.replies:
            others = self.list_healthy_providers(but=harvest.failures)
            raise merge_failures(harvest.failures, alternatives=others)
        return harvest

    def list_healthy_providers(self, *, but: Container[str]) -> tuple[str, ...]:
        """The other providers that can be asked now."""
        return tuple(
            name for name in self._list_able() if name not in but and self._find_pause(name) is None
        )

    async def _retry_relaxed_query(
        self,
        harvest: SearchHarvest,
        reply: ProviderReply,
        query: SearchQuery,
        lens: SearchLens | None,
    ) -> None:
        """If little was found, search the same provider once more without stop-words."""
        spoken = query.language or detection.detect_language(query.text)
        text = word_forms.drop_query_stopwords(query.text, language=spoken)
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
        limit = self._more_seconds if harvest.fuse_replies() else None
        try:
            async with asyncio.timeout(limit):
                reply = await search_provider(
                    self._catalogue, name, query, lens=lens, now=self._now
                )
        except CitewellError as error:
            harvest.failures[name] = error
            return None
        except TimeoutError:
            harvest.failures[name] = NetworkFailed(
                f"{name} gave no answer in {self._more_seconds:g} {pluralize(self._more_seconds, 'second')}.",
                reason=FailureReason.TIMEOUT,
            )
            return None
        harvest.replies.append(reply)
        return reply

    def _is_thin_harvest(self, harvest: SearchHarvest, query: SearchQuery) -> bool:
        found = len(harvest.fuse_replies())
        return found <= self._thin_count and found < query.count


def _list_in_turn(chain: ProviderChain, harvest: SearchHarvest) -> Iterator[str]:
    """The main providers, then the spare ones if those failed and nothing was found."""
    yield from chain.main
    if not harvest.fuse_replies() and (harvest.failures or not harvest.replies):
        yield from chain.spare


def _build_pause_error(name: str, pause: ProviderPause) -> RateLimited | UpstreamUnavailable:
    kind, why = (
        (RateLimited, "asked for a pause")
        if pause.asked_by_provider
        else (UpstreamUnavailable, "failed repeatedly")
    )
    message = f"{name} {why} and will not be asked for {pause.seconds:.0f} {pluralize(round(pause.seconds), 'more second')}."
    return kind(message, provider=name, retry_after=pause.seconds)


def _credit_providers(harvest: SearchHarvest, trace: RoutingTrace) -> None:
    """Record which providers served the call: those with results or, if none has any, all that answered."""
    for reply in harvest.replies:
        trace.record_reply(reply.provider)
    with_hits = [reply.provider for reply in harvest.replies if reply.hits]
    for name in with_hits or [reply.provider for reply in harvest.replies]:
        trace.record_success(name)
