"""Resources, prompts, completions, large results, cancellation."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from citewell.server.capabilities.prompts import PROMPTS_BY_NAME
from tests.e2e.clients import TRANSPORTS, body, connected
from tests.internet.faults import Fault
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
VIEWS = (
    "stats://tools",
    "stats://sessions",
    "stats://rate-limits",
    "stats://providers",
    "lenses://catalog",
    "diagnostics://errors/recent",
    "diagnostics://health",
)


def read(environ: Environ, uri: str, *, first: tuple[str, dict[str, Any]] | None = None) -> Any:
    async def talk() -> Any:
        async with connected("memory", environ) as client:
            if first:
                await client.call_tool(*first)
            return json.loads((await client.read_resource(uri)).contents[0].text)  # type: ignore[union-attr]

    return asyncio.run(talk())


@requires("resource.list")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_view_is_listed_and_readable(transport: str, environ: Environ) -> None:
    async def talk() -> dict[str, str]:
        async with connected(transport, environ) as client:
            listed = [resource.uri for resource in (await client.list_resources()).resources]
            return {uri: (await client.read_resource(uri)).contents[0].text for uri in listed}  # type: ignore[union-attr]

    shown = asyncio.run(talk())

    assert set(shown) == set(VIEWS)
    assert all(json.loads(text) for text in shown.values())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_tool_that_is_switched_off_says_how_to_switch_it_on(
    transport: str, environ: Environ
) -> None:
    async def talk() -> MCPError:
        async with connected(transport, environ) as client:
            with pytest.raises(MCPError) as refused:
                await client.call_tool("research_export", {})
            return refused.value

    refused = asyncio.run(talk())

    assert refused.error.code == types.INVALID_PARAMS
    assert "research_export is switched off" in refused.error.message
    assert "--toolsets +sessions" in refused.error.message


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_toolset_with_a_plus_is_offered_beside_the_default_tools(
    transport: str, environ: Environ
) -> None:
    async def talk() -> set[str]:
        async with connected(transport, environ | {"CITEWELL_TOOLSETS": "+sessions"}) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert {"web_search", "research_export"} <= asyncio.run(talk())


@requires("session.id_offered")
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(
    ("choice", "offered"),
    [
        ({}, True),
        ({"CITEWELL_PROFILE": "searxng"}, False),
        ({"CITEWELL_TOOLSETS": "core,trust,domains"}, False),
        ({"CITEWELL_TOOLS": "web_search,sequential_search"}, True),
    ],
)
def test_a_session_id_is_offered_only_where_a_session_can_be_opened(
    choice: dict[str, str], offered: bool, transport: str, environ: Environ
) -> None:
    async def talk() -> set[str]:
        async with connected(transport, environ | choice) as client:
            shown = (await client.list_tools()).tools
            return {tool.name for tool in shown if "sessionId" in tool.input_schema["properties"]}

    assert bool(asyncio.run(talk())) is offered


@requires("prompt.tools")
@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, {"comprehensive-research", "fact-check", "write-with-checked-citations"}),
        ({"CITEWELL_PROFILE": "searxng"}, {"comprehensive-research", "fact-check"}),
        ({"CITEWELL_TOOLSETS": "deep"}, set()),
        ({"CITEWELL_TOOLSETS": "domains"}, {"brand-guidelines"}),
    ],
)
def test_a_prompt_is_offered_only_with_its_tools(
    choice: dict[str, str], expected: set[str], environ: Environ
) -> None:
    async def talk() -> set[str]:
        async with connected("memory", environ | choice) as client:
            names = {prompt.name for prompt in (await client.list_prompts()).prompts}
            for prompt in set(PROMPTS_BY_NAME) - names:
                with pytest.raises(MCPError, match="needs"):
                    await client.get_prompt(prompt, {})
            return names

    assert asyncio.run(talk()) == expected


@requires("profile.default")
def test_a_new_user_meets_sessions_deep_research_and_the_draft_check(environ: Environ) -> None:
    async def talk() -> set[str]:
        async with connected("memory", environ) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(talk()) == {
        "academic_search",
        "audit_bibliography",
        "check_draft",
        "citation_graph",
        "format_bibliography",
        "get_research_session",
        "get_results",
        "news_search",
        "read_artifact",
        "research",
        "research_status",
        "scrape_page",
        "search_and_scrape",
        "sequential_search",
        "verify_citation",
        "web_search",
    }


@requires("resource.lenses")
def test_the_lens_catalogue_lists_every_field(environ: Environ) -> None:
    lenses = {lens["name"]: lens for lens in read(environ, "lenses://catalog")["lenses"]}

    assert len(lenses) >= 20
    assert {"academic", "legal", "medical", "finance", "government", "news", "docs"} <= set(lenses)
    assert all(
        lens["domainCount"] >= 10 for lens in lenses.values() if "goggle" not in lens["name"]
    )


@requires("resource.tools", "resource.errors")
def test_statistics_and_errors_follow_the_calls(environ: Environ) -> None:
    bad = ("web_search", {"query": "x", "lens": "astrology"})

    statistics = read(environ, "stats://tools", first=bad)
    errors = read(environ, "diagnostics://errors/recent", first=bad)

    assert statistics["tools"]["web_search"]["errors"] == 1
    assert errors["errors"][0]["kind"] == "validation"


@requires("resource.artifact")
def test_a_resource_that_is_not_ours_is_not_found(environ: Environ) -> None:
    async def talk(mode: str) -> int:
        async with connected("stdio", environ, mode=mode) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource("research://artifact/" + "0" * 64)
            return caught.value.error.code

    assert asyncio.run(talk("legacy")) == -32002
    assert asyncio.run(talk("2026-07-28")) == -32602


@requires("prompt.list")
def test_a_prompt_is_written_from_its_arguments(environ: Environ) -> None:
    async def talk() -> tuple[list[str], str]:
        async with connected("memory", environ) as client:
            names = [prompt.name for prompt in (await client.list_prompts()).prompts]
            got = await client.get_prompt("fact-check", {"claim": "The moon is made of cheese"})
            return names, got.messages[0].content.text  # type: ignore[union-attr]

    names, text = asyncio.run(talk())

    assert "comprehensive-research" in names
    assert "The moon is made of cheese" in text


@requires("prompt.list")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fact-check", {}),
        ("comprehensive-research", {"topic": "x", "depth": "bottomless"}),
        ("nothing", {}),
    ],
)
def test_a_prompt_that_cannot_be_written_says_why(
    name: str, arguments: dict[str, str], environ: Environ
) -> None:
    async def talk() -> MCPError:
        async with connected("stdio", environ) as client:
            with pytest.raises(MCPError) as caught:
                await client.get_prompt(name, arguments)
            return caught.value

    assert asyncio.run(talk()).error.code == -32602


@requires("prompt.completion")
@pytest.mark.parametrize(
    ("argument", "typed", "expected"),
    [
        ("lens", "AC", "academic"),
        ("provider", "duck", "duckduckgo"),
        ("depth", "", "standard"),
        ("topic", "x", None),
    ],
)
def test_known_values_are_completed(
    argument: str, typed: str, expected: str | None, environ: Environ
) -> None:
    async def talk() -> list[str]:
        async with connected("memory", environ) as client:
            reference = types.PromptReference(type="ref/prompt", name="comprehensive-research")
            got = await client.complete(reference, {"name": argument, "value": typed})
            return list(got.completion.values)

    values = asyncio.run(talk())

    assert (expected in values) if expected else values == []


@requires("read_artifact.pages", "resource.artifact", "artifact.link")
def test_a_large_answer_is_linked_and_can_be_paged_to_its_end(environ: Environ) -> None:
    async def talk() -> tuple[Any, str, str]:
        async with connected("memory", environ | {"CITEWELL_ANSWER_LIMIT": "3000"}) as client:
            result = await client.call_tool(
                "web_search", {"query": "http caching", "num_results": 5, "fetch_content": True}
            )
            envelope = body(result)
            whole = (await client.read_resource(envelope["resource"])).contents[0].text  # type: ignore[union-attr]
            paged = ""
            offset: int | None = 0
            while offset is not None:
                page = body(
                    await client.call_tool(
                        "read_artifact", {"id": envelope["resource"], "offset": offset}
                    )
                )
                paged, offset = paged + page["content"], page.get("nextOffset")
            return result, whole, paged

    result, whole, paged = asyncio.run(talk())

    assert [item.type for item in result.content] == ["text", "resource_link"]
    assert body(result)["linked"] is True
    assert paged == whole
    assert json.loads(whole)["results"][0]["content"]["markdown"]


def test_a_cancelled_call_leaves_the_session_working(environ: Environ, world: World) -> None:
    world.fail("searxng", Fault(delay=30))

    async def talk() -> Any:
        async with connected("stdio", environ) as client:
            slow = asyncio.create_task(
                client.call_tool("web_search", {"query": "slow", "provider": "searxng"})
            )
            while not world.calls["searxng"]:  # noqa: ASYNC110 - the request arrives in another process
                await asyncio.sleep(0.01)
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
            return await client.call_tool(
                "web_search", {"query": "http caching", "provider": "duckduckgo"}
            )

    assert body(asyncio.run(talk()))["resultCount"] > 0


FAULTS = {
    "html": Fault(status=200, body="<html><body>It works</body></html>", headers={"content-type": "text/html"}),
    "error body": Fault(status=200, body='{"error": "quota"}', headers={"content-type": "application/json"}),
    "nothing": Fault(status=200, body=""),
    "500": Fault(status=500, body="oops"),
    "429": Fault(status=429, headers={"retry-after": "17"}),
    "10 MB": Fault(status=200, body=" " * 10_000_000, headers={"content-type": "application/json"}),
}  # fmt: skip


@requires("error.provider", "error.recovers")
@pytest.mark.parametrize("name", FAULTS)
def test_a_provider_that_misbehaves_is_named_and_the_next_call_works(
    name: str, environ: Environ, world: World
) -> None:
    world.fail("wikipedia", FAULTS[name], times=9)

    async def talk() -> tuple[Any, Any]:
        async with connected("memory", environ) as client:
            bad = await client.call_tool(
                "web_search", {"query": "http caching", "provider": "wikipedia"}
            )
            return bad, await client.call_tool("web_search", {"query": "http caching"})

    bad, good = asyncio.run(talk())

    block = json.loads(bad.content[0].text.partition("\n\n")[2])["error"]
    assert bad.is_error
    assert block["provider"] == "wikipedia"
    assert block["kind"] in {"upstream_unavailable", "rate_limited", "content_empty", "network"}
    assert block.get("retryAfterSeconds") == 17 or name != "429"
    assert body(good)["resultCount"] > 0


@requires("limit.search")
def test_a_provider_that_never_answers_is_given_up(environ: Environ, world: World) -> None:
    world.fail("wikipedia", Fault(delay=60), times=9)

    async def talk() -> Any:
        async with connected("memory", environ | {"CITEWELL_SEARCH_TIMEOUT": "0.5"}) as client:
            return await client.call_tool(
                "web_search", {"query": "http caching", "provider": "wikipedia"}
            )

    result = asyncio.run(talk())

    assert result.is_error
    assert '"kind":"network"' in result.content[0].text
