"""The contents of the statistics and diagnostics resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.net.network import Network
from citewell.server.capabilities.resources import ResourceView
from citewell.server.middleware.call_metrics import ToolTally
from citewell.server.middleware.recent_errors import RecentErrorsMiddleware
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.web.lenses import LensCatalogue
from citewell.tooling import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSources:
    """The objects whose state the views show; each method is one view."""

    tallies: Mapping[str, ToolTally]
    recent: RecentErrorsMiddleware
    catalogue: ProviderCatalogue
    lenses: LensCatalogue
    network: Network
    count_sessions: Callable[[Owner], Awaitable[int]]  # the number of the owner's sessions

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
        """Providers that asked for a pause. Callers are never limited, as there are no accounts."""
        limited = {
            name: snapshot.retry_after
            for name, snapshot in self.network.collect_health().items()
            if snapshot.retry_after is not None
        }
        return {"tenant": {"limited": False}, "global": {"limited": False}, "resting": limited}

    async def view_recent_errors(self, owner: Owner) -> Any:
        return {"errors": self.recent.list_owner_errors(owner)}

    async def view_provider_health(self, owner: Owner) -> Any:
        return {
            "providers": {
                name: {
                    "state": snapshot.state,
                    "failures": snapshot.failures,
                    "retryAfterSeconds": snapshot.retry_after,
                    "lastError": snapshot.last_error,
                }
                for name, snapshot in self.network.collect_health().items()
            }
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
            description="Limits on callers, and providers that asked for a pause.",
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
            description="The circuit breaker of each provider that was asked.",
            read_view=shown.view_provider_health,
        ),
    )
