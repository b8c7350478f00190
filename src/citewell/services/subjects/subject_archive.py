"""Everything that is kept about one user, by namespace, one item at a time."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from typing import Any

from citewell.errors import NotFound
from citewell.model.durable_job import JobView
from citewell.model.research_thread import ResearchThread
from citewell.store.cache.artifact_store import StoredArtifact
from citewell.store.failures import StoreError
from citewell.store.library.library_rows import DocumentCard
from citewell.store.state_store import StateStore
from citewell.tooling import Owner

logger = logging.getLogger(__name__)
_WITHOUT_LIMIT = 2**31 - 1
_CARDS_PER_PAGE = 100

ArchiveItems = AsyncIterator[Any]


class SubjectArchive:
    """Reads the state, and the user's artifacts in the cache.

    Other things that the cache keeps for a short time belong to nobody, and are not in the archive.
    """

    def __init__(
        self,
        state: StateStore,
        iterate_artifacts: Callable[[str], AsyncIterator[StoredArtifact]],
    ) -> None:
        self._state = state
        self._artifacts = iterate_artifacts
        self._namespaces: Mapping[str, Callable[[str], ArchiveItems]] = {
            "sessions": self._iterate_user_sessions,
            "jobs": self._iterate_jobs,
            "threads": self._iterate_threads,
            "ledger": self._iterate_ledger,
            "library": self._iterate_user_documents,
            "consents": self._iterate_consents,
            "memories": self._iterate_memories,
            "watches": self._iterate_watches,
            "watch_news": self._iterate_watch_news,
            "workspace_memberships": self._iterate_memberships,
            "workspace_contributions": self._iterate_contributions,
            "analytics": self._iterate_analytics,
            "api_tokens": self._iterate_tokens,
            "audit": self._iterate_audit,
            "artifacts": self._iterate_artifacts,
        }

    def list_namespaces(self) -> tuple[str, ...]:
        return tuple(self._namespaces)

    async def require_subject(self, owner: Owner) -> None:
        """Raises NotFound if nothing is kept about this user."""
        if await self._state.vault.find_keychain(str(owner)) is None:
            raise NotFound("Nothing is kept about this user: there is none, or it was erased.")

    async def iterate_items(self, owner: Owner, namespace: str) -> ArchiveItems:
        """The items of one namespace as JSON values; one that cannot be read does not end the list."""
        async for item in self._namespaces[namespace](str(owner)):
            yield item

    async def count_items(self, owner: Owner) -> dict[str, int]:
        """How many items each namespace has."""
        return {
            name: len([None async for _ in self.iterate_items(owner, name)])
            for name in self._namespaces
        }

    async def _iterate_user_sessions(self, owner: str) -> ArchiveItems:
        async for session in self._state.sessions.iterate_sessions(owner):
            head = session.head
            yield {
                "id": head.id,
                "created": head.created,
                "updated": head.updated,
                "expires": head.expires,
                "session": _read_json(head.body),
                "steps": [_read_json(step) for step in session.steps],
            }

    async def _iterate_jobs(self, owner: str) -> ArchiveItems:
        for view in await self._state.jobs.list_owner_jobs(owner, limit=_WITHOUT_LIMIT):
            try:
                yield await self._export_user_job(owner, view)
            except StoreError as error:
                yield _describe_unreadable(view.job.id, error)

    async def _export_user_job(self, owner: str, view: JobView) -> dict[str, Any]:
        state, job_id = self._state, view.job.id
        findings = await state.research.load_findings(owner, job_id)
        return {
            "job": asdict(await state.jobs.require_job_view(owner, job_id)),
            "events": [asdict(event) async for event in self._iterate_events(owner, job_id)],
            "result": await state.jobs.look_up_job_result(owner, job_id),
            "report": findings.model_dump(mode="json") if findings else None,
        }

    async def _iterate_events(self, owner: str, job_id: str) -> ArchiveItems:
        last = 0
        while events := await self._state.jobs.list_stored_events(owner, job_id, after=last):
            for event in events:
                yield event
            last = events[-1].seq

    async def _iterate_threads(self, owner: str) -> ArchiveItems:
        for thread in await self._state.threads.list_stored_threads(owner, limit=_WITHOUT_LIMIT):
            try:
                yield await self._export_thread(owner, thread)
            except StoreError as error:
                yield _describe_unreadable(thread.id, error)

    async def _export_thread(self, owner: str, thread: ResearchThread) -> dict[str, Any]:
        messages = await self._state.threads.list_messages(owner, thread.id)
        return asdict(thread) | {"messages": [asdict(message) for message in messages]}

    async def _iterate_ledger(self, owner: str) -> ArchiveItems:
        for entry in await self._state.ledger.list_transactions(owner, limit=_WITHOUT_LIMIT):
            yield asdict(entry)

    async def _iterate_user_documents(self, owner: str) -> ArchiveItems:
        last: DocumentCard | None = None
        while cards := await self._state.library.list_cards(
            owner, limit=_CARDS_PER_PAGE, after=last
        ):
            for card in cards:
                try:
                    document = await self._state.library.load_document(owner, card.id)
                except (StoreError, NotFound) as error:
                    yield _describe_unreadable(card.id, error)
                else:
                    yield asdict(document.card) | {"text": document.text}
            last = cards[-1]

    async def _iterate_consents(self, owner: str) -> ArchiveItems:
        for record in await self._state.consents.export_owner(owner):
            yield record

    async def _iterate_memberships(self, owner: str) -> ArchiveItems:
        for member in (await self._state.workspaces.export_owner(owner))["memberships"]:
            yield member

    async def _iterate_contributions(self, owner: str) -> ArchiveItems:
        for finding in (await self._state.workspaces.export_owner(owner))["contributions"]:
            yield finding

    async def _iterate_memories(self, owner: str) -> ArchiveItems:
        for memory in await self._state.memories.export_owner(owner):
            yield memory

    async def _iterate_watches(self, owner: str) -> ArchiveItems:
        for watch in (await self._state.watches.export_owner(owner))["watches"]:
            yield watch

    async def _iterate_watch_news(self, owner: str) -> ArchiveItems:
        for item in (await self._state.watches.export_owner(owner))["news"]:
            yield item

    async def _iterate_analytics(self, owner: str) -> ArchiveItems:
        usage = await self._state.analytics.export_owner(owner)
        if usage is not None:
            yield usage

    async def _iterate_tokens(self, owner: str) -> ArchiveItems:
        for token in await self._state.tokens.export_owner(owner):
            yield token

    async def _iterate_audit(self, owner: str) -> ArchiveItems:
        for line in await self._state.audit.export_owner(owner):
            yield line

    async def _iterate_artifacts(self, owner: str) -> ArchiveItems:
        try:
            async for stored in self._artifacts(owner):
                yield asdict(stored.artifact) | {"content": stored.body}
        except StoreError as error:  # the cache is no reason to withhold what is kept for good
            yield _describe_unreadable("artifacts", error)


def _read_json(body: bytes) -> Any:
    """The value; a text if the bytes are not JSON, and None for a step that was lost."""
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode("utf-8", "replace")


def _describe_unreadable(item_id: str, error: StoreError | NotFound) -> dict[str, Any]:
    logger.warning("An item is left out of an archive. %s", error.message)
    return {"id": item_id, "unreadable": error.message}
