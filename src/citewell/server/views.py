"""What the statistics and diagnostics resources show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.net.network import Network
from citewell.server.middleware.metrics import Tally
from citewell.server.middleware.recent import Recent
from citewell.server.resources import View
from citewell.services.catalogue import Catalogue
from citewell.services.web.lenses import Lenses
from citewell.tooling import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the views look at."""

    tallies: Mapping[str, Tally]
    recent: Recent
    catalogue: Catalogue
    lenses: Lenses
    network: Network
    sessions: Callable[[Owner], Awaitable[int]]  # how many the owner has

    async def tool_statistics(self, owner: Owner) -> Any:
        return {"tools": {name: tally.wire() for name, tally in sorted(self.tallies.items())}}

    async def providers(self, owner: Owner) -> Any:
        return {
            "providers": [
                {
                    "name": row.name,
                    "title": row.title,
                    "offers": list(row.offers),
                    "configured": row.configured,
                    "missing": list(row.missing or row.any_of),
                }
                for row in self.catalogue.status()
            ]
        }

    async def lens_list(self, owner: Owner) -> Any:
        return {
            "lenses": [
                {
                    "name": lens.name,
                    "description": lens.description,
                    "domainCount": len(lens.domains),
                    "hasEngine": lens.cx is not None,
                }
                for lens in self.lenses.all()
            ]
        }

    async def session_count(self, owner: Owner) -> Any:
        return {"activeSessions": await self.sessions(owner)}

    async def rate_limits(self, owner: Owner) -> Any:
        """What upstreams have told us; callers themselves are not limited without accounts."""
        limited = {
            name: snapshot.retry_after
            for name, snapshot in self.network.health().items()
            if snapshot.retry_after is not None
        }
        return {"tenant": {"limited": False}, "global": {"limited": False}, "resting": limited}

    async def errors(self, owner: Owner) -> Any:
        return {"errors": self.recent.of(owner)}

    async def health(self, owner: Owner) -> Any:
        return {
            "providers": {
                name: {
                    "state": snapshot.state,
                    "failures": snapshot.failures,
                    "retryAfterSeconds": snapshot.retry_after,
                    "lastError": snapshot.last_error,
                }
                for name, snapshot in self.network.health().items()
            }
        }


def views(shown: Shown) -> tuple[View, ...]:
    return (
        View(
            uri="stats://tools",
            name="Tool statistics",
            description="Calls, latency, errors and cache hits per tool since the server started.",
            read=shown.tool_statistics,
        ),
        View(
            uri="stats://sessions",
            name="Active sessions",
            description="How many research sessions the caller has.",
            read=shown.session_count,
        ),
        View(
            uri="stats://rate-limits",
            name="Rate limits",
            description="Limits on callers, and providers that asked for a pause.",
            read=shown.rate_limits,
        ),
        View(
            uri="stats://providers",
            name="Providers",
            description="Every provider, what it offers and whether it is configured.",
            read=shown.providers,
        ),
        View(
            uri="lenses://catalog",
            name="Lenses",
            description="Named sets of authoritative domains for the lens argument of search tools.",
            read=shown.lens_list,
        ),
        View(
            uri="diagnostics://errors/recent",
            name="Recent errors",
            description="The caller's last errors, newest first, with secrets masked.",
            read=shown.errors,
        ),
        View(
            uri="diagnostics://health",
            name="Provider health",
            description="The circuit breaker of each provider that was asked.",
            read=shown.health,
        ),
    )
