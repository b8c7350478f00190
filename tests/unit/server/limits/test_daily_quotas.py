"""Which calls count for the day: those that run, and no answer from any cache."""

from __future__ import annotations

import asyncio

import pytest

from citewell.errors import RateLimited, UpstreamUnavailable
from citewell.server.middleware.daily_quotas import QuotaMiddleware
from citewell.server.pipeline import ToolInvocation, ToolOutcome
from citewell.services.limits.call_limits import CallLimits
from tests.requirements import requires
from tests.unit.server.steps import invocation
from tests.unit.services.limits.test_call_limits import ALICE, OFF, build_limits


async def answer_new(_: ToolInvocation) -> ToolOutcome:
    return ToolOutcome(body={})


async def answer_cached(_: ToolInvocation) -> ToolOutcome:
    return ToolOutcome(body={}, meta={"cached": True})


async def fail_upstream(_: ToolInvocation) -> ToolOutcome:
    raise UpstreamUnavailable("The upstream is down.")


def build_quotas(limits: CallLimits | None, *, in_memory: bool = False) -> QuotaMiddleware:
    return QuotaMiddleware(lambda: limits, is_cached=lambda _: in_memory)


def build_daily_limits() -> CallLimits:
    return build_limits(**OFF | {"daily_quota_per_user": 2})


def test_calls_that_run_count_until_the_quota_is_used_up() -> None:
    quotas = build_quotas(build_daily_limits())

    async def scenario() -> None:
        for _ in range(3):
            await quotas(invocation(owner=ALICE), answer_new)

    with pytest.raises(RateLimited, match="midnight"):
        asyncio.run(scenario())


@requires("limits.daily")
@pytest.mark.parametrize("in_memory", [True, False])
def test_an_answer_from_memory_or_another_process_is_free(*, in_memory: bool) -> None:
    quotas = build_quotas(build_daily_limits(), in_memory=in_memory)

    async def scenario() -> int:
        outcomes = [await quotas(invocation(owner=ALICE), answer_cached) for _ in range(9)]
        return len(outcomes)

    assert asyncio.run(scenario()) == 9


def test_a_call_that_fails_counts() -> None:
    limits = build_daily_limits()
    quotas = build_quotas(limits)

    async def scenario() -> int:
        with pytest.raises(UpstreamUnavailable):
            await quotas(invocation(owner=ALICE), fail_upstream)
        (state,) = await limits.read_states(ALICE)
        return state.remaining

    assert asyncio.run(scenario()) == 1


def test_without_limits_nothing_is_counted() -> None:
    quotas = build_quotas(None)

    outcome = asyncio.run(quotas(invocation(owner=ALICE), answer_new))

    assert not outcome.is_error
