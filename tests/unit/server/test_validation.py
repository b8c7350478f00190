"""Arguments as clients send them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import pytest
from pydantic import AliasChoices, Field

from citewell.errors import InvalidInput
from citewell.model.wire_values import WireValue
from citewell.server.middleware.argument_validation import ValidationMiddleware
from citewell.server.pipeline import ToolInvocation, ToolOutcome
from citewell.tooling import Tool, ToolArguments, ToolCall
from tests.fake_services import refuse_services
from tests.requirements import requires


class Args(ToolArguments):
    """A tool with one argument of each kind."""

    query: Annotated[str, Field(min_length=1, max_length=10)]
    count: Annotated[
        int, Field(default=5, ge=1, le=50, validation_alias=AliasChoices("count", "results_count"))
    ]
    deep: Annotated[bool, Field(default=False)]
    sites: Annotated[tuple[str, ...], Field(default=(), max_length=3)]
    level: Annotated[Literal["low", "high"] | None, Field(default=None)]


class Result(WireValue):
    pass


async def run(args: Args, call: ToolCall) -> Result:
    return Result()


TOOL = Tool(args=Args, result=Result, run=run, toolset="core")


def validate(arguments: dict[str, Any], **defaults: Any) -> Args:
    async def proceed(invocation: ToolInvocation) -> ToolOutcome:
        return ToolOutcome()

    invocation = ToolInvocation(
        name="probe",
        tool=TOOL,
        raw_arguments=arguments,
        call=ToolCall(require_service=refuse_services),
    )
    asyncio.run(ValidationMiddleware({"probe": defaults})(invocation, proceed))
    assert isinstance(invocation.validated, Args)
    return invocation.validated


@requires("argument.coerced")
@pytest.mark.parametrize(
    ("given", "field", "expected"),
    [
        ({"count": "7"}, "count", 7),
        ({"results_count": 7}, "count", 7),
        ({"count": None}, "count", 5),
        ({"deep": "true"}, "deep", True),
        ({"sites": '["a.org", "b.org"]'}, "sites", ("a.org", "b.org")),
        ({"sites": "a.org"}, "sites", ("a.org",)),
        ({"sites": ["a.org"]}, "sites", ("a.org",)),
    ],
)
def test_what_the_client_meant_is_understood(
    given: dict[str, Any], field: str, expected: object
) -> None:
    args = validate({"query": "x"} | given)

    assert getattr(args, field) == expected


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({}, "query is required"),
        ({"query": ""}, "query: String should have at least 1 character"),
        ({"query": "x" * 11}, "query: String should have at most 10 characters"),
        ({"query": "x", "count": 0}, "count: Input should be greater than or equal to 1"),
        ({"query": "x", "count": 51}, "count: Input should be less than or equal to 50"),
        ({"query": "x", "count": "many"}, "count: Input should be a valid integer"),
        ({"query": "x", "sites": ["a", "b", "c", "d"]}, "sites: give at most 3 items, not 4"),
        ({"query": "x", "sites": {"a": 1}}, "sites: Input should be a list"),
        ({"query": "x", "level": "middle"}, "level: Input should be 'low' or 'high'"),
        (
            {"query": "x", "colour": "red"},
            "probe does not take colour. It takes: query, count, deep, sites, level.",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(given: dict[str, Any], part: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        validate(given)

    assert part in caught.value.message
    assert caught.value.build_error_block() == {
        "kind": "validation",
        "retryable": False,
        "suggestedAction": "fix_arguments",
    }


@requires("web_search.query_characters", "defect.query_length")
def test_length_counts_characters_not_bytes() -> None:
    assert validate({"query": "日" * 10}).query == "日" * 10


def test_a_profile_changes_only_what_the_client_left_open() -> None:
    assert validate({"query": "x"}, count=9).count == 9
    assert validate({"query": "x", "results_count": 3}, count=9).count == 3


@requires("argument.two_names")
def test_two_names_for_one_argument_at_once_are_refused() -> None:
    with pytest.raises(InvalidInput):
        validate({"query": "x", "count": 3, "results_count": 4})
