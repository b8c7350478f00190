"""Usage analytics: counts the calls of users who consent, and shows each user their own."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from citewell.errors import CitewellError
from citewell.model.answers.people_answers import AnalyticsAnswer, UserAnalytics
from citewell.services.people.consent_gate import ConsentGate
from citewell.services.people.consent_service import ConsentService
from citewell.store.people.analytics_store import SqlAnalyticsStore, ToolUse, UsageSummary
from citewell.store.people.record_times import format_utc_time
from citewell.tooling import Owner

logger = logging.getLogger(__name__)
WRITE_DELAY_SECONDS: Final = 1.0  # calls are written together, this long after the first of them
MAX_WAITING_CALLS: Final = 20_000  # further calls are not counted until these are written


class UsageAnalytics:
    """Collects calls in memory and writes them in the background, after asking for consent.

    A call counts only if consent was granted before it and still holds when it is written.
    """

    def __init__(
        self,
        store: SqlAnalyticsStore,
        consents: ConsentService,
        *,
        clock: Callable[[], float] = time.time,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._consents = consents
        self._gate = ConsentGate(consents, "analytics")
        self._clock = clock
        self._pause = pause
        self._waiting: dict[Owner, list[ToolUse]] = {}
        self._waiting_calls = 0
        self._writer: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    def record_call(self, owner: Owner, tool: str) -> None:
        """Note a call; returns at once and never raises. Needs a running event loop."""
        if owner.is_anonymous or self._waiting_calls >= MAX_WAITING_CALLS:
            return
        self._waiting.setdefault(owner, []).append(ToolUse(tool=tool, at=self._clock()))
        self._waiting_calls += 1
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_later())

    async def describe_usage(self, owner: Owner) -> AnalyticsAnswer:
        """The caller's own usage, with every call that this process has seen before."""
        if refusal := await self._gate.find_refusal(owner):
            return AnalyticsAnswer(status=refusal.status, reason=refusal.reason)
        await self.write_calls()
        summary = await self._store.find_summary(str(owner))
        if summary is None:
            return AnalyticsAnswer(
                status="empty", reason="No call has been recorded since you consented."
            )
        return AnalyticsAnswer(
            status="ok", analytics=UserAnalytics.model_validate(summary.to_json())
        )

    async def list_tenant_usage(self, tenant: str) -> tuple[UsageSummary, ...]:
        """The usage of every user of a tenant who consented, for administrators."""
        await self.write_calls()
        return await self._store.list_tenant(tenant)

    async def summarize_tenant(self, tenant: str) -> dict[str, Any]:
        """The usage of a tenant's users together; only of those who consent now."""
        owners = {
            Owner(tenant=one.tenant, user=one.user): one
            for one in await self.list_tenant_usage(tenant)
        }
        granted = await self._consents.find_grants(owners, "analytics")
        return _join_summaries(tenant, [one for owner, one in owners.items() if owner in granted])

    async def write_calls(self) -> None:
        """Write the calls that are waiting."""
        async with self._lock:
            waiting, self._waiting = self._waiting, {}
            self._waiting_calls = 0
            if waiting:
                await self._write_consented(waiting)

    async def aclose(self) -> None:
        """Write the calls that are waiting, and stop."""
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait({self._writer})
        await self._write_safely()

    async def _write_later(self) -> None:
        while self._waiting:
            await self._pause(WRITE_DELAY_SECONDS)
            await asyncio.shield(self._write_safely())  # once begun, it ends before we close

    async def _write_safely(self) -> None:
        try:
            await self.write_calls()
        except CitewellError as error:  # a store that fails must not fail calls
            logger.warning("The usage of some calls was not recorded. %s", error.message)

    async def _write_consented(self, waiting: dict[Owner, list[ToolUse]]) -> None:
        granted = await self._consents.find_grants(waiting, "analytics")
        for owner, uses in waiting.items():
            since = granted.get(owner)
            counted = [use for use in uses if since is not None and use.at >= since]
            if counted:
                await self._store.add_uses(
                    str(owner), tenant=owner.tenant, user=owner.user, uses=counted
                )


def _join_summaries(tenant: str, summaries: Sequence[UsageSummary]) -> dict[str, Any]:
    counts: Counter[str] = sum((Counter(one.counts) for one in summaries), Counter())
    return {
        "tenantId": tenant,
        "users": len(summaries),
        "totalCalls": counts.total(),
        "toolCounts": dict(sorted(counts.items())),
        "firstSeen": format_utc_time(min(one.first for one in summaries)) if summaries else None,
        "lastSeen": format_utc_time(max(one.last for one in summaries)) if summaries else None,
    }
