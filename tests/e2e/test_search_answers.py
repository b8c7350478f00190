"""What searching and reading answer with, key by key, in one conversation that many tests look at."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextResourceContents

from tests import documents
from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
TRUST = "untrusted-external-content"
SEED = "10.48550/arXiv.1706.03762"


def converse(environ: Environ, talk: Callable[[Any], Awaitable[Any]]) -> Any:
    """Run a conversation with a server in this process that offers every tool."""

    async def run() -> Any:
        async with connected("memory", environ | {"CITEWELL_PROFILE": "all"}) as client:
            return await talk(client)

    return asyncio.run(run())


def call(environ: Environ, tool: str, **arguments: Any) -> Any:
    return converse(environ, lambda client: client.call_tool(tool, arguments))


def error(result: Any) -> dict[str, Any]:
    assert result.is_error
    block: dict[str, Any] = json.loads(result.content[0].text.partition("\n\n")[2])["error"]
    return block


@pytest.fixture(scope="module")
def told(loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One answer of each tool that searches or reads."""
    loopback_web.world.reset()
    folder = tmp_path_factory.mktemp("answers")
    environ = loopback_web.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }
    page = loopback_web.page("sleep.example.org", "sleep-and-memory")
    steps: dict[str, tuple[str, dict[str, Any]]] = {
        "web_search": ("web_search", {"query": "sleep and memory", "num_results": 2, "fetch_content": True}),
        "nothing": ("web_search", {"query": "qzxv wvkj"}),
        "scrape_page": ("scrape_page", {"url": page}),
        "markdown": ("scrape_page", {"url": loopback_web.odd("markdown")}),
        "raw": ("scrape_page", {"url": page, "mode": "raw"}),
        "search_and_scrape": ("search_and_scrape", {"query": "sleep and memory", "num_results": 2}),
        "academic_search": ("academic_search", {"query": "statistical learning", "num_results": 2}),
        "citation_graph": ("citation_graph", {"paper": SEED, "num_results": 2}),
        "search": ("search", {"query": "sleep and memory"}),
        "no results": ("search", {"query": "qzxv wvkj"}),
        "fetch": ("fetch", {"id": page}),
    }  # fmt: skip

    async def talk(client: Client) -> dict[str, Any]:
        return {name: await client.call_tool(*step) for name, step in steps.items()}

    found: dict[str, Any] = converse(environ, talk)
    loopback_web.world.reset()
    return found


@requires("web_search.fetch_content", "searxng.fetch_stats")
def test_each_result_has_its_page_where_content_was_asked_for(told: dict[str, Any]) -> None:
    answer = body(told["web_search"])

    for result in answer["results"]:
        assert set(result["content"]) == {"markdown", "word_count", "fetch_time_ms", "summary"}
        assert result["content"]["word_count"] > 0
    stats = answer["metadata"]["content_fetch_stats"]
    assert (stats["attempted"], stats["successful"], stats["failed"]) == (2, 2, 0)
    assert stats["total_time_ms"] >= 0


@requires("searxng.metadata")
def test_a_search_is_described_in_the_words_of_searxng(told: dict[str, Any]) -> None:
    answer = body(told["web_search"])

    metadata = answer["metadata"]
    assert metadata["query"] == "sleep and memory"
    assert (metadata["category"], metadata["results_count"]) == ("general", 2)
    assert metadata["search_time_ms"] >= 0
    assert metadata["instance_used"].startswith("http")
    assert metadata["engines_used"]


@requires("web_search.empty", "web_search.hints")
def test_a_search_that_finds_nothing_is_an_answer_with_hints(told: dict[str, Any]) -> None:
    empty, full = body(told["nothing"]), body(told["web_search"])

    assert (empty["urls"], empty["results"], empty["resultCount"]) == ([], [], 0)
    assert empty["hints"]["reason"] == "no_match"
    assert empty["hints"]["suggestedActions"]
    assert "hints" not in full


@requires("trust.mark", "scrape_page.trust")
@pytest.mark.parametrize(
    "step",
    ["web_search", "nothing", "scrape_page", "raw", "search_and_scrape", "academic_search", "citation_graph"],
)  # fmt: skip
def test_text_from_outside_is_marked_beside_and_not_inside_it(
    step: str, told: dict[str, Any]
) -> None:
    answer = body(told[step])

    assert answer["trust"] == TRUST
    assert TRUST not in answer.get("content", "")


@requires("scrape_page.citation", "scrape_page.metadata")
def test_a_page_comes_with_its_citation(told: dict[str, Any]) -> None:
    page = body(told["scrape_page"])

    citation = page["citation"]
    assert set(citation) == {"url", "accessedDate", "metadata", "formatted"}
    assert set(citation["metadata"]) == {"title", "author", "site", "date"}
    assert {"apa", "mla"} <= set(citation["formatted"])
    assert page["metadata"] == {"title": "How sleep strengthens memory", "author": ""}


@requires("scrape_page.extracted_by", "scrape_page.extraction_quality", "scrape_page.content_type")
def test_the_tier_that_read_a_page_is_named(told: dict[str, Any]) -> None:
    html, markdown, raw = (body(told[step]) for step in ("scrape_page", "markdown", "raw"))

    assert (html["extractedBy"], html["contentType"]) == ("html", "html")
    assert (markdown["extractedBy"], markdown["contentType"]) == ("markdown", "markdown")
    assert html["extractionQuality"] == "complete"
    assert "extractionQuality" not in raw


@requires("scrape_page.pdf", "scrape_page.docx", "scrape_page.pptx", "scrape_page.content_type")
@pytest.mark.parametrize("kind", ["pdf", "docx", "pptx"])
def test_a_document_is_read_and_named(kind: str, environ: Environ, internet: Internet) -> None:
    sentence = "Tides rise and fall twice a day on most coasts of the world."
    made = {
        "pdf": lambda: documents.pdf(*[sentence] * 12),
        "docx": lambda: documents.docx(documents.word_paragraph(sentence) * 12),
        "pptx": lambda: documents.pptx(documents.slide_shape(*[sentence] * 12)),
    }
    internet.world.fail("/odd/fine", Fault(status=200, body=made[kind]()), times=ALWAYS)

    page = body(call(environ, "scrape_page", url=internet.odd("fine")))

    assert page["contentType"] == kind
    assert sentence in page["content"]


@requires(
    "search_and_scrape.answer", "search_and_scrape.summary", "search_and_scrape.size_metadata"
)
def test_a_bundle_has_every_promised_key(told: dict[str, Any]) -> None:
    bundle = body(told["search_and_scrape"])

    assert {"query", "status", "sources", "combinedContent", "trust", "summary", "sizeMetadata"} <= set(bundle)  # fmt: skip
    summary, size = bundle["summary"], bundle["sizeMetadata"]
    assert (summary["urlsSearched"], summary["urlsScraped"], summary["urlsFailed"]) == (2, 2, 0)
    assert summary["processingTimeMs"] >= 0
    assert size["totalLength"] == sum(len(one["content"].encode()) for one in bundle["sources"])


@requires("search_and_scrape.source", "search_and_scrape.scores", "search_and_scrape.ranked")
def test_a_source_is_classified_and_scored(told: dict[str, Any]) -> None:
    sources = body(told["search_and_scrape"])["sources"]

    for source in sources:
        assert {"url", "content", "contentType", "sourceType", "authorityTier", "domainCategory"} <= set(source)  # fmt: skip
        assert source["trust"] == TRUST
        assert set(source["scores"]) == {"overall", "relevance", "freshness", "authority", "contentQuality"}  # fmt: skip
        parts = source["scores"]
        weighed = (
            0.35 * parts["relevance"]
            + 0.20 * parts["freshness"]
            + 0.25 * parts["authority"]
            + 0.20 * parts["contentQuality"]
        )
        assert parts["overall"] == pytest.approx(weighed, abs=0.011)
    overall = [source["scores"]["overall"] for source in sources]
    assert overall == sorted(overall, reverse=True)


@requires("academic_search.answer")
def test_a_search_for_papers_has_every_promised_key(told: dict[str, Any]) -> None:
    answer = body(told["academic_search"])

    assert {"papers", "query", "totalResults", "resultCount", "source", "trust"} <= set(answer)
    assert answer["totalResults"] >= answer["resultCount"] == len(answer["papers"])


@requires("citation_graph.answer", "citation_graph.cited_by", "citation_graph.references")
def test_a_graph_has_both_directions_with_their_counts(told: dict[str, Any]) -> None:
    graph = body(told["citation_graph"])

    assert (graph["seed"], graph["direction"]) == (SEED, "both")
    assert graph["provider"] in {"semanticscholar", "openalex"}
    assert graph["citedByCount"] == len(graph["citedBy"])
    assert graph["referencesCount"] == len(graph["references"])


@requires("search.empty")
def test_a_connector_search_that_finds_nothing_is_an_empty_list(told: dict[str, Any]) -> None:
    assert body(told["no results"]) == {"results": []}


@requires("fetch.answer", "fetch.one_item")
def test_a_fetched_document_is_one_text_item_with_the_promised_keys(told: dict[str, Any]) -> None:
    result = told["fetch"]

    document = body(result)
    assert [item.type for item in result.content] == ["text"]
    assert json.loads(result.content[0].text) == document
    assert {"id", "title", "text", "url"} <= set(document) <= {"id", "title", "text", "url", "metadata"}  # fmt: skip


@requires("fetch.whole_text", "search.answer", "artifact.inline")
def test_the_connectors_answers_are_never_links(environ: Environ, internet: Internet) -> None:
    tight = environ | {"CITEWELL_LINK_THRESHOLD": "500", "CITEWELL_ANSWER_LIMIT": "500"}
    page = internet.page("sleep.example.org", "sleep-and-memory")

    found = call(tight, "search", query="sleep and memory")
    fetched = call(tight, "fetch", id=page)

    assert set(body(found)) == {"results"}
    assert all(set(row) == {"id", "title", "url"} for row in body(found)["results"])
    assert len(body(fetched)["text"]) > 500
    assert [item.type for item in fetched.content] == ["text"]


@requires("web_search.num_results", "web_search.safe", "web_search.time_range", "searxng.filters")
def test_the_names_of_the_other_specification_are_understood(
    environ: Environ, world: World
) -> None:
    asked = {"results_count": 2, "safe_search": 2, "time_range": "", "provider": "searxng"}

    answer = body(call(environ, "web_search", query="http caching", **asked))

    [sent] = world.requests["searxng"][-1:]
    assert answer["resultCount"] == 2
    assert "safesearch=2" in sent.query_string
    assert "time_range" not in sent.query_string


@requires("web_search.site", "web_search.exact_terms", "web_search.exclude_terms", "defect.filters")
def test_every_result_meets_the_filters_and_the_answer_says_who_applied_them(
    environ: Environ,
) -> None:
    with Internet(World(named=True)) as internet:
        answer = body(
            call(
                environ | internet.env(),
                "web_search",
                query="battery",
                num_results=10,
                site="batteries.example.org",
                exact_terms="lithium-ion",
                exclude_terms="calendar",
            )
        )

    assert answer["results"]
    for result in answer["results"]:
        said = f"{result['title']} {result['snippet']} {result['url']}".lower()
        assert "lithium-ion" in said
        assert "calendar" not in said
        assert result["displayLink"] == "batteries.example.org"
    assert {row["filter"] for row in answer["filters"]} == {"site", "exact_terms", "exclude_terms"}


@requires("artifact.link", "scrape_page.raw")
def test_a_linked_result_says_what_it_is_and_where(environ: Environ, internet: Internet) -> None:
    tight = environ | {"CITEWELL_LINK_THRESHOLD": "500"}
    url = internet.page("sleep.example.org", "sleep-and-memory")

    result = call(tight, "scrape_page", url=url, mode="raw")

    shown = body(result)
    assert {"resource", "bytes", "mimeType", "summary", "expiresAt"} <= set(shown)
    assert shown["linked"] is True
    assert shown["resource"].startswith("research://artifact/")
    assert str(result.content[1].uri) == shown["resource"]


@requires("read_artifact.unknown", "artifact.expiry")
def test_an_artifact_that_is_not_there_is_not_found(environ: Environ) -> None:
    result = call(environ, "read_artifact", id="research://artifact/" + "0" * 64)

    assert error(result)["kind"] == "not_found"


@requires("resource.lenses")
def test_a_lens_of_the_catalogue_says_what_it_is(environ: Environ) -> None:
    async def talk(client: Client) -> Any:
        (content,) = (await client.read_resource("lenses://catalog")).contents
        assert isinstance(content, TextResourceContents)
        return json.loads(content.text)

    shown = converse(environ, talk)

    assert all(
        set(lens) == {"name", "description", "domainCount", "hasEngine"} for lens in shown["lenses"]
    )
