"""`App` builds every service from the settings and runs tool calls; nothing else constructs services."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from citewell import providers, tools
from citewell.config import Settings
from citewell.errors import CitewellError, Misconfigured, RateLimited, RefusedByPolicy
from citewell.net.network import Network
from citewell.net.upstream import circuit_breaker
from citewell.ports import ProviderKit, ProviderSpec
from citewell.server import manifest
from citewell.server.capabilities import tool_selection
from citewell.server.capabilities.completions import ArgumentCompletions
from citewell.server.capabilities.resource_views import ViewSources, build_resource_views
from citewell.server.capabilities.resources import ServerResources
from citewell.server.middleware.answer_caching import CacheMiddleware
from citewell.server.middleware.answer_size import SizeMiddleware
from citewell.server.middleware.argument_validation import ValidationMiddleware
from citewell.server.middleware.audit_logging import (
    AuditMiddleware,
    BackgroundLineWriter,
    build_file_writer,
    write_to_stderr,
)
from citewell.server.middleware.call_metrics import MetricsMiddleware
from citewell.server.middleware.call_timeout import TimeoutMiddleware
from citewell.server.middleware.error_rendering import ErrorMiddleware
from citewell.server.middleware.recent_errors import RecentErrorsMiddleware
from citewell.server.middleware.routing_metadata import RoutingMiddleware
from citewell.server.middleware.session_linking import SessionMiddleware
from citewell.server.pipeline import Middleware, ToolInvocation, ToolOutcome, compose_pipeline
from citewell.services.library.library_access import LibraryPrivacy, run_as_owner
from citewell.services.reading.artifact_pages import ArtifactReader
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.sessions.session_tracking import SessionTracker
from citewell.services.web.lenses import LensCatalogue
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.state_store import StateStore, open_state_store
from citewell.tooling import Owner, Tool, ToolCall, ignore_progress

if TYPE_CHECKING:
    from citewell.services.library.library_search import OwnerLibraryIndex
    from citewell.store.retraction_table import SqlRetractionTable

if TYPE_CHECKING:
    from citewell.services.web.search_rounds import ProviderPause

SEARCH_PAGE_CHARS = 50_000  # characters of each page that web_search fetches
SEARCH_PAGE_SECONDS = 45.0  # seconds for one such page

S = TypeVar("S")
ProgressCallback = Callable[[float, float | None, str | None], Awaitable[None]]


class App:
    """Everything one server process holds. Disk and network are used only once a service needs them."""

    def __init__(
        self,
        settings: Settings,
        *,
        network: Network | None = None,
        store: CacheStore | None = None,
        entries: Sequence[Mapping[str, Any]]
        | None = None,  # those of the manifest, except while the manifest is being built
    ) -> None:
        self.settings = settings
        self.network = network or Network(settings)
        self.store = store or open_cache_store(settings)
        self.catalogue = ProviderCatalogue(settings, connect=self._connect_spec)
        self.lenses = LensCatalogue(settings.custom_lenses_path)
        self.metrics = MetricsMiddleware()
        self.recent = RecentErrorsMiddleware()
        self._entries = manifest.load_manifest()["tools"] if entries is None else entries
        self.tools = self.choose_tools()
        self._state: StateStore | None = None
        self._privacy = LibraryPrivacy(settings)
        self._audited: BackgroundLineWriter | None = None
        self._loaded: dict[str, Tool] = {}
        self._services: dict[type[Any], Any] = {}
        self._run = compose_pipeline(self._build_middleware())
        shown = ViewSources(
            tallies=self.metrics.tools,
            recent=self.recent,
            catalogue=self.catalogue,
            lenses=self.lenses,
            network=self.network,
            count_sessions=self._count_owner_sessions,
        )
        self.resources = ServerResources(
            build_resource_views(shown), shelf=lambda: self.resolve_service(ArtifactReader)
        )
        self.completions = ArgumentCompletions(
            {"lens": self.lenses.list_lens_names, "provider": self.catalogue.list_provider_names}
        )

    def choose_tools(self, profile: str | None = None) -> dict[str, dict[str, Any]]:
        """The wire form of each offered tool by name: those the settings choose, or those of `profile`."""
        settings = self.settings
        try:
            chosen = tool_selection.select_entries(
                self._entries,
                profile=profile or settings.profile,
                toolsets=() if profile else settings.toolsets,
                tools=() if profile else settings.tools,
                read_only=settings.read_only,
            )
        except ValueError as error:
            raise Misconfigured(
                f"The configured choice of tools is not valid: {error}.", action="inform_user"
            ) from None
        return {
            entry["name"]: tool_selection.apply_profile_defaults(entry["wire"], settings.profile)
            for entry in chosen
        }

    def list_toolsets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry["toolset"] for entry in self._entries))

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        owner: Owner | None = None,
        report: ProgressCallback = ignore_progress,
        request_id: str = "",
    ) -> ToolOutcome:
        """Run one tool through the whole pipeline; a failure is returned as an outcome, not raised."""
        call = ToolCall(
            owner=owner or Owner(), provide_service=self.resolve_service, send_progress=report
        )
        invocation = ToolInvocation(
            name=name,
            tool=self._load_tool(name),
            raw_arguments=arguments,
            call=call,
            request_id=request_id,
        )
        private = invocation.tool.ttl_seconds is None or self._privacy.can_use_library(arguments)
        with run_as_owner(str(call.owner), private=private):
            return await self._run(invocation)

    async def call_cached_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        owner: Owner | None = None,
        request_id: str = "",
    ) -> ToolOutcome | None:
        """Run the tool if its answer is cached in memory and small enough to send inline; None otherwise."""
        if not self.settings.structured_text:
            return None
        call = ToolCall(owner=owner or Owner(), provide_service=self.resolve_service)
        invocation = ToolInvocation(
            name=name,
            tool=self._load_tool(name),
            raw_arguments=arguments,
            call=call,
            request_id=request_id,
        )
        try:
            self._validation.validate_invocation(invocation)
        except CitewellError:
            return None
        size = self._caching.measure_cached_answer(invocation)
        linked = size >= self.settings.link_threshold and not invocation.tool.is_always_inline
        return await self._run(invocation) if size and not linked else None

    def resolve_service(self, kind: type[S]) -> S:
        """The single instance of this service class, built on first use."""
        if kind not in self._services:
            self._services[kind] = self._build_service(kind)
        return cast("S", self._services[kind])

    async def aclose(self) -> None:
        while self._services:  # last first: research stops before what it uses
            _, service = self._services.popitem()
            if close := getattr(service, "aclose", None):
                await close()
        if self._state is not None:
            await self._state.aclose()
        if self._audited is not None:
            await asyncio.to_thread(self._audited.flush_and_stop)
        await self.network.aclose()
        await self.store.aclose()

    def _load_tool(self, name: str) -> Tool:
        if name not in self._loaded:
            self._loaded[name] = tools.load(name)
        return self._loaded[name]

    def _build_middleware(self) -> tuple[Middleware, ...]:
        settings = self.settings
        self._validation = ValidationMiddleware(
            tool_selection.find_profile_defaults(settings.profile)
        )
        self._caching = CacheMiddleware(self.store.loader, isolation=settings.cache_isolation)
        layers: list[Middleware] = [self.metrics]
        if settings.audit_enabled:
            self._audited = BackgroundLineWriter(
                build_file_writer(settings.audit_path) if settings.audit_path else write_to_stderr
            )
            layers.append(
                AuditMiddleware(self._audited, include_query=settings.audit_include_query)
            )
        layers += [
            self.recent,
            ErrorMiddleware(),
            TimeoutMiddleware(short=settings.tool_timeout, long=settings.long_tool_timeout),
            self._validation,
            SizeMiddleware(self.store.artifacts, threshold=settings.link_threshold),
            SessionMiddleware(lambda: self.resolve_service(SessionTracker)),
            RoutingMiddleware(),
            self._caching,
        ]
        return tuple(layers)

    def _build_service(self, kind: type[Any]) -> Any:
        builders: dict[str, Callable[[], Any]] = {
            "WebSearchService": self._build_web_search,
            "PageReader": self._build_page_reader,
            "DocumentConnector": self._build_connector,
            "PageScraper": self._build_page_scraper,
            "SearchAndRead": self._build_page_gathering,
            "ArtifactReader": lambda: ArtifactReader(self.store.artifacts),
            "SessionTracker": self._build_session_tracking,
            "StepAssistant": self._build_step_assistance,
            "LinkChecker": self._build_link_checker,
            "OwnerLibraryIndex": self._build_library_index,
            "RetractionChecker": self._build_retraction_lookup,
            "RetractionImport": self._build_retraction_import,
            "PageArchive": self._build_page_archive,
            "RecommendationAuditor": self._build_recommendation_audit,
        }
        builders |= self._list_scholarly_builders()
        builders["ResearchService"] = self._build_research
        return builders[kind.__name__]()

    def _build_research(self) -> Any:
        from citewell.server.wiring.research_wiring import build_research

        return build_research(
            settings=self.settings,
            state=self.open_state(),
            catalogue=self.catalogue,
            searches=self._build_cached_searches(),
            provide=self.resolve_service,
        )

    def _list_scholarly_builders(self) -> dict[str, Callable[[], Any]]:
        return {
            "ScholarlyProviders": self._build_panel,
            "WorkRecords": self._build_record_lookup,
            "LiteratureSearch": self._build_literature_search,
            "CitationGraphSearch": self._build_citation_graph,
            "FullTextReader": self._build_full_text,
            "CitationVerifier": lambda: self._build_citation_checks("verify"),
            "BibliographyAudit": lambda: self._build_citation_checks("audit"),
        }

    def _build_citation_checks(self, kind: str) -> Any:
        """The service for one citation (`verify`) or for a whole bibliography; both do the same checks."""
        from citewell.services.links.link_checks import LinkChecker
        from citewell.services.reading.page_reader import PageReader
        from citewell.services.scholar.registry_records import WorkRecords
        from citewell.services.trust.bibliography_audit import BibliographyAudit
        from citewell.services.trust.citation_verification import CitationVerifier
        from citewell.services.trust.retraction_checks import RetractionChecker
        from citewell.services.trust.work_lookup import WorkLookup

        lookup = WorkLookup(
            self.resolve_service(WorkRecords), self.resolve_service(RetractionChecker)
        )
        pages: Any = self.resolve_service(PageReader)
        service = CitationVerifier if kind == "verify" else BibliographyAudit
        return service(lookup=lookup, links=self.resolve_service(LinkChecker), pages=pages)

    def _build_panel(self) -> Any:
        from citewell.services.scholar.scholarly_providers import ScholarlyProviders

        settings = self.settings
        return ScholarlyProviders(
            self.catalogue,
            find_rest=self._find_provider_rest,
            timeout_seconds=settings.search_timeout + 5,
        )

    def _build_record_lookup(self) -> Any:
        from citewell.services.scholar.registry_records import WorkRecords
        from citewell.services.scholar.scholarly_providers import ScholarlyProviders

        return WorkRecords(
            self.resolve_service(ScholarlyProviders),
            loader=self.store.loader,
            isolated=self._is_cache_isolated,
        )

    def _build_literature_search(self) -> Any:
        from citewell.services.scholar.literature_search import LiteratureSearch
        from citewell.services.scholar.open_copies import OpenCopyFinder
        from citewell.services.scholar.paper_search_ladder import PaperSearchLadder
        from citewell.services.scholar.scholarly_providers import ScholarlyProviders
        from citewell.services.trust.notice_weighing import weigh_notices
        from citewell.services.web.search_service import WebSearchService

        panel = self.resolve_service(ScholarlyProviders)
        thin = self.settings.search_thin_threshold
        return LiteratureSearch(
            catalogue=self.catalogue,
            ladder=PaperSearchLadder(self.catalogue, panel, OpenCopyFinder(panel), thin_count=thin),
            web=lambda: self.resolve_service(WebSearchService),
            resting=self._find_provider_rest,
            weigh=weigh_notices,
        )

    def _build_citation_graph(self) -> Any:
        from citewell.services.scholar.citation_neighbours import CitationGraphSearch
        from citewell.services.scholar.registry_records import WorkRecords
        from citewell.services.scholar.scholarly_providers import ScholarlyProviders
        from citewell.services.trust.notice_weighing import weigh_notices

        panel, records = self.resolve_service(ScholarlyProviders), self.resolve_service(WorkRecords)
        return CitationGraphSearch(
            catalogue=self.catalogue, panel=panel, records=records, weigh=weigh_notices
        )

    def _build_full_text(self) -> Any:
        from citewell.services.reading.page_reader import PageReader
        from citewell.services.scholar.copy_candidates import CopyCandidates
        from citewell.services.scholar.open_copies import OpenCopyFinder
        from citewell.services.scholar.paper_full_text import FullTextReader
        from citewell.services.scholar.registry_records import WorkRecords
        from citewell.services.scholar.scholarly_providers import ScholarlyProviders
        from citewell.services.scholar.work_resolution import WorkResolver
        from citewell.services.trust.notice_weighing import weigh_notices
        from citewell.services.trust.retraction_checks import RetractionChecker

        panel = self.resolve_service(ScholarlyProviders)
        pages: Any = self.resolve_service(PageReader)
        return FullTextReader(
            subjects=WorkResolver(self.resolve_service(WorkRecords)),
            candidates=CopyCandidates(
                panel, OpenCopyFinder(panel), resolver=self.catalogue.find_spec("doi").base_url
            ),
            pages=pages,
            weigh=weigh_notices,
            retractions=self.resolve_service(RetractionChecker),
            deadline=self.settings.long_tool_timeout - 10,
        )

    def _build_session_tracking(self) -> Any:
        settings = self.settings
        return SessionTracker(
            self.open_state().sessions,
            max_steps=settings.session_max_steps,
            ttl=settings.session_ttl,
        )

    def _build_step_assistance(self) -> Any:
        from citewell.services.sessions.step_assistance import StepAssistant
        from citewell.services.sources import source_classification
        from citewell.services.web.search_service import WebSearchService

        return StepAssistant(
            self.resolve_service(SessionTracker),
            lambda: self.resolve_service(WebSearchService),
            lambda url: source_classification.classify_host(url).source_type,
        )

    def _build_link_checker(self) -> Any:
        from citewell.services.links.link_checks import LinkChecker

        return LinkChecker(
            self.network,
            wayback=self.settings.wayback_url,
            archive=self.settings.archive_url,
            loader=self.store.loader,
            isolated=self._is_cache_isolated,
        )

    def _build_retraction_lookup(self) -> Any:
        from citewell.services.trust.retraction_checks import RetractionChecker

        return RetractionChecker(self.catalogue, self.open_retraction_table())

    def open_retraction_table(self) -> SqlRetractionTable:
        """The offline retraction table; empty until one is imported."""
        from citewell.store.retraction_table import SqlRetractionTable

        return SqlRetractionTable(self.open_state().database, clock=time.time)

    def _build_page_archive(self) -> Any:
        from citewell.services.links.page_archive import PageArchive

        settings = self.settings
        access, secret = settings.ia_access_key, settings.ia_secret_key
        return PageArchive(
            self.network,
            availability=settings.wayback_url,
            archive=settings.archive_url,
            keys=(access, secret) if access and secret else None,
        )

    def _build_recommendation_audit(self) -> Any:
        from citewell.services.links.link_checks import LinkChecker
        from citewell.services.recommendation.corroboration import CorroborationFinder
        from citewell.services.recommendation.recommendation_auditor import RecommendationAuditor

        return RecommendationAuditor(
            links=self.resolve_service(LinkChecker),
            corroboration=CorroborationFinder(self._build_cached_searches()),
            deadline=self.settings.long_tool_timeout - 20,
        )

    def _build_retraction_import(self) -> Any:
        from citewell.net.http.file_downloads import FileDownloader
        from citewell.services.trust.retraction_import import RetractionImport

        downloads = FileDownloader(self.network.guard, self.settings)
        return RetractionImport(
            self.open_retraction_table(), downloads, today=lambda: datetime.now(UTC).date()
        )

    async def _count_owner_sessions(self, owner: Owner) -> int:
        return len(await self.open_state().sessions.list_heads(str(owner)))

    def open_state(self) -> StateStore:
        """The durable state (sessions, jobs, library, keys), opened on first use."""
        if self._state is None:
            self._state = open_state_store(self.settings)
        return self._state

    def _build_web_search(self) -> Any:
        from citewell.services.reading.page_reader import PageReader
        from citewell.services.web.result_contents import build_page_batch_reader
        from citewell.services.web.search_service import WebSearchService

        settings = self.settings
        reader = build_page_batch_reader(
            self.resolve_service(PageReader).read_page,
            max_length=SEARCH_PAGE_CHARS,
            concurrency=settings.max_page_concurrency,
            timeout=SEARCH_PAGE_SECONDS,
        )
        return WebSearchService(
            settings=settings,
            catalogue=self.catalogue,
            lenses=self.lenses,
            reader=reader,
            find_pause=self._find_provider_rest,
        )

    def _trust_configured_addresses(self, spec: ProviderSpec, options: Mapping[str, str]) -> None:
        for option in spec.options:
            address = options.get(option.env) if option.is_self_hosted else None
            try:
                if address:
                    self.network.guard.trust_service(address)
            except RefusedByPolicy as error:
                message = f"{option.env} holds an address that cannot be used: {error.message}"
                raise Misconfigured(message, provider=spec.name) from None

    def _find_provider_rest(self, provider: str) -> ProviderPause | None:
        """How long a provider is not asked, and whether it asked for that; None if it may be asked now."""
        from citewell.services.web.search_rounds import ProviderPause

        snapshot = self.network.collect_health().get(provider)
        if snapshot is None or snapshot.state is not circuit_breaker.BreakerState.OPEN:
            return None
        limited = snapshot.last_error == RateLimited.kind
        return ProviderPause(seconds=snapshot.retry_after or 0.0, asked_by_provider=limited)

    def _build_page_reader(self) -> Any:
        """The page reader with its cache, shared by all tools."""
        from citewell.services.reading.cached_pages import CachedPageReader
        from citewell.services.reading.page_reader import PageReader

        read = PageReader(settings=self.settings, network=self.network)
        return CachedPageReader(
            read,
            loader=self.store.loader,
            cache=self.store.cache,
            isolated=self._is_cache_isolated,
            renew=read.renew_page,
            on_page=self._build_page_keeper(),
            read_library_document=lambda document_id: self.resolve_library().read_library_page(
                document_id
            ),
        )

    def resolve_library(self) -> OwnerLibraryIndex:
        """The index over the library of the owner who makes the current call."""
        from citewell.services.library.library_search import OwnerLibraryIndex

        return self.resolve_service(OwnerLibraryIndex)

    def _build_library_index(self) -> Any:
        from citewell.services.library.library_search import OwnerLibraryIndex

        return OwnerLibraryIndex(self.open_state().library)

    def _build_page_keeper(self) -> Any:
        if not self.settings.library_keep_pages:
            return None
        from citewell.services.library.page_capture import ReadPageKeeper

        return ReadPageKeeper(self.open_state().library)

    def _build_page_scraper(self) -> Any:
        from citewell.services.reading.page_reader import PageReader
        from citewell.services.reading.page_scrape import PageScraper
        from citewell.services.reading.raw_pages import RawPageFetcher
        from citewell.services.trust.retraction_checks import RetractionChecker

        settings, network = self.settings, self.network
        robots = network.robots if settings.respect_robots else None
        raw = RawPageFetcher(network.client, robots=robots, timeout=settings.page_timeout)
        pages: Any = self.resolve_service(PageReader)
        return PageScraper(
            pages=pages, verbatim=raw, retractions=self.resolve_service(RetractionChecker)
        )

    def _build_page_gathering(self) -> Any:
        from citewell.services.reading.page_reader import PageReader
        from citewell.services.reading.search_and_read import SearchAndRead

        pages: Any = self.resolve_service(PageReader)
        return SearchAndRead(
            settings=self.settings, searches=self._build_cached_searches(), pages=pages
        )

    def _build_cached_searches(self) -> Any:
        from citewell.services.web.search_cache import CachedWebSearch
        from citewell.services.web.search_service import WebSearchService

        return CachedWebSearch(
            self.resolve_service(WebSearchService),
            loader=self.store.loader,
            isolated=self._is_cache_isolated,
        )

    @property
    def _is_cache_isolated(self) -> bool:
        return self.settings.cache_isolation == "tenant"

    def _build_connector(self) -> Any:
        from citewell.services.connector.document_connector import (
            DocumentConnector,
        )
        from citewell.services.reading.page_reader import PageReader

        return DocumentConnector(
            searches=self._build_cached_searches(),
            read=self.resolve_service(PageReader),
            library=self.resolve_library(),
        )

    def _connect_spec(self, spec: ProviderSpec, options: Mapping[str, str]) -> object:
        """Build a provider with its upstream connection, options and memory."""
        self._trust_configured_addresses(spec, options)
        upstream = self.network.open_upstream(
            spec.name,
            base_url=spec.base_url or f"https://{spec.name}.invalid",  # sends no requests
            per_second=spec.choose_pace(options),
            burst=spec.burst,
            timeout=self.settings.search_timeout,
        )
        own = self.resolve_library() if spec.name == "library" else None
        memory = self.store.build_provider_memory(spec.name)
        kit = ProviderKit(upstream=upstream, options=options, memory=memory, library=own)
        return providers.load(spec.name).Provider(kit)
