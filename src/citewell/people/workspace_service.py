"""Shared workspaces: members share findings and read what the others shared."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, Literal, Protocol, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.core.values.argument_types import BLANK_IS_ABSENT, check_declared_bounds
from citewell.core.values.counted_words import pluralize
from citewell.core.values.wire_values import WireValue
from citewell.people.consent_service import (
    MAX_WORKSPACE_ID_CHARS,
    ConsentService,
    check_workspace_id,
    require_identity,
)
from citewell.people.usage_analytics import ConsentGate
from citewell.people.workspace_store import SharedFinding, SqlWorkspaceStore, WorkspaceMember
from citewell.store.cache.artifact_store import ExpirySweep
from citewell.text.safety.text_cleaning import extract_visible_text

MAX_NOTE_CHARS = 10_000
MAX_TOPIC_CHARS = 200
MAX_URL_CHARS = 2048
MAX_TAGS = 20
MAX_TAG_CHARS = 100

TopicText = Annotated[str | None, Field(max_length=MAX_TOPIC_CHARS), BLANK_IS_ABSENT]


UntrustedLabel = Literal["untrusted-external-content"]
WorkspaceStatus = Literal["ok", "not_member", "no_consent", "unavailable"]


class ContributionSaved(WireValue):
    status: WorkspaceStatus
    reason: str | None = None
    id: str | None = None


class ContributionEntry(WireValue):
    id: str
    workspace_id: str
    contributor_tenant: str
    contributor_user: str
    note: str
    url: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str


class WorkspaceContents(WireValue):
    status: WorkspaceStatus
    reason: str | None = None
    count: int = 0
    total: int = 0
    next_offset: int | None = None
    contributions: tuple[ContributionEntry, ...] = ()
    trust: UntrustedLabel = "untrusted-external-content"


@dataclass(frozen=True, kw_only=True)
class NoteFields:
    """A finding with its source and tags, as the caller wrote it."""

    note: Annotated[str, Field(min_length=1, max_length=MAX_NOTE_CHARS)]
    url: Annotated[str | None, Field(max_length=MAX_URL_CHARS), BLANK_IS_ABSENT] = None
    tags: Annotated[tuple[str, ...], Field(max_length=MAX_TAGS)] = ()

    def check_fields(self) -> Self:
        """The visible text of the fields; raises InvalidInput for what cannot be kept."""
        check_declared_bounds(self)
        # Whoever reads it later must see all of it: hidden orders to a model are not kept.
        note = extract_visible_text(self.note).strip()
        if not note:
            raise InvalidInput("note has no visible character. Write the finding to keep.")
        return replace(self, note=note, url=_check_note_url(self.url), tags=_check_tags(self.tags))


def _check_note_url(url: str | None) -> str | None:
    given = (url or "").strip()
    if not given:
        return None
    try:
        parts = urlsplit(given)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable or not given.isprintable() or " " in given:
        raise InvalidInput("url must be the http or https address of a source.")
    return given


def _check_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if len(tag) > MAX_TAG_CHARS:
            raise InvalidInput(
                f"One of the tags has {len(tag)} {pluralize(len(tag), 'character')}; {MAX_TAG_CHARS} is the maximum."
            )
    shown = (extract_visible_text(tag).strip() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in shown if tag))


MAX_PAGE_CHARS = 40_000  # of the notes on one page; a page has at least one note

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


class _ExpiringStore(Protocol):
    async def delete_expired(self) -> int: ...


Store = TypeVar("Store", bound=_ExpiringStore)


class NoteService(Generic[Store]):
    """Keeps notes of users who have consented, and deletes them when their time is over."""

    def __init__(
        self,
        store: Store,
        gate: ConsentGate,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._store = store
        self._gate = gate
        self._sweep = ExpirySweep(store.delete_expired)
        self._new_id = new_id

    def keep_sweeping(self) -> None:
        """Delete notes past their time, every hour while the process runs."""
        self._sweep.keep_sweeping()

    async def aclose(self) -> None:
        await self._sweep.aclose()


class WorkspaceService(NoteService[SqlWorkspaceStore]):
    """Serves named users who have consented and are members at the moment of each call."""

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        gate = ConsentGate(kit.require_service(ConsentService), "workspace")
        return cls(kit.open_state().workspaces, gate)

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

    async def read_findings(self, owner: Owner, request: WorkspaceRequest) -> WorkspaceContents:
        """The newest findings of the workspace, each with its contributor."""
        check_declared_bounds(request)
        workspace = check_workspace_id(request.workspace_id)
        if refusal := await self._gate.find_refusal(owner):
            return WorkspaceContents(status=refusal.status, reason=refusal.reason)
        if not await self._store.is_member(str(owner), workspace):
            return WorkspaceContents(status="not_member", reason=_NOT_MEMBER)
        self._sweep.keep_sweeping()
        findings, total = await self._store.list_findings(
            str(owner), workspace, limit=request.limit, offset=request.offset
        )
        shown = cut_page(findings)
        return WorkspaceContents(
            status="ok",
            count=len(shown),
            total=total,
            next_offset=find_next_offset(request.offset, len(shown), total),
            contributions=tuple(
                ContributionEntry.model_validate(finding.to_json()) for finding in shown
            ),
        )


# Who may read and contribute to a workspace; the host application decides, the server enforces.


class WorkspaceMembers:
    """Adds, removes and lists members. A workspace exists as long as it has members."""

    def __init__(self, store: SqlWorkspaceStore) -> None:
        self._store = store

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.open_state().workspaces)

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


# Cuts long lists of notes into pages that fit an answer.


class NotedRecord(Protocol):
    @property
    def note(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=NotedRecord)


def cut_page(records: Sequence[R]) -> Sequence[R]:
    """The first records whose notes fit on one page, at least one."""
    used = 0
    for place, record in enumerate(records):
        used += len(record.note)
        if place and used > MAX_PAGE_CHARS:
            return records[:place]
    return records


def find_next_offset(offset: int, shown: int, total: int) -> int | None:
    """Where the next page begins; None after the last one."""
    return offset + shown if shown and offset + shown < total else None
