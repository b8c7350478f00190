"""The users about whom something is kept, and everything about one of them as JSON or as a zip file."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from enum import Enum, StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from citewell.core.errors import NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.jobs.durable_job import JobView
from citewell.library.library_rows import DocumentCard
from citewell.people.consent_service import check_identity
from citewell.store.cache.artifact_store import StoredArtifact
from citewell.store.failures import StoreError

if TYPE_CHECKING:
    from citewell.server.state.state_store import StateStore

logger = logging.getLogger(__name__)
_WITHOUT_LIMIT = 2**31 - 1
_CARDS_PER_PAGE = 100

ArchiveItems = AsyncIterator[Any]


ARCHIVE_VERSION = 1


class ArchiveFormat(StrEnum):
    JSON = "json"
    ZIP = "zip"


MEDIA_TYPES = {
    ArchiveFormat.JSON: "application/json",
    ArchiveFormat.ZIP: "application/zip",
}


def write_archive(
    archive: SubjectArchive, owner: Owner, chosen: ArchiveFormat, *, created_at: str
) -> AsyncIterator[bytes]:
    """The pieces of the archive: one JSON object, or a zip with one JSON file for each namespace."""
    write = _write_json_archive if chosen is ArchiveFormat.JSON else _write_zip
    head = {
        "format": "citewell-archive",
        "version": ARCHIVE_VERSION,
        "createdAt": created_at,
        "tenantId": owner.tenant,
        "userId": owner.user,
        "namespaces": list(archive.list_namespaces()),
    }
    return write(archive, owner, head)


async def _write_json_archive(
    archive: SubjectArchive, owner: Owner, head: dict[str, Any]
) -> AsyncIterator[bytes]:
    yield f'{{"archive":{_encode_item(head)},"data":{{'.encode()
    for place, name in enumerate(archive.list_namespaces()):
        yield f"{',' if place else ''}{_encode_item(name)}:[".encode()
        async for piece in _write_items(archive, owner, name):
            yield piece
        yield b"]"
    yield b"}}\n"


async def _write_zip(
    archive: SubjectArchive, owner: Owner, head: dict[str, Any]
) -> AsyncIterator[bytes]:
    stream = _PieceStream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("archive.json", _encode_item(head))
        yield stream.take_written()
        for name in archive.list_namespaces():
            with packed.open(f"{name}.json", "w", force_zip64=True) as file:
                file.write(b"[")
                async for piece in _write_items(archive, owner, name):
                    file.write(piece)
                    yield stream.take_written()
                file.write(b"]\n")
    yield stream.take_written()


async def _write_items(archive: SubjectArchive, owner: Owner, name: str) -> AsyncIterator[bytes]:
    separator = ""
    async for item in archive.iterate_items(owner, name):
        yield f"{separator}{_encode_item(item)}".encode("utf-8", "surrogatepass")
        separator = ",\n"


def _encode_item(item: Any) -> str:
    return json.dumps(item, default=_encode_value, separators=(",", ":"))


def _encode_value(value: Any) -> Any:
    """JSON's form of the values that stores return besides plain ones."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return dict(value) if hasattr(value, "keys") else list(value)


class _PieceStream(io.RawIOBase):
    """What a zip file is written to; it cannot seek, so nothing that was written is changed later."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def take_written(self) -> bytes:
        taken, self._written = bytes(self._written), bytearray()
        return taken


# The users about whom something is kept.


class UserDirectory:
    def __init__(self, state: StateStore) -> None:
        self._state = state

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.open_state())

    async def list_users(self, tenant: str | None = None) -> tuple[Owner, ...]:
        """All users with stored data, or those of one tenant, in alphabetical order."""
        names = await self._state.vault.list_owner_names()
        # A name without a slash is not a user's: the server keeps something of its own under it.
        owners = [Owner.parse_text(name) for name in names if "/" in name]
        return tuple(owner for owner in owners if tenant is None or owner.tenant == tenant)


# Checks the names of the users that an operator asks about.


def require_subject(tenant: str, user: str) -> Owner:
    """The owner of these names; raises InvalidInput if no caller can have them.

    Unlike where consent is recorded, the anonymous user of a local server is somebody here: what
    the server keeps for callers without a name can be read and erased too.
    """
    owner = Owner(tenant=tenant, user=user)
    check_identity(owner)
    return owner


# Everything that is kept about one user, by namespace, one item at a time.


class _ExportingStore(Protocol):
    async def export_owner(self, owner: str) -> Any: ...


async def _iterate_exported(
    store: _ExportingStore, owner: str, *, part: str | None = None
) -> ArchiveItems:
    """What a store exports of an owner: a list, one value or none, or one list of several."""
    found = await store.export_owner(owner)
    if part is not None:
        found = found[part]
    elif not isinstance(found, list):
        found = [] if found is None else [found]
    for item in found:
        yield item


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
            "consents": partial(_iterate_exported, state.consents),
            "memories": partial(_iterate_exported, state.memories),
            "watches": partial(_iterate_exported, state.watches, part="watches"),
            "watch_news": partial(_iterate_exported, state.watches, part="news"),
            "workspace_memberships": partial(
                _iterate_exported, state.workspaces, part="memberships"
            ),
            "workspace_contributions": partial(
                _iterate_exported, state.workspaces, part="contributions"
            ),
            "analytics": partial(_iterate_exported, state.analytics),
            "api_tokens": partial(_iterate_exported, state.tokens),
            "audit": partial(_iterate_exported, state.audit),
            "artifacts": self._iterate_artifacts,
        }

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.open_state(), kit.store.iterate_artifacts)

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
                messages = await self._state.threads.list_messages(owner, thread.id)
            except StoreError as error:
                yield _describe_unreadable(thread.id, error)
            else:
                yield asdict(thread) | {"messages": [asdict(message) for message in messages]}

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
