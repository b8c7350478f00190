"""Reading pages, one or many at a time, for the tools and services that need their text."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.fetch import sites
from citewell.fetch.apps import in_order
from citewell.fetch.complaints import unreachable
from citewell.fetch.reader import Reader
from citewell.fetch.rungs import build
from citewell.fetch.sites.kit import SiteKit
from citewell.model.page import Page
from citewell.net.message import Request
from citewell.net.network import Network
from citewell.text.truncate import truncate

Progress = Callable[[float, float | None, str | None], Awaitable[None]]

_GLANCE = 5.0  # seconds for the question whether a page has changed
LONGEST = 5_000_000  # bytes; the most any caller gets


class Read:
    """Pages as markdown. At most `max_page_concurrency` are read at a time in the whole process."""

    def __init__(self, *, settings: Settings, network: Network) -> None:
        self._rungs = build(settings, network)
        self._guard = network.guard
        self._client = network.client
        robots = network.robots if settings.respect_robots else None
        ladder = Reader(self._rungs.tiers, robots=robots, order=in_order)
        self._kit = SiteKit(
            network=network, raw=settings.raw, robots=robots, read_document=ladder.read
        )
        self._reader = Reader(
            self._rungs.tiers, robots=robots, order=in_order, by_site=self._by_site
        )
        self._slots = asyncio.Semaphore(max(1, settings.max_page_concurrency))

    async def read(
        self, url: str, *, max_length: int = 50_000, on_progress: Progress | None = None
    ) -> Page:
        """The page with at most `max_length` bytes of content, cut at a paragraph or sentence.

        Raises the reader's errors: Refused, NotFound, AuthRequired, RateLimited, Blocked,
        ContentEmpty, TooLarge, Unavailable, NetworkFailed.
        """

        async def note(tier: str) -> None:
            if on_progress is not None:
                await on_progress(0, 1, f"reading the page ({tier})")

        async with self._slots:
            page = await self._reader.read(url.strip(), note=note)
        cut = truncate(page.content, min(max_length, LONGEST))
        return replace(page, content=cut.text, truncated=page.truncated or cut.truncated)

    async def renew(self, page: Page) -> Page | None:
        """The page anew; None when the server says that it is still the same."""
        stamps = {"if-none-match": page.etag, "if-modified-since": page.last_modified}
        headers = {name: value for name, value in stamps.items() if value}
        if headers:
            asked = Request(
                url=page.final_url, method="HEAD", headers=headers, timeout=_GLANCE, page=True
            )
            with contextlib.suppress(CitewellError):  # the full read will say what is wrong
                if (await self._client.send(asked)).status == 304:
                    return None
        return await self.read(page.url, max_length=LONGEST)

    async def _by_site(self, url: str) -> Page | None:
        """Sites whose own API or structure says more than their pages do."""
        if sites.find(url) is None:
            return None
        self._guard.target(url, page=True)  # the site must be allowed, whatever host its API is on
        return await sites.read(url, self._kit)

    async def aclose(self) -> None:
        """Stop the browser and the disguised client, if they ever ran."""
        await self._rungs.aclose()

    async def read_many(
        self,
        urls: Iterable[str],
        *,
        concurrency: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - each page's own, not the whole call's
        max_length: int = 50_000,
    ) -> tuple[Page | CitewellError, ...]:
        """Every page or its error, in the order asked; a page past `timeout` is given up alone."""
        wanted = tuple(urls)
        gate = asyncio.Semaphore(concurrency or max(1, len(wanted)))

        async def one(url: str) -> Page | CitewellError:
            async with gate:
                return await self._within(url, timeout, max_length)

        return tuple(await asyncio.gather(*(one(url) for url in wanted)))

    async def _within(self, url: str, limit: float | None, length: int) -> Page | CitewellError:
        try:
            async with asyncio.timeout(limit):
                return await self.read(url, max_length=length)
        except TimeoutError:
            return unreachable(url, f"it was not read within {limit:.3g} s")
        except CitewellError as error:
            return error
