"""An assistant finds papers, follows their citations and reads them, over a real server."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from tests import documents
from tests.e2e.clients import body, connected
from tests.internet import papers
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import Page, World
from tests.requirements import requires

Environ = dict[str, str]
SAFETY = "10.3390/vaccines9070693"  # open, retracted, and nowhere on arXiv
LIMITED = Fault(status=429, headers={"retry-after": "30"}, body={"message": "Too many requests"})
MISBEHAVIOUR = {
    "rate limited": LIMITED,
    "failing": Fault(status=500, body="oops"),
    "html": Fault(status=200, headers={"content-type": "text/html"}, body="<html>Sorry</html>"),
    "nothing": Fault(cut=0),
    "empty": Fault(status=200, body=""),
    "a list": Fault(status=200, headers={"content-type": "application/json"}, body=[]),
}


@pytest.fixture
def scholarly(environ: Environ) -> Environ:
    return environ | {"CITEWELL_TOOLSETS": "scholar,sessions,core"}


def call(environ: Environ, tool: str, arguments: dict[str, Any], transport: str = "memory") -> Any:
    async def talk() -> Any:
        async with connected(transport, environ) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(talk())


def error_of(result: Any) -> dict[str, Any]:
    assert result.is_error
    block: dict[str, Any] = json.loads(result.content[0].text.rpartition("\n\n")[2])["error"]
    return block


def text_of(world: World, doi: str = SAFETY, *, length: int = 75) -> Page:
    """A page with as many words as a short paper has."""
    work = papers.of(world).by_doi(doi)
    assert work is not None
    words = "The placeholder sentence of a paper that goes on for a while. " * length
    return replace(
        papers.page(work), markdown=f"## Introduction\n\n{words}\n\n## Results\n\n{words}"
    )


@requires("academic_search.answer", "academic_search.ladder")
@pytest.mark.parametrize("transport", ["memory", "http", "stdio"])
def test_papers_are_found_with_all_that_is_known_of_them(
    transport: str, scholarly: Environ
) -> None:
    question = {"query": "statistical learning", "num_results": 3}

    result = call(scholarly, "academic_search", question, transport)

    answer = body(result)
    assert answer["source"] == "openalex"
    assert answer["query"] == "statistical learning"
    assert 1 <= answer["resultCount"] == len(answer["papers"]) <= 3
    assert answer["papers"][0]["authors"]
    assert answer["papers"][0]["doi"].startswith("10.")
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "openalex"


@requires("academic_search.ladder")
@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_the_ladder_passes_over_whoever_misbehaves(
    kind: str, scholarly: Environ, world: World
) -> None:
    world.fail("openalex", MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(scholarly, "academic_search", {"query": "statistical learning"})

    assert body(result)["source"] == "crossref"
    assert result.meta["routing"]["fallback"] is True


@requires("academic_search.web_sites", "academic_search.ladder", "academic_search.hints")
def test_with_every_registry_down_the_web_is_searched(scholarly: Environ, world: World) -> None:
    names = (
        "openalex", "crossref", "pubmed", "semanticscholar", "core", "arxiv", "europepmc", "datacite",
    )  # fmt: skip
    for name in names:
        world.fail(name, Fault(status=404, body="no"), times=ALWAYS)

    answer = body(call(scholarly, "academic_search", {"query": "sediments"}))

    searched = " ".join(asked.query_string for asked in world.requests["searxng"])
    assert "arxiv.org" in searched
    assert "medrxiv.org" in searched
    assert answer["hints"]["reason"] == "engines_failed"
    assert "openalex" in answer["hints"]["providersAttempted"]


@requires("academic_search.provider")
@pytest.mark.parametrize(
    "provider",
    ["openalex", "crossref", "pubmed", "semanticscholar", "core", "arxiv", "europepmc", "datacite"],
)
def test_every_scholarly_provider_can_be_named(provider: str, scholarly: Environ) -> None:
    question = {"query": "learning", "provider": provider, "num_results": 2}

    answer = body(call(scholarly, "academic_search", question))

    assert answer["source"] == provider
    assert {paper["source"] for paper in answer["papers"]} <= {provider}


@requires("academic_search.provider_unknown")
def test_a_provider_there_is_not_is_refused_with_those_there_are(scholarly: Environ) -> None:
    result = call(scholarly, "academic_search", {"query": "learning", "provider": "scholar"})

    assert error_of(result)["kind"] == "validation"
    assert "openalex, crossref, pubmed, semanticscholar" in result.content[0].text


def test_a_named_provider_in_trouble_is_never_replaced(scholarly: Environ, world: World) -> None:
    world.fail("pubmed", LIMITED, times=ALWAYS)

    result = call(scholarly, "academic_search", {"query": "learning", "provider": "pubmed"})

    assert error_of(result)["kind"] == "rate_limited"
    assert error_of(result)["provider"] == "pubmed"
    assert world.calls["openalex"] == 0


def test_a_retracted_paper_is_marked_without_another_request(
    scholarly: Environ, world: World
) -> None:
    question = {"query": "safety of vaccinations rethink the policy", "provider": "crossref"}

    answer = body(call(scholarly, "academic_search", question))

    [paper] = [paper for paper in answer["papers"] if paper.get("doi") == SAFETY]
    assert paper["retractionStatus"]["retracted"] is True
    assert world.calls["crossref"] <= 2


@requires("academic_search.open_access", "academic_search.unpaywall")
def test_a_missing_pdf_is_filled_in_where_an_address_is_configured(
    scholarly: Environ, world: World
) -> None:
    known = scholarly | {"UNPAYWALL_EMAIL": "someone@example.org"}
    question = {"query": "safety of vaccinations", "provider": "crossref", "open_access": True}

    answer = body(call(known, "academic_search", question))

    assert world.calls["unpaywall"] >= 1
    assert all(paper["openAccess"] for paper in answer["papers"])


@requires("citation_graph.auto_provider", "citation_graph.answer")
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_the_neighbourhood_of_a_paper_is_told(transport: str, scholarly: Environ) -> None:
    seed = {"paper": "Attention is all you need", "num_results": 3}

    result = call(scholarly, "citation_graph", seed, transport)

    answer = body(result)
    assert answer["provider"] == "semanticscholar"
    assert answer["citedByCount"] == len(answer["citedBy"]) >= 1
    assert answer["referencesCount"] == len(answer["references"])
    assert all(paper["title"] for paper in answer["citedBy"])


@requires("citation_graph.auto_provider", "citation_graph.direction")
@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_the_graph_falls_to_openalex_and_says_so(
    kind: str, scholarly: Environ, world: World
) -> None:
    world.fail("semanticscholar", MISBEHAVIOUR[kind], times=ALWAYS)
    seed = {"paper": "10.48550/arXiv.1706.03762", "direction": "cited_by"}

    result = call(scholarly, "citation_graph", seed)

    assert body(result)["provider"] == "openalex"
    assert "references" not in body(result)
    assert result.meta["routing"]["fallback"] is True


def test_a_paper_that_nobody_knows_has_no_neighbourhood(scholarly: Environ) -> None:
    result = call(scholarly, "citation_graph", {"paper": "10.9999/invented.7"})

    assert error_of(result)["kind"] == "not_found"


@requires("paper_fulltext.open_copy")
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_paper_is_read_from_its_free_copy(
    transport: str, scholarly: Environ, world: World
) -> None:
    world.add(text_of(world))
    known = scholarly | {"UNPAYWALL_EMAIL": "someone@example.org"}

    answer = body(call(known, "paper_fulltext", {"identifier": f"doi:{SAFETY}"}, transport))

    assert answer["isFullText"] is True
    assert "placeholder sentence of a paper" in answer["content"]
    assert answer["version"] == "publishedVersion"
    assert answer["doi"] == SAFETY
    assert answer["retractionStatus"]["retracted"] is True


def test_a_paper_is_read_from_a_real_pdf(scholarly: Environ, world: World) -> None:
    work = papers.of(world).by_doi(SAFETY)
    assert work is not None
    sentence = "The placeholder sentence of a paper that goes on for a while."
    file = documents.pdf(work.title.replace("—", ": "), *[sentence] * 40)
    answer = Fault(status=200, headers={"content-type": "application/pdf"}, body=file)
    world.fail(f"/site/{papers.HOST}/full/{work.slug}", answer, times=ALWAYS)

    read = body(call(scholarly, "paper_fulltext", {"identifier": SAFETY}))

    assert read["isFullText"] is True
    assert read["pageCount"] >= 1
    assert sentence in read["content"]


def test_a_long_paper_is_inline_up_to_its_max_length(scholarly: Environ, world: World) -> None:
    world.add(text_of(world, length=2000))

    answer = body(call(scholarly, "paper_fulltext", {"identifier": SAFETY}))

    assert "linked" not in answer
    assert answer["isFullText"] is True
    assert answer["retractionStatus"]["retracted"] is True
    assert 24 * 1024 < answer["contentLength"] <= 50_000


@requires("paper_fulltext.abstract")
def test_an_abstract_is_never_passed_off_as_the_paper(scholarly: Environ, world: World) -> None:
    work = papers.of(world).by_doi(SAFETY)
    assert work is not None
    world.add(papers.page(work))

    answer = body(call(scholarly, "paper_fulltext", {"identifier": SAFETY}))

    assert answer["isFullText"] is False
    assert any("abstract only" in note for note in answer["notes"])


@requires("paper_fulltext.unknown")
def test_an_invented_doi_has_no_text(scholarly: Environ) -> None:
    result = call(scholarly, "paper_fulltext", {"identifier": "10.9999/invented.7"})

    assert error_of(result)["kind"] == "not_found"
    assert "not registered" in result.content[0].text


def test_a_private_address_is_refused(scholarly: Environ) -> None:
    result = call(scholarly, "paper_fulltext", {"identifier": "http://10.0.0.1/paper.pdf"})

    assert error_of(result)["kind"] == "validation"


@requires("academic_search.session_id")
def test_papers_are_linked_to_a_session(scholarly: Environ) -> None:
    async def talk() -> tuple[Any, Any]:
        async with connected("memory", scholarly) as client:
            step = {"searchStep": "Look for papers", "stepNumber": 1, "nextStepNeeded": True}
            begun = body(await client.call_tool("sequential_search", step))
            session = begun["sessionId"]
            found = await client.call_tool(
                "academic_search", {"query": "statistical learning", "sessionId": session}
            )
            kept = await client.call_tool("get_research_session", {"sessionId": session})
            return found, kept

    found, kept = asyncio.run(talk())

    urls = {source["url"] for source in body(kept)["sources"]}
    assert {paper["url"] for paper in body(found)["papers"]} <= urls
