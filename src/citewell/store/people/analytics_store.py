"""Usage of each user who consented: one encrypted summary per user, to which calls are added."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.people.consent_store import build_consent_guard
from citewell.store.people.record_times import format_utc_time
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

_TABLE = "user_analytics"
_MAX_WRITE_ATTEMPTS = 20  # every conflict means that another process succeeded
MAX_RECENT_TOOLS = 20

_SELECT_SUMMARY = "SELECT owner, version, body FROM user_analytics WHERE owner = :owner"
_SELECT_TENANT = "SELECT owner, version, body FROM user_analytics WHERE tenant = :tenant"
_SELECT_GRANT = """
SELECT 1 FROM consent WHERE owner = :owner AND purpose = 'analytics' AND granted = 1
"""
_INSERT_SUMMARY = """
INSERT INTO user_analytics (owner, tenant, version, body) VALUES (:owner, :tenant, 1, :body)
"""
_UPDATE_SUMMARY = """
UPDATE user_analytics SET version = version + 1, body = :body
WHERE owner = :owner AND version = :version
"""
_DELETE_SUMMARY = "DELETE FROM user_analytics WHERE owner = :owner"


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


class SqlAnalyticsStore:
    """Every call names an owner (tenant/user), except the list for a tenant's administrators."""

    def __init__(self, database: SqlDatabase, vault: KeyVault) -> None:
        self._database = database
        self._vault = vault

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
        params: dict[str, SqlScalar] = {"owner": await self._vault.hash_owner_tag(owner)}
        found = await self._database.select_rows(_SELECT_SUMMARY, params)
        chain = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return _decrypt_summary(chain, found[0]) if chain and found else None

    async def list_tenant(self, tenant: str) -> tuple[UsageSummary, ...]:
        """The usage of every user of a tenant, for its administrators, by name."""
        params: dict[str, SqlScalar] = {"tenant": await self._hash_tenant(tenant)}
        summaries = []
        for row in await self._database.select_rows(_SELECT_TENANT, params):
            chain = await self._vault.load_tagged_keychain(row[0])
            if chain is not None:
                summaries.append(_decrypt_summary(chain, row))
        return tuple(sorted(summaries, key=lambda summary: summary.user))

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        """The statement that removes the owner's usage."""
        tag = await self._vault.hash_owner_tag(owner)
        return [SqlStatement(sql=_DELETE_SUMMARY, params={"owner": tag})]

    async def export_owner(self, owner: str) -> dict[str, Any] | None:
        """The owner's usage as JSON; None if none is recorded."""
        summary = await self.find_summary(owner)
        return summary.to_json() if summary else None

    async def _write_uses(
        self, chain: OwnerKeychain, empty: UsageSummary, uses: Sequence[ToolUse]
    ) -> None:
        found = await self._database.select_rows(_SELECT_SUMMARY, {"owner": chain.tag})
        summary = _decrypt_summary(chain, found[0]) if found else empty
        params: dict[str, SqlScalar] = {
            "owner": chain.tag,
            "tenant": await self._hash_tenant(empty.tenant),
            "version": found[0][1] if found else 0,
            "body": chain.encrypt_row(_TABLE, "summary", _encode_summary(summary.add_uses(uses))),
        }
        sql = _UPDATE_SUMMARY if found else _INSERT_SUMMARY
        await self._database.execute_batch(
            [
                self._vault.build_owner_guard(chain),
                build_consent_guard(chain, "analytics"),
                SqlStatement(sql=sql, params=params, expected_rows=1),
            ]
        )

    async def _hash_tenant(self, tenant: str) -> str:
        return await self._vault.hash_shared_name("tenant", tenant)


def _encode_summary(summary: UsageSummary) -> bytes:
    told = [
        summary.tenant,
        summary.user,
        summary.counts,
        summary.first,
        summary.last,
        list(summary.recent),
    ]
    return json.dumps(told).encode()


def _decrypt_summary(chain: OwnerKeychain, row: SqlRow) -> UsageSummary:
    tenant, user, counts, first, last, recent = json.loads(
        chain.decrypt_row(_TABLE, "summary", row[-1])
    )
    return UsageSummary(
        tenant=tenant, user=user, counts=counts, first=first, last=last, recent=tuple(recent)
    )
