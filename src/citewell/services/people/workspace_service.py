"""Shared workspaces: members share findings and read what the others shared."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from citewell.model.answers.people_answers import (
    ContributionEntry,
    ContributionSaved,
    WorkspaceContents,
)
from citewell.model.argument_bounds import check_declared_bounds
from citewell.services.people.answer_pages import cut_page, find_next_offset
from citewell.services.people.consent_gate import ConsentGate
from citewell.services.people.expiry_sweep import ExpirySweep
from citewell.services.people.identity_checks import MAX_WORKSPACE_ID_CHARS, check_workspace_id
from citewell.services.people.note_fields import NoteFields
from citewell.store.people.workspace_store import SharedFinding, SqlWorkspaceStore
from citewell.tooling import Owner

DEFAULT_CONTRIBUTIONS = 100
MAX_READ_CONTRIBUTIONS = 500
_NOT_MEMBER = (
    "You are not a member of this workspace. Its host application adds members: "
    "POST /admin/workspace/members, or `citewell workspaces add`."
)

WorkspaceId = Annotated[str, Field(min_length=1, max_length=MAX_WORKSPACE_ID_CHARS)]


@dataclass(frozen=True, kw_only=True)
class WorkspaceNote(NoteFields):
    """A finding to share; the arguments of workspace_contribute."""

    workspace_id: WorkspaceId


@dataclass(frozen=True, kw_only=True)
class WorkspaceRequest:
    """Which findings to read; the arguments of workspace_read."""

    workspace_id: WorkspaceId
    limit: Annotated[int, Field(ge=1, le=MAX_READ_CONTRIBUTIONS)] = DEFAULT_CONTRIBUTIONS
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class WorkspaceService:
    """Serves named users who have consented and are members at the moment of each call."""

    def __init__(
        self,
        store: SqlWorkspaceStore,
        gate: ConsentGate,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._store = store
        self._gate = gate
        self._sweep = ExpirySweep(store.delete_expired)
        self._new_id = new_id

    def keep_sweeping(self) -> None:
        """Delete findings past their time to live, every hour while the process runs."""
        self._sweep.keep_sweeping()

    async def aclose(self) -> None:
        await self._sweep.aclose()

    async def share_finding(self, owner: Owner, note: WorkspaceNote) -> ContributionSaved:
        """Share a copy of a finding. Raises InvalidInput for fields that cannot be kept."""
        checked = note.check_fields()
        workspace = check_workspace_id(checked.workspace_id)
        if refusal := await self._gate.find_refusal(owner):
            return ContributionSaved(status=refusal.status, reason=refusal.reason)
        self._sweep.keep_sweeping()
        finding = SharedFinding(
            id=self._new_id(),
            workspace_id=workspace,
            tenant=owner.tenant,
            user=owner.user,
            note=checked.note,
            url=checked.url,
            tags=checked.tags,
        )
        if await self._store.add_finding(str(owner), finding) is not None:
            return ContributionSaved(status="ok", id=finding.id)
        if refusal := await self._gate.find_refusal(owner):  # withdrawn since it was asked for
            return ContributionSaved(status=refusal.status, reason=refusal.reason)
        return ContributionSaved(status="not_member", reason=_NOT_MEMBER)

    async def read_findings(self, owner: Owner, asked: WorkspaceRequest) -> WorkspaceContents:
        """The newest findings of the workspace, each with its contributor."""
        check_declared_bounds(asked)
        workspace = check_workspace_id(asked.workspace_id)
        if refusal := await self._gate.find_refusal(owner):
            return WorkspaceContents(status=refusal.status, reason=refusal.reason)
        if not await self._store.is_member(str(owner), workspace):
            return WorkspaceContents(status="not_member", reason=_NOT_MEMBER)
        self._sweep.keep_sweeping()
        found, total = await self._store.list_findings(
            str(owner), workspace, limit=asked.limit, offset=asked.offset
        )
        shown = cut_page(found)
        return WorkspaceContents(
            status="ok",
            count=len(shown),
            total=total,
            next_offset=find_next_offset(asked.offset, len(shown), total),
            contributions=tuple(ContributionEntry.model_validate(one.to_json()) for one in shown),
        )
