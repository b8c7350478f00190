"""Reads one address: asks whether it may, climbs the ladder, and makes a page of what comes."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from citewell.errors import NetworkFailed, Refused
from citewell.fetch import complaints
from citewell.fetch.ladder import Draft, Ladder, Note, Order, Tier, as_given
from citewell.model.page import Byline, Page
from citewell.net.target import read_url
from citewell.text import tokens
from citewell.text.invisible import cleanse
from citewell.text.language import detect

_LONG = 200_000  # characters, from which a page is finished off the loop
_MOST = 5_000_000  # characters; nobody gets more, so no more is worked on

BySite = Callable[[str], Awaitable[Page | None]]


class Robots(Protocol):
    async def check(self, url: str) -> None: ...


class Reader:
    """Turns an address into a Page, or raises the error that says why there is none."""

    def __init__(
        self,
        tiers: Sequence[Tier],
        *,
        robots: Robots | None,
        order: Order = as_given,
        by_site: BySite | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`robots` is None where the operator chose not to ask; `by_site` reads sites by their own means."""
        self._ladder = Ladder(tiers, order=order)
        self._robots = robots
        self._by_site = by_site
        self._now = now
        self._clock = clock

    async def read(self, url: str, *, note: Note | None = None) -> Page:
        started = self._clock()
        page = await self._of_site(url)
        if page is not None:
            return replace(page, seconds=self._clock() - started)
        await self._permitted(url)
        draft = await self._ladder.climb(url, note=note)
        seconds = self._clock() - started
        if len(draft.content) < _LONG:
            return self._page(url, draft, seconds=seconds)
        return await asyncio.to_thread(self._page, url, draft, seconds=seconds)

    async def _of_site(self, url: str) -> Page | None:
        """The page by its site's own means; None when the ladder has to read it."""
        try:
            read_url(url)
            return await self._by_site(url) if self._by_site is not None else None
        except Refused as error:
            raise complaints.rejected(url, error.message) from None

    async def _permitted(self, url: str) -> None:
        if self._robots is None:
            return
        try:
            await self._robots.check(url)
        except Refused as error:
            raise _no_entry(url, error) from None
        except NetworkFailed as error:
            raise complaints.unreachable(url, error.message) from None

    def _page(self, url: str, draft: Draft, *, seconds: float) -> Page:
        about = draft.about
        cleaned = cleanse(draft.content[:_MOST])
        content = cleaned.text.strip()
        return Page(
            url=url,
            final_url=draft.final_url,
            content=content,
            content_type=draft.content_type,
            title=about.title,
            kind=draft.kind,
            extracted_by=draft.extracted_by,
            quality=draft.quality,
            charset=draft.charset,
            language=about.language or detect(content),
            author=about.author,
            authors=tuple(
                Byline(name=author.name, organisation=author.organisation)
                for author in about.authors
            ),
            site=about.site,
            published=about.published,
            published_basis=about.published_basis,
            word_count=sum(1 for _ in tokens.words(content)),
            fetched_at=self._now(),
            seconds=seconds,
            truncated=len(draft.content) > _MOST,
            page_count=draft.page_count,
            file_size=draft.file_size,
            notes=draft.notes,
            modified=about.modified,
            structured=about.structured,
            forum_signals=about.forum,
            hidden=dict(Counter(draft.hidden) + Counter(cleaned.counts)),
            etag=draft.etag,
            last_modified=draft.last_modified,
        )


def _no_entry(url: str, error: Refused) -> Refused:
    """A site's own wish is said as such; the guard's refusal of the host is the address's fault."""
    if error.message.endswith("(robots.txt)."):
        return complaints.disallowed(url, error.message)
    return complaints.rejected(url, error.message)
