"""The tier that asks again as Chrome, where a site turned our own name away."""

from __future__ import annotations

from dataclasses import replace

from citewell.errors import Blocked, CitewellError
from citewell.fetch import complaints
from citewell.fetch.ladder import DEFINITIVE, Climb, Draft, Unsure
from citewell.fetch.tiers import Door, HtmlTier, Sender

TIMEOUT = 20.0


class StealthTier:
    """Reads the HTML in hand when it will do; else fetches the page in Chrome's shape."""

    name = "stealth"

    def __init__(self, sender: Sender, *, max_bytes: int, timeout: float = TIMEOUT) -> None:
        self._door = Door(sender, max_bytes=max_bytes)
        self._html = HtmlTier(self._door, timeout=timeout)
        self._timeout = timeout

    async def read(self, climb: Climb) -> Draft:
        if climb.answer is not None and (draft := await self._in_hand(climb)):
            return draft
        response = await self._door.get(climb.url, accept="", timeout=self._timeout)
        return await signed(self._html, replace(climb, answer=response), self.name)

    async def _in_hand(self, climb: Climb) -> Draft | None:
        """The text of the answer that came already; None where only a disguise may help.

        A shell or a scrap of text looks the same to every client: no second request for those.
        """
        try:
            return await self._html.read(climb)
        except Blocked:
            return None
        except (Unsure, CitewellError) as error:
            if isinstance(error, DEFINITIVE):
                raise
            raise complaints.empty(climb.url, "not needed") from None


async def signed(html: HtmlTier, climb: Climb, name: str) -> Draft:
    """What the html tier makes of `climb.answer`, under the name of the tier that fetched it."""
    try:
        return replace(await html.read(climb), extracted_by=name)
    except Unsure as unsure:
        raise Unsure(replace(unsure.draft, extracted_by=name), unsure.error) from None
