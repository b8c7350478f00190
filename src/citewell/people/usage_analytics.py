"""Usage analytics: counts the calls of users who consent, stores a summary of each, and shows it to its user."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.core.values.wire_values import WireValue
from citewell.people.consent_service import ConsentPurpose, ConsentService, build_consent_guard
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.owner_table import OwnerStore, RecordTable
from citewell.store.sql.database import SqlScalar, SqlStatement
from citewell.text.calendar_dates import format_utc_time

_MAX_WRITE_ATTEMPTS = 20  # every conflict means that another process succeeded
MAX_RECENT_TOOLS = 20

_SELECT_GRANT = """
SELECT 1 FROM consent WHERE owner = :owner AND purpose = 'analytics' AND granted = 1
"""
_UPDATE_SUMMARY = """
UPDATE user_analytics SET version = version + 1, body = :body
WHERE owner = :owner AND version = :version
"""

logger = logging.getLogger(__name__)
WRITE_DELAY_SECONDS: Final = 1.0  # calls are written together, this long after the first of them
MAX_WAITING_CALLS: Final = 20_000  # further calls are not counted until these are written


AnalyticsStatus = Literal["ok", "empty", "no_consent", "unavailable"]


class UserAnalytics(WireValue):
    tenant_id: str
    user_id: str
    total_calls: int
    tool_counts: dict[str, int]
    first_seen: str | None = None
    last_seen: str | None = None
    recent_tools: tuple[str, ...] | None = None


class AnalyticsAnswer(WireValue):
    status: AnalyticsStatus
    reason: str | None = None
    analytics: UserAnalytics | None = None


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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.open_state().analytics, kit.require_service(ConsentService))

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

    async def summarize_tenant(self, tenant: str) -> dict[str, Any]:
        """The usage of a tenant's users together; only of those who consent now."""
        await self.write_calls()
        owners = {
            Owner(tenant=summary.tenant, user=summary.user): summary
            for summary in await self._store.list_tenant(tenant)
        }
        granted = await self._consents.find_grants(owners, "analytics")
        summaries = [summary for owner, summary in owners.items() if owner in granted]
        counts: Counter[str] = sum((Counter(summary.counts) for summary in summaries), Counter())
        first = min((summary.first for summary in summaries), default=None)
        last = max((summary.last for summary in summaries), default=None)
        return {
            "tenantId": tenant,
            "users": len(summaries),
            "totalCalls": counts.total(),
            "toolCounts": dict(sorted(counts.items())),
            "firstSeen": None if first is None else format_utc_time(first),
            "lastSeen": None if last is None else format_utc_time(last),
        }

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


# Decides whether something may be kept or read for a caller, and says why not.


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRefusal:
    """Why a call stores and returns nothing, as the status and reason of its answer."""

    status: Literal["no_consent", "unavailable"]
    reason: str


class ConsentGate:
    """Asks for a named user and recorded consent to one purpose."""

    def __init__(self, consents: ConsentService, purpose: ConsentPurpose) -> None:
        self._consents = consents
        self._purpose = purpose

    async def find_refusal(self, owner: Owner) -> ConsentRefusal | None:
        """None if the caller is named and has consented."""
        if owner.is_anonymous:
            return ConsentRefusal(
                status="unavailable",
                reason=(
                    f"{self._purpose.capitalize()} belongs to a user, and this call names none. "
                    "On stdio set STDIO_USER_ID; over HTTP the operator configures authentication."
                ),
            )
        if not await self._consents.has_consent(owner, self._purpose):
            return self.build_consent_refusal(owner)
        return None

    def build_consent_refusal(self, owner: Owner) -> ConsentRefusal:
        return ConsentRefusal(
            status="no_consent",
            reason=(
                f"User {owner.user} has not consented to {self._purpose}, so nothing is kept. With "
                "the user's agreement the operator records it: POST /admin/consent, or "
                "`citewell consent grant`."
            ),
        )


# Usage of each user who consented: one encrypted summary per user, to which calls are added.


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One call of a tool; `at` is in seconds since the epoch."""

    tool: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSummary:
    """The calls of one user, counted by tool; `recent` has the latest tools, the newest first."""

    tenant: str
    user: str
    counts: dict[str, int] = field(default_factory=dict)
    first: float = 0.0
    last: float = 0.0
    recent: tuple[str, ...] = ()
    version: int = 0  # grows by one with every change; 0 if nothing is stored

    def add_uses(self, uses: Sequence[ToolUse]) -> UsageSummary:
        """The summary with further calls, which are given in the order of their times."""
        times = [use.at for use in uses]
        newest = tuple(use.tool for use in reversed(uses))
        return replace(
            self,
            counts=dict(Counter(self.counts) + Counter(use.tool for use in uses)),
            first=min([self.first, *times] if self.counts else times),
            last=max([self.last, *times]),
            recent=(*newest, *self.recent)[:MAX_RECENT_TOOLS],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "tenantId": self.tenant,
            "userId": self.user,
            "totalCalls": sum(self.counts.values()),
            "toolCounts": dict(sorted(self.counts.items())),
            "firstSeen": format_utc_time(self.first),
            "lastSeen": format_utc_time(self.last),
            "recentTools": list(self.recent),
        }


SUMMARIES = RecordTable(
    name="user_analytics",
    counted_as="analytics",
    record=UsageSummary,
    columns=("tenant", "version"),
    encrypted=("tenant", "user", "counts", "first", "last", "recent"),
    row_name="summary",
)


class SqlAnalyticsStore(OwnerStore):
    """Every call names an owner (tenant/user), except the list for a tenant's administrators."""

    tables = (SUMMARIES,)

    async def add_uses(
        self, owner: str, *, tenant: str, user: str, uses: Sequence[ToolUse]
    ) -> bool:
        """Add calls to the owner's summary; False, and nothing is kept, without the owner's consent."""
        for _ in range(_MAX_WRITE_ATTEMPTS):
            chain = await self._vault.find_keychain(owner)
            if chain is None or not await self._database.select_rows(
                _SELECT_GRANT, {"owner": chain.tag}
            ):
                return False
            try:
                await self._write_uses(chain, UsageSummary(tenant=tenant, user=user), uses)
            except BatchRolledBack:
                # Another process wrote first, consent was withdrawn or the keys were erased.
                self._vault.forget_keychain(owner)
            else:
                return True
        raise WriteContended("Other processes kept writing the usage of the same user. Try again.")

    async def find_summary(self, owner: str) -> UsageSummary | None:
        """The owner's usage; None if none is recorded."""
        return next(iter(await self._read_own(SUMMARIES, owner)), None)

    async def list_tenant(self, tenant: str) -> tuple[UsageSummary, ...]:
        """The usage of every user of a tenant, for its administrators, by name."""
        summaries = await self._read_all(
            SUMMARIES, "WHERE tenant = :tenant", tenant=await self._hash_tenant(tenant)
        )
        return tuple(sorted(summaries, key=lambda summary: summary.user))

    async def export_owner(self, owner: str) -> dict[str, Any] | None:
        """The owner's usage as JSON; None if none is recorded."""
        summary = await self.find_summary(owner)
        return summary.to_json() if summary else None

    async def _write_uses(
        self, chain: OwnerKeychain, empty: UsageSummary, uses: Sequence[ToolUse]
    ) -> None:
        found = await self._database.select_rows(
            SUMMARIES.build_select("WHERE owner = :owner"), {"owner": chain.tag}
        )
        summary = next(SUMMARIES.decrypt_rows(chain, found), empty).add_uses(uses)
        tenant = await self._hash_tenant(empty.tenant)
        if found:
            params: dict[str, SqlScalar] = {
                "owner": chain.tag,
                "version": summary.version,
                "body": SUMMARIES.encrypt_record(chain, summary, {}),
            }
            write = SqlStatement(sql=_UPDATE_SUMMARY, params=params, expected_rows=1)
        else:
            write = SUMMARIES.build_insert(chain, summary, tenant=tenant, version=1)
        await self._database.execute_batch(
            [
                self._vault.build_owner_guard(chain),
                build_consent_guard(chain, "analytics"),
                write,
            ]
        )

    async def _hash_tenant(self, tenant: str) -> str:
        return await self._vault.hash_shared_name("tenant", tenant)
