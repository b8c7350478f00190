"""Changing any result-affecting argument changes the cache key; nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core import tooling as tools
from citewell.core.tooling import ToolCall
from citewell.server.call_answers import build_call_key
from citewell.server.call_values import ToolInvocation
from citewell.server.capabilities.tool_schema import build_input_schema
from tests.fake_services import refuse_services
from tests.requirements import requires

CACHED = [name for name in tools.list_tool_names() if tools.load_tool(name).ttl_seconds is not None]
ADDRESS = "https://example.org/"  # fits wherever a text is required


def properties(name: str) -> dict[str, dict[str, Any]]:
    return dict(build_input_schema(tools.load_tool(name).args)["properties"])


def another(schema: dict[str, Any]) -> Any:
    """A valid value other than the default."""
    default = schema.get("default")
    if "enum" in schema:
        return next(value for value in schema["enum"] if value != default)
    if schema["type"] == "boolean":
        return not default
    if schema["type"] == "object":
        return {"type": "object", "properties": {"price": {"type": "number"}}}
    if schema["type"] in {"integer", "number"}:
        low, high = schema.get("minimum", 0), schema.get("maximum", 10**6)
        return next(value for value in (low, high) if value != default)
    if schema["type"] == "array":
        return [ADDRESS]
    return f"{ADDRESS}another"


def key(name: str, values: dict[str, Any]) -> str:
    tool = tools.load_tool(name)
    needed = dict.fromkeys(build_input_schema(tool.args).get("required", ()), ADDRESS)
    args = tool.args.model_validate(needed | values)
    call = ToolCall(require_service=refuse_services)
    return build_call_key(
        ToolInvocation(name=name, tool=tool, raw_arguments={}, call=call, validated=args)
    )


def pairs(*, session: bool) -> list[tuple[str, str]]:
    return [
        (name, argument)
        for name in CACHED
        for argument in properties(name)
        if (argument == "sessionId") is session
    ]


@requires("scrape_page.cache", "cache.key", "defect.cache_key")
@pytest.mark.parametrize(("name", "argument"), pairs(session=False))
def test_an_argument_that_changes_the_result_changes_the_key(name: str, argument: str) -> None:
    changed = {argument: another(properties(name)[argument])}

    assert key(name, changed) != key(name, {})


@requires("cache.key")
@pytest.mark.parametrize(("name", "argument"), pairs(session=True))
def test_a_session_is_no_part_of_the_key(name: str, argument: str) -> None:
    assert key(name, {argument: "one"}) == key(name, {argument: "two"})


def test_there_is_something_to_hold_this_against() -> None:
    assert len(pairs(session=False)) >= 10
