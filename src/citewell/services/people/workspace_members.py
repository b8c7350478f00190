"""Who may read and contribute to a workspace; the host application decides, the server enforces."""

from __future__ import annotations

from citewell.services.people.identity_checks import check_workspace_id, require_identity
from citewell.store.people.workspace_store import SqlWorkspaceStore, WorkspaceMember
from citewell.tooling import Owner


class WorkspaceMembers:
    """Adds, removes and lists members. A workspace exists as long as it has members."""

    def __init__(self, store: SqlWorkspaceStore) -> None:
        self._store = store

    async def add_member(self, workspace_id: str, member: Owner) -> bool:
        """False if the user was a member already. Raises InvalidInput for an unusable name."""
        require_identity(member)
        added = WorkspaceMember(
            workspace_id=check_workspace_id(workspace_id), tenant=member.tenant, user=member.user
        )
        return await self._store.add_member(str(member), added)

    async def remove_member(self, workspace_id: str, member: Owner) -> bool:
        """False if the user was no member. What the user shared stays until it expires or is erased."""
        require_identity(member)
        return await self._store.remove_member(str(member), check_workspace_id(workspace_id))

    async def list_members(self, workspace_id: str) -> tuple[WorkspaceMember, ...]:
        return await self._store.list_members(check_workspace_id(workspace_id))

    async def list_memberships(self, member: Owner) -> tuple[WorkspaceMember, ...]:
        """The workspaces that one user belongs to."""
        return await self._store.list_memberships(str(member))
