"""Counts calls for the daily quotas. Answers from the cache and refused arguments cost nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome

if TYPE_CHECKING:
    from citewell.services.limits.call_limits import CallLimits


class QuotaMiddleware:
    """Raises RateLimited if a quota is used up."""

    def __init__(
        self,
        find_limits: Callable[[], CallLimits | None],
        *,
        is_cached: Callable[[ToolInvocation], bool],
    ) -> None:
        """`find_limits` returns None while nothing is counted; `is_cached` looks into the memory."""
        self._find_limits = find_limits
        self._is_cached = is_cached

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        limits, owner = self._find_limits(), invocation.call.owner
        if limits is None or not limits.has_daily_quotas(owner) or self._is_cached(invocation):
            return await proceed(invocation)
        counted = await limits.charge_day(owner)
        outcome = await proceed(invocation)
        if outcome.meta.get("cached"):  # by another process, or by a call at the same time
            await limits.return_day(counted)
        return outcome
