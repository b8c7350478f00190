"""The tier that renders the page in Chromium and reads what came to stand there."""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.errors import BrowserUnavailable, ContentEmpty, NetworkFailed
from citewell.fetch import complaints
from citewell.fetch.ladder import Climb, Draft
from citewell.fetch.stealth import signed
from citewell.fetch.tiers import Door, HtmlTier, Sender

TIMEOUT = 30.0

_SCRIPTS = re.compile(
    rb"<(script|noscript)\b(?![^>]*ld\+json)[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)


class BrowserTier:
    """Takes any sender that renders; `net.browser.Browser` is the real one."""

    name = "browser"

    def __init__(self, sender: Sender, *, max_bytes: int, timeout: float = TIMEOUT) -> None:
        self._door = Door(sender, max_bytes=max_bytes)
        self._html = HtmlTier(self._door, timeout=timeout)
        self._timeout = timeout

    async def read(self, climb: Climb) -> Draft:
        try:
            response = await self._door.get(climb.url, accept="", timeout=self._timeout)
        except BrowserUnavailable as error:
            if climb.outcomes and all(
                isinstance(seen, NetworkFailed) for _, seen in climb.outcomes
            ):
                # The host is what is missing; a browser would not find it either.
                raise complaints.unreachable(climb.url, error.detail or "no browser") from None
            raise
        rendered = replace(climb, answer=response)
        try:
            return await signed(self._html, rendered, self.name)
        except ContentEmpty:
            # What still looks like a shell has been rendered: without its scripts it is just short.
            bare = replace(response, body=_SCRIPTS.sub(b"", response.body))
            return await signed(self._html, replace(climb, answer=bare), self.name)
