"""One caller cannot use up what all callers share."""

from __future__ import annotations

import asyncio

from citewell.core.tooling import Owner
from tests.clocks import Clock
from tests.server.limited_calls import (
    ALICE,
    DAY_START,
    OFF,
    admit_and_end,
    build_limits,
    list_refusals,
)


def test_nobody_starves_beside_one_who_asks_all_the_time() -> None:
    """One caller asks again at once after every answer; nine wait as they are told."""
    clock = Clock(now=DAY_START)
    limits = build_limits(clock, **OFF | {"rate_limit_global": 100})
    greedy = Owner(tenant="t0", user="greedy")
    polite = [Owner(tenant=f"t{index}", user="polite") for index in range(1, 10)]
    granted = dict.fromkeys([greedy, *polite], 0)
    asks_at = dict.fromkeys(polite, clock.now)

    async def scenario() -> None:
        for _ in range(10_000):  # ten seconds in steps of a millisecond
            clock.now += 0.001
            for owner in (greedy, *(caller for caller in polite if asks_at[caller] <= clock.now)):
                refusal = (await admit_and_end(limits, owner)).refusal
                granted[owner] += refusal is None
                if owner is not greedy:
                    asks_at[owner] = clock.now + (refusal.retry_after if refusal else 0.1)

    asyncio.run(scenario())

    assert min(granted.values()) >= 0.9 * 10 * 100 / 10
    assert sum(granted.values()) <= 100 + 10 * 100


def test_a_lone_caller_may_use_the_whole_limit() -> None:
    clock = Clock(now=DAY_START)
    limits = build_limits(clock, **OFF | {"rate_limit_global": 50})

    refused = list_refusals(limits, *[ALICE] * 51)

    assert refused == [None] * 50 + ["server"]
