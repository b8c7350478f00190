"""Which calls count for the day: those that run, and no answer from any cache."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AliasChoices, Field

from citewell.core.errors import InvalidInput, RateLimited, UpstreamUnavailable
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.wire_values import WireValue
from citewell.server.call import CallRunner
from citewell.server.call_limits import CallLimits
from citewell.server.call_values import ArgumentValidation, ToolInvocation, ToolOutcome
from tests.fake_services import refuse_services
from tests.requirements import requires
from tests.server import steps
from tests.server.limited_calls import ALICE, OFF, build_limits


async def fail_upstream(args: object, call: object) -> steps.Result:
    raise UpstreamUnavailable("The upstream is down.")


def build_daily_limits() -> CallLimits:
    return build_limits(**OFF | {"daily_quota_per_user": 2})


def call_in_turn(
    *calls: dict[str, Any], limits: CallLimits | None, runner: CallRunner | None = None
) -> list[ToolOutcome]:
    chosen = runner or steps.build_runner(limits=limits)

    async def scenario() -> list[ToolOutcome]:
        return [
            await chosen.run_call(steps.invocation(owner=ALICE, **changes)) for changes in calls
        ]

    return asyncio.run(scenario())


def test_calls_that_run_count_until_the_quota_is_used_up() -> None:
    outcomes = call_in_turn({}, {}, {}, limits=build_daily_limits())

    assert [outcome.meta.get("errorKind") for outcome in outcomes] == [None, None, RateLimited.kind]
    assert "midnight" in (outcomes[-1].text or "")


@requires("limits.daily")
def test_an_answer_from_memory_is_free() -> None:
    outcomes = call_in_turn(*[{"ttl_seconds": 100.0}] * 9, limits=build_daily_limits())

    assert not any(outcome.is_error for outcome in outcomes)


@requires("limits.daily")
def test_an_answer_of_another_process_is_free(tmp_path: Path) -> None:
    limits = build_daily_limits()
    settings: dict[str, Any] = {"data_dir": tmp_path, "cache_max_disk_mb": 10}

    for _ in range(9):
        process = steps.build_runner(limits=limits, **settings)
        (outcome,) = call_in_turn({"ttl_seconds": 100.0}, limits=None, runner=process)

        assert not outcome.is_error


def test_a_call_that_fails_counts() -> None:
    limits = build_daily_limits()

    call_in_turn({"run": fail_upstream}, limits=limits)

    (state,) = asyncio.run(limits.read_states(ALICE))
    assert state.remaining == 1


def test_without_limits_nothing_is_counted() -> None:
    (outcome,) = call_in_turn({}, limits=None)

    assert not outcome.is_error


# Arguments as clients send them.


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
    invocation = ToolInvocation(
        name="probe",
        tool=TOOL,
        raw_arguments=arguments,
        call=ToolCall(require_service=refuse_services),
    )
    ArgumentValidation({"probe": defaults}).validate_invocation(invocation)
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
