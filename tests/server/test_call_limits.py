"""Who may call how often: users, tenants, all together, each day and at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import RateLimited
from citewell.core.tooling import Owner
from citewell.server.limit_rules import LimitKind
from citewell.store.coordination.rate_limits import TenantOverrides
from tests.clocks import Clock
from tests.requirements import requires
from tests.server.limited_calls import (
    ALICE,
    BOB,
    CAROL,
    DAY_START,
    OFF,
    admit_and_end,
    build_limits,
    list_refusals,
)


@requires("limits.tenant")
def test_each_user_has_a_limit_of_their_own() -> None:
    limits = build_limits(**OFF | {"rate_limit_per_user": 2})

    refused = list_refusals(limits, ALICE, ALICE, ALICE, BOB, CAROL)

    assert refused == [None, None, "user", None, None]


@requires("limits.tenant")
def test_the_users_of_a_tenant_share_its_limit() -> None:
    limits = build_limits(**OFF | {"rate_limit_per_tenant": 2})

    refused = list_refusals(limits, ALICE, BOB, ALICE, BOB, CAROL)

    assert refused == [None, None, "tenant", "tenant", None]


def test_a_refusal_says_when_to_return_and_it_is_true() -> None:
    clock = Clock(now=DAY_START)
    limits = build_limits(clock, **OFF | {"rate_limit_per_user": 2})

    async def scenario() -> tuple[Any, ...]:
        for _ in range(2):
            await admit_and_end(limits, ALICE)
        refused = await limits.admit_call(ALICE)
        assert refused.refusal is not None
        clock.now += refused.refusal.retry_after
        return refused.refusal, (await admit_and_end(limits, ALICE)).refusal

    refusal, later = asyncio.run(scenario())

    assert refusal.retry_after == 30
    assert later is None


@requires("limits.tenant")
def test_a_daily_quota_is_counted_when_a_call_runs_and_lasts_until_midnight() -> None:
    clock = Clock(now=DAY_START)
    limits = build_limits(clock, **OFF | {"daily_quota_per_tenant": 2})

    async def scenario() -> tuple[Any, ...]:
        for owner in (ALICE, BOB):
            assert (await admit_and_end(limits, owner)).refusal is None
            await limits.charge_day(owner)
        refused = (await limits.admit_call(BOB)).refusal
        other = (await admit_and_end(limits, CAROL)).refusal
        assert refused is not None
        clock.now += refused.wait_seconds
        return refused, other, (await admit_and_end(limits, BOB)).refusal

    refused, other, next_day = asyncio.run(scenario())

    assert (refused.kind, refused.retry_after) == (LimitKind.TENANT_DAY, 23 * 3600)
    assert other is None
    assert next_day is None


def test_calls_that_race_for_the_last_of_a_day_are_refused_with_an_error() -> None:
    limits = build_limits(**OFF | {"daily_quota_per_user": 1})

    async def scenario() -> None:
        await limits.admit_call(ALICE)
        await limits.admit_call(ALICE)
        await limits.charge_day(ALICE)
        await limits.charge_day(ALICE)

    with pytest.raises(RateLimited) as raised:
        asyncio.run(scenario())

    assert raised.value.build_error_block()["limit"] == "user-day"
    assert raised.value.retry_after == 23 * 3600


def test_a_call_that_was_returned_does_not_count() -> None:
    limits = build_limits(**OFF | {"daily_quota_per_user": 1})

    async def scenario() -> None:
        for _ in range(3):
            await limits.return_day(await limits.charge_day(ALICE))

    asyncio.run(scenario())

    assert list_refusals(limits, ALICE) == [None]


def test_calls_at_the_same_time_are_capped_and_a_slot_returns_when_one_ends() -> None:
    limits = build_limits(**OFF | {"max_concurrent_per_user": 2, "max_concurrent_per_tenant": 3})

    async def scenario() -> list[str | None]:
        running = [await limits.admit_call(owner) for owner in (ALICE, ALICE, ALICE, BOB, BOB)]
        limits.release_call(running[0])
        running.append(await limits.admit_call(BOB))
        return [
            admission.refusal.kind.value if admission.refusal else None for admission in running
        ]

    assert asyncio.run(scenario()) == [
        None,
        None,
        "user-concurrent",
        None,
        "tenant-concurrent",
        None,
    ]


def test_a_refused_call_holds_no_slot() -> None:
    limits = build_limits(**OFF | {"max_concurrent_per_user": 1, "rate_limit_per_user": 1})

    assert list_refusals(limits, ALICE, ALICE, ALICE) == [None, "user", "user"]


def test_without_accounts_only_limits_that_were_set_hold() -> None:
    anonymous = Owner()

    by_default = list_refusals(build_limits(), *[anonymous] * 200)
    when_set = list_refusals(build_limits(rate_limit_per_tenant=1), *[anonymous] * 2)

    assert set(by_default) == {None}
    assert when_set == [None, "tenant"]


def test_a_verified_user_is_limited_by_default() -> None:
    refused = list_refusals(build_limits(), *[ALICE] * 61)

    assert refused == [None] * 60 + ["user"]


def test_over_stdio_only_the_calls_of_a_day_count() -> None:
    limits = build_limits(serves_people=False, rate_limit_per_tenant=1, max_calls_per_day=2)

    async def scenario() -> None:
        for _ in range(3):
            await limits.charge_day(Owner())

    assert list_refusals(limits, *[Owner()] * 5) == [None] * 5
    with pytest.raises(RateLimited, match="MAX_CALLS_PER_DAY"):
        asyncio.run(scenario())


def test_a_tenant_can_have_limits_of_its_own() -> None:
    own = {"globex": TenantOverrides(rate_per_minute=3, user_rate_per_minute=0)}
    limits = build_limits(overrides=own, **OFF | {"rate_limit_per_user": 1})

    refused = list_refusals(limits, ALICE, ALICE, CAROL, CAROL, CAROL, CAROL)

    assert refused == [None, "user", None, None, None, "tenant"]


def test_an_address_is_limited_by_itself() -> None:
    limits = build_limits(rate_limit_per_ip=1)

    async def scenario() -> list[Any]:
        addresses = ("192.0.2.1", "192.0.2.1", "192.0.2.2")
        return [(await limits.admit_address(address)).refusal for address in addresses]

    first, second, other = asyncio.run(scenario())

    assert (first, other) == (None, None)
    assert (second.kind, second.retry_after) == (LimitKind.ADDRESS, 60)


def test_decisions_are_counted_for_the_metrics() -> None:
    limits = build_limits(**OFF | {"rate_limit_per_user": 1})

    list_refusals(limits, ALICE, ALICE, ALICE, BOB)

    assert limits.counters.admitted == 2
    assert limits.counters.refused == {"user": 2}


def test_the_states_tell_of_the_caller_and_take_nothing() -> None:
    limits = build_limits()

    async def scenario() -> dict[str, tuple[int, int]]:
        await limits.admit_call(ALICE)
        await limits.charge_day(ALICE)
        await limits.read_states(ALICE)
        states = await limits.read_states(ALICE)
        return {state.kind.value: (state.limit, state.remaining) for state in states}

    assert asyncio.run(scenario()) == {
        "user": (60, 59),
        "tenant": (120, 119),
        "server": (1000, 999),
        "tenant-day": (5000, 4999),
        "user-concurrent": (32, 31),
        "tenant-concurrent": (128, 127),
    }
