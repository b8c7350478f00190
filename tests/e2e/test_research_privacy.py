"""Text of the user's library leaves the machine in no configuration that did not allow it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from citewell.core.tooling import Owner
from citewell.server.app import App
from tests.e2e import private_documents as private
from tests.e2e.deep import KEYS, deep
from tests.internet.faults import Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
PAID = ["openai", "perplexity", "anthropic", "local"]
SCOPES: tuple[dict[str, str], ...] = ({}, {"scope": "web"}, {"scope": "both"})


@pytest.fixture
def remote_model(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> Environ:
    """The settings of a model server on another machine."""
    private.resolve_remote_name(monkeypatch)
    return {
        "CITEWELL_MODEL_SERVER": f"http://{private.REMOTE_HOST}:{internet.port}/compatible",
        "CITEWELL_MODEL_NAME": "small-model",
    }


@pytest.fixture
def own_model(internet: Internet) -> Environ:
    """The settings of a model server on this machine."""
    return {
        "CITEWELL_MODEL_SERVER": f"http://127.0.0.1:{internet.port}/compatible",
        "CITEWELL_MODEL_NAME": "small-model",
    }


def run(environ: Environ, steps: Callable[[App], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with private.library_app(deep(environ)) as app:
            return await steps(app)

    return asyncio.run(main())


@requires("deep.private_library")
@pytest.mark.parametrize("scope", SCOPES, ids=str)
@pytest.mark.parametrize("writer", [{}, {"CITEWELL_RESEARCH_WRITER": "anthropic"}], ids=str)
def test_paid_providers_searches_and_pages_are_told_nothing_of_the_library(
    environ: Environ, world: World, scope: Any, writer: Environ
) -> None:
    told = run(
        environ | KEYS | writer,
        lambda app: private.research(app, providers=PAID, **scope),
    )

    assert world.calls["openai"]
    assert world.calls["pages"]
    assert private.leaks(world) == {}
    assert (private.MARKER in str(told).lower()) is (scope == {"scope": "both"})


@requires("deep.private_library")
@pytest.mark.parametrize("scope", SCOPES, ids=str)
@pytest.mark.parametrize("providers", [["compatible"], ["compatible", "local"]], ids=str)
def test_a_model_server_elsewhere_is_given_web_passages_alone(
    environ: Environ, world: World, remote_model: Environ, scope: Any, providers: list[str]
) -> None:
    run(
        environ | remote_model,
        lambda app: private.research(app, providers=providers, **scope),
    )

    assert world.calls["compatible"]
    assert private.leaks(world) == {}


@pytest.mark.parametrize("scope", [{}, {"scope": "web"}], ids=str)
def test_the_library_is_not_read_where_it_is_not_named(
    environ: Environ, world: World, own_model: Environ, scope: Any
) -> None:
    told = run(
        environ | own_model,
        lambda app: private.research(app, providers=["compatible", "local"], **scope),
    )

    assert private.leaks(world) == {}
    assert private.MARKER not in str(told).lower()


@pytest.mark.parametrize("scope", ["library", "both"])
@pytest.mark.parametrize("providers", [["compatible"], ["compatible", "local"]], ids=str)
def test_a_model_server_on_this_machine_may_read_the_library_and_nobody_hears_of_it(
    environ: Environ, world: World, own_model: Environ, scope: str, providers: list[str]
) -> None:
    run(
        environ | KEYS | own_model | {"CITEWELL_RESEARCH_WRITER": "anthropic"},
        lambda app: private.research(app, providers=providers, scope=scope),
    )

    assert set(private.leaks(world)) == {"compatible"}
    assert private.leaks(world, beside={"compatible"}) == {}


def test_an_address_that_a_model_made_from_private_text_is_not_opened(
    environ: Environ, world: World, own_model: Environ
) -> None:
    told = world.address("lost.example.org", f"?seen={private.MARKER}")
    world.fail(
        "/compatible/chat/completions",
        _answer(f"Grid batteries age with heat ([proof]({told})). [1]"),
        times=9,
    )

    run(
        environ | own_model,
        lambda app: private.research(app, providers=["compatible", "local"], scope="both"),
    )

    assert world.calls["compatible"]
    assert private.leaks(world, beside={"compatible"}) == {}


def _answer(text: str) -> Fault:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    return Fault(status=200, body={"model": "small-model", "choices": [choice]})


@requires("research.local_only")
@pytest.mark.parametrize(
    ("settings", "scope"),
    [
        ({}, {"scope": "library"}),
        ({"SEARCH_ROUTING": "library"}, {}),
        ({"SEARCH_ROUTING": '{"default": ["library"]}'}, {}),
        ({"CITEWELL_RESEARCH_SCOPE": "library"}, {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("tier", ["S", "M"])
def test_local_only_research_sends_no_request(
    environ: Environ, world: World, settings: Environ, scope: Any, tier: str
) -> None:
    told = run(
        environ | KEYS | settings | {"CITEWELL_RESEARCH_WRITER": "openai"},
        lambda app: private.research(app, budgetTier=tier, **scope),
    )

    assert world.calls.total() == 0
    assert private.MARKER in told["synthesis"].lower()


@requires("research.local_only")
@pytest.mark.parametrize("scope", ["library", "both"])
def test_an_encoder_elsewhere_is_told_nothing_of_the_library(
    environ: Environ, internet: Internet, remote_model: Environ, scope: str
) -> None:
    encoder = remote_model["CITEWELL_MODEL_SERVER"]
    settings = {"CITEWELL_ENCODER": encoder, "CITEWELL_ENCODER_MODEL": "small-model"}

    told = run(
        environ | settings,
        lambda app: private.research(app, scope=scope, providers=["local"]),
    )

    assert private.MARKER in told["synthesis"].lower()
    assert private.leaks(internet.world) == {}
    assert scope == "both" or internet.world.calls.total() == 0


@pytest.mark.parametrize("scope", [{"scope": "library"}, {}], ids=str)
def test_a_paid_provider_in_local_only_research_is_refused_with_what_to_change(
    environ: Environ, world: World, scope: Any
) -> None:
    settings = {} if scope else {"SEARCH_ROUTING": "library"}

    told = run(
        environ | KEYS | settings,
        lambda app: private.refused(
            app, "research", query="How?", providers=["openai", "local"], **scope
        ),
    )

    assert "openai" in told
    assert ("scope" in told) if scope else ("SEARCH_ROUTING" in told)
    assert world.calls.total() == 0


@pytest.mark.parametrize("scope", ["web", "both"])
def test_routing_to_the_library_alone_refuses_a_wider_scope(
    environ: Environ, world: World, scope: str
) -> None:
    told = run(
        environ | {"SEARCH_ROUTING": "library"},
        lambda app: private.refused(app, "research", query="How?", scope=scope),
    )

    assert "SEARCH_ROUTING" in told
    assert world.calls.total() == 0


@requires("deep.private_library")
@pytest.mark.parametrize("parent", ["library", "both"])
@pytest.mark.parametrize("scope", [{"scope": "web"}, {"scope": "both"}, {}], ids=str)
@pytest.mark.parametrize(
    "ask", [{"topicIndex": 0}, {"customQuery": "How hot may cells get?"}], ids=str
)
def test_a_follow_up_carries_nothing_private_out(
    environ: Environ, world: World, parent: str, scope: Any, ask: Any
) -> None:
    async def steps(app: App) -> None:
        before = await private.research(app, scope=parent, providers=["local"])
        assert private.MARKER in before["synthesis"].lower()
        arguments = {"jobId": before["jobId"], **ask, **scope}
        outcome = await app.call_tool("follow_up", arguments, owner=Owner())
        if outcome.body is not None:
            await private.finish(app, outcome.body["jobId"])

    run(environ | KEYS, steps)

    assert private.leaks(world) == {}


@requires("deep.private_library")
def test_the_context_of_a_follow_up_by_a_paid_provider_holds_no_library_text(
    environ: Environ, world: World
) -> None:
    async def steps(app: App) -> None:
        before = await private.research(app, scope="both", providers=["openai", "local"])
        again = await private.follow_up(app, before["jobId"], customQuery="How hot may cells get?")
        await private.follow_up(app, again["jobId"], scope="web", customQuery="How cold may it be?")

    run(environ | KEYS, steps)

    assert world.calls["openai"] >= 3
    assert private.leaks(world) == {}


@pytest.mark.parametrize("receiver", ["openai", "compatible"])
def test_what_the_owner_allowed_for_one_job_is_given_to_its_provider(
    environ: Environ, world: World, remote_model: Environ, receiver: str
) -> None:
    run(
        environ | KEYS | remote_model,
        lambda app: private.research(
            app, scope="both", share_library=True, providers=[receiver, "local"]
        ),
    )

    assert set(private.leaks(world)) == {receiver}


@requires("follow_up.scope", "follow_up.share_library")
def test_a_follow_up_keeps_the_scope_of_its_parent_but_not_its_permission(
    environ: Environ, world: World
) -> None:
    async def steps(app: App) -> Any:
        before = await private.research(
            app, scope="both", share_library=True, providers=["openai", "local"]
        )
        world.faults.requests.clear()
        return await private.follow_up(app, before["jobId"], customQuery="Which cells age by heat?")

    told = run(environ | KEYS, steps)

    assert private.MARKER in str(told["sourceRegistry"]).lower()
    assert world.requests["openai"]
    assert private.leaks(world) == {}
