"""Spec 4: `search` and `fetch`, and nothing else, for connector clients."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.requirements import requires

Environ = dict[str, str]


def talk(
    environ: Environ, *steps: tuple[str, dict[str, Any]], transport: str = "http"
) -> list[Any]:
    async def run() -> list[Any]:
        async with connected(transport, environ, path="/mcp/connector") as client:
            return [
                await client.list_tools(),
                *[await client.call_tool(name, arguments) for name, arguments in steps],
            ]

    return asyncio.run(run())


@requires("connector.endpoint", "search.query", "fetch.id")
def test_the_connector_endpoint_offers_exactly_two_tools_with_one_argument_each(
    environ: Environ,
) -> None:
    (listed,) = talk(environ)

    inputs = {tool.name: list(tool.input_schema["properties"]) for tool in listed.tools}
    assert inputs == {"search": ["query"], "fetch": ["id"]}


@requires("search.answer", "search.one_item")
def test_search_returns_one_text_item_equal_to_its_structure(environ: Environ) -> None:
    _, result = talk(environ, ("search", {"query": "sleep and memory"}))

    assert [item.type for item in result.content] == ["text"]
    answer = body(result)
    assert json.loads(result.content[0].text) == answer
    assert set(answer) == {"results"}
    assert all(set(item) == {"id", "title", "url"} for item in answer["results"])
    assert answer["results"]


@requires("connector.structured_text", "search.one_item", "fetch.one_item")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_text_is_the_whole_answer_even_where_texts_are_shortened(
    transport: str, environ: Environ
) -> None:
    short = environ | {"CITEWELL_STRUCTURED_TEXT": "false", "CITEWELL_TOOLSETS": "connector"}

    async def run() -> tuple[Any, ...]:
        async with connected(transport, short) as client:
            asked = {"query": "sleep and memory"}
            found = [await client.call_tool("search", asked) for _ in range(2)]
            first = body(found[0])["results"][0]["id"]
            return (*found, *[await client.call_tool("fetch", {"id": first}) for _ in range(2)])

    for result in asyncio.run(run()):
        assert [item.type for item in result.content] == ["text"]
        assert json.loads(result.content[0].text) == body(result)


@requires("search.id", "fetch.answer", "fetch.one_item")
def test_an_id_stays_valid_after_a_restart(environ: Environ) -> None:
    _, found = talk(environ, ("search", {"query": "sleep and memory"}))
    chosen = body(found)["results"][0]

    _, fetched = talk(environ, ("fetch", {"id": chosen["id"]}))

    document = body(fetched)
    assert [item.type for item in fetched.content] == ["text"]
    assert json.loads(fetched.content[0].text) == document
    assert document["id"] == chosen["id"]
    assert document["url"]
    assert document["title"]
    assert len(document["text"]) > 200


@requires("fetch.unknown")
@pytest.mark.parametrize(
    "bad", ["no-such-id", "file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/x"]
)
def test_an_id_that_is_none_is_refused_in_plain_words(bad: str, environ: Environ) -> None:
    _, result = talk(environ, ("fetch", {"id": bad}))

    assert result.is_error
    assert "id that search returned" in result.content[0].text


@requires("search.registries")
def test_a_question_about_trials_finds_the_registry_beside_the_web(environ: Environ) -> None:
    _, result = talk(environ, ("search", {"query": "clinical trials of melatonin for insomnia"}))

    found = {one["id"] for one in body(result)["results"]}
    assert "https://clinicaltrials.gov/study/NCT09000001" in found
    assert len(found) > 1
