"""A search for papers says which were retracted, whichever provider found them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
WAKEFIELD = "10.1016/s0140-6736(97)11096-0"
QUERY = "ileal-lymphoid-nodular hyperplasia non-specific colitis"
REGISTRIES = ("crossref", "europepmc", "pubmed")


@pytest.fixture
def scholarly(environ: Environ) -> Environ:
    return environ | {"CITEWELL_TOOLSETS": "scholar,core", "EXA_API_KEY": "k"}


def call(environ: Environ, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    async def talk() -> dict[str, Any]:
        async with connected("memory", environ) as client:
            return body(await client.call_tool(tool, arguments))

    return asyncio.run(talk())


def choose(papers: list[dict[str, Any]], doi: str = WAKEFIELD) -> dict[str, Any]:
    [paper] = [paper for paper in papers if paper.get("doi") == doi]
    return paper


@requires("academic_search.retraction")
@pytest.mark.parametrize(
    "provider", ["openalex", "semanticscholar", "crossref", "pubmed", "europepmc", "exa"]
)
def test_a_retracted_paper_has_the_same_status_from_every_provider(
    provider: str, scholarly: Environ
) -> None:
    answer = call(scholarly, "academic_search", {"query": QUERY, "provider": provider})

    status = choose(answer["papers"])["retractionStatus"]
    assert (status["retracted"], status["kind"], status["date"], status["source"]) == (
        True,
        "retraction",
        "2010-02-06",
        "retraction-watch",
    )
    assert status["noticeDoi"].lower() == "10.1016/s0140-6736(10)60175-4"
    assert "notes" not in answer


@requires("academic_search.retraction_unchecked", "academic_search.enrichment_failure")
@pytest.mark.parametrize("provider", ["openalex", "semanticscholar"])
@pytest.mark.parametrize("fault", [429, 500, 200], ids=["limited", "failing", "html"])
def test_registries_that_fail_leave_no_false_behind(
    fault: int, provider: str, scholarly: Environ, world: World
) -> None:
    for name in REGISTRIES:
        world.fail(name, Fault(status=fault, body="<html>Sorry</html>"), times=ALWAYS)

    answer = call(scholarly, "academic_search", {"query": QUERY, "provider": provider})

    assert choose(answer["papers"]).get("retractionStatus", {}).get("retracted") is None
    assert any("could not be checked" in note for note in answer["notes"])


@requires("citation_graph.retraction")
@pytest.mark.parametrize("provider", ["openalex", "semanticscholar"])
def test_the_works_around_a_retracted_paper_are_marked(provider: str, scholarly: Environ) -> None:
    question = {"paper": WAKEFIELD, "provider": provider}

    answer = call(scholarly, "citation_graph", question)

    found = [answer.get("seedPaper"), *answer["citedBy"], *answer["references"]]
    marked = [one for one in found if one and (one.get("retractionStatus") or {}).get("retracted")]
    assert marked or answer.get("seedPaper") is None


def test_ten_papers_share_a_request_of_the_best_registry(scholarly: Environ, world: World) -> None:
    question = {"query": "learning", "provider": "semanticscholar", "num_results": 10}

    answer = call(scholarly, "academic_search", question)

    assert answer["resultCount"] == 10
    assert world.calls["crossref"] in {1, 2}  # on a busy machine not all come within one window
