"""Answers that are too large, for a real client: documented keys, and the whole to its last byte."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client

from tests.e2e.clients import TRANSPORTS, body, connected
from tests.e2e.deep import ask, deep, researched
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.requirements import requires

Environ = dict[str, str]


async def page_through(client: Client, resource: str, size: int = 20_000) -> str:
    """The artifact as read_artifact gives it, page after page."""
    text = ""
    offset: int | None = 0
    while offset is not None:
        page = await ask(client, "read_artifact", id=resource, offset=offset, max_length=size)
        assert page["offset"] == offset
        text, offset = text + page["content"], page.get("nextOffset")
    assert len(text) == page["totalLength"]
    return text


async def read_whole(client: Client, resource: str) -> tuple[str, str | None]:
    [whole] = (await client.read_resource(resource)).contents
    text: str = whole.text  # type: ignore[union-attr]  # artifacts are texts
    return text, whole.mime_type


@requires("read_artifact.pages", "resource.artifact", "artifact.link", "artifact.media_type")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_artifact_is_paged_to_its_end_and_is_the_same_to_the_byte(
    transport: str, environ: Environ, internet: Internet
) -> None:
    line = 'Ebbe und Flut: "e\u0301", 潮の満ち引き, 👩\u200d🔬 and a backslash \\.\n'
    source = "# Tides\n\n" + line * 4000
    told = {"content-type": "text/markdown; charset=utf-8"}
    internet.world.fail("/odd/fine", Fault(body=source, headers=told), times=ALWAYS)
    asked = {"url": internet.odd("fine"), "mode": "raw", "max_length": 5_000_000}

    async def talk() -> tuple[Any, str, tuple[str, str | None]]:
        async with connected(transport, environ) as client:
            await client.list_tools()  # so that the client checks answers against their schemas
            result = await client.call_tool("scrape_page", asked)
            resource = body(result)["resource"]
            return (
                result,
                await page_through(client, resource),
                await read_whole(client, resource),
            )

    result, paged, (whole, media_type) = asyncio.run(talk())

    shown = body(result)
    assert paged == whole == source
    assert media_type == shown["mimeType"] == "text/markdown"
    assert shown["bytes"] == len(source.encode())
    assert source.startswith(shown["content"])
    assert [item.type for item in result.content] == ["text", "resource_link"]
    assert json.loads(result.content[0].text) == shown
    assert len(result.content[0].text.encode()) < 24 * 1024


DOCUMENTED = {
    "get_results": {"jobId", "status", "synthesis", "followOnSuggestions", "cost", "duration", "claims", "providerReports"},
    "get_thread": {"id", "title", "createdAt", "messages", "jobs", "steps"},
    "search_claims": {"claims", "total"},
    "research_export": {"jobId", "format", "document", "sourceCount", "trust"},
}  # fmt: skip


@requires("get_thread.documented_keys", "get_results.documented_keys", "artifact.media_type")
def test_the_answers_of_research_keep_their_keys_however_large(environ: Environ) -> None:
    async def talk() -> dict[str, Any]:
        async with connected(
            "memory", deep(environ, CITEWELL_LINK_THRESHOLD="1800", CITEWELL_ANSWER_LIMIT="1800")
        ) as client:
            await client.list_tools()
            begun = await researched(client, budgetTier="XXS")
            job, thread = begun["jobId"], begun["threadId"]
            told: dict[str, Any] = {
                "get_results": await ask(
                    client, "get_results", jobId=job, includeClaimsJson=True, includeProviderReports=True
                ),
                "get_thread": await ask(client, "get_thread", threadId=thread),
                "search_claims": await ask(client, "search_claims", jobId=job, limit=100),
                "research_export": await ask(client, "research_export", jobId=job),
            }  # fmt: skip
            told["export"] = await read_whole(client, told["research_export"]["resource"])
            told["results"] = await read_whole(client, told["get_results"]["resource"])
            return told

    told = asyncio.run(talk())

    for tool, keys in DOCUMENTED.items():
        assert keys <= set(told[tool]), tool
        assert told[tool]["linked"] is True, tool
    document, media_type = told["export"]
    assert media_type == "text/markdown"
    assert document.startswith(told["research_export"]["document"])
    assert document.startswith("#")
    whole = json.loads(told["results"][0])
    assert whole["synthesis"] == told["get_results"]["synthesis"]
    cuts = {cut["path"]: (cut["kept"], cut["total"]) for cut in told["get_results"]["cut"]}
    assert cuts["/claims"] == (len(told["get_results"]["claims"]), len(whole["claims"]))


@requires("artifact.documented_keys")
def test_a_search_with_pages_keeps_its_results(environ: Environ) -> None:
    async def talk() -> Any:
        async with connected("memory", environ | {"CITEWELL_ANSWER_LIMIT": "5000"}) as client:
            return await client.call_tool(
                "web_search", {"query": "http caching", "num_results": 5, "fetch_content": True}
            )

    shown = body(asyncio.run(talk()))

    assert shown["linked"] is True
    assert {"urls", "query", "resultCount", "results", "metadata", "trust"} <= set(shown)
    assert all({"title", "url", "snippet", "displayLink"} <= set(row) for row in shown["results"])
    assert any(row.get("content", {}).get("markdown") for row in shown["results"])


@requires("artifact.every_toolset")
@pytest.mark.parametrize(
    "arguments",
    [("--toolsets", "sessions"), ("--tools", "search_claims"), ("--toolsets", "deep", "--read-only")],
    ids=" ".join,
)  # fmt: skip
def test_a_client_with_a_part_of_the_tools_can_read_what_is_linked(
    arguments: tuple[str, ...], environ: Environ
) -> None:
    async def talk() -> set[str]:
        async with connected("stdio", environ, arguments=arguments) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert "read_artifact" in asyncio.run(talk())


ANSWER = "Learners who slept eight hours recalled forty percent more words, says report {}."


def render_long_page(number: int) -> str:
    """Some 66 KB of HTML with the answer near its end."""
    words = f"The archive of report {number} lists rooms, shelves and boxes"
    filler = [f"<p>{words} of row {row}, which nobody has opened since.</p>" for row in range(650)]
    parts = [f"<h1>Report {number}</h1>", *filler[:600], "<h2>Sleep and recall</h2>"]
    parts += [f"<p>{ANSWER.format(number)}</p>", *filler[600:]]
    return f"<html><head><title>Report {number}</title></head><body><article>{''.join(parts)}</article></body></html>"


@requires("search_and_scrape.passages", "search_and_scrape.max_tokens", "read_artifact.section")
@pytest.mark.parametrize("transport", ["stdio"])
def test_long_pages_give_the_passages_that_answer_and_a_text_to_read_on(
    transport: str, environ: Environ, internet: Internet
) -> None:
    query = "does sleep improve memory recall"

    async def talk() -> tuple[Any, dict[str, Any], dict[str, Any], str]:
        async with connected(transport, environ) as client:
            listed = await ask(client, "web_search", query=query, num_results=3)
            for number, url in enumerate(listed["urls"]):
                page = Fault(body=render_long_page(number), headers={"content-type": "text/html"})
                internet.world.fail(urlsplit(url).path, page, times=ALWAYS)
            result = await client.call_tool("search_and_scrape", {"query": query, "num_results": 3})
            shown = body(result)
            source = shown["sources"][0]
            offset = source["artifactOffset"] + source["passages"][0]["start"]
            read_on = await ask(
                client, "read_artifact", id=shown["resource"], offset=offset, max_length=500
            )
            section = await ask(
                client, "read_artifact", id=shown["resource"], section="Sleep and recall"
            )
            whole, media_type = await read_whole(client, shown["resource"])
            assert media_type == "text/markdown"
            return result, read_on, section, whole

    result, read_on, section, whole = asyncio.run(talk())

    shown = body(result)
    text = result.content[0].text
    assert [item.type for item in result.content] == ["text", "resource_link"]
    assert len(text.encode()) < 24 * 1024
    for source in shown["sources"]:
        number = source["title"].removeprefix("Report ")
        assert ANSWER.format(number) in source["content"]
        assert text.count(ANSWER.format(number)) == whole.count(ANSWER.format(number)) == 1
        start = source["artifactOffset"]
        page = whole[start : start + source["pageLength"]]
        for passage in source["passages"]:
            assert page[passage["start"] : passage["end"]] in source["content"]
    first = shown["sources"][0]["content"].split("\n\n[…]\n\n")[0]
    assert read_on["content"].startswith(first[:200])
    assert section["content"].startswith("## Sleep and recall")


@requires("artifact.three_tools")
def test_fetched_pages_of_the_searxng_profile_are_whole_up_to_their_limit(
    environ: Environ, internet: Internet
) -> None:
    searxng = environ | {"CITEWELL_PROFILE": "searxng", "CITEWELL_SEARCH_PAGE_CHARS": "40000"}

    async def talk() -> dict[str, Any]:
        async with connected("memory", environ) as client:
            listed = await ask(client, "web_search", query="sleep and memory", num_results=10)
        for number, url in enumerate(listed["urls"]):
            page = Fault(body=render_long_page(number), headers={"content-type": "text/html"})
            internet.world.fail(urlsplit(url).path, page, times=ALWAYS)
        async with connected("memory", searxng) as client:
            return await ask(client, "web_search", query="sleep and memory")

    shown = asyncio.run(talk())

    contents = [row["content"] for row in shown["metadata"]["results"] if "content" in row]
    long = [content for content in contents if content["markdown"].startswith("# Report")]
    assert "linked" not in shown
    assert long
    assert all(content["truncated"] and len(content["markdown"]) > 39_000 for content in long)
