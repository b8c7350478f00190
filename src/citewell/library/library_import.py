"""Imports files and pages into the library; skips unchanged ones and reports unreadable ones."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.core.values.page import Page
from citewell.library import library_documents, sitemaps
from citewell.library.library_documents import KnownDocument
from citewell.library.library_rows import LibraryDocument
from citewell.library.library_store import SqlLibraryStore
from citewell.library.local_files import (
    ImportProblem,
    LocalFile,
    LocalFileReader,
    describe_import_error,
    find_local_files,
    is_expected_failure,
)
from citewell.library.sitemaps import ListedPage
from citewell.net.network import Network
from citewell.reading.fetch_tiers import PageFetcher
from citewell.reading.page_tasks import PageTasks
from citewell.reading.settings import ReadingSettings
from citewell.text import addresses
from citewell.text.calendar_dates import parse_provider_date
from citewell.workers.worker_tasks import TaskRunner

_SITEMAP_ACCEPT_HEADER = "application/xml, text/xml;q=0.9, application/gzip;q=0.8, */*;q=0.5"

_WRITE_GROUP_DOCUMENTS = 256  # documents per write, which is whole or not at all
_WRITE_GROUP_CHARS = 1_000_000
# A document waits at most this long for its group, so little is lost if the process is killed.
_MAX_HOLD_SECONDS = 5.0
_ITEMS_PER_QUERY = 256  # of which it is looked up together what the library knows
_UNDATED_PAGE_SECONDS = 86_400.0  # a sitemap page without a date is read again only after this

ImportItem = LocalFile | ListedPage


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """The files and pages to import, each once."""

    items: tuple[ImportItem, ...]
    problems: tuple[ImportProblem, ...] = ()
    skipped_count: int = 0  # items left out because of the limit


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlannedItem:
    """An item, and what the library knew of it when it was looked up."""

    item: ImportItem
    known: KnownDocument | None


@dataclass(slots=True)
class ImportReport:
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    problems: list[ImportProblem] = field(default_factory=list)


async def plan_import(
    sources: Sequence[str],
    *,
    get: sitemaps.FetchBytes,
    recursive: bool = False,
    limit: int | None = None,
) -> ImportPlan:
    """The files and pages that the arguments mean; fetches sitemaps, but no pages."""
    items: dict[str, ImportItem] = {}
    problems: list[ImportProblem] = []
    for source in sources:
        if _is_web_address(source):
            found: Iterable[ImportItem | ImportProblem] = await _expand_address(source, get, limit)
        else:
            found = await asyncio.to_thread(_list_local_files, source, recursive)
        for item in found:
            if isinstance(item, ImportProblem):
                problems.append(item)
            else:
                items.setdefault(_build_item_id(item), item)
    chosen = tuple(items.values())[:limit]
    return ImportPlan(
        items=chosen, problems=tuple(problems), skipped_count=len(items) - len(chosen)
    )


class LibraryImport:
    """One import for one owner; after an interruption, the next import continues where it stopped."""

    def __init__(
        self,
        store: SqlLibraryStore,
        owner: str,
        sources: ImportSources,
        *,
        tags: Iterable[str] = (),
        concurrency: int = 4,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._owner = owner
        self._sources = sources
        self._tags = frozenset(library_documents.normalize_tags(tags))
        self._at_once = concurrency
        self._clock = clock
        self._items: Iterator[ImportItem] = iter(())
        self._upcoming: deque[_PlannedItem] = deque()
        self._taking = asyncio.Lock()
        self._waiting: list[LibraryDocument] = []
        self._waiting_chars = 0
        self._since = 0.0
        self.report = ImportReport()

    async def run_import(
        self, wanted: ImportPlan, *, done: Callable[[], None] = lambda: None
    ) -> ImportReport:
        """Import everything; errors of the store are raised, those of single documents are reported."""
        self.report.problems += wanted.problems
        self._items = iter(wanted.items)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._at_once):
                    group.create_task(self._import_items(done))
        except* CitewellError as failures:
            raise failures.exceptions[0] from None
        await self._write_queued_documents()
        return self.report

    async def _import_items(self, done: Callable[[], None]) -> None:
        while (planned := await self._take_next_item()) is not None:
            await self._import_item(planned)
            done()

    async def _take_next_item(self) -> _PlannedItem | None:
        async with self._taking:
            if not self._upcoming:
                window = {
                    _build_item_id(item): item for item in islice(self._items, _ITEMS_PER_QUERY)
                }
                cards = await self._store.find_cards(self._owner, window)
                known = {card.id: KnownDocument.from_card(card) for card in cards}
                self._upcoming.extend(
                    _PlannedItem(item=item, known=known.get(name)) for name, item in window.items()
                )
            return self._upcoming.popleft() if self._upcoming else None

    async def _import_item(self, planned: _PlannedItem) -> None:
        """Import one item; an error in reading it goes into the report, an error of the store is raised."""
        item, known = planned.item, planned.known
        named = item.named_by_user if isinstance(item, LocalFile) else True
        try:
            document = await (
                self._import_file(item, known)
                if isinstance(item, LocalFile)
                else self._import_page(item, known)
            )
        except CitewellError as error:
            failed = named or not is_expected_failure(error)
            item_name = (
                str(item.path)
                if isinstance(item, LocalFile)
                else addresses.strip_tracking(item.url)
            )
            self.report.problems.append(
                ImportProblem(source=item_name, reason=describe_import_error(error), failed=failed)
            )
            return
        if document is not None:
            await self._queue_document(document)

    async def _import_file(
        self, item: LocalFile, known: KnownDocument | None
    ) -> LibraryDocument | None:
        path = item.path
        if known and known.file_stamp == _read_file_stamp(path) and self._tags <= known.tags:
            self.report.unchanged += 1
            return None
        body = await self._sources.files.load_file(path)
        tags = self._tags | (known.tags if known else frozenset())
        if known and known.digest == body.digest and library_documents.is_same_reader(known):
            return await self._update_document_card(
                item, library_documents.build_file_stamp(body.size, body.modified), tags
            )
        read = await self._sources.files.read_file_text(path, body)
        return self._count_imported_document(
            library_documents.build_file_document(path, body, read, tags), known
        )

    async def _update_document_card(
        self, item: LocalFile, stamp: str, tags: Iterable[str]
    ) -> LibraryDocument:
        """The stored document with a new stamp and tags; its text is unchanged and not read again."""
        self.report.unchanged += 1
        kept = await self._store.load_document(
            self._owner, library_documents.build_file_id(item.path)
        )
        extra = kept.card.extra | {"stamp": stamp}
        return replace(
            kept, card=replace(kept.card, extra=extra, tags=library_documents.normalize_tags(tags))
        )

    async def _import_page(
        self, item: ListedPage, known: KnownDocument | None
    ) -> LibraryDocument | None:
        if known and self._tags <= known.tags and not self._needs_rereading(item, known):
            self.report.unchanged += 1
            return None
        page = await self._sources.read_page(item.url)
        tags = self._tags | (known.tags if known else frozenset())
        document = library_documents.build_page_document(page, tags, seen=self._clock())
        return self._count_imported_document(document, known)

    def _needs_rereading(self, item: ListedPage, known: KnownDocument) -> bool:
        """Whether a page has to be read again."""
        if not item.from_sitemap:
            return True  # the user named it explicitly
        stated = parse_provider_date(item.modified, now=datetime.fromtimestamp(self._clock(), UTC))
        if stated is not None:
            return stated.timestamp() > known.last_read
        return self._clock() - known.last_read > _UNDATED_PAGE_SECONDS

    def _count_imported_document(
        self, document: LibraryDocument, known: KnownDocument | None
    ) -> LibraryDocument:
        if known is None:
            self.report.added += 1
        elif known.digest == document.card.extra["digest"]:
            self.report.unchanged += 1
        else:
            self.report.replaced += 1
        return document

    async def _queue_document(self, document: LibraryDocument) -> None:
        self._since = self._since if self._waiting else self._clock()
        self._waiting.append(document)
        self._waiting_chars += len(document.text)
        late = self._clock() - self._since >= _MAX_HOLD_SECONDS
        full = len(self._waiting) >= _WRITE_GROUP_DOCUMENTS
        if late or full or self._waiting_chars >= _WRITE_GROUP_CHARS:
            await self._write_queued_documents()

    async def _write_queued_documents(self) -> None:
        group, self._waiting, self._waiting_chars = self._waiting, [], 0
        if group:
            await self._store.store_documents(self._owner, group)


async def _expand_address(
    source: str, get: sitemaps.FetchBytes, limit: int | None
) -> list[ImportItem | ImportProblem]:
    if sitemaps.is_sitemap_address(source):
        try:
            site = await sitemaps.list_sitemap_pages(
                source, get, max_pages=limit or sitemaps.MAX_SITEMAP_PAGES
            )
        except CitewellError as error:
            return [ImportProblem(source=source, reason=describe_import_error(error))]
        if site is not None:
            return [*site.pages.values(), *site.problems]
    return [ListedPage(url=source)]


def _list_local_files(source: str, recursive: bool) -> list[LocalFile | ImportProblem]:  # noqa: FBT001 - to_thread takes it so
    return list(find_local_files(source, recursive=recursive))


def _is_web_address(source: str) -> bool:
    return source[:8].lower().startswith(("http://", "https://"))


def _build_item_id(item: ImportItem) -> str:
    return (
        library_documents.build_file_id(item.path)
        if isinstance(item, LocalFile)
        else library_documents.build_address_id(item.url)
    )


def _read_file_stamp(path: Path) -> str:
    """The file's stamp; empty if it cannot be accessed, which reading it will report."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return library_documents.build_file_stamp(found.st_size, found.st_mtime_ns)


# What an import reads from: local files, pages through the page reader, and sitemaps.


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSources:
    files: LocalFileReader
    read_page: Callable[[str], Awaitable[Page]]  # raises the page reader's errors
    fetch_bytes: sitemaps.FetchBytes


def build_sitemap_fetcher(
    settings: Settings, network: Network, workers: TaskRunner
) -> sitemaps.FetchBytes:
    """A function that fetches a sitemap's bytes, guarded, size-limited and as robots.txt allows."""
    reading_settings = settings[ReadingSettings]
    client = PageFetcher(
        network.client,
        PageTasks(workers),
        max_bytes=sitemaps.MAX_SITEMAP_BYTES,
        document_bytes=sitemaps.MAX_SITEMAP_BYTES,
    )

    async def get(url: str) -> bytes:
        if reading_settings.respect_robots:
            await network.robots.check_robots(url)
        response = await client.fetch_response(
            url, accept=_SITEMAP_ACCEPT_HEADER, timeout=reading_settings.page_timeout
        )
        return response.body

    return get
