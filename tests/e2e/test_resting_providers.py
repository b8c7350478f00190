"""A provider that asked for a pause is shown in the resources, with the time and the reason."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "searxng": ("web_search", {"query": "water"}),
    "duckduckgo": ("web_search", {"query": "water"}),
    "wikipedia": ("web_search", {"query": "water"}),
    "gdelt": ("news_search", {"query": "water"}),
    "commons": ("image_search", {"query": "water"}),
    "crossref": ("academic_search", {"query": "water"}),
    "arxiv": ("academic_search", {"query": "water"}),
    "clinicaltrials": ("clinical_search", {"query": "water"}),
    "courtlistener": ("legal_search", {"query": "water"}),
}


def read_views(environ: Environ, tool: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    async def talk() -> list[dict[str, Any]]:
        async with connected("memory", environ | {"CITEWELL_TOOLSETS": "all"}) as client:
            await client.call_tool(tool, arguments)
            views = [
                await client.read_resource(uri)
                for uri in ("stats://rate-limits", "diagnostics://health")
            ]
            texts: list[Any] = [view.contents[0] for view in views]
            return [json.loads(one.text) for one in texts]

    return asyncio.run(talk())


@requires("resource.resting_provider")
@pytest.mark.parametrize("provider", CALLS)
def test_a_provider_that_rests_after_a_429_is_shown(
    provider: str, environ: Environ, world: World
) -> None:
    limit = Fault(status=429, headers={"retry-after": "90"}, body="Too many requests")
    world.fail(provider, limit, times=ALWAYS)
    tool, arguments = CALLS[provider]
    named = {} if tool in {"clinical_search", "legal_search"} else {"provider": provider}

    limits, health = read_views(environ, tool, arguments | named)

    for rest in (limits["resting"][provider], health["providers"][provider]["resting"]):
        assert rest["reason"] == "rate_limited"
        assert rest["retryAfterSeconds"] >= 1
        assert datetime.fromisoformat(rest["until"]).tzinfo is not None


def test_nobody_rests_after_an_answer(environ: Environ) -> None:
    limits, health = read_views(environ, "web_search", {"query": "water"})

    assert limits["resting"] == {}
    assert all("resting" not in one for one in health["providers"].values())


def test_a_provider_that_failed_too_often_says_why_it_rests(environ: Environ, world: World) -> None:
    world.fail("wikipedia", Fault(status=500, body="oops"), times=ALWAYS)
    quick = environ | {"CIRCUIT_FAILURE_THRESHOLD": "1"}

    limits, _ = read_views(quick, "web_search", {"query": "water", "provider": "wikipedia"})

    assert limits["resting"]["wikipedia"]["reason"] == "upstream_unavailable"
