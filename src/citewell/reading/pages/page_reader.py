"""Reads pages from the web as markdown, without a cache."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, RefusedByPolicy
from citewell.core.settings import CoreSettings
from citewell.core.tooling import ProgressCallback
from citewell.core.values.page import MAX_PAGE_BYTES, Page, PageAuthor
from citewell.net.http.messages import HttpRequest
from citewell.net.network import Network
from citewell.net.robots_rules import RobotsPolicy
from citewell.net.url_grammar import parse_url
from citewell.reading import fetch_tiers, page_errors, sites
from citewell.reading.extracted_page import ExtractedPage
from citewell.reading.settings import ReadingSettings
from citewell.reading.sites.site_kit import SiteKit
from citewell.reading.tier_assembly import build_tiers, order_tiers
from citewell.text.truncation import truncate_text
from citewell.workers.worker_tasks import TaskRunner

SiteReading = Callable[[str], Awaitable[Page | None]]

_RENEWAL_SECONDS = 5.0  # seconds for the request that asks whether a page has changed


class PageReader:
    """Reads pages as markdown, at most `max_page_concurrency` at a time in the process."""

    def __init__(self, *, settings: Settings, network: Network, workers: TaskRunner) -> None:
        reading_settings = settings[ReadingSettings]
        self._rungs = build_tiers(settings, network, workers)
        self._guard = network.guard
        self._client = network.client
        robots = network.robots if reading_settings.respect_robots else None
        ladder = AddressReader(self._rungs.tiers, robots=robots, order=order_tiers)
        self._kit = SiteKit(
            network=network,
            setting_values=settings.raw,
            robots=robots,
            read_document=ladder.read_page,
            workers=workers,
            is_sealed=settings[CoreSettings].is_sealed,
        )
        self._reader = AddressReader(
            self._rungs.tiers, robots=robots, order=order_tiers, by_site=self._read_by_site
        )
        self._slots = asyncio.Semaphore(max(1, reading_settings.max_page_concurrency))

    async def read_page(
        self, url: str, *, max_length: int = 50_000, on_progress: ProgressCallback | None = None
    ) -> Page:
        """The page with at most `max_length` bytes of content, cut at a paragraph or sentence.

        Raises the reader's errors: Refused, NotFound, AuthRequired, RateLimited, Blocked,
        ContentEmpty, TooLarge, Unavailable, NetworkFailed.
        """

        async def note(tier: str) -> None:
            if on_progress is not None:
                await on_progress(0, 1, f"reading the page ({tier})")

        async with self._slots:
            page = await self._reader.read_page(url.strip(), note=note)
        cut = truncate_text(page.content, min(max_length, MAX_PAGE_BYTES))
        return replace(page, content=cut.text, truncated=page.truncated or cut.truncated)

    async def renew_page(self, page: Page) -> Page | None:
        """The page read again; None if the server answers 304 (not modified)."""
        stamps = {"if-none-match": page.etag, "if-modified-since": page.last_modified}
        headers = {name: value for name, value in stamps.items() if value}
        if headers:
            asked = HttpRequest(
                url=page.final_url,
                method="HEAD",
                headers=headers,
                timeout=_RENEWAL_SECONDS,
                page=True,
            )
            with contextlib.suppress(CitewellError):  # the full read below reports the error
                if (await self._client.send_request(asked)).status == 304:
                    return None
        return await self.read_page(page.url, max_length=MAX_PAGE_BYTES)

    async def _read_by_site(self, url: str) -> Page | None:
        """The page from the site reader for its host; None if there is no such reader."""
        if sites.find_site_route(url) is None:
            return None
        self._guard.check_url(url, page=True)  # its API may be on another, allowed host
        return await sites.read_site_page(url, self._kit)

    async def aclose(self) -> None:
        """Stop the browser and the stealth client, if they were started."""
        await self._rungs.aclose()


# Reads one address: checks robots.txt, tries the tiers, and builds a page of the result.


class AddressReader:
    """Reads an address as a Page, or raises the error that says why it cannot."""

    def __init__(
        self,
        tiers: Sequence[fetch_tiers.FetchTier],
        *,
        robots: RobotsPolicy | None,
        order: fetch_tiers.TierOrder = fetch_tiers.keep_given_order,
        by_site: SiteReading | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`robots` is None if the operator ignores robots.txt; `by_site` reads sites through their APIs."""
        self._ladder = fetch_tiers.TierLadder(tiers, order=order)
        self._robots = robots
        self._by_site = by_site
        self._now = now
        self._clock = clock

    async def read_page(self, url: str, *, note: fetch_tiers.TierNote | None = None) -> Page:
        started = self._clock()
        page = await self._read_site_page(url)
        if page is not None:
            return replace(page, seconds=self._clock() - started)
        await fetch_tiers.check_page_allowed(url, self._robots)
        extracted = await self._ladder.climb_tiers(url, note=note)
        return self._build_page(url, extracted, seconds=self._clock() - started)

    async def _read_site_page(self, url: str) -> Page | None:
        """The page as its site reader returns it; None if the tiers have to fetch it."""
        try:
            parse_url(url)
            return await self._by_site(url) if self._by_site is not None else None
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None

    def _build_page(self, url: str, extracted: ExtractedPage, *, seconds: float) -> Page:
        about = extracted.metadata
        return Page(
            url=url,
            final_url=extracted.final_url,
            content=extracted.content,
            content_type=extracted.content_type,
            title=about.title,
            kind=extracted.kind,
            extracted_by=extracted.extracted_by,
            quality=extracted.quality,
            charset=extracted.charset,
            language=extracted.language,
            author=about.author,
            authors=tuple(
                PageAuthor(name=author.name, organisation=author.organisation)
                for author in about.authors
            ),
            site=about.site,
            published=about.published,
            published_basis=about.published_basis,
            word_count=extracted.word_count,
            fetched_at=self._now(),
            seconds=seconds,
            truncated=extracted.truncated,
            page_count=extracted.page_count,
            file_size=extracted.file_size,
            created=extracted.created,
            notes=extracted.notes,
            injection_signals=extracted.signals,
            modified=about.modified,
            structured=about.structured,
            declared_doi=about.declared_doi,
            is_doi_described=about.is_doi_described,
            forum_signals=about.forum,
            hidden=dict(extracted.hidden_counts),
            etag=extracted.etag,
            last_modified=extracted.last_modified,
            comments=extracted.comments,
            comment_signals=extracted.comment_signals,
        )
