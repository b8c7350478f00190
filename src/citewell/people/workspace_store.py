"""Workspaces: who is a member, and the findings that members share.

A finding is encrypted with the keys of the member who shared it. The server reads it for the other
members; once its contributor is erased, nobody can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from citewell.people.consent_service import build_consent_guard
from citewell.store.failures import BatchRolledBack
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnerStore, RecordTable
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement
from citewell.text.calendar_dates import format_utc_time

MAX_CONTRIBUTIONS = 5000  # of one workspace

_DELETE_MEMBER = "DELETE FROM workspace_member WHERE workspace = :workspace AND owner = :owner"
_SELECT_MEMBER = "SELECT 1 FROM workspace_member WHERE workspace = :workspace AND owner = :owner"
_CONFIRM_MEMBER = """
UPDATE workspace_member SET added = added WHERE workspace = :workspace AND owner = :owner
"""
# Read for a member alone, and only what contributors still consent to share.
_READABLE_CONTRIBUTIONS = """
JOIN consent ON consent.owner = contribution.owner
    AND consent.purpose = 'workspace' AND consent.granted = 1
WHERE contribution.workspace = :workspace AND contribution.created > :oldest
    AND EXISTS (
        SELECT 1 FROM workspace_member AS reader
        WHERE reader.workspace = :workspace AND reader.owner = :owner
    )
"""
_READABLE_PAGE = f"""
{_READABLE_CONTRIBUTIONS}
ORDER BY contribution.created DESC, contribution.id LIMIT :limit OFFSET :offset
"""
_COUNT_READABLE = f"SELECT COUNT(*) FROM contribution {_READABLE_CONTRIBUTIONS}"  # noqa: S608 - constants
_DELETE_EXPIRED = "DELETE FROM contribution WHERE created <= :oldest"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceMember:
    workspace_id: str
    tenant: str
    user: str
    added: float = 0.0  # seconds since the epoch; set by the store

    def to_json(self) -> dict[str, Any]:
        return {
            "workspaceId": self.workspace_id,
            "tenantId": self.tenant,
            "userId": self.user,
            "addedAt": format_utc_time(self.added),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFinding:
    """A finding as it was shared; it never changes afterwards."""

    id: str
    workspace_id: str
    tenant: str
    user: str
    note: str
    url: str | None = None
    tags: tuple[str, ...] = ()
    created: float = 0.0  # seconds since the epoch; set by the store

    def to_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "id": self.id,
            "workspaceId": self.workspace_id,
            "contributorTenant": self.tenant,
            "contributorUser": self.user,
            "note": self.note,
            "url": self.url,
            "tags": list(self.tags) or None,
            "createdAt": format_utc_time(self.created),
        }
        return {key: value for key, value in entry.items() if value is not None}


MEMBERS = RecordTable(
    name="workspace_member",
    counted_as="workspace_memberships",
    record=WorkspaceMember,
    columns=("workspace", "added"),
    encrypted=("workspace_id", "tenant", "user"),
    row_name="{workspace}",
)
CONTRIBUTIONS = RecordTable(
    name="contribution",
    counted_as="workspace_contributions",
    record=SharedFinding,
    columns=("id", "workspace", "created"),
    encrypted=("workspace_id", "tenant", "user", "note", "url", "tags"),
    row_name="{workspace}/{id}",
    left_out="A finding of a workspace",
)


class SqlWorkspaceStore(OwnerStore):
    """Every call names an owner (tenant/user), except the list of a workspace's members for its host."""

    tables = (CONTRIBUTIONS, MEMBERS)

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        ttl: float,
        clock: Callable[[], float],
        max_contributions: int = MAX_CONTRIBUTIONS,
    ) -> None:
        super().__init__(database, vault, clock=clock)
        self._ttl = ttl
        self._most = max_contributions

    async def add_member(self, owner: str, member: WorkspaceMember) -> bool:
        """Make the owner a member; False if the owner was one already."""
        workspace = await self._hash_workspace(member.workspace_id)
        (added,) = await self._write_as_owner(
            owner,
            lambda chain: [
                MEMBERS.build_insert(
                    chain,
                    member,
                    workspace=workspace,
                    added=self._clock(),
                    on_conflict="ON CONFLICT (workspace, owner) DO NOTHING",
                )
            ],
        )
        return bool(added.changed_rows)

    async def remove_member(self, owner: str, workspace_id: str) -> bool:
        """End the owner's membership; False if the owner was no member."""
        params = await self._build_member_params(owner, workspace_id)
        return bool(await self._change_rows(_DELETE_MEMBER, **params))

    async def is_member(self, owner: str, workspace_id: str) -> bool:
        params = await self._build_member_params(owner, workspace_id)
        return bool(await self._database.select_rows(_SELECT_MEMBER, params))

    async def list_members(self, workspace_id: str) -> tuple[WorkspaceMember, ...]:
        """All members, the first one added first; for the host that manages them."""
        return await self._read_all(
            MEMBERS,
            "WHERE workspace = :workspace ORDER BY added, owner",
            workspace=await self._hash_workspace(workspace_id),
        )

    async def list_memberships(self, owner: str) -> tuple[WorkspaceMember, ...]:
        """The workspaces of one owner."""
        return await self._read_all(
            MEMBERS,
            "WHERE owner = :owner ORDER BY added, workspace",
            owner=await self._vault.hash_owner_tag(owner),
        )

    async def add_finding(self, owner: str, finding: SharedFinding) -> float | None:
        """Share a finding and return when; None if the owner is no member or has not consented.

        Beyond the limit of a workspace the contributor's own oldest finding is deleted, or the
        workspace's oldest if there is none.
        """
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return None
        workspace = await self._hash_workspace(finding.workspace_id)
        now = self._clock()
        params: dict[str, SqlScalar] = {
            "id": finding.id,
            "workspace": workspace,
            "owner": chain.tag,
            "most": self._most,
        }
        try:
            await self._database.execute_batch(
                [
                    self._vault.build_owner_guard(chain),
                    build_consent_guard(chain, "workspace"),
                    SqlStatement(sql=_CONFIRM_MEMBER, params=params, expected_rows=1),
                    CONTRIBUTIONS.build_insert(chain, finding, workspace=workspace, created=now),
                    # First the contributor's own oldest, so that nobody displaces others.
                    CONTRIBUTIONS.build_eviction(
                        params,
                        group="workspace = :workspace",
                        among="AND id <> :id",
                        order="CASE WHEN owner = :owner THEN 0 ELSE 1 END, created, id",
                    ),
                ]
            )
        except BatchRolledBack:
            return None
        return now

    async def list_findings(
        self, owner: str, workspace_id: str, *, limit: int, offset: int = 0
    ) -> tuple[tuple[SharedFinding, ...], int]:
        """The newest findings of a workspace and how many there are; none if the owner is no member."""
        params = await self._build_member_params(owner, workspace_id)
        params["oldest"] = self._clock() - self._ttl
        total = await self._database.select_rows(_COUNT_READABLE, params)
        found = await self._read_all(
            CONTRIBUTIONS, _READABLE_PAGE, **params, limit=limit, offset=offset
        )
        return found, int(total[0][0])

    async def delete_expired(self) -> int:
        """Delete findings past their time to live, and return their number."""
        return await self._change_rows(_DELETE_EXPIRED, oldest=self._clock() - self._ttl)

    async def export_owner(self, owner: str) -> dict[str, list[dict[str, Any]]]:
        """The owner's memberships and contributions as JSON values."""
        own = await self._read_all(
            CONTRIBUTIONS,
            "WHERE owner = :owner AND created > :oldest ORDER BY created, id",
            owner=await self._vault.hash_owner_tag(owner),
            oldest=self._clock() - self._ttl,
        )
        return {
            "memberships": [member.to_json() for member in await self.list_memberships(owner)],
            "contributions": [finding.to_json() for finding in own],
        }

    async def _hash_workspace(self, workspace_id: str) -> str:
        return await self._vault.hash_shared_name("workspace", workspace_id)

    async def _build_member_params(self, owner: str, workspace_id: str) -> dict[str, SqlScalar]:
        return {
            "workspace": await self._hash_workspace(workspace_id),
            "owner": await self._vault.hash_owner_tag(owner),
        }
