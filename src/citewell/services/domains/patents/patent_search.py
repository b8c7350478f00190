"""Searches patents: the named provider, else the user's order, the patent databases, and the web in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from citewell.domain_ports import PatentSearch
from citewell.errors import CitewellError, InternalError
from citewell.model.answers.patent_results import PatentsAnswer
from citewell.model.domains.patent import PatentHits
from citewell.model.routing_trace import RoutingTrace
from citewell.ports import Offer
from citewell.services.domains.patents.patent_answers import build_patents_answer
from citewell.services.domains.patents.patent_discovery import PAGE_PROVIDER, PatentDiscovery
from citewell.services.domains.patents.patent_filters import PatentSieve
from citewell.services.domains.patents.patent_harvest import (
    WEB_DISCOVERY,
    PatentHarvest,
    PatentReply,
)
from citewell.services.domains.patents.patent_providers import (
    PATENT_PROVIDER_ORDER,
    PatentProviders,
)
from citewell.services.domains.patents.patent_request import (
    PatentSearchRequest,
    build_patent_query,
    check_patent_request,
    find_asked_number,
)
from citewell.services.domains.routing.domain_search import DomainSearch
from citewell.services.routing import provider_failures
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.web.search_service import WebSearchService
from citewell.text.patents.patent_numbers import PatentNumber
from citewell.tooling import ProgressCallback, ignore_progress

__all__ = ["PatentSearchRequest", "PatentSearchService"]

_OVERASK_FACTOR = 2  # times as many are asked for if our own filters may remove some
_MAX_ASKED = 25
_LANDSCAPE_COUNT = 25


class PatentSearchService:
    def __init__(
        self,
        search: DomainSearch,
        catalogue: ProviderCatalogue,
        *,
        web: Callable[[], WebSearchService],
        thin_count: int,
    ) -> None:
        """An answer of at most `thin_count` patents, fewer than asked for, is completed by the next provider."""
        self._search = search
        self._catalogue = catalogue
        self._providers = PatentProviders(search, catalogue)
        self._web = web
        self._thin_count = thin_count
        self._discovery = PatentDiscovery(search, web)

    async def search_patents(
        self,
        ask: PatentSearchRequest,
        *,
        trace: RoutingTrace,
        progress: ProgressCallback = ignore_progress,
    ) -> PatentsAnswer:
        """Patents, or hints why there are none; raises if nobody could answer."""
        asked = check_patent_request(ask)
        number = find_asked_number(asked)
        if asked.provider:
            harvest, source = await self._search_named(
                asked.provider, asked, number, trace, progress
            )
        else:
            harvest, source = await self._search_any(asked, number, trace, progress)
        if number is not None and number.is_filing:
            note = f"{number.normalized} is the number of a filing, not of a publication; it was searched as words."
            harvest.notes.append(note)
        if (
            not asked.provider
            and not harvest.list_patents()
            and (hint := self._providers.describe_missing_databases())
        ):
            harvest.notes.append(hint)
        attempted = harvest.list_asked_databases()
        return build_patents_answer(
            asked,
            harvest,
            source=source,
            number=number,
            others=self._providers.list_others(attempted, asked),
        )

    async def _search_named(
        self,
        name: str,
        ask: PatentSearchRequest,
        number: PatentNumber | None,
        trace: RoutingTrace,
        progress: ProgressCallback,
    ) -> tuple[PatentHarvest, str]:
        """Patents from the named provider only, and the source for the answer."""
        offer = self._providers.choose_offer(name)
        self._catalogue.resolve_provider(name, offer)
        if offer is Offer.WEB:
            found = await self._discovery.search_pages(
                ask, trace=trace, provider=name, progress=progress
            )
            return self._raise_if_failed(found), name
        if name == PAGE_PROVIDER:
            found = await self._discover_publications(ask, number, trace, progress)
            return self._raise_if_failed(found), name
        harvest = PatentHarvest()
        if self._providers.covers_office(name, ask):
            await self._ask_database(name, ask, number, trace=trace, harvest=harvest)
        else:
            harvest.replies.append(PatentReply(provider=name, patents=()))
            title = self._catalogue.find_spec(name).title
            harvest.notes.append(f"{title} has no patents of the office {ask.patent_office}.")
        return self._raise_if_failed(harvest), name

    async def _search_any(
        self,
        ask: PatentSearchRequest,
        number: PatentNumber | None,
        trace: RoutingTrace,
        progress: ProgressCallback,
    ) -> tuple[PatentHarvest, str]:
        """Patents from the user's order, else the databases, else the web, and the source for the answer."""
        harvest = PatentHarvest()
        listed = self._providers.keep_usable(self._web().router.list_routed_names("patents"), ask)
        await self._search_routed_patents(listed, ask, number, trace, harvest)
        if self._needs_more_patents(harvest, ask, number):
            databases = self._providers.list_databases(ask, excluded=listed)
            await self._ask_databases(databases, ask, number, trace=trace, harvest=harvest)
        if not harvest.list_patents() and PAGE_PROVIDER not in listed:
            try:
                found = await self._discover_publications(ask, number, trace, progress)
            except CitewellError as error:
                harvest.failures[WEB_DISCOVERY] = error
            else:
                harvest.replies += found.replies
                harvest.notes += found.notes
                harvest.failures |= found.failures
        return self._raise_if_failed(harvest), _name_source(harvest)

    async def _search_routed_patents(
        self,
        names: Iterable[str],
        ask: PatentSearchRequest,
        number: PatentNumber | None,
        trace: RoutingTrace,
        harvest: PatentHarvest,
    ) -> None:
        """Ask the providers that SEARCH_ROUTING names, in its order, until the answer is not thin."""
        for name in names:
            if not self._needs_more_patents(harvest, ask, number):
                return
            if name in PATENT_PROVIDER_ORDER:
                await self._ask_database(name, ask, number, trace=trace, harvest=harvest)
                continue
            provider = None if name == PAGE_PROVIDER else name
            try:
                found = await self._discover_publications(
                    ask, number, trace, ignore_progress, provider=provider
                )
            except CitewellError as error:
                harvest.failures[name] = error
            else:
                harvest.replies += found.replies
                harvest.notes += found.notes

    async def _ask_databases(
        self,
        names: Iterable[str],
        ask: PatentSearchRequest,
        number: PatentNumber | None,
        *,
        trace: RoutingTrace,
        harvest: PatentHarvest,
    ) -> None:
        for name in names:
            await self._ask_database(name, ask, number, trace=trace, harvest=harvest)
            if not self._needs_more_patents(harvest, ask, number):
                return

    async def _ask_database(
        self,
        name: str,
        ask: PatentSearchRequest,
        number: PatentNumber | None,
        *,
        trace: RoutingTrace,
        harvest: PatentHarvest,
    ) -> None:
        spec = self._catalogue.find_spec(name)
        query = build_patent_query(ask, number, count=min(_choose_count(ask), spec.max_results))

        async def send_query(provider: object) -> PatentHits:
            if not isinstance(provider, PatentSearch):
                raise InternalError(f"{name} declares patents but cannot search them.")
            return await provider.search_patents(query)

        asked = await self._search.ask_in_turn(
            [name], send_query, trace=trace, is_enough=lambda hits: bool(hits.patents)
        )
        if name in asked.failures:
            harvest.failures[name] = asked.failures[name]
            return
        hits = asked.replies[name]
        sieve = PatentSieve(ask, hits.applied)
        kept = tuple(record for record in hits.patents if sieve.fits_request(record))
        reports = sieve.report_patent_filters(name=name, title=spec.title)
        harvest.notes += hits.notes
        harvest.replies.append(
            PatentReply(
                provider=name, patents=kept, reports=reports, dropped_count=sieve.dropped_count
            )
        )

    async def _discover_publications(
        self,
        ask: PatentSearchRequest,
        number: PatentNumber | None,
        trace: RoutingTrace,
        progress: ProgressCallback,
        *,
        provider: str | None = None,
    ) -> PatentHarvest:
        if number is not None and not number.is_filing and provider is None:
            return await self._discovery.find_publication(number, ask, trace=trace)
        return await self._discovery.search_pages(
            ask, trace=trace, provider=provider, progress=progress
        )

    def _needs_more_patents(
        self, harvest: PatentHarvest, ask: PatentSearchRequest, number: PatentNumber | None
    ) -> bool:
        found = len(harvest.list_patents())
        if number is not None and not number.is_filing:
            return found == 0
        return found <= self._thin_count and found < ask.count

    def _raise_if_failed(self, harvest: PatentHarvest) -> PatentHarvest:
        """The harvest, unless nobody answered: then the failures are raised as one error."""
        if harvest.failures and not harvest.replies:
            others = self._providers.list_others(tuple(harvest.failures), None)
            raise provider_failures.merge_failures(harvest.failures, alternatives=others)
        return harvest


def _choose_count(ask: PatentSearchRequest) -> int:
    if ask.search_type == "landscape":
        return _LANDSCAPE_COUNT
    count = _OVERASK_FACTOR * ask.count if ask.list_constraints() else ask.count
    return min(count, _MAX_ASKED)


def _name_source(harvest: PatentHarvest) -> str:
    """Who answered; a page that was read by its number counts as discovery too."""
    source = harvest.find_source()
    return WEB_DISCOVERY if source == PAGE_PROVIDER else source
