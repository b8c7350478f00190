"""Pages from a script, and a memory to keep them in."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from citewell.core.errors import CitewellError
from citewell.core.tooling import ProgressCallback
from citewell.core.values.page import Page
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.store.cache.single_flight import CachedLoader
from citewell.store.cache.tiered_cache import RecentValues, TieredCache
from citewell.store.coordination.leases import LeaseTable
from citewell.store.failures import StoreHealth
from tests.clocks import Clock
from tests.task_thread import ThreadTasks

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def page(url: str, content: str = "Some words of a page.", **changes: Any) -> Page:
    given: dict[str, Any] = {
        "final_url": url,
        "content_type": "html",
        "title": "A title",
        "word_count": len(content.split()),
        "extracted_by": "html",
        "fetched_at": NOW,
    }
    return Page(url=url, content=content, **(given | changes))


@dataclass
class ScriptedReads:
    """Each address's page, error or seconds of silence; an address not named is a plain page."""

    script: Mapping[str, Page | CitewellError | float] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    closed: bool = False

    async def read_page(
        self, url: str, *, max_length: int = 0, on_progress: ProgressCallback | None = None
    ) -> Page:
        self.asked[url] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(0)
            return await self._answer(self.script.get(url, page(url)))
        finally:
            self.at_once -= 1

    async def aclose(self) -> None:
        self.closed = True

    async def _answer(self, answer: Page | CitewellError | float) -> Page:
        if isinstance(answer, CitewellError):
            raise answer
        if isinstance(answer, Page):
            return answer
        await asyncio.sleep(answer)
        raise AssertionError("nobody waits so long")


@dataclass
class Memory:
    """A cache and its loader on one clock."""

    clock: Clock = field(default_factory=lambda: Clock(now=1_000_000.0))

    def __post_init__(self) -> None:
        health = StoreHealth(self.clock)
        self.cache = TieredCache(
            "answer", memory=RecentValues(10**8), disk=None, health=health, clock=self.clock
        )
        self.loader = CachedLoader(self.cache, LeaseTable())

    def reading(self, reads: Any, **options: Any) -> CachedPageReader:
        return CachedPageReader(
            reads,
            ThreadTasks(),
            loader=self.loader,
            cache=self.cache,
            clock=self.clock,
            now=lambda: NOW,
            **options,
        )
