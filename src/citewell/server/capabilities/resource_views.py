"""The contents of the statistics and diagnostics resources, limits included."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from citewell.core.errors import NotFound, RateLimited, UpstreamUnavailable
from citewell.core.tooling import Owner
from citewell.net.network import Network
from citewell.reading.pages.artifacts import ARTIFACT_URI_PREFIX, ArtifactReader
from citewell.routing.ports import RestingServers
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.search.lenses import LensCatalogue
from citewell.server.call_records import RecentErrors, ToolTally

if TYPE_CHECKING:
    from citewell.server.call_limits import CallLimits
    from citewell.server.limit_rules import LimitState
    from citewell.server.state.state_store import StateStore

_WINDOW_NAMES = {"": "rate", "day": "day", "concurrent": "concurrent"}
_SCOPE_NAMES = {"user": "user", "tenant": "tenant", "server": "global"}

ARTIFACT_TEMPLATE = ARTIFACT_URI_PREFIX + "{id}"

_FAILED = UpstreamUnavailable.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSources:
    """The objects whose state the views show; each method is one view."""

    tallies: Mapping[str, ToolTally]
    recent: RecentErrors
    catalogue: ProviderCatalogue
    lenses: LensCatalogue
    network: Network
    find_limits: Callable[[], CallLimits]
    open_state: Callable[[], StateStore]
    has_budgets: bool  # whether a tenant may have a budget for research
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
        return {"activeSessions": len(await self.open_state().sessions.list_heads(str(owner)))}

    async def view_rate_limits(self, owner: Owner) -> Any:
        """The caller's own limits with what is left of them, and providers that are not asked for a while."""
        resting = {
            name: self._describe_provider_rest(snapshot.retry_after, snapshot.last_error)
            for name, snapshot in self.network.collect_health().items()
            if snapshot.retry_after is not None
        }
        for name, servers in self._list_resting_servers().items():
            resting.setdefault(name, servers[0] | {"servers": servers})

        limits = describe_caller_limits(await self.find_limits().read_states(owner), owner)
        if self.has_budgets:
            balance = await self.open_state().ledger.tenants.load_balance(str(owner))
            if balance.budget_cents is not None:
                limits["tenant"]["research"] = {
                    "budgetCents": balance.budget_cents,
                    "remainingCents": balance.remaining_cents,
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


# MCP resources: statistics, lenses, diagnostics and stored large results.


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    uri: str
    name: str
    description: str
    read_view: Callable[[Owner], Awaitable[Any]]


class ServerResources:
    """Reads views and artifacts by their URI."""

    def __init__(
        self, views: tuple[ResourceView, ...], shelf: Callable[[], ArtifactReader]
    ) -> None:
        self.views = views
        self._by_uri = {view.uri: view for view in views}
        self._shelf = shelf

    async def read_resource_text(self, uri: str, owner: Owner) -> tuple[str, str]:
        """The text and its media type; raises NotFound for an unknown URI."""
        if view := self._by_uri.get(uri):
            return json.dumps(
                await view.read_view(owner), ensure_ascii=False, indent=1
            ), "application/json"
        if uri.startswith(ARTIFACT_URI_PREFIX):
            return await self._shelf().read_whole_artifact(owner, uri)
        raise NotFound(f"There is no resource {uri[:200]}.")


# Shows the limits of a caller in `stats://rate-limits`.


def describe_caller_limits(states: Sequence[LimitState], owner: Owner) -> dict[str, Any]:
    """For user, tenant and all together: whether they are limited, and each limit as it stands.

    What is left for all together tells of other tenants, so that only the owner of a server
    without accounts sees it.
    """
    shown: dict[str, Any] = {name: {"limited": False} for name in _SCOPE_NAMES.values()}
    is_alone = owner == Owner()
    for state in states:
        scope, _, window = state.kind.partition("-")
        entry: dict[str, Any] = {"limit": state.limit}
        if state.window_seconds:
            entry["windowSeconds"] = math.ceil(state.window_seconds)
        if is_alone or scope != "server":
            entry["remaining"] = state.remaining
            if state.window_seconds:
                entry["resetSeconds"] = math.ceil(state.reset_seconds)
        shown[_SCOPE_NAMES[scope]] |= {"limited": True, _WINDOW_NAMES[window]: entry}
    return shown
