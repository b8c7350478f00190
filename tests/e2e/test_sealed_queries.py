"""A query reaches only the providers that the profile or the settings allow to see it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.capabilities.tool_selection import load_manifest
from tests.e2e import private_documents as private
from tests.e2e import sealed_calls as sealed
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires
from tests.skipped_pauses import SkippedPauses

Environ = dict[str, str]
SWITCHES = (
    "MEMORY_ENABLED", "MONITORING_ENABLED", "WORKSPACES_ENABLED", "USER_ANALYTICS_ENABLED",
)  # fmt: skip
TOOLS = [entry["name"] for entry in load_manifest()["tools"]]
# What the instance does: nothing wrong, little found, or one of the ways to fail.
INSTANCES: dict[str, Fault | None] = {
    "working": None,
    "limiting": Fault(status=429, body="Too Many Requests"),
    "failing": Fault(status=500),
    "empty": Fault(status=200, body={"results": [], "unresponsive_engines": []}),
}


@pytest.fixture
def everything(environ: Environ, internet: Internet, monkeypatch: pytest.MonkeyPatch) -> Environ:
    """Every tool, with every provider, an encoder and a model elsewhere, all within reach."""
    private.resolve_remote_name(monkeypatch)
    elsewhere = f"http://{private.REMOTE_HOST}:{internet.port}/compatible"
    return (
        environ
        | sealed.list_every_key()
        | dict.fromkeys(SWITCHES, "true")
        | {
            "CITEWELL_TOOLSETS": "all",
            "CITEWELL_MODEL_SERVER": elsewhere,
            "CITEWELL_MODEL_NAME": "small-model",
            "CITEWELL_ENCODER": elsewhere,
            "CITEWELL_ENCODER_MODEL": "small-model",
            "CITEWELL_RESEARCH_WRITER": "anthropic",
            "CITEWELL_RESEARCH_POLL": "0.05",
            "CITEWELL_SEARXNG_BACKOFF": "0",
            "CITEWELL_CONTACT": "ops@example.org",
            "AUDIT_ENABLED": "false",
        }
    )


@pytest.fixture
def profile(everything: Environ) -> Environ:
    return everything | {"CITEWELL_PROFILE": "searxng"}


def run(environ: Environ, steps: Callable[[App], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        app = App(config.load_settings(environ))
        try:
            return await steps(app)
        finally:
            await app.aclose()

    return asyncio.run(main())


async def call_all(app: App, tool: str, world: World) -> list[Any]:
    calls = sealed.list_marked_calls(world).get(tool, ())
    return [await app.call_tool(tool, dict(call), owner=Owner(user="anna")) for call in calls]


def test_every_free_text_of_every_tool_is_marked(world: World) -> None:
    calls: dict[str, Any] = dict(sealed.list_marked_calls(world))
    calls |= {tool: (call,) for tool, call in sealed.JOB_CALLS.items()}

    assert sealed.list_untested_arguments(load_manifest()["tools"], calls) == []


@requires("sealed.every_tool")
@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("tool", TOOLS)
def test_no_tool_sends_the_query_to_anyone_but_searxng(
    tool: str, instance: str, profile: Environ, world: World, skipped_pauses: SkippedPauses
) -> None:
    sealed.add_marked_pages(world)
    if fault := INSTANCES[instance]:
        world.fail("searxng", fault, times=ALWAYS)

    outcomes = run(profile, lambda app: call_all(app, tool, world))

    assert sealed.list_leaks(world, allowed={sealed.SEARXNG}) == {}
    for outcome in outcomes:
        routing = outcome.meta.get("routing", {})
        assert set(routing.get("seen_by", ())) <= {sealed.SEARXNG}
        assert outcome.meta.get("errorKind") != "internal", outcome.text


@requires("sealed.every_tool")
@pytest.mark.parametrize("instance", ["working", "failing"])
def test_no_step_of_deep_research_sends_the_query_to_anyone_but_searxng(
    instance: str, profile: Environ, world: World, skipped_pauses: SkippedPauses
) -> None:
    sealed.add_marked_pages(world)
    if fault := INSTANCES[instance]:
        world.fail("searxng", fault, times=ALWAYS)
    calls = sealed.JOB_CALLS

    reports: list[str] = []

    async def steps(app: App) -> None:
        for arguments in ({}, {"budgetTier": "M"}):
            told = await private.research(app, **calls["research"], **arguments)
            job = told["jobId"]
            await app.call_tool("get_results", {"jobId": job, **calls["get_results"]})
            shown = await app.call_tool(
                "get_results", {"jobId": job, "includeProviderReports": True}
            )
            reports.append(str((shown.body or {}).get("providerReports")))
            outcome = await app.call_tool("follow_up", {"jobId": job, **calls["follow_up"]})
            if outcome.body is not None:
                await private.finish(app, outcome.body["jobId"])

    run(profile, steps)

    assert world.calls["searxng"]
    if instance == "working":
        assert "sent the queries: searxng." in reports[0]  # the second job finds answers cached
    assert sealed.list_leaks(world, allowed={sealed.SEARXNG}) == {}


@requires("sealed.every_tool")
def test_a_saved_query_is_checked_by_searxng_alone(
    profile: Environ, world: World, skipped_pauses: SkippedPauses
) -> None:
    async def steps(app: App) -> None:
        await call_all(app, "monitor_query_save", world)
        world.fail("searxng", Fault(status=500), times=ALWAYS)
        await app.call_tool("monitor_query_check", {}, owner=Owner(user="anna"))

    run(profile, steps)

    assert sealed.list_leaks(world, allowed={sealed.SEARXNG}) == {}


@requires("sealed.routing")
@pytest.mark.parametrize("tool", sorted(sealed.REACHES_OTHERS))
def test_without_a_seal_the_same_calls_reach_others_and_routing_names_them(
    tool: str, everything: Environ, world: World, skipped_pauses: SkippedPauses
) -> None:
    """So the marked calls above would find a leak."""
    sealed.add_marked_pages(world)
    world.fail("searxng", Fault(status=500), times=ALWAYS)

    outcomes = run(everything, lambda app: call_all(app, tool, world))

    leaks = sealed.list_leaks(world, allowed=())
    assert set(leaks) - {sealed.SEARXNG}
    named = {name for one in outcomes for name in one.meta.get("routing", {}).get("seen_by", ())}
    assert set(leaks) & set(providers.NAMES) <= named
    assert "validation" not in {one.meta.get("errorKind") for one in outcomes}
