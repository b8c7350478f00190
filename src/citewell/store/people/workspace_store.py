"""Workspaces: who is a member, and the findings that members share.

A finding is encrypted with the keys of the member who shared it. The server reads it for the other
members; once its contributor is erased, nobody can.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.store.failures import BatchRolledBack, DecryptionFailed, WriteContended
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.people.consent_store import build_consent_guard
from citewell.store.people.record_times import format_utc_time
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)
_MEMBER_TABLE, _CONTRIBUTION_TABLE = "workspace_member", "contribution"
_MAX_WRITE_ATTEMPTS = 3  # a further attempt is needed only if the owner's keys were just erased
MAX_CONTRIBUTIONS = 5000  # of one workspace

_INSERT_MEMBER = """
INSERT INTO workspace_member (workspace, owner, added, body)
VALUES (:workspace, :owner, :now, :body) ON CONFLICT (workspace, owner) DO NOTHING
"""
_DELETE_MEMBER = "DELETE FROM workspace_member WHERE workspace = :workspace AND owner = :owner"
_SELECT_MEMBER = "SELECT 1 FROM workspace_member WHERE workspace = :workspace AND owner = :owner"
_SELECT_MEMBERS = """
SELECT workspace, owner, added, body FROM workspace_member
WHERE workspace = :workspace ORDER BY added, owner
"""
_SELECT_MEMBERSHIPS = """
SELECT workspace, owner, added, body FROM workspace_member
WHERE owner = :owner ORDER BY added, workspace
"""
_CONFIRM_MEMBER = """
UPDATE workspace_member SET added = added WHERE workspace = :workspace AND owner = :owner
"""
_INSERT_CONTRIBUTION = """
INSERT INTO contribution (id, workspace, owner, created, body)
VALUES (:id, :workspace, :owner, :now, :body)
"""
# What is beyond the limit goes: first the contributor's own oldest, so that nobody displaces others.
_EVICT_CONTRIBUTIONS = """
DELETE FROM contribution WHERE id IN (
    SELECT id FROM contribution WHERE workspace = :workspace AND id <> :id
    ORDER BY CASE WHEN owner = :owner THEN 0 ELSE 1 END, created, id
    LIMIT (
        SELECT CASE WHEN COUNT(*) > :most THEN COUNT(*) - :most ELSE 0 END
        FROM contribution WHERE workspace = :workspace
    )
)
"""
# Read for a member alone, and only what contributors still consent to share.
_READABLE_CONTRIBUTIONS = """
FROM contribution
JOIN consent ON consent.owner = contribution.owner
    AND consent.purpose = 'workspace' AND consent.granted = 1
WHERE contribution.workspace = :workspace AND contribution.created > :oldest
    AND EXISTS (
        SELECT 1 FROM workspace_member AS reader
        WHERE reader.workspace = :workspace AND reader.owner = :owner
    )
"""
_SELECT_READABLE = f"""
SELECT contribution.id, contribution.workspace, contribution.owner, contribution.created,
    contribution.body
{_READABLE_CONTRIBUTIONS}
ORDER BY contribution.created DESC, contribution.id LIMIT :limit OFFSET :offset
"""
_COUNT_READABLE = f"SELECT COUNT(*) {_READABLE_CONTRIBUTIONS}"
_SELECT_OWN = """
SELECT id, workspace, owner, created, body FROM contribution
WHERE owner = :owner AND created > :oldest ORDER BY created, id
"""
_DELETE_EXPIRED = "DELETE FROM contribution WHERE created <= :oldest"
_DELETE_OWNER_CONTRIBUTIONS = "DELETE FROM contribution WHERE owner = :owner"
_DELETE_OWNER_MEMBERSHIPS = "DELETE FROM workspace_member WHERE owner = :owner"


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
        told: dict[str, Any] = {
            "id": self.id,
            "workspaceId": self.workspace_id,
            "contributorTenant": self.tenant,
            "contributorUser": self.user,
            "note": self.note,
            "url": self.url,
            "tags": list(self.tags) or None,
            "createdAt": format_utc_time(self.created),
        }
        return {key: value for key, value in told.items() if value is not None}


class SqlWorkspaceStore:
    """Every call names an owner (tenant/user), except the list of a workspace's members for its host."""

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        ttl: float,
        clock: Callable[[], float],
        max_contributions: int = MAX_CONTRIBUTIONS,
    ) -> None:
        self._database = database
        self._vault = vault
        self._ttl = ttl
        self._clock = clock
        self._most = max_contributions

    async def add_member(self, owner: str, member: WorkspaceMember) -> bool:
        """Make the owner a member; False if the owner was one already."""
        workspace = await self._hash_workspace(member.workspace_id)
        told = json.dumps([member.workspace_id, member.tenant, member.user]).encode()
        for _ in range(_MAX_WRITE_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            params: dict[str, SqlScalar] = {
                "workspace": workspace,
                "owner": chain.tag,
                "now": self._clock(),
                "body": chain.encrypt_row(_MEMBER_TABLE, workspace, told),
            }
            added = SqlStatement(sql=_INSERT_MEMBER, params=params)
            try:
                _, outcome = await self._database.execute_batch(
                    [self._vault.build_owner_guard(chain), added]
                )
            except BatchRolledBack:
                self._vault.forget_keychain(owner)  # erased by another process in the meantime
            else:
                return bool(outcome.changed_rows)
        raise WriteContended("The user's keys kept changing. Try again.")

    async def remove_member(self, owner: str, workspace_id: str) -> bool:
        """End the owner's membership; False if the owner was no member."""
        params = await self._build_member_params(owner, workspace_id)
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_MEMBER, params=params)]
        )
        return bool(gone.changed_rows)

    async def is_member(self, owner: str, workspace_id: str) -> bool:
        params = await self._build_member_params(owner, workspace_id)
        return bool(await self._database.select_rows(_SELECT_MEMBER, params))

    async def list_members(self, workspace_id: str) -> tuple[WorkspaceMember, ...]:
        """All members, the first one added first; for the host that manages them."""
        params: dict[str, SqlScalar] = {"workspace": await self._hash_workspace(workspace_id)}
        return await self._decrypt_members(
            await self._database.select_rows(_SELECT_MEMBERS, params)
        )

    async def list_memberships(self, owner: str) -> tuple[WorkspaceMember, ...]:
        """The workspaces of one owner."""
        params: dict[str, SqlScalar] = {"owner": await self._vault.hash_owner_tag(owner)}
        return await self._decrypt_members(
            await self._database.select_rows(_SELECT_MEMBERSHIPS, params)
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
            "now": now,
            "most": self._most,
            "body": chain.encrypt_row(
                _CONTRIBUTION_TABLE, f"{workspace}/{finding.id}", _encode_finding(finding)
            ),
        }
        try:
            await self._database.execute_batch(
                [
                    self._vault.build_owner_guard(chain),
                    build_consent_guard(chain, "workspace"),
                    SqlStatement(sql=_CONFIRM_MEMBER, params=params, expected_rows=1),
                    SqlStatement(sql=_INSERT_CONTRIBUTION, params=params, expected_rows=1),
                    SqlStatement(sql=_EVICT_CONTRIBUTIONS, params=params),
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
        found = await self._database.select_rows(
            _SELECT_READABLE, params | {"limit": limit, "offset": offset}
        )
        return await self._decrypt_shared_findings(found), int(total[0][0])

    async def delete_expired(self) -> int:
        """Delete findings past their time to live, and return their number."""
        oldest = {"oldest": self._clock() - self._ttl}
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_EXPIRED, params=oldest)]
        )
        return gone.changed_rows

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        """The statements that remove the owner's memberships and everything the owner shared."""
        params: dict[str, SqlScalar] = {"owner": await self._vault.hash_owner_tag(owner)}
        return [
            SqlStatement(sql=_DELETE_OWNER_CONTRIBUTIONS, params=params),
            SqlStatement(sql=_DELETE_OWNER_MEMBERSHIPS, params=params),
        ]

    async def export_owner(self, owner: str) -> dict[str, list[dict[str, Any]]]:
        """The owner's memberships and contributions as JSON values."""
        params: dict[str, SqlScalar] = {
            "owner": await self._vault.hash_owner_tag(owner),
            "oldest": self._clock() - self._ttl,
        }
        own = await self._decrypt_shared_findings(
            await self._database.select_rows(_SELECT_OWN, params)
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

    async def _load_keychains(self, found: Sequence[SqlRow]) -> dict[str, OwnerKeychain]:
        """The keychains of the owners of these rows by tag; erased owners are left out."""
        chains = {tag: await self._vault.load_tagged_keychain(tag) for tag in {r[1] for r in found}}
        return {tag: chain for tag, chain in chains.items() if chain is not None}

    async def _decrypt_members(self, found: Sequence[SqlRow]) -> tuple[WorkspaceMember, ...]:
        chains = await self._load_keychains(found)
        return tuple(_decrypt_member(chains[row[1]], row) for row in found if row[1] in chains)

    async def _decrypt_shared_findings(self, found: Sequence[SqlRow]) -> tuple[SharedFinding, ...]:
        chains = await self._load_keychains([row[1:] for row in found])
        opened = [_decrypt_finding(chains[row[2]], row) for row in found if row[2] in chains]
        return tuple(finding for finding in opened if finding is not None)


def _decrypt_member(chain: OwnerKeychain, row: SqlRow) -> WorkspaceMember:
    workspace, _, added, body = row
    workspace_id, tenant, user = json.loads(chain.decrypt_row(_MEMBER_TABLE, workspace, body))
    return WorkspaceMember(workspace_id=workspace_id, tenant=tenant, user=user, added=float(added))


def _encode_finding(finding: SharedFinding) -> bytes:
    told = [
        finding.workspace_id,
        finding.tenant,
        finding.user,
        finding.note,
        finding.url,
        list(finding.tags),
    ]
    return json.dumps(told).encode()


def _decrypt_finding(chain: OwnerKeychain, row: SqlRow) -> SharedFinding | None:
    """None, with a warning, if the row cannot be decrypted: it must not hide the other rows."""
    finding_id, workspace, _, created, body = row
    try:
        plain = chain.decrypt_row(_CONTRIBUTION_TABLE, f"{workspace}/{finding_id}", body)
    except DecryptionFailed as error:
        logger.warning("A finding of a workspace is left out. %s", error.message)
        return None
    workspace_id, tenant, user, note, url, tags = json.loads(plain)
    return SharedFinding(
        id=finding_id,
        workspace_id=workspace_id,
        tenant=tenant,
        user=user,
        note=note,
        url=url,
        tags=tuple(tags),
        created=float(created),
    )
