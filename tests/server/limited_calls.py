"""Limits of calls with a clock of their own, for tests."""

from __future__ import annotations

import asyncio
from typing import Any

from citewell.core.config import Settings
from citewell.core.tooling import Owner
from citewell.server.call_limits import CallAdmission, CallLimits
from citewell.store.coordination.daily_counts import SECONDS_PER_DAY, DailyCounter
from citewell.store.coordination.rate_limits import RateLimiter, TenantOverrides
from tests.clocks import Clock

ALICE, BOB = Owner(tenant="acme", user="alice"), Owner(tenant="acme", user="bob")
CAROL = Owner(tenant="globex", user="carol")
DAY_START = 20_000 * SECONDS_PER_DAY + 3600.0  # one hour into a day


OFF: dict[str, Any] = {
    "rate_limit_per_user": 0,
    "rate_limit_per_tenant": 0,
    "rate_limit_global": 0,
    "daily_quota_per_tenant": 0,
    "max_concurrent_per_user": 0,
    "max_concurrent_per_tenant": 0,
}


def build_limits(
    clock: Clock | None = None,
    *,
    overrides: dict[str, TenantOverrides] | None = None,
    serves_people: bool = True,
    **changed: Any,
) -> CallLimits:
    clock = clock or Clock(now=DAY_START)
    limits = CallLimits(
        Settings(**changed),
        rate_limiter=RateLimiter(clock=clock),
        daily_counter=DailyCounter(clock=clock),
        overrides=overrides or {},
        clock=clock,
    )
    if serves_people:
        limits.limit_owners()
    return limits


async def admit_and_end(limits: CallLimits, owner: Owner) -> CallAdmission:
    admission = await limits.admit_call(owner)
    if admission.refusal is None:
        limits.release_call(admission)
    return admission


def list_refusals(limits: CallLimits, *owners: Owner) -> list[str | None]:
    """For a call of each owner in turn, the limit that refuses it."""

    async def call_in_turn() -> list[str | None]:
        admissions = [await admit_and_end(limits, owner) for owner in owners]
        return [
            admission.refusal.kind.value if admission.refusal else None for admission in admissions
        ]

    return asyncio.run(call_in_turn())
