"""Search and read in one step: many pages at once, the slow ones not waited for without end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from citewell.config import Settings
from citewell.errors import CitewellError, InvalidInput
from citewell.fetch.complaints import unreachable
from citewell.model.page import Page
from citewell.model.routing import Trace
from citewell.model.scrape import Bundle
from citewell.services.bundle import Found, Gathering, bundled
from citewell.services.pages import CachedRead
from citewell.services.searches import Searches
from citewell.services.web.search import Ask

Progress = Callable[[float, float | None, str | None], Awaitable[None]]
Outcome = Page | CitewellError

MOST = 10
_MARGIN = 5.0  # seconds left for putting the answer together


class Gather:
    def __init__(
        self,
        *,
        settings: Settings,
        searches: Searches,
        pages: CachedRead,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._searches = searches
        self._pages = pages
        self._clock = clock
        self._now = now

    async def gather(
        self,
        wish: Gathering,
        *,
        trace: Trace,
        tenant: str | None = None,
        progress: Progress | None = None,
    ) -> Bundle:
        """Every source that could be read, ranked; an error only when the search itself failed."""
        started = self._clock()
        _check(wish)
        ask = Ask(query=wish.query, count=wish.count, provider=wish.provider)
        answer = await self._searches.search(ask, trace=trace, tenant=tenant)
        outcomes = await self._read([hit.url for hit in answer.results], tenant, progress)
        found = Found(answer=answer, outcomes=outcomes, now=self._now())
        settings = self._settings
        bundle = await asyncio.to_thread(
            bundled,
            wish,
            found,
            recommend=settings.source_recommendations,
            draw=settings.generative_ui,
        )
        spent = round(1000 * (self._clock() - started))
        summary = bundle.summary.model_copy(update={"processing_time_ms": spent})
        return bundle.model_copy(update={"summary": summary})

    async def _read(
        self, urls: Sequence[str], tenant: str | None, progress: Progress | None
    ) -> tuple[Outcome, ...]:
        """Each page or why it was not read, in the order of the addresses."""
        gate = asyncio.Semaphore(max(1, self._settings.max_page_concurrency))

        async def one(url: str) -> Outcome:
            try:
                async with gate:
                    return (await self._pages.kept(url, tenant=tenant)).page
            except CitewellError as error:
                return error

        tasks = [asyncio.create_task(one(url)) for url in urls]
        try:
            waited = await self._wait(tasks, progress)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return tuple(
            task.result() if not task.cancelled() else _late(url, waited)
            for url, task in zip(urls, tasks, strict=True)
        )

    async def _wait(self, tasks: list[asyncio.Task[Outcome]], progress: Progress | None) -> float:
        """Until all are done; past the soft deadline, until one page at least has been read."""
        started = self._clock()
        soft = self._settings.gather_deadline
        hard = max(soft, self._settings.long_tool_timeout - _MARGIN)
        pending: set[asyncio.Task[Outcome]] = set(tasks)
        while pending:
            limit = soft if any(map(_readable, tasks)) else hard
            left = limit - (self._clock() - started)
            if left <= 0:
                break
            if progress is not None:
                await progress(len(tasks) - len(pending), len(tasks), "reading the pages")
            _, pending = await asyncio.wait(
                pending, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
        return self._clock() - started


def _readable(task: asyncio.Task[Outcome]) -> bool:
    return task.done() and not task.cancelled() and isinstance(task.result(), Page)


def _late(url: str, waited: float) -> CitewellError:
    return unreachable(url, f"it was not read within {waited:.1f} s, and others were")


def _check(wish: Gathering) -> None:
    if not 1 <= wish.count <= MOST:
        raise InvalidInput(f"num_results must be between 1 and {MOST}.")
    if min(wish.per_source, wish.total) < 1:
        raise InvalidInput("max_length_per_source and total_max_length must be at least 1 byte.")
