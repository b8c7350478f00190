"""The contents of the statistics and diagnostics resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from citewell.errors import RateLimited, UpstreamUnavailable
from citewell.net.network import Network
from citewell.ports import RestingServers
from citewell.server.capabilities.resources import ResourceView
from citewell.server.middleware.call_metrics import ToolTally
from citewell.server.middleware.recent_errors import RecentErrorsMiddleware
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.web.lenses import LensCatalogue
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.services.limits.call_limits import CallLimits
    from citewell.store.jobs.tenant_budgets import TenantBalance

_FAILED = UpstreamUnavailable.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSources:
    """The objects whose state the views show; each method is one view."""

    tallies: Mapping[str, ToolTally]
    recent: RecentErrorsMiddleware
    catalogue: ProviderCatalogue
    lenses: LensCatalogue
    network: Network
    count_sessions: Callable[[Owner], Awaitable[int]]  # the number of the owner's sessions
    find_limits: Callable[[], CallLimits]
    load_tenant_budget: Callable[[Owner], Awaitable[TenantBalance | None]]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def view_tool_statistics(self, owner: Owner) -> Any:
        return {"tools": {name: tally.to_wire() for name, tally in sorted(self.tallies.items())}}

    async def view_providers(self, owner: Owner) -> Any:
        return {
            "providers": [
                {
                    "name": row.name,
                    "title": row.title,
                    "offers": list(row.offers),
                    "configured": row.configured,
                    "missing": list(row.missing or row.any_of),
                }
                for row in self.catalogue.list_provider_statuses()
            ]
        }

    async def view_lenses(self, owner: Owner) -> Any:
        return {
            "lenses": [
                {
                    "name": lens.name,
                    "description": lens.description,
                    "domainCount": len(lens.domains),
                    "hasEngine": lens.google_engine_id is not None,
                }
                for lens in self.lenses.list_lenses()
            ]
        }

    async def view_session_count(self, owner: Owner) -> Any:
        return {"activeSessions": await self.count_sessions(owner)}

    async def view_rate_limits(self, owner: Owner) -> Any:
        """The caller's own limits with what is left of them, and providers that are not asked for a while."""
        resting = {
            name: self._describe_provider_rest(snapshot.retry_after, snapshot.last_error)
            for name, snapshot in self.network.collect_health().items()
            if snapshot.retry_after is not None
        }
        for name, servers in self._list_resting_servers().items():
            resting.setdefault(name, servers[0] | {"servers": servers})
        from citewell.server.capabilities.limit_views import describe_caller_limits

        limits = describe_caller_limits(await self.find_limits().read_states(owner), owner)
        if budget := await self.load_tenant_budget(owner):
            limits["tenant"]["research"] = {
                "budgetCents": budget.budget_cents,
                "remainingCents": budget.remaining_cents,
            }
        return limits | {"resting": resting}

    async def view_recent_errors(self, owner: Owner) -> Any:
        return {"errors": self.recent.list_owner_errors(owner)}

    async def view_provider_health(self, owner: Owner) -> Any:
        """The breaker of each provider that was asked, and the pause that it takes."""
        shown: dict[str, dict[str, Any]] = {
            name: {
                "state": snapshot.state,
                "failures": snapshot.failures,
                "retryAfterSeconds": snapshot.retry_after,
                "lastError": snapshot.last_error,
            }
            | (
                {"resting": self._describe_provider_rest(snapshot.retry_after, snapshot.last_error)}
                if snapshot.retry_after is not None
                else {}
            )
            for name, snapshot in self.network.collect_health().items()
        }
        for name, servers in self._list_resting_servers().items():
            shown.setdefault(name, {})["resting"] = servers[0] | {"servers": servers}
        return {"providers": shown}

    def _list_resting_servers(self) -> dict[str, list[dict[str, Any]]]:
        """The resting servers of providers that have several, the one that returns first leading."""
        found = {}
        for name, provider in self.catalogue.list_connected_providers().items():
            if isinstance(provider, RestingServers):
                rests = sorted(provider.list_rests(), key=lambda rest: rest.seconds)
                kinds = [RateLimited.kind if rest.is_limited else _FAILED for rest in rests]
                found[name] = [
                    {"address": rest.address} | self._describe_provider_rest(rest.seconds, kind)
                    for rest, kind in zip(rests, kinds, strict=True)
                ]
        return {name: rests for name, rests in found.items() if rests}

    def _describe_provider_rest(self, seconds: float, reason: str | None) -> dict[str, Any]:
        until = self.now() + timedelta(seconds=seconds)
        return {
            "retryAfterSeconds": max(1, round(seconds)),
            "until": until.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "reason": reason,
        }


def build_resource_views(shown: ViewSources) -> tuple[ResourceView, ...]:
    return (
        ResourceView(
            uri="stats://tools",
            name="Tool statistics",
            description="Calls, latency, errors and cache hits per tool since the server started.",
            read_view=shown.view_tool_statistics,
        ),
        ResourceView(
            uri="stats://sessions",
            name="Active sessions",
            description="How many research sessions the caller has.",
            read_view=shown.view_session_count,
        ),
        ResourceView(
            uri="stats://rate-limits",
            name="Rate limits",
            description="Your limits and what is left of them, and providers that rest: until when, and why.",
            read_view=shown.view_rate_limits,
        ),
        ResourceView(
            uri="stats://providers",
            name="Providers",
            description="Every provider, what it offers and whether it is configured.",
            read_view=shown.view_providers,
        ),
        ResourceView(
            uri="lenses://catalog",
            name="Lenses",
            description="Named sets of authoritative domains for the lens argument of search tools.",
            read_view=shown.view_lenses,
        ),
        ResourceView(
            uri="diagnostics://errors/recent",
            name="Recent errors",
            description="The caller's last errors, newest first, with secrets masked.",
            read_view=shown.view_recent_errors,
        ),
        ResourceView(
            uri="diagnostics://health",
            name="Provider health",
            description="The circuit breaker of each provider that was asked, and the pause it takes.",
            read_view=shown.view_provider_health,
        ),
    )
