"""`App` is one running server: its settings, the tools it offers, and how a call is run and answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from citewell.core import tooling as tools
from citewell.core.config import Settings, list_settings
from citewell.core.errors import Misconfigured
from citewell.core.settings import CoreSettings
from citewell.core.tooling import Owner, ProgressCallback, Tool, ToolCall, ignore_progress
from citewell.net.network import Network
from citewell.reading.pages.artifacts import ArtifactReader
from citewell.reading.settings import ReadingSettings
from citewell.research.settings import ResearchSettings
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.search.lenses import LensCatalogue
from citewell.search.settings import SearchSettings
from citewell.server.call import CallRunner, build_argument_changes
from citewell.server.call_answers import build_answer_sharing
from citewell.server.call_values import CallOrigin, NextStep, ToolInvocation, ToolOutcome
from citewell.server.capabilities import tool_selection
from citewell.server.capabilities.prompts import ArgumentCompletions
from citewell.server.capabilities.resource_views import (
    ServerResources,
    ViewSources,
    build_resource_views,
)
from citewell.server.log_output import LogContext, LogContextBlock, hold_log_context
from citewell.server.service_registry import ServiceRegistry, connect_provider, find_provider_pause
from citewell.server.settings import ServerSettings
from citewell.server.state.state_store import StateStore
from citewell.store.cache.answer_sharing import OwnerBlock
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.workers.settings import WorkersSettings
from citewell.workers.worker_tasks import DeferredRunner, TaskRunner

if TYPE_CHECKING:
    from citewell.audit.audit_recorder import AuditRecorder
    from citewell.server.call_limits import CallLimits
    from citewell.sessions.session_tracking import SessionTracker


class App(ServiceRegistry):
    """Everything one server process holds. Disk and network are used only once a service needs them."""

    def __init__(
        self,
        settings: Settings,
        *,
        network: Network | None = None,
        store: CacheStore | None = None,
        state: StateStore | None = None,
        workers: TaskRunner | None = None,
        local_owner: Owner | None = None,
        entries: Sequence[Mapping[str, Any]]
        | None = None,  # those of the manifest, except while the manifest is being built
    ) -> None:
        super().__init__()
        self.settings = settings
        self.local_owner = local_owner or Owner()  # of calls without a verified caller
        self.network = network or Network(settings)
        self.store = store or open_cache_store(settings)
        # Loads and starts nothing before the first page.
        self.workers = workers or DeferredRunner(partial(build_worker_pool, settings))
        self._state = state
        self._limits_owners = False
        if settings[ServerSettings].limits_file is not None:
            _ = self.limits  # so that a wrong file is reported at the start
        self.catalogue = ProviderCatalogue(settings, connect=partial(connect_provider, self))
        self.lenses = LensCatalogue(settings[SearchSettings].custom_lenses_path)
        self.find_pause = partial(find_provider_pause, self.network)
        self.sharing = build_answer_sharing(settings)
        self._entries = tool_selection.load_manifest()["tools"] if entries is None else entries
        # The toolset of each tool, whether it is offered or not.
        self.toolset_names = {entry["name"]: entry["toolset"] for entry in self._entries}
        self.tools = self.choose_tools()
        self._loaded: dict[str, Tool] = {}
        self._calls = CallRunner(
            settings,
            # Limits matter only if some calls count for a day.
            find_limits=lambda: (
                self.limits
                if self._limits_owners or settings[ServerSettings].max_calls_per_day
                else None
            ),
            store=self.store,
            sharing=self.sharing,
            find_sessions=self._find_sessions,
            find_recorder=self._find_audit_recorder,
            record_usage=self._record_usage,
        )
        self._run: NextStep = self._calls.run_call
        self.metrics = self._calls.metrics
        self.audit = self._calls.audit  # None if nothing is audited
        self.recent = self._calls.recent
        self.resources = self._build_resources()
        self.completions = ArgumentCompletions(
            {"lens": self.lenses.list_lens_names, "provider": self.catalogue.list_provider_names}
        )

    def choose_tools(self, profile: str | None = None) -> dict[str, dict[str, Any]]:
        """The wire form of each offered tool by name: those the settings choose, or those of `profile`."""
        settings = self.settings
        server_settings = settings[ServerSettings]
        try:
            chosen = tool_selection.select_entries(
                self._entries,
                profile=profile or settings[CoreSettings].profile,
                toolsets=() if profile else server_settings.toolsets,
                tools=() if profile else server_settings.tools,
                read_only=server_settings.read_only,
                switched_on=self._list_switches(),
            )
        except ValueError as error:
            raise Misconfigured(
                f"The configured choice of tools is not valid: {error}.", action="inform_user"
            ) from None
        return tool_selection.build_offered_wires(chosen, build_argument_changes(settings))

    def describe_disabled_tool(self, name: str) -> str | None:
        """How to switch on a tool that is not offered; None if there is no such tool."""
        server_settings = self.settings[ServerSettings]
        return tool_selection.describe_disabled_tool(
            self._entries,
            name,
            toolsets=server_settings.toolsets,
            tools=server_settings.tools,
            read_only=server_settings.read_only,
            switched_on=self._list_switches(),
        )

    def list_toolsets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.toolset_names.values()))

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        owner: Owner | None = None,
        report: ProgressCallback = ignore_progress,
        request_id: str = "",
        origin: CallOrigin | None = None,
        can_wait: bool = False,
    ) -> ToolOutcome:
        """Run one tool with all the steps of a call; a failure is returned as an outcome, not raised.

        With `can_wait` a tool that knows jobs may answer with the id of one.
        """
        call = ToolCall(
            owner=owner or self.local_owner,
            require_service=self.require_service,
            send_progress=report,
            can_wait=can_wait,
        )
        invocation = self._build_invocation(name, arguments, call, request_id, origin)
        logging, sharing = self._build_contexts(invocation)
        with logging, sharing:
            return await self._run(invocation)

    async def deliver_result(
        self, name: str, load: Callable[[], Awaitable[dict[str, Any]]], *, owner: Owner
    ) -> ToolOutcome:
        """What a job made of a call, as the call itself would return it: its body, or its error."""
        call = ToolCall(owner=owner, require_service=self.require_service)
        invocation = self._build_invocation(name, {}, call, "", None)

        return await self._calls.deliver_outcome(invocation, load)

    async def call_cached_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        owner: Owner | None = None,
        request_id: str = "",
        origin: CallOrigin | None = None,
    ) -> ToolOutcome | None:
        """The answer as text if it is cached in memory and small enough to send inline; None otherwise."""
        if not self.settings[ServerSettings].structured_text:
            return None
        call = ToolCall(owner=owner or self.local_owner, require_service=self.require_service)
        invocation = self._build_invocation(name, arguments, call, request_id, origin)
        logging, sharing = self._build_contexts(invocation)
        with logging, sharing:
            if not self._calls.find_held_answer(invocation):
                return None
            return await self._run(invocation)

    def wrap_calls(
        self, wrapper: Callable[[ToolInvocation, NextStep], Awaitable[ToolOutcome]]
    ) -> None:
        """Let `wrapper` run every call from now on: it is given the call and what answers it."""
        run = self._run
        self._run = lambda invocation: wrapper(invocation, run)

    @cached_property
    def limits(self) -> CallLimits:
        """The limits on callers, read on first use; raises Misconfigured for a wrong file."""
        from citewell.server.call_limits import CallLimits
        from citewell.store.coordination.rate_limits import load_limit_file

        return CallLimits(
            self.settings,
            rate_limiter=self.store.rate_limiter,
            daily_counter=self.store.daily_counter,
            overrides=load_limit_file(self.settings[ServerSettings].limits_file),
        )

    def limit_owners(self) -> None:
        """Hold users and tenants to their daily quotas, as a server with accounts does."""
        self._limits_owners = True
        self.limits.limit_owners()

    def open_state(self) -> StateStore:
        """The durable state (sessions, jobs, library, keys), opened on first use."""
        if self._state is None:
            self._state = StateStore(self.settings)
        return self._state

    async def aclose(self) -> None:
        await self.close_services()
        await self.workers.aclose()
        if self._state is not None:
            await self._state.aclose()
        await self._calls.aclose()
        await self.network.aclose()
        await self.store.aclose()

    def _build_invocation(
        self,
        name: str,
        arguments: Mapping[str, Any],
        call: ToolCall,
        request_id: str,
        origin: CallOrigin | None,
    ) -> ToolInvocation:
        if name not in self._loaded:
            self._loaded[name] = tools.load_tool(name)
        return ToolInvocation(
            name=name,
            tool=self._loaded[name],
            raw_arguments=arguments,
            call=call,
            request_id=request_id,
            origin=origin or CallOrigin(),
        )

    def _build_contexts(self, invocation: ToolInvocation) -> tuple[LogContextBlock, OwnerBlock]:
        """What a call runs in: with its owner's library, or with answers that may be shared."""
        owner, is_cacheable = invocation.call.owner, invocation.tool.ttl_seconds is not None
        return (
            hold_log_context(LogContext(request_id=invocation.request_id, owner=owner)),
            self.sharing.run_call(str(owner), invocation.raw_arguments, is_cacheable=is_cacheable),
        )

    def _build_resources(self) -> ServerResources:
        sources = ViewSources(
            tallies=self.metrics.tools,
            recent=self.recent,
            catalogue=self.catalogue,
            lenses=self.lenses,
            network=self.network,
            find_limits=lambda: self.limits,
            open_state=self.open_state,
            # Without either, no tenant has a budget.
            has_budgets=bool(
                self.settings[ResearchSettings].research_tenant_budget is not None
                or self.settings[ServerSettings].limits_file
            ),
        )
        return ServerResources(
            build_resource_views(sources), shelf=lambda: self.require_service(ArtifactReader)
        )

    def start_audit_upkeep(self) -> None:
        """Begin to seal the audit log, if there is one, with what an earlier process left unsealed."""
        if self.audit is not None:
            self._find_audit_recorder().start_upkeep()

    def _find_audit_recorder(self) -> AuditRecorder:
        from citewell.audit.audit_recorder import AuditRecorder

        return self.require_service(AuditRecorder)

    def _list_switches(self) -> frozenset[str]:
        """The settings that offer further tools, as far as they are switched on."""
        required = frozenset(tool_selection.list_required_settings(self._entries))
        return frozenset(
            setting.name
            for setting in list_settings()
            if setting.name in required and self.settings.get_value(setting) is True
        )

    def start_artifact_upkeep(self) -> None:
        """Begin to delete expired artifacts from the object store, if there is one."""
        if self.store.objects is None:
            return
        from citewell.reading.pages.artifacts import ArtifactUpkeep

        self.require_service(ArtifactUpkeep).keep_sweeping()

    def start_retention_upkeep(self) -> None:
        """Begin to delete memories and shared findings that are past their time."""
        from citewell.people.memory_service import MemoryService
        from citewell.people.workspace_service import WorkspaceService

        self.require_service(MemoryService).keep_sweeping()
        self.require_service(WorkspaceService).keep_sweeping()

    def _record_usage(self, owner: Owner, tool: str) -> None:
        from citewell.people.usage_analytics import UsageAnalytics

        self.require_service(UsageAnalytics).record_call(owner, tool)

    def _find_sessions(self) -> SessionTracker:
        from citewell.sessions.session_tracking import SessionTracker

        return self.require_service(SessionTracker)


def build_worker_pool(settings: Settings) -> TaskRunner:
    """The worker processes that the settings ask for, for all pages of one server."""
    from citewell.reading.documents.text_recognition import (
        SECONDS_PER_PAGE,
        RecognitionLimits,
        RecognizingRunner,
        TextRecognizer,
    )
    from citewell.workers.worker_pool import WorkerLimits, WorkerPool

    workers_settings = settings[WorkersSettings]
    reading_settings = settings[ReadingSettings]
    pool = WorkerPool(
        WorkerLimits(
            count=workers_settings.worker_count,
            task_seconds=workers_settings.document_timeout,
            memory_bytes=workers_settings.document_memory_mb * 2**20,
        )
    )
    if not reading_settings.ocr:
        return pool
    limits = RecognitionLimits(
        max_pages=reading_settings.ocr_pages,
        total_seconds=reading_settings.ocr_pages * SECONDS_PER_PAGE,
    )
    return RecognizingRunner(pool, TextRecognizer(limits, languages=reading_settings.ocr_languages))
