"""Watches bibliographies: tells when something cited was retracted, corrected, moved or died."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Self

from citewell.citations.references.reference_fields import BibliographyDocument, Reference
from citewell.core.errors import InvalidInput, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.citation_checks import AuditEntry
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import IdentifierScheme, PaperId, WorkAuthor
from citewell.text.data_tables import load_table
from citewell.trust.bibliography_audit import AuditRequest
from citewell.watching.settings import WatchingSettings
from citewell.watching.watch_store import SqlWatchStore, WatchNewsItem, WatchRecord

if TYPE_CHECKING:
    from citewell.trust.bibliography_audit import BibliographyAudit

_PLAIN_FIELDS = ("raw", "title", "year", "published", "venue", "volume", "issue", "pages", "publisher", "url", "kind", "key", "line", "and_others")  # fmt: skip

LINK_DIED, LINK_BACK, MOVED, PUBLISHED = "link_died", "link_back", "moved", "published"
MAX_WATCHES = 100  # bibliographies of one owner
MAX_REFERENCES = 5000  # of one bibliography
DEFAULT_INTERVAL_SECONDS = 86_400.0


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
        audit: BibliographyAudit,
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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.trust.bibliography_audit import BibliographyAudit

        return cls(
            kit.open_state().watches,
            kit.require_service(BibliographyAudit),
            interval_seconds=kit.settings[WatchingSettings].watch_interval,
        )

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
        former = next(
            (
                record
                for record in await self._store.list_watches(owner)
                if record.kind == "references" and record.definition.get("name") == name
            ),
            None,
        )
        definition = {
            "name": name,
            "structured": is_structured(document),
            "references": [encode_reference(reference) for reference in document.references],
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
            watch
            for watch in await self._store.list_watches(owner)
            if watch_id
            in {watch.id, (name := watch.definition.get("name", "")), PurePath(name).name}
        ]
        if not found:
            raise NotFound(
                f"Nothing is watched as {watch_id}. `citewell watch list` shows what is."
            )
        return found[0]

    async def _examine(
        self, record: WatchRecord, progress: ProgressCallback | None
    ) -> WatchOutcome:
        references = tuple(map(decode_reference, record.definition["references"]))
        request = AuditRequest(
            source="watch", references=references, structured=record.definition["structured"]
        )
        report = await self._audit.audit_bibliography(
            request, max_entries=MAX_REFERENCES, owner=record.owner, progress=progress
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
            words = " ".join((reference.title or reference.raw).casefold().split())
            named = (
                reference.doi or (str(reference.ids[0]) if reference.ids else "") or reference.url
            )
            key = hashlib.sha256((named or words).casefold().encode()).hexdigest()[:16]
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
                    content={"file": record.definition["name"], **change},
                    found=self._clock(),
                )
                for change in list_reference_changes(old, new, entry)
            ]
        return state, tuple(news), unchecked


# What has changed about a cited work since it was last checked.


def describe_reference_state(entry: AuditEntry) -> dict[str, Any]:
    """What is known now; what could not be checked is absent."""
    notice = entry.retraction_status
    kinds = load_table(__package__, "reference_changes")["kinds_by_notice"]
    facts = {
        "notice": kinds.get(notice.kind) if notice else None,
        "notice_id": (notice.notice_doi or notice.date) if notice else None,
        "is_live": entry.link_live,
        "moved_to": entry.moved_to,
        "published_doi": entry.published_doi,
        "archived_url": entry.archived_url,
    }
    return {key: value for key, value in facts.items() if value is not None}


def merge_reference_state(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The newer facts over the older ones: what a registry in trouble did not say is kept."""
    return {**old, **new}


def list_reference_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], entry: AuditEntry
) -> Iterator[dict[str, Any]]:
    """One piece of news for each change; with an empty `old`, all that is wrong already."""
    title = entry.title or entry.doi or entry.url or ""
    texts = load_table(__package__, "reference_changes")["texts"]
    cited = {"title": title[:300], "doi": entry.doi, "url": entry.url, "key": entry.key}
    for kind, details in _iterate_changes(old, new, entry):
        change = {
            "kind": kind,
            "text": f"“{title[:200]}” {texts[kind]}.",
            **cited,
            **details,
        }
        yield {name: value for name, value in change.items() if value is not None}


def _iterate_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], entry: AuditEntry
) -> Iterator[tuple[str, dict[str, Any]]]:
    notice = new.get("notice")
    if notice and (notice, new.get("notice_id")) != (old.get("notice"), old.get("notice_id")):
        status = entry.retraction_status
        yield (
            notice,
            {
                "date": status.date if status else None,
                "notice_doi": status.notice_doi if status else None,
                "source": status.source if status else None,
            },
        )
    if new.get("is_live") is False and old.get("is_live") is not False:
        yield LINK_DIED, {"reason": entry.link_reason, "archived_url": entry.archived_url}
    if new.get("is_live") and old.get("is_live") is False:
        yield LINK_BACK, {}
    if new.get("moved_to") and new["moved_to"] != old.get("moved_to"):
        yield MOVED, {"moved_to": new["moved_to"]}
    if new.get("published_doi") and new["published_doi"] != old.get("published_doi"):
        yield PUBLISHED, {"published_doi": new["published_doi"]}


# The references of a watched bibliography as they are stored, and back.


def encode_reference(reference: Reference) -> dict[str, Any]:
    """JSON without the fields that are empty."""
    fields: dict[str, Any] = {name: getattr(reference, name) for name in _PLAIN_FIELDS}
    fields["authors"] = [asdict(author) for author in reference.authors]
    fields["ids"] = [[item.scheme.value, item.value] for item in reference.ids]
    return {name: value for name, value in fields.items() if value}


def decode_reference(stored: dict[str, Any]) -> Reference:
    plain = {name: stored[name] for name in _PLAIN_FIELDS if name in stored}
    return Reference(
        **{"raw": "", **plain},
        authors=tuple(WorkAuthor(**author) for author in stored.get("authors", ())),
        ids=tuple(
            PaperId(scheme=IdentifierScheme(scheme), value=value)
            for scheme, value in stored.get("ids", ())
        ),
    )


def is_structured(document: BibliographyDocument) -> bool:
    """Whether the fields were given, not guessed from text."""
    return document.format != "prose" and not document.is_guessed
