"""An assistant searches, over every transport and in both protocol eras."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.e2e.clients import TRANSPORTS, body, connected
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
ERAS = ("legacy", "2026-07-28")


def call(
    environ: Environ, arguments: dict[str, Any], *, tool: str = "web_search", **how: Any
) -> Any:
    async def talk() -> Any:
        async with connected(
            how.get("transport", "memory"),
            environ,
            **{key: how[key] for key in how if key != "transport"},
        ) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(talk())


@requires("web_search.answer", "web_search.result", "tool.structured")
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_search_returns_cited_results(transport: str, mode: str, environ: Environ) -> None:
    result = call(
        environ,
        {"query": "lithium battery degradation", "num_results": 3},
        transport=transport,
        mode=mode,
    )

    answer = body(result)
    assert 1 <= answer["resultCount"] <= 3
    assert answer["urls"] == [hit["url"] for hit in answer["results"]]
    assert all(hit["title"] and hit["displayLink"] for hit in answer["results"])
    assert answer["trust"] == "untrusted-external-content"
    assert json.loads(result.content[0].text) == answer


@requires("web_search.cache", "web_search.freshness", "freshness.fields")
def test_the_second_identical_search_comes_from_the_cache(environ: Environ, world: World) -> None:
    async def talk() -> tuple[Any, Any]:
        async with connected("memory", environ) as client:
            first = await client.call_tool("web_search", {"query": "http caching"})
            return first, await client.call_tool("web_search", {"query": "http caching"})

    first, second = asyncio.run(talk())

    assert first.meta["cached"] is False
    assert second.meta["cached"] is True
    assert second.meta["freshness"] == "fresh"
    assert second.meta["maxAgeSeconds"] == 1800
    assert body(first) == body(second)


@requires("cache.restart")
def test_a_cached_answer_survives_a_restart(environ: Environ) -> None:
    first = call(environ, {"query": "python asyncio"})

    second = call(environ, {"query": "python asyncio"})

    assert second.meta["cached"] is True
    assert body(first) == body(second)


@requires("routing.fields", "routing.hidden")
def test_routing_is_told_to_operators_and_never_to_models(environ: Environ) -> None:
    result = call(environ, {"query": "sleep and memory"})

    routing = result.meta["routing"]
    assert routing["provider_used"] in routing["providers_attempted"]
    assert routing["cache_hit"] is False
    assert "providers_attempted" not in result.content[0].text


@requires(
    "web_search.query",
    "web_search.num_results",
    "web_search.lens",
    "web_search.provider_unknown",
    "web_search.provider_unconfigured",
    "web_search.category",
    "web_search.language",
    "web_search.site_or_lens",
    "argument.unknown",
    "error.form",
    "error.recovers",
    "provider.known",
    "provider.unknown",
)
@pytest.mark.parametrize(
    ("arguments", "kind", "part"),
    [
        ({"query": ""}, "validation", "query"),
        ({"query": "x" * 501}, "validation", "500"),
        ({"query": "\x00\x01 \u200b"}, "validation", "query is empty"),
        ({"query": "x", "num_results": 0}, "validation", "num_results"),
        ({"query": "x", "num_results": 51}, "validation", "num_results"),
        ({"query": "x", "lens": "astrology"}, "validation", "academic"),
        ({"query": "x", "provider": "altavista"}, "validation", "duckduckgo"),
        ({"query": "x", "provider": "brave"}, "config", "BRAVE_API_KEY"),
        ({"query": "x", "category": "gossip"}, "validation", "general"),
        ({"query": "x", "language": "english"}, "validation", "language"),
        ({"query": "x", "site": "example.org", "lens": "academic"}, "validation", "lens"),
        ({"query": "x", "site": "not a domain"}, "validation", "domain"),
        ({"query": "x", "limit": 3}, "validation", "does not take limit"),
    ],
)
def test_bad_input_gets_a_clear_error_and_the_next_call_works(
    arguments: dict[str, Any], kind: str, part: str, environ: Environ
) -> None:
    async def talk() -> tuple[Any, Any]:
        async with connected("memory", environ) as client:
            bad = await client.call_tool("web_search", arguments)
            return bad, await client.call_tool("web_search", {"query": "gdpr fines"})

    bad, good = asyncio.run(talk())

    sentence, _, block = bad.content[0].text.partition("\n\n")
    assert bad.is_error
    assert part in sentence
    assert json.loads(block)["error"]["kind"] == kind
    assert body(good)["resultCount"] > 0


@requires("web_search.query_characters", "argument.coerced")
@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "電池の劣化" * 40},
        {"query": "battery 🔋 degradation"},
        {"query": "!!g battery degradation"},
        {"query": "battery degradation", "num_results": "5"},
        {"query": "battery degradation", "num_results": None},
        {"query": "battery degradation", "results_count": 2, "safe_search": 2, "time_range": ""},
    ],
)
def test_odd_but_honest_input_is_served(arguments: dict[str, Any], environ: Environ) -> None:
    result = call(environ, arguments)

    assert not result.is_error, result.content[0].text
    assert "results" in body(result)


@requires("web_search.sites", "argument.coerced")
def test_a_search_within_sites_returns_pages_of_these_alone(environ: Environ) -> None:
    with Internet(World(named=True)) as internet:
        arguments = {"query": "battery degradation", "sites": '["batteries.example.org"]'}

        answer = body(call(environ | internet.env(), arguments))

    assert answer["resultCount"] > 0
    assert {hit["displayLink"] for hit in answer["results"]} == {"batteries.example.org"}


@requires("tool.unknown")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_unknown_tool_is_a_protocol_error(transport: str, environ: Environ) -> None:
    async def talk() -> MCPError:
        async with connected(transport, environ, mode="legacy") as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("frobnicate", {})
            return caught.value

    assert asyncio.run(talk()).error.code == -32602


@requires("searxng.profile")
def test_the_searxng_profile_has_its_own_defaults(environ: Environ) -> None:
    async def talk() -> tuple[Any, Any]:
        async with connected("stdio", environ, arguments=("--profile", "searxng")) as client:
            return await client.list_tools(), await client.call_tool(
                "web_search", {"query": "http caching"}
            )

    listed, result = asyncio.run(talk())

    shown = {tool.name: tool.input_schema["properties"] for tool in listed.tools}
    assert set(shown) == {"web_search", "read_artifact"}
    assert shown["web_search"]["results_count"]["default"] == 10
    assert shown["web_search"]["fetch_content"]["default"] is True
    answer = body(result)
    assert "content_fetch_stats" in answer["metadata"]
    listed = answer["metadata"]["results"]
    assert any("markdown" in result.get("content", {}) for result in listed)
