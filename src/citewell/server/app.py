"""`App` is one running server: its settings, the tools it offers, and how a call is run and answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from citewell import tools
from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.net.network import Network
from citewell.server import manifest, worker_pool
from citewell.server.capabilities import tool_selection
from citewell.server.capabilities.completions import ArgumentCompletions
from citewell.server.capabilities.resource_views import ViewSources, build_resource_views
from citewell.server.capabilities.resources import ServerResources
from citewell.server.log_output import LogContext, LogContextBlock, hold_log_context
from citewell.server.pipeline import (
    CallOrigin,
    Middleware,
    ToolInvocation,
    ToolOutcome,
    compose_pipeline,
)
from citewell.server.wiring.pipeline_wiring import CallPipeline, build_argument_changes
from citewell.server.wiring.provider_wiring import ProviderConnector
from citewell.server.wiring.service_kit import ServiceKit
from citewell.server.wiring.service_registry import ServiceRegistry
from citewell.services.reading.artifact_pages import ArtifactReader
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.web.lenses import LensCatalogue
from citewell.store.cache.answer_sharing import OwnerBlock, build_answer_sharing
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.state_store import StateStore, open_state_store
from citewell.tooling import Owner, ProgressCallback, Tool, ToolCall, ignore_progress
from citewell.workers.worker_tasks import TaskRunner

if TYPE_CHECKING:
    from citewell.services.audit_log.audit_recorder import AuditRecorder
    from citewell.services.limits.call_limits import CallLimits
    from citewell.services.sessions.session_tracking import SessionTracker
    from citewell.store.jobs.tenant_budgets import TenantBalance

S = TypeVar("S")


class App:
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
        self.settings = settings
        self.local_owner = local_owner or Owner()  # of calls without a verified caller
        self.network = network or Network(settings)
        self.store = store or open_cache_store(settings)
        self.workers = workers or worker_pool.open_worker_pool(settings)
        self._state = state
        self._limits_owners = False
        if settings.limits_file is not None:
            _ = self.limits  # so that a wrong file is reported at the start
        connector = ProviderConnector(
            settings=settings,
            network=self.network,
            store=self.store,
            workers=self.workers,
            require_service=self.require_service,
        )
        self.catalogue = ProviderCatalogue(settings, connect=connector.connect_spec)
        self.lenses = LensCatalogue(settings.custom_lenses_path)
        self._sharing = build_answer_sharing(settings)
        self._services = ServiceRegistry(
            ServiceKit(
                settings=settings,
                network=self.network,
                store=self.store,
                workers=self.workers,
                catalogue=self.catalogue,
                lenses=self.lenses,
                sharing=self._sharing,
                find_pause=connector.find_provider_pause,
                open_state=self.open_state,
                require_service=self.require_service,
                local_owner=self.local_owner,
            )
        )
        self._entries = manifest.load_manifest()["tools"] if entries is None else entries
        self.tools = self.choose_tools()
        self._loaded: dict[str, Tool] = {}
        self._pipeline = CallPipeline(
            settings,
            find_limits=self._find_daily_limits,
            store=self.store,
            sharing=self._sharing,
            find_sessions=self._find_sessions,
            find_recorder=self._find_audit_recorder,
            record_usage=self._record_usage,
        )
        self._run = self._pipeline.run_call
        self._run_held = self._pipeline.run_held_call
        self.metrics = self._pipeline.metrics
        self.audit = self._pipeline.audit  # None if nothing is audited
        self.recent = self._pipeline.recent
        self.resources = self._build_resources()
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
                switched_on=self._list_switches(),
            )
        except ValueError as error:
            raise Misconfigured(
                f"The configured choice of tools is not valid: {error}.", action="inform_user"
            ) from None
        return tool_selection.build_offered_wires(chosen, build_argument_changes(settings))

    def describe_disabled_tool(self, name: str) -> str | None:
        """How to switch on a tool that is not offered; None if there is no such tool."""
        return tool_selection.describe_disabled_tool(
            self._entries,
            name,
            toolsets=self.settings.toolsets,
            tools=self.settings.tools,
            read_only=self.settings.read_only,
            switched_on=self._list_switches(),
        )

    def list_toolsets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry["toolset"] for entry in self._entries))

    def map_toolsets(self) -> dict[str, str]:
        """The toolset of each tool, whether it is offered or not."""
        return {entry["name"]: entry["toolset"] for entry in self._entries}

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
        """Run one tool through the whole pipeline; a failure is returned as an outcome, not raised.

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

        async def load_outcome(_invocation: ToolInvocation) -> ToolOutcome:
            return ToolOutcome(body=await load())

        return await self._pipeline.deliver_outcome(invocation, load_outcome)

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
        if not self.settings.structured_text:
            return None
        call = ToolCall(owner=owner or self.local_owner, require_service=self.require_service)
        invocation = self._build_invocation(name, arguments, call, request_id, origin)
        logging, sharing = self._build_contexts(invocation)
        with logging, sharing:
            if not self._pipeline.find_held_answer(invocation):
                return None
            if call.session_id is not None:  # the session has to be written to
                return await self._run(invocation)
            return await self._run_held(invocation)

    def wrap_calls(self, middleware: Middleware) -> None:
        """Let every call from now on pass through `middleware` first."""
        self._run = compose_pipeline((middleware,), self._run)
        self._run_held = compose_pipeline((middleware,), self._run_held)

    def require_service(self, kind: type[S]) -> S:
        """The single instance of this service class, built on first use.

        Raises InternalError if `server/wiring` has no builder for it.
        """
        return self._services.require_service(kind)

    @cached_property
    def limits(self) -> CallLimits:
        """The limits on callers, read on first use; raises Misconfigured for a wrong file."""
        from citewell.services.limits.call_limits import CallLimits
        from citewell.store.coordination.limit_file import load_limit_file

        return CallLimits(
            self.settings,
            rate_limiter=self.store.rate_limiter,
            daily_counter=self.store.daily_counter,
            overrides=load_limit_file(self.settings.limits_file),
        )

    def limit_owners(self) -> None:
        """Hold users and tenants to their daily quotas, as a server with accounts does."""
        self._limits_owners = True
        self.limits.limit_owners()

    def _find_daily_limits(self) -> CallLimits | None:
        return self.limits if self._limits_owners or self.settings.max_calls_per_day else None

    def open_state(self) -> StateStore:
        """The durable state (sessions, jobs, library, keys), opened on first use."""
        if self._state is None:
            self._state = open_state_store(self.settings)
        return self._state

    async def aclose(self) -> None:
        await self._services.aclose()
        await self.workers.aclose()
        if self._state is not None:
            await self._state.aclose()
        await self._pipeline.aclose()
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
            self._loaded[name] = tools.load(name)
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
            self._sharing.run_call(str(owner), invocation.raw_arguments, is_cacheable=is_cacheable),
        )

    def _build_resources(self) -> ServerResources:
        sources = ViewSources(
            tallies=self.metrics.tools,
            recent=self.recent,
            catalogue=self.catalogue,
            lenses=self.lenses,
            network=self.network,
            count_sessions=self._count_owner_sessions,
            find_limits=lambda: self.limits,
            load_tenant_budget=self._load_tenant_budget,
        )
        return ServerResources(
            build_resource_views(sources), shelf=lambda: self.require_service(ArtifactReader)
        )

    def start_audit_upkeep(self) -> None:
        """Begin to seal the audit log, if there is one, with what an earlier process left unsealed."""
        if self.audit is not None:
            self._find_audit_recorder().start_upkeep()

    def _find_audit_recorder(self) -> AuditRecorder:
        from citewell.services.audit_log.audit_recorder import AuditRecorder

        return self.require_service(AuditRecorder)

    def _list_switches(self) -> frozenset[str]:
        """The settings that offer further tools, as far as they are switched on."""
        return frozenset(
            name
            for name in tool_selection.list_required_settings(self._entries)
            if self.settings.is_switched_on(name)
        )

    def start_artifact_upkeep(self) -> None:
        """Begin to delete expired artifacts from the object store, if there is one."""
        if self.store.objects is None:
            return
        from citewell.services.reading.artifact_upkeep import ArtifactUpkeep

        self.require_service(ArtifactUpkeep).keep_sweeping()

    def start_retention_upkeep(self) -> None:
        """Begin to delete memories and shared findings that are past their time."""
        from citewell.services.people.memory_service import MemoryService
        from citewell.services.people.workspace_service import WorkspaceService

        self.require_service(MemoryService).keep_sweeping()
        self.require_service(WorkspaceService).keep_sweeping()

    def _record_usage(self, owner: Owner, tool: str) -> None:
        from citewell.services.people.usage_analytics import UsageAnalytics

        self.require_service(UsageAnalytics).record_call(owner, tool)

    def _find_sessions(self) -> SessionTracker:
        from citewell.services.sessions.session_tracking import SessionTracker

        return self.require_service(SessionTracker)

    async def _load_tenant_budget(self, owner: Owner) -> TenantBalance | None:
        """What the owner's tenant may still spend; None if it has no budget."""
        if self.settings.research_tenant_budget is None and self.settings.limits_file is None:
            return None
        balance = await self.open_state().ledger.tenants.load_balance(str(owner))
        return None if balance.budget_cents is None else balance

    async def _count_owner_sessions(self, owner: Owner) -> int:
        return len(await self.open_state().sessions.list_heads(str(owner)))
