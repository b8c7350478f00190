"""Watches bibliographies: tells when something cited was retracted, corrected, moved or died."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Protocol

from citewell.errors import InvalidInput, NotFound
from citewell.model.citation_checks import AuditEntry, AuditReport
from citewell.model.counted_words import pluralize
from citewell.model.reference import BibliographyDocument, Reference
from citewell.services.trust.bibliography_intake import AuditRequest
from citewell.services.watching.reference_changes import (
    describe_reference_state,
    list_reference_changes,
    merge_reference_state,
)
from citewell.services.watching.watched_references import (
    build_reference_key,
    decode_reference,
    encode_reference,
    is_structured,
)
from citewell.store.watching.watch_store import SqlWatchStore, WatchNewsItem, WatchRecord
from citewell.tooling import ProgressCallback

MAX_WATCHES = 100  # bibliographies of one owner
MAX_REFERENCES = 5000  # of one bibliography
DEFAULT_INTERVAL_SECONDS = 86_400.0


class ReferenceAudit(Protocol):
    """The part of the audit that a watch needs."""

    async def audit_bibliography(
        self,
        wish: AuditRequest,
        *,
        max_entries: int = ...,
        tenant: str | None = None,
        owner: str = "",
        progress: ProgressCallback | None = None,
    ) -> AuditReport: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOutcome:
    """A watch after a check, and the news of this check."""

    record: WatchRecord
    news: tuple[WatchNewsItem, ...]
    unchecked: int = 0  # references of which nothing could be learned


class ReferenceWatch:
    def __init__(
        self,
        store: SqlWatchStore,
        audit: ReferenceAudit,
        *,
        interval_seconds: float = DEFAULT_INTERVAL_SECONDS,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
    ) -> None:
        self._store = store
        self._audit = audit
        self._interval_seconds = interval_seconds
        self._clock = clock
        self._new_id = new_id

    async def add_bibliography(
        self,
        owner: str,
        name: str,
        document: BibliographyDocument,
        *,
        progress: ProgressCallback | None = None,
    ) -> WatchOutcome:
        """Watch a bibliography from now on; one of the same name is replaced, and keeps what it knew.

        The news are what is wrong already. Raises InvalidInput if there are too many references
        or watches.
        """
        if len(document.references) > MAX_REFERENCES:
            raise InvalidInput(
                f"{name} has {len(document.references)} {pluralize(len(document.references), 'reference')}; a watch takes {MAX_REFERENCES}. Split the file."
            )
        former = await self._find_named_watch(owner, name)
        definition = {
            "name": name,
            "structured": is_structured(document),
            "references": [encode_reference(one) for one in document.references],
        }
        record = WatchRecord(
            id=former.id if former else self._new_id(),
            owner=owner,
            kind="references",
            definition=definition,
            state=former.state if former else {},
            revision=former.revision if former else 0,
        )
        outcome = await self._examine(record, progress)
        due = self._clock() + self._interval_seconds
        if former is None:
            made = replace(outcome.record, due=due)
            if not await self._store.add_watch(owner, made, most=MAX_WATCHES, news=outcome.news):
                raise InvalidInput(
                    f"{MAX_WATCHES} bibliographies are watched already. Remove one with `citewell watch remove`."
                )
        else:
            await self._store.save_check(
                owner, record, state=outcome.record.state, due=due, news=outcome.news
            )
        return outcome

    async def check_watch(
        self, record: WatchRecord, *, progress: ProgressCallback | None = None
    ) -> WatchOutcome:
        """Check again, and store what has changed; no news if another process was faster."""
        outcome = await self._examine(record, progress)
        due = self._clock() + self._interval_seconds
        kept = await self._store.save_check(
            record.owner, record, state=outcome.record.state, due=due, news=outcome.news
        )
        return outcome if kept else replace(outcome, news=())

    async def require_watch(self, owner: str, watch_id: str) -> WatchRecord:
        """The watch with this id or name; raises NotFound."""
        found = [
            one
            for one in await self._store.list_watches(owner)
            if watch_id in {one.id, (name := one.definition.get("name", "")), PurePath(name).name}
        ]
        if not found:
            raise NotFound(
                f"Nothing is watched as {watch_id}. `citewell watch list` shows what is."
            )
        return found[0]

    async def _find_named_watch(self, owner: str, name: str) -> WatchRecord | None:
        found = await self._store.list_watches(owner)
        named = (one for one in found if one.kind == "references")
        return next((one for one in named if one.definition.get("name") == name), None)

    async def _examine(
        self, record: WatchRecord, progress: ProgressCallback | None
    ) -> WatchOutcome:
        references = tuple(map(decode_reference, record.definition["references"]))
        wish = AuditRequest(
            source="watch", references=references, structured=record.definition["structured"]
        )
        report = await self._audit.audit_bibliography(
            wish, max_entries=MAX_REFERENCES, owner=record.owner, progress=progress
        )
        state, news, unchecked = self._compare_entries(record, references, report.entries)
        return WatchOutcome(record=replace(record, state=state), news=news, unchecked=unchecked)

    def _compare_entries(
        self,
        record: WatchRecord,
        references: Sequence[Reference],
        entries: Sequence[AuditEntry],
    ) -> tuple[dict[str, Any], tuple[WatchNewsItem, ...], int]:
        state: dict[str, Any] = {}
        news: list[WatchNewsItem] = []
        unchecked = 0
        for reference, entry in zip(references, entries, strict=True):
            key = build_reference_key(reference)
            if key in state:
                continue  # the same work twice
            old = record.state.get(key, {})
            new = describe_reference_state(entry)
            unchecked += not new and "unchecked" in entry.flags
            state[key] = merge_reference_state(old, new)
            news += [
                WatchNewsItem(
                    id=self._new_id(),
                    watch=record.id,
                    content={"file": record.definition["name"], **told},
                    found=self._clock(),
                )
                for told in list_reference_changes(old, new, entry)
            ]
        return state, tuple(news), unchecked
