"""A library on a disk of the test's own, and readers that never leave it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from citewell.core.config import Settings
from citewell.core.errors import NotFound
from citewell.core.values.page import Page
from citewell.library.library_import import ImportReport, ImportSources, LibraryImport, plan_import
from citewell.library.local_files import LocalFileReader
from citewell.server.state.state_store import StateStore
from tests.clocks import Clock
from tests.task_thread import ThreadTasks

T = TypeVar("T")

ME = "default/anonymous"


class Shelf:
    """One library, opened as often as a test likes, and a web of the test's own."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings(data_dir=folder / "data", **settings)
        self.clock = Clock()
        self.web: dict[str, Page] = {}
        self.maps: dict[str, bytes] = {}
        self.asked: list[str] = []

    def run(self, scenario: Callable[[StateStore], Awaitable[T]]) -> T:
        async def played() -> T:
            state = StateStore(self.settings, self.clock)
            try:
                return await scenario(state)
            finally:
                await state.aclose()

        return asyncio.run(played())

    def add(self, *sources: str | Path, owner: str = ME, **options: Any) -> ImportReport:
        return self.run(lambda state: self.added(state, *sources, owner=owner, **options))

    async def added(
        self,
        state: StateStore,
        *sources: str | Path,
        owner: str = ME,
        tags: tuple[str, ...] = (),
        recursive: bool = False,
        limit: int | None = None,
    ) -> ImportReport:
        files = LocalFileReader(self.settings, ThreadTasks())
        readers = ImportSources(files=files, read_page=self._page, fetch_bytes=self._get)
        wanted = await plan_import(
            [str(source) for source in sources], get=self._get, recursive=recursive, limit=limit
        )
        adding = LibraryImport(state.library, owner, readers, tags=tags, clock=self.clock)
        return await adding.run_import(wanted)

    def cards(self, owner: str = ME) -> Mapping[str, Any]:
        """By title."""

        async def listed(state: StateStore) -> Mapping[str, Any]:
            return {card.title: card for card in await state.library.list_cards(owner, limit=1000)}

        return self.run(listed)

    def found(self, query: str, owner: str = ME) -> list[str]:
        async def searched(state: StateStore) -> list[str]:
            return [match.card.title for match in await state.library.search_library(owner, query)]

        return self.run(searched)

    async def _page(self, url: str) -> Page:
        self.asked.append(url)
        if url not in self.web:
            raise NotFound(f"{url} is not there.", detail="HTTP 404")
        return self.web[url]

    async def _get(self, url: str) -> bytes:
        if url not in self.maps:
            raise NotFound(f"{url} is not there.", detail="HTTP 404")
        return self.maps[url]


def reasons(report: ImportReport) -> dict[str, str]:
    """Why things are not in the library, by the last part of their name."""
    return {problem.source.rpartition("/")[2]: problem.reason for problem in report.problems}
