"""The tier that renders a page in Chromium and reads the rendered HTML."""

from __future__ import annotations

from dataclasses import replace

from citewell.errors import BrowserUnavailable, NetworkFailed
from citewell.fetch import page_errors
from citewell.fetch.extracted_page import ExtractedPage
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.plain_tiers import HtmlTier, PageFetcher
from citewell.fetch.tiers.stealth_tier import read_as_tier
from citewell.fetch.tiers.tier_ladder import FetchAttempt
from citewell.net.http.messages import RequestSender

BROWSER_TIMEOUT_SECONDS = 30.0


class BrowserTier:
    """Reads a page as a browser renders it; the sender is a `net.browser.Browser`, or a fake in tests."""

    name = "browser"

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        max_bytes: int,
        timeout: float = BROWSER_TIMEOUT_SECONDS,
    ) -> None:
        self._door = PageFetcher(sender, tasks, max_bytes=max_bytes)
        self._html = HtmlTier(self._door, tasks, timeout=timeout, is_rendered=True)
        self._timeout = timeout

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        try:
            response = await self._door.fetch_response(climb.url, accept="", timeout=self._timeout)
        except BrowserUnavailable as error:
            if climb.outcomes and all(
                isinstance(seen, NetworkFailed) for _, seen in climb.outcomes
            ):
                # Earlier tiers could not reach the host, and a browser could not either.
                raise page_errors.build_network_error(
                    climb.url, error.detail or "no browser", reason=climb.outcomes[-1][1].reason
                ) from None
            raise
        return await read_as_tier(self._html, replace(climb, response=response), self.name)
