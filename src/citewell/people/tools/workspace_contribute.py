"""Share a finding in a workspace."""

from __future__ import annotations

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.people.workspace_service import ContributionSaved, WorkspaceNote, WorkspaceService


class Args(ToolArguments, WorkspaceNote):
    """Share a copy of a finding with the members of a workspace, under the user's own name and the present time. Writes. The user must be a member (status not_member) and have consented (no_consent)."""


async def run(args: Args, call: ToolCall) -> ContributionSaved:
    return await call.require_service(WorkspaceService).share_finding(
        call.owner, args.build_request(WorkspaceNote)
    )


TOOL = Tool(
    args=Args,
    result=ContributionSaved,
    run=run,
    toolset="people",
    in_default_profile=True,
    required_setting="WORKSPACES_ENABLED",
    read_only=False,
    idempotent=False,
    open_world=False,
    is_always_inline=True,
)
