"""What the statistics and diagnostics resources show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citewell.server.resources import View
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.server.app import App


def views(app: App) -> tuple[View, ...]:
    shown = _Shown(app)
    return (
        View(
            uri="stats://tools",
            name="Tool statistics",
            description="Calls, latency, errors and cache hits per tool since the server started.",
            read=shown.tools,
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
            read=shown.lenses,
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


class _Shown:
    def __init__(self, app: App) -> None:
        self._app = app

    async def tools(self, owner: Owner) -> Any:
        return {"tools": {name: tally.wire() for name, tally in sorted(self._app.metrics.tools.items())}}

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
                for row in self._app.catalogue.status()
            ]
        }

    async def lenses(self, owner: Owner) -> Any:
        return {
            "lenses": [
                {
                    "name": lens.name,
                    "description": lens.description,
                    "domainCount": len(lens.domains),
                    "hasEngine": lens.cx is not None,
                }
                for lens in self._app.lenses.all()
            ]
        }

    async def errors(self, owner: Owner) -> Any:
        return {"errors": self._app.recent.of(owner)}

    async def health(self, owner: Owner) -> Any:
        return {
            "providers": {
                name: {
                    "state": snapshot.state,
                    "failures": snapshot.failures,
                    "retryAfterSeconds": snapshot.retry_after,
                    "lastError": snapshot.last_error,
                }
                for name, snapshot in self._app.network.health().items()
            }
        }
