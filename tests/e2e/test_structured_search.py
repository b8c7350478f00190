"""An assistant searches and gets fields filled from each page, over a real server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.clients import body
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.faults import ALWAYS, Fault
from tests.internet.researchers import bench
from tests.internet.world import Page, World
from tests.requirements import requires

EXA = {"EXA_API_KEY": "k"}
BULB: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "dimmable": {"type": "boolean"},
        "brightness": {"type": "string"},
        "battery": {"type": "string"},
    },
}
ASKED = {"query": "Glowell 806 LED bulb", "schema": BULB}


def nest(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        inner = {"type": "object", "properties": {"inner": inner}}
    return inner


BAD_SCHEMAS: dict[str, tuple[Any, str]] = {
    "eleven properties": (
        {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(11)}},
        "limit is 10",
    ),
    "a reference": ({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}}, "$ref"),
    "definitions": ({"type": "object", "properties": {"a": {}}, "$defs": {}}, "$defs"),
    "three levels": (nest(3), "deeper than 2 levels"),
    "a bomb of levels": (json.dumps(nest(100)), "far deeper than 2 levels"),
    "a bomb of brackets": ("[" * 7000, "not JSON"),
    "no object": ({"type": "array", "items": {"type": "string"}}, "object schema"),
    "no properties": ({"type": "object"}, "needs properties"),
    "an unknown type": (
        {"type": "object", "properties": {"a": {"type": "date"}}},
        "types are string",
    ),
    "a list of objects": (
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}}}},
        "items of the array",
    ),
    "a choice of schemas": (
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}},
        "anyOf",
    ),
    "ten thousand characters": (
        {"type": "object", "properties": {"a": {"type": "string", "description": "x" * 10_000}}},
        "limit is 8000",
    ),
}


@requires("structured_search.query", "structured_search.answer", "structured_search.item",
          "structured_search.summary", "structured_search.local")  # fmt: skip
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_fields_are_filled_from_pages_without_a_key(
    transport: str, environ: Environ, world: World
) -> None:
    result = call(environ, "structured_search", ASKED, transport)

    answer = body(result)
    page = world.page("shop.example.net", "bulbs/glowell-806")
    assert page is not None
    item = next(one for one in answer["results"] if one["url"] == page.url)
    assert (answer["provider"], answer["query"], answer["category"]) == (
        "local",
        "Glowell 806 LED bulb",
        "",
    )
    assert answer["resultCount"] == len(answer["results"]) <= 5
    assert item["title"] == "Glowell 806 LED bulb, E27"
    assert item["publishedDate"] == "2025-11-11"
    assert item["summary"] == {
        "name": "Glowell 806 LED bulb, E27",
        "price": 7.99,
        "dimmable": False,
        "brightness": "806 lm",
        "battery": None,
    }
    assert "Price: 7.99 euros" in item["highlights"]
    assert "Brightness: 806 lm" in item["highlights"]
    assert set(item["evidence"]) == {"name", "price", "dimmable", "brightness"}
    assert all(one["highlights"] for one in answer["results"])
    assert "can misread" in answer["notes"][0]
    assert answer["trust"] == "untrusted-external-content"


@requires("structured_search.num_results", "structured_search.summary")
def test_without_a_schema_the_summary_is_a_text(environ: Environ) -> None:
    answer = body(call(environ, "structured_search", {"query": "octopus hearts", "num_results": 2}))

    assert answer["resultCount"] == 2
    assert isinstance(answer["results"][0]["summary"], str)
    assert any("three hearts" in one for one in answer["results"][0]["highlights"])


@requires("structured_search.schema")
def test_a_schema_may_come_as_json_text(environ: Environ) -> None:
    asked = ASKED | {"schema": json.dumps(BULB)}

    as_text = body(call(environ, "structured_search", asked))

    assert as_text["results"][0]["summary"]["price"] == 7.99


@requires("structured_search.schema")
@pytest.mark.parametrize("kind", BAD_SCHEMAS)
def test_a_schema_over_the_limits_is_refused_before_anything_is_paid_or_fetched(
    kind: str, environ: Environ, world: World
) -> None:
    schema, said = BAD_SCHEMAS[kind]

    result = call(environ | EXA, "structured_search", {"query": "bulb", "schema": schema})

    assert error_of(result)["kind"] == "validation"
    assert said in result.content[0].text
    assert not world.calls


@requires("structured_search.category")
@pytest.mark.parametrize("environment", [{}, EXA])
def test_an_unknown_category_is_refused_with_those_there_are(
    environment: Environ, environ: Environ, world: World
) -> None:
    asked = {"query": "bulb", "category": "unicorns"}

    result = call(environ | environment, "structured_search", asked)

    assert error_of(result)["kind"] == "validation"
    assert "company, people, research paper" in result.content[0].text
    assert not world.calls


@requires("structured_search.answer", "structured_search.item")
def test_exa_fills_the_schema_and_states_its_cost(environ: Environ, world: World) -> None:
    asked = ASKED | {"category": "Company", "num_results": 2}

    answer = body(call(environ | EXA, "structured_search", asked))

    item = answer["results"][0]
    assert (answer["provider"], answer["category"], answer["costUsd"]) == ("exa", "company", 0.009)
    assert set(item["summary"]) == set(BULB["properties"])
    assert item["summary"]["price"] is None
    assert item["entities"][0]["type"] == "company"
    assert sum(bench(world).charged.values()) == 1


def test_a_model_fills_fields_and_what_the_page_does_not_state_is_null(
    environ: Environ, world: World
) -> None:
    server = {"CITEWELL_MODEL_SERVER": environ["CITEWELL_COMPATIBLE_BASE_URL"]}
    filled = {"name": "Glowell 806", "price": 7.99, "brightness": "9999 lm", "dimmable": True}
    world.state["filled fields"] = filled

    answer = body(call(environ | server, "structured_search", ASKED | {"num_results": 1}))

    item = answer["results"][0]
    assert answer["provider"] == "compatible"
    assert item["summary"]["price"] == 7.99
    assert (item["summary"]["brightness"], item["summary"]["battery"]) == (None, None)
    assert any("7.99" in one for one in item["highlights"])
    assert "replaced by null" in answer["notes"][0]


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_a_provider_that_misbehaves_is_an_error_and_never_an_empty_answer(
    kind: str, environ: Environ, world: World
) -> None:
    world.fail("exa", MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ | EXA, "structured_search", ASKED)

    assert error_of(result)["provider"] == "exa"
    assert world.calls["exa"] == 1


def test_pages_that_cannot_be_read_are_counted(environ: Environ, world: World) -> None:
    path = "/site/oceans.example.net/animals/octopus"
    world.fail(path, Fault(status=410, body="gone"), times=ALWAYS)

    answer = body(call(environ, "structured_search", {"query": "octopus", "schema": BULB}))

    assert answer["resultCount"] > 0
    assert any("pages could not be read" in note for note in answer["notes"])


def test_nothing_found_gives_hints(environ: Environ) -> None:
    answer = body(call(environ, "structured_search", {"query": "qqzzxx vvbbnn", "schema": BULB}))

    assert (answer["results"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["reason"]


def test_a_number_in_prose_is_bound_to_its_noun_and_quoted_with_offsets(
    environ: Environ, world: World
) -> None:
    world.add(
        Page(
            host="trials.example.net",
            path="qqzzxx",
            title="The qqzzxx trial",
            markdown="The qqzzxx trial began early.\n\nWe enrolled 412 patients in 23 centres."
            " The sponsor had 250 employees in 2020.",
        )
    )
    wanted = {name: {"type": "integer"} for name in ("patients", "centres", "employees", "nurses")}
    schema = {"type": "object", "properties": wanted}

    answer = body(call(environ, "structured_search", {"query": "qqzzxx trial", "schema": schema}))
    item = next(one for one in answer["results"] if "qqzzxx" in one["url"])
    page = body(call(environ, "scrape_page", {"url": item["url"]}))

    assert item["summary"] == {"patients": 412, "centres": 23, "employees": 250, "nurses": None}
    place = item["evidence"]["patients"]
    assert place["quote"] == "We enrolled 412 patients in 23 centres."
    assert page["content"][place["start"] : place["end"]] == place["quote"]
    assert all(one["highlights"] for one in answer["results"])


def test_a_page_of_ten_thousand_labelled_values_is_read(environ: Environ, world: World) -> None:
    lines = "\n\n".join(f"- Label {number}: value {number}" for number in range(10_000))
    world.add(
        Page(
            host="shop.example.net",
            path="bulbs/endless",
            title="Endless bulb qqzzxx",
            markdown=f"The qqzzxx bulb.\n\n- Price: 3.50 euros\n\n{lines}",
        )
    )

    answer = body(call(environ, "structured_search", {"query": "qqzzxx", "schema": BULB}))

    assert answer["results"][0]["summary"]["price"] == 3.5
