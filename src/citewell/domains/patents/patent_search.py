"""Searches patents: the named provider, else the user's order, the patent databases, and the web in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import (
    Card,
    ProgressCallback,
    RequireService,
    SearchCommand,
    TextLine,
    Tool,
    ToolCall,
    ignore_progress,
)
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchHit
from citewell.domains.patents.patent_answers import (
    WEB_DISCOVERY,
    PatentHarvest,
    PatentReply,
    build_patents_answer,
)
from citewell.domains.patents.patent_discovery import PAGE_PROVIDER, PatentDiscovery, PatentSieve
from citewell.domains.patents.patent_numbers import PatentNumber
from citewell.domains.patents.patent_records import (
    PatentArguments,
    PatentsAnswer,
    PatentSearch,
    build_patent_query,
    find_asked_number,
)
from citewell.routing import provider_failures
from citewell.routing.ports import Offer, ToolProviders
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.settings import RoutingSettings
from citewell.search.domain_search import DomainSearch
from citewell.search.search_service import WebSearchService

PATENT_PROVIDER_ORDER = ("searchapi", "epo", "lens", "uspto")
_OFFICES_BY_PROVIDER = {"uspto": frozenset({"US"})}  # the others have all offices
_WORLD_DATABASES = ("epo", "lens")  # with keys that cost nothing

_OVERASK_FACTOR = 2  # times as many are asked for if our own filters may remove some
_MAX_ASKED = 25
_LANDSCAPE_COUNT = 25
_MAX_ABSTRACT_CHARS = 300
_MAX_SHOWN_NUMBERS = 5


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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.require_service(DomainSearch),
            kit.catalogue,
            web=lambda: kit.require_service(WebSearchService),
            thin_count=kit.settings[RoutingSettings].search_thin_threshold,
        )

    async def search_patents(
        self,
        request: PatentArguments,
        *,
        trace: RoutingTrace,
        progress: ProgressCallback = ignore_progress,
    ) -> PatentsAnswer:
        """Patents, or hints why there are none; raises if nobody could answer."""
        asked = request.clean_values()
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
        request: PatentArguments,
        number: PatentNumber | None,
        trace: RoutingTrace,
        progress: ProgressCallback,
    ) -> tuple[PatentHarvest, str]:
        """Patents from the named provider only, and the source for the answer."""
        offer = self._providers.choose_offer(name)
        self._catalogue.resolve_provider(name, offer)
        if offer is Offer.WEB:
            found = await self._discovery.search_pages(
                request, trace=trace, provider=name, progress=progress
            )
            return self._raise_if_failed(found), name
        if name == PAGE_PROVIDER:
            found = await self._discover_publications(request, number, trace, progress)
            return self._raise_if_failed(found), name
        harvest = PatentHarvest()
        if self._providers.covers_office(name, request):
            await self._ask_database(name, request, number, trace=trace, harvest=harvest)
        else:
            harvest.replies.append(PatentReply(provider=name, patents=()))
            title = self._catalogue.find_spec(name).title
            harvest.notes.append(f"{title} has no patents of the office {request.patent_office}.")
        return self._raise_if_failed(harvest), name

    async def _search_any(
        self,
        request: PatentArguments,
        number: PatentNumber | None,
        trace: RoutingTrace,
        progress: ProgressCallback,
    ) -> tuple[PatentHarvest, str]:
        """Patents from the user's order, else the databases, else the web, and the source for the answer."""
        harvest = PatentHarvest()
        listed = self._providers.keep_usable(
            self._web().router.list_routed_names("patents"), request
        )
        await self._search_routed_patents(listed, request, number, trace, harvest)
        if self._needs_more_patents(harvest, request, number):
            databases = self._providers.list_databases(request, excluded=listed)
            for name in databases:
                await self._ask_database(name, request, number, trace=trace, harvest=harvest)
                if not self._needs_more_patents(harvest, request, number):
                    break
        if not harvest.list_patents() and PAGE_PROVIDER not in listed:
            try:
                found = await self._discover_publications(request, number, trace, progress)
            except CitewellError as error:
                harvest.failures[WEB_DISCOVERY] = error
            else:
                harvest.replies += found.replies
                harvest.notes += found.notes
                harvest.failures |= found.failures
        self._raise_if_failed(harvest)
        source = harvest.find_source()
        # A page that was read by its number counts as discovery too.
        return harvest, WEB_DISCOVERY if source == PAGE_PROVIDER else source

    async def _search_routed_patents(
        self,
        names: Iterable[str],
        request: PatentArguments,
        number: PatentNumber | None,
        trace: RoutingTrace,
        harvest: PatentHarvest,
    ) -> None:
        """Ask the providers that SEARCH_ROUTING names, in its order, until the answer is not thin."""
        for name in names:
            if not self._needs_more_patents(harvest, request, number):
                return
            if name in PATENT_PROVIDER_ORDER:
                await self._ask_database(name, request, number, trace=trace, harvest=harvest)
                continue
            provider = None if name == PAGE_PROVIDER else name
            try:
                found = await self._discover_publications(
                    request, number, trace, ignore_progress, provider=provider
                )
            except CitewellError as error:
                harvest.failures[name] = error
            else:
                harvest.replies += found.replies
                harvest.notes += found.notes

    async def _ask_database(
        self,
        name: str,
        request: PatentArguments,
        number: PatentNumber | None,
        *,
        trace: RoutingTrace,
        harvest: PatentHarvest,
    ) -> None:
        spec = self._catalogue.find_spec(name)
        factor = _OVERASK_FACTOR if request.list_constraints() else 1
        count = min(factor * request.count, _MAX_ASKED)
        if request.search_type == "landscape":
            count = _LANDSCAPE_COUNT
        query = build_patent_query(request, number, count=min(count, spec.max_results))
        asked = await self._search.ask_in_turn(
            [name],
            PatentSearch,
            lambda provider: provider.search_patents(query),
            trace=trace,
            is_enough=lambda hits: bool(hits.patents),
        )
        if name in asked.failures:
            harvest.failures[name] = asked.failures[name]
            return
        hits = asked.replies[name]
        sieve = PatentSieve(request, hits.applied)
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
        request: PatentArguments,
        number: PatentNumber | None,
        trace: RoutingTrace,
        progress: ProgressCallback,
        *,
        provider: str | None = None,
    ) -> PatentHarvest:
        if number is not None and not number.is_filing and provider is None:
            return await self._discovery.find_publication(number, request, trace=trace)
        return await self._discovery.search_pages(
            request, trace=trace, provider=provider, progress=progress
        )

    def _needs_more_patents(
        self, harvest: PatentHarvest, request: PatentArguments, number: PatentNumber | None
    ) -> bool:
        found = len(harvest.list_patents())
        if number is not None and not number.is_filing:
            return found == 0
        return found <= self._thin_count and found < request.count

    def _raise_if_failed(self, harvest: PatentHarvest) -> PatentHarvest:
        """The harvest, unless nobody answered: then the failures are raised as one error."""
        if harvest.failures and not harvest.replies:
            others = self._providers.list_others(tuple(harvest.failures), None)
            raise provider_failures.merge_failures(harvest.failures, alternatives=others)
        return harvest


async def search_patent_records(
    require_service: RequireService, words: str, count: int
) -> list[SearchHit]:
    answer = await require_service(PatentSearchService).search_patents(
        PatentArguments(query=words, count=count), trace=RoutingTrace()
    )
    return [
        SearchHit(
            title=patent.title, url=patent.url, snippet=patent.abstract or "", engine=answer.source
        )
        for patent in answer.patents
    ]


async def run(query: PatentArguments, call: ToolCall) -> PatentsAnswer:
    answer = await call.require_service(PatentSearchService).search_patents(
        query, trace=call.trace, progress=call.report_progress
    )
    call.report_sources(
        SessionSource(
            url=patent.url,
            title=patent.title,
            author=patent.inventor,
            date=patent.granted or patent.filed,
            basis="record",
        )
        for patent in answer.patents
    )
    return answer


_FILTERS = ("patent_office", "assignee", "inventor", "cpc_code", "year_from", "year_to")

TOOL = Tool(
    args=PatentArguments,
    result=PatentsAnswer,
    run=run,
    toolset="domains",
    ttl_seconds=24 * 3600,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
    served_by=ToolProviders(
        offer=Offer.PATENTS,
        filters=_FILTERS,
        applied_by_us=frozenset(_FILTERS),
        without_provider="web search, and the pages of Google Patents",
    ),
)


def show_patents(body: Mapping[str, Any]) -> Iterator[Card | TextLine]:
    for patent in body["patents"]:
        also = patent.get("alsoPublishedAs") or ()
        more = " …" if len(also) > _MAX_SHOWN_NUMBERS else ""
        yield Card(
            title=patent["title"],
            url=patent["url"],
            facts=(
                patent["number"],
                patent.get("kind"),
                f"filed {patent['filed']}" if patent.get("filed") else "",
                f"granted {patent['granted']}" if patent.get("granted") else "",
                patent.get("status"),
            ),
            lines=(
                f"Assignee: {patent['assignee']}" if patent.get("assignee") else "",
                f"Inventor: {patent['inventor']}" if patent.get("inventor") else "",
                f"Also published as: {', '.join(also[:_MAX_SHOWN_NUMBERS])}{more}" if also else "",
                _shorten_abstract(patent.get("abstract") or ""),
            ),
        )
    if clusters := body.get("assigneeClusters"):
        listed = ", ".join(f"{name} {number}" for name, number in clusters.items())
        yield TextLine(text=f"By assignee: {listed}")
    yield TextLine(text=f"Search page: {body['searchUrl']}", style="dim", unwrapped=True)


def _shorten_abstract(text: str) -> str:
    if len(text) <= _MAX_ABSTRACT_CHARS:
        return text
    return text[:_MAX_ABSTRACT_CHARS].rpartition(" ")[0] + " …"


COMMAND = SearchCommand(
    name="patents",
    tool="patent_search",
    help="""Search patents by words, number, company or inventor.

They are what an assistant would get from patent_search.""",
    show_answer=show_patents,
)

# Says which providers can search patents, and in what order they are asked.


class PatentProviders:
    def __init__(self, search: DomainSearch, catalogue: ProviderCatalogue) -> None:
        self._search = search
        self._catalogue = catalogue

    def choose_offer(self, name: str) -> Offer:
        known = name in self._catalogue.list_provider_names()
        spec = self._catalogue.find_spec(name) if known else None
        if spec is not None and Offer.PATENTS in spec.offers:
            return Offer.PATENTS
        if spec is not None and Offer.WEB in spec.offers and spec.base_url:
            return Offer.WEB  # a provider without a base URL, the library, is not the web
        raise InvalidInput(
            f"{name!r} cannot search for patents. Supported: {', '.join(self._list_supported())}.",
            alternatives=self.list_others((), None),
        )

    def _list_supported(self) -> tuple[str, ...]:
        """The providers of patents in our order, then those of the web, each once."""
        names = self._catalogue.list_provider_names()
        specs = {name: self._catalogue.find_spec(name) for name in names}
        patents = [name for name in names if Offer.PATENTS in specs[name].offers]
        web = sorted(n for n in names if Offer.WEB in specs[n].offers and specs[n].base_url)
        first = [name for name in PATENT_PROVIDER_ORDER if name in patents]
        return tuple(dict.fromkeys([*first, *sorted(patents), *web]))

    def list_databases(
        self, request: PatentArguments, *, excluded: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The configured databases that have the office, in our order."""
        able = self._catalogue.list_offering(Offer.PATENTS)
        return tuple(
            name
            for name in PATENT_PROVIDER_ORDER
            if name in able and name not in excluded and self.covers_office(name, request)
        )

    def keep_usable(self, names: tuple[str, ...], request: PatentArguments) -> tuple[str, ...]:
        """The names that can search patents or the web and are configured."""
        return tuple(
            name
            for name in names
            if {Offer.PATENTS, Offer.WEB} & self._catalogue.find_spec(name).offers
            and self._catalogue.find_spec(name).base_url
            and self._catalogue.is_configured(name)
            and self.covers_office(name, request)
        )

    def covers_office(self, name: str, request: PatentArguments) -> bool:
        offices = _OFFICES_BY_PROVIDER.get(name)
        return offices is None or request.office is None or request.office in offices

    def list_others(
        self, attempted: tuple[str, ...], request: PatentArguments | None
    ) -> tuple[str, ...]:
        """The healthy databases that were not asked; pages are read by themselves when nothing else is."""
        able = [name for name in PATENT_PROVIDER_ORDER if self._catalogue.is_configured(name)]
        fitting = (name for name in able if request is None or self.covers_office(name, request))
        return self._search.list_healthy_providers(
            name for name in fitting if name not in attempted
        )

    def describe_missing_databases(self) -> str | None:
        """What a key would add; None if a database of all offices is configured."""
        catalogue = self._catalogue
        if any(map(catalogue.is_configured, ("searchapi", *_WORLD_DATABASES))):
            return None
        ways = " or ".join(map(catalogue.describe_missing_settings, _WORLD_DATABASES))
        return f"No patent database is configured; a free key adds one: set {ways}."
