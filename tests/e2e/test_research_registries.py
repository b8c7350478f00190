"""Research asks the registry that fits a question, and cites its records in their own form."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.e2e.deep import ask, deep, researched
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

TRIALS = "Which clinical trials tested melatonin for insomnia?"
STUDY = "https://clinicaltrials.gov/study/NCT09000001"
GDP = "https://data.worldbank.org/indicator/NY.GDP.MKTP.CD?locations=DE"


def research(environ: dict[str, str], question: str) -> dict[str, Any]:
    """The results of a job of our own engine."""

    async def talk() -> dict[str, Any]:
        async with connected("memory", deep(environ)) as client:
            begun = await researched(client, question, budgetTier="S", providers=["local"])
            return await ask(client, "get_results", jobId=begun["jobId"])

    return asyncio.run(talk())


@requires("research.registries")
@pytest.mark.parametrize(
    ("question", "url", "kind"),
    [
        (TRIALS, STUDY, "trial"),
        ("What is the GDP of Germany?", GDP, "dataset"),
    ],
)
def test_a_question_is_put_to_the_registry_that_fits(
    question: str, url: str, kind: str, environ: dict[str, str]
) -> None:
    results = research(environ, question)

    [source] = [one for one in results["sourceRegistry"] if one["url"] == url]
    assert source["type"] == kind
    assert f"[{source['ref']}]" in results["synthesis"]


def test_a_registry_that_fails_costs_a_note_and_nothing_else(
    environ: dict[str, str], world: World
) -> None:
    world.fail("clinicaltrials", Fault(status=500, body="oops"), times=ALWAYS)

    results = research(environ, TRIALS)

    assert "the registry of trials could not be searched" in str(results)
    assert results["sourceRegistry"]


def test_an_everyday_question_is_put_to_no_registry(environ: dict[str, str], world: World) -> None:
    research(environ, "How does sleep help memory?")

    assert not world.calls["clinicaltrials"]
    assert not world.calls["courtlistener"]
    assert not world.calls["worldbank"]
