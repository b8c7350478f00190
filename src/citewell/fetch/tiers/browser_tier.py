"""The tier that renders a page in Chromium and reads the rendered HTML."""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.errors import BrowserUnavailable, ContentEmpty, NetworkFailed
from citewell.fetch import page_errors
from citewell.fetch.tiers.plain_tiers import HtmlTier, PageFetcher
from citewell.fetch.tiers.stealth_tier import read_as_tier
from citewell.fetch.tiers.tier_ladder import FetchAttempt, PageDraft
from citewell.net.http.messages import RequestSender

BROWSER_TIMEOUT_SECONDS = 30.0

_SCRIPT_ELEMENTS = re.compile(
    rb"<(script|noscript)\b(?![^>]*ld\+json)[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)


class BrowserTier:
    """Reads a page as a browser renders it; the sender is a `net.browser.Browser`, or a fake in tests."""

    name = "browser"

    def __init__(
        self, sender: RequestSender, *, max_bytes: int, timeout: float = BROWSER_TIMEOUT_SECONDS
    ) -> None:
        self._door = PageFetcher(sender, max_bytes=max_bytes)
        self._html = HtmlTier(self._door, timeout=timeout)
        self._timeout = timeout

    async def fetch_draft(self, climb: FetchAttempt) -> PageDraft:
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
        rendered = replace(climb, response=response)
        try:
            return await read_as_tier(self._html, rendered, self.name)
        except ContentEmpty:
            # The page has been rendered. If it still looks like an empty shell, it is a short page:
            # without its scripts it is not mistaken for a shell.
            bare = replace(response, body=_SCRIPT_ELEMENTS.sub(b"", response.body))
            return await read_as_tier(self._html, replace(climb, response=bare), self.name)
