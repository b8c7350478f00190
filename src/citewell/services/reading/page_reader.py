"""Reads pages from the web as markdown, without a cache."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.fetch import sites
from citewell.fetch.address_reader import AddressReader
from citewell.fetch.sites.site_kit import SiteKit
from citewell.fetch.tiers.javascript_sites import order_tiers
from citewell.fetch.tiers.tier_assembly import build_tiers
from citewell.model.page import MAX_PAGE_BYTES, Page
from citewell.net.http.messages import HttpRequest
from citewell.net.network import Network
from citewell.text.truncation import truncate_text
from citewell.tooling import ProgressCallback
from citewell.workers.worker_tasks import TaskRunner

_RENEWAL_SECONDS = 5.0  # seconds for the request that asks whether a page has changed


class PageReader:
    """Reads pages as markdown, at most `max_page_concurrency` at a time in the process."""

    def __init__(self, *, settings: Settings, network: Network, workers: TaskRunner) -> None:
        self._rungs = build_tiers(settings, network, workers)
        self._guard = network.guard
        self._client = network.client
        robots = network.robots if settings.respect_robots else None
        ladder = AddressReader(self._rungs.tiers, robots=robots, order=order_tiers)
        self._kit = SiteKit(
            network=network,
            setting_values=settings.raw,
            robots=robots,
            read_document=ladder.read_page,
            workers=workers,
            is_sealed=settings.is_sealed,
        )
        self._reader = AddressReader(
            self._rungs.tiers, robots=robots, order=order_tiers, by_site=self._read_by_site
        )
        self._slots = asyncio.Semaphore(max(1, settings.max_page_concurrency))

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
