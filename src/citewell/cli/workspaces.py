"""`citewell workspaces`: lists, adds and removes the members of a workspace."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.command_audit import record_command_event
from citewell.cli.terminal import screen
from citewell.model.audit_event import AuditEventType
from citewell.services.people.workspace_members import WorkspaceMembers
from citewell.store.people.workspace_store import WorkspaceMember
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.server.app import App

WorkspaceArgument = Annotated[str, typer.Argument(help="The id of the workspace.")]
TenantArgument = Annotated[str, typer.Argument(help="The tenant of the user.")]
UserArgument = Annotated[str, typer.Argument(help="The user.")]


def list_members(
    workspace: WorkspaceArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """List the members of a workspace."""
    found = asyncio.run(_load_members(workspace))
    if as_json:
        screen.print_json([member.to_json() for member in found])
    elif found:
        screen.print_table(("Tenant", "User"), [(one.tenant, one.user) for one in found])
    return exit_codes.OK if found else exit_codes.NOTHING_FOUND


def add_member(workspace: WorkspaceArgument, tenant: TenantArgument, user: UserArgument) -> int:
    """Add a user to a workspace."""
    added = asyncio.run(_add_named_member(workspace, Owner(tenant=tenant, user=user)))
    screen.print_text("Added." if added else "The user was a member already.")
    return exit_codes.OK


def remove_member(workspace: WorkspaceArgument, tenant: TenantArgument, user: UserArgument) -> int:
    """Remove a user from a workspace; what the user contributed stays."""
    removed = asyncio.run(_remove_named_member(workspace, Owner(tenant=tenant, user=user)))
    screen.print_text("Removed." if removed else "The user was no member.")
    return exit_codes.OK if removed else exit_codes.NOTHING_FOUND


async def _load_members(workspace: str) -> tuple[WorkspaceMember, ...]:
    async with open_command_app() as app:
        return await app.require_service(WorkspaceMembers).list_members(workspace)


async def _add_named_member(workspace: str, member: Owner) -> bool:
    async with open_command_app() as app:
        added = await app.require_service(WorkspaceMembers).add_member(workspace, member)
        if added:
            await _record_change(app, "add member", workspace, member)
        return added


async def _remove_named_member(workspace: str, member: Owner) -> bool:
    async with open_command_app() as app:
        removed = await app.require_service(WorkspaceMembers).remove_member(workspace, member)
        if removed:
            await _record_change(app, "remove member", workspace, member)
        return removed


async def _record_change(app: App, action: str, workspace: str, member: Owner) -> None:
    await record_command_event(
        app.open_state(),
        AuditEventType.ADMIN_ACTION,
        owner=member,
        metadata={"action": action, "workspace_id": workspace},
    )


SUBCOMMANDS = {"members": list_members, "add": add_member, "remove": remove_member}
