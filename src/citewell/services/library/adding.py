"""Puts documents into the library: what is unchanged is passed over, what cannot be read is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from citewell.errors import CitewellError
from citewell.services.library import documents, names, sitemap
from citewell.services.library.documents import Known
from citewell.services.library.files import expected, reason
from citewell.services.library.sitemap import Listed
from citewell.services.library.sources import Sources
from citewell.services.library.walk import Local, Problem, files
from citewell.store.library import LibraryStore
from citewell.store.library_rows import Card, Document
from citewell.text import urls
from citewell.text.dates import read_date

_GROUP = 32  # documents written together, so that little is lost when the process is killed
_GROUP_CHARACTERS = 1_000_000
_LONGEST_HELD = 5.0  # seconds a document waits for others to be written with
_CARDS = 500
_FRESH = 86_400.0  # seconds; a page of a sitemap without dates is not read again before

Item = Local | Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be added, each thing once."""

    items: tuple[Item, ...]
    problems: tuple[Problem, ...] = ()
    left: int = 0  # beyond the limit


@dataclass(slots=True)
class Report:
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)


async def plan(
    sources: Sequence[str], *, get: sitemap.Get, recursive: bool = False, limit: int | None = None
) -> Plan:
    """Which files and pages the arguments stand for; only sitemaps are fetched for it."""
    items: dict[str, Item] = {}
    problems: list[Problem] = []
    for source in sources:
        if _is_address(source):
            found: Iterable[Item | Problem] = await _addresses(source, get, limit)
        else:
            found = await asyncio.to_thread(_walked, source, recursive)
        for one in found:
            if isinstance(one, Problem):
                problems.append(one)
            else:
                items.setdefault(_name(one), one)
    chosen = tuple(items.values())[:limit]
    return Plan(items=chosen, problems=tuple(problems), left=len(items) - len(chosen))


class Adding:
    """One run for one owner. Killed at any point, the next run goes on where it ended."""

    def __init__(
        self,
        store: LibraryStore,
        owner: str,
        sources: Sources,
        *,
        tags: Iterable[str] = (),
        at_once: int = 4,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._owner = owner
        self._sources = sources
        self._tags = frozenset(documents.joined(tags))
        self._at_once = at_once
        self._clock = clock
        self._known: dict[str, Known] = {}
        self._waiting: list[Document] = []
        self._since = 0.0
        self.report = Report()

    async def run(self, wanted: Plan, *, done: Callable[[], None] = lambda: None) -> Report:
        """Add everything; a failure of the store itself is raised, one of a document only told."""
        self.report.problems += wanted.problems
        await self._remember()
        shared = iter(wanted.items)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._at_once):
                    group.create_task(self._work(shared, done))
        except* CitewellError as failures:
            raise failures.exceptions[0] from None
        await self._flush()
        return self.report

    async def _remember(self) -> None:
        last: Card | None = None
        while found := await self._store.cards(self._owner, limit=_CARDS, after=last):
            self._known |= {card.id: Known.of(card) for card in found}
            last = found[-1]

    async def _work(self, items: Iterator[Item], done: Callable[[], None]) -> None:
        for item in items:
            await self._one(item)
            done()

    async def _one(self, item: Item) -> None:
        """The store's failures pass; those of the document end here."""
        named = item.named if isinstance(item, Local) else True
        try:
            document = await (self._file(item) if isinstance(item, Local) else self._page(item))
        except CitewellError as error:
            failed = named or not expected(error)
            self.report.problems.append(
                Problem(source=_shown(item), reason=reason(error), failed=failed)
            )
            return
        if document is not None:
            await self._keep(document)

    async def _file(self, item: Local) -> Document | None:
        path = item.path
        known = self._known.get(names.of_file(path))
        if known and known.stamp == _stamp(path) and self._tags <= known.tags:
            self.report.unchanged += 1
            return None
        body = await self._sources.files.load(path)
        tags = self._tags | (known.tags if known else frozenset())
        if known and known.digest == body.digest and documents.same_reader(known):
            return await self._touched(item, documents.stamp(body.size, body.modified), tags)
        read = await self._sources.files.read(path, body)
        return self._counted(documents.of_file(path, body, read, tags), known)

    async def _touched(self, item: Local, stamp: str, tags: Iterable[str]) -> Document:
        """The same text under a newer date or with more tags; nothing has to be read again."""
        self.report.unchanged += 1
        kept = await self._store.get(self._owner, names.of_file(item.path))
        extra = kept.card.extra | {"stamp": stamp}
        return replace(kept, card=replace(kept.card, extra=extra, tags=documents.joined(tags)))

    async def _page(self, item: Listed) -> Document | None:
        known = self._known.get(names.of_address(item.url))
        if known and self._tags <= known.tags and not self._due(item, known):
            self.report.unchanged += 1
            return None
        page = await self._sources.page(item.url)
        tags = self._tags | (known.tags if known else frozenset())
        document = documents.of_page(page, tags, seen=self._clock())
        return self._counted(document, known)

    def _due(self, item: Listed, known: Known) -> bool:
        """Whether a page has to be asked for again."""
        if not item.mapped:
            return True  # the user named it
        stated = read_date(item.modified, now=datetime.fromtimestamp(self._clock(), UTC))
        if stated is not None:
            return stated.timestamp() > known.seen
        return self._clock() - known.seen > _FRESH

    def _counted(self, document: Document, known: Known | None) -> Document:
        if known is None:
            self.report.added += 1
        elif known.digest == document.card.extra["digest"]:
            self.report.unchanged += 1
        else:
            self.report.replaced += 1
        return document

    async def _keep(self, document: Document) -> None:
        self._since = self._since if self._waiting else self._clock()
        self._waiting.append(document)
        held = sum(len(one.text) for one in self._waiting)
        late = self._clock() - self._since >= _LONGEST_HELD
        if late or len(self._waiting) >= _GROUP or held >= _GROUP_CHARACTERS:
            await self._flush()

    async def _flush(self) -> None:
        group, self._waiting = self._waiting, []
        if group:
            await self._store.put(self._owner, group)


async def _addresses(source: str, get: sitemap.Get, limit: int | None) -> list[Item | Problem]:
    if sitemap.is_named(source):
        try:
            site = await sitemap.pages(source, get, most=limit or sitemap.MOST)
        except CitewellError as error:
            return [Problem(source=source, reason=reason(error))]
        if site is not None:
            return [*site.pages.values(), *site.problems]
    return [Listed(url=source)]


def _walked(source: str, recursive: bool) -> list[Local | Problem]:  # noqa: FBT001 - to_thread takes it so
    return list(files(source, recursive=recursive))


def _is_address(source: str) -> bool:
    return source[:8].lower().startswith(("http://", "https://"))


def _name(item: Item) -> str:
    return names.of_file(item.path) if isinstance(item, Local) else names.of_address(item.url)


def _shown(item: Item) -> str:
    return str(item.path) if isinstance(item, Local) else urls.clean(item.url)


def _stamp(path: Path) -> str:
    """Empty when it cannot be seen; reading it will say why."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return documents.stamp(found.st_size, found.st_mtime_ns)
