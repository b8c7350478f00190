"""List, add or remove the members of a workspace."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from citewell.audit.audit_recorder import record_command_event
from citewell.audit.audit_segments import AuditEventType
from citewell.cli import exit_codes, screen
from citewell.cli.command_app import TenantArgument, UserArgument, call_with_app, open_command_app
from citewell.core.tooling import Owner
from citewell.people.workspace_service import WorkspaceMembers

WorkspaceArgument = Annotated[str, typer.Argument(help="The id of the workspace.")]


def list_members(
    workspace: WorkspaceArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """List the members of a workspace."""
    members = call_with_app(
        lambda app: app.require_service(WorkspaceMembers).list_members(workspace)
    )
    if as_json:
        screen.print_json([member.to_json() for member in members])
    elif members:
        screen.print_table(("Tenant", "User"), [(member.tenant, member.user) for member in members])
    return exit_codes.OK if members else exit_codes.NOTHING_FOUND


def add_member(workspace: WorkspaceArgument, tenant: TenantArgument, user: UserArgument) -> int:
    """Add a user to a workspace."""
    added = asyncio.run(_change_member(workspace, tenant, user, action="add member"))
    screen.print_text("Added." if added else "The user was a member already.")
    return exit_codes.OK


def remove_member(workspace: WorkspaceArgument, tenant: TenantArgument, user: UserArgument) -> int:
    """Remove a user from a workspace; what the user contributed stays."""
    removed = asyncio.run(_change_member(workspace, tenant, user, action="remove member"))
    screen.print_text("Removed." if removed else "The user was no member.")
    return exit_codes.OK if removed else exit_codes.NOTHING_FOUND


async def _change_member(workspace: str, tenant: str, user: str, *, action: str) -> bool:
    """Whether the member was added or removed; then it is recorded in the audit log."""
    member = Owner(tenant=tenant, user=user)
    async with open_command_app() as app:
        members = app.require_service(WorkspaceMembers)
        change = members.add_member if action == "add member" else members.remove_member
        is_changed = await change(workspace, member)
        if is_changed:
            await record_command_event(
                app.open_state(),
                AuditEventType.ADMIN_ACTION,
                owner=member,
                metadata={"action": action, "workspace_id": workspace},
            )
        return is_changed


SUBCOMMANDS = {"members": list_members, "add": add_member, "remove": remove_member}
