"""The tier that repeats the request in Chrome's form, if a site blocked our own user agent."""

from __future__ import annotations

from dataclasses import replace

from citewell.errors import Blocked, CitewellError
from citewell.fetch import page_errors
from citewell.fetch.extracted_page import ExtractedPage, UnsurePage
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.plain_tiers import HtmlTier, PageFetcher
from citewell.fetch.tiers.tier_ladder import DEFINITIVE_ERRORS, FetchAttempt
from citewell.net.http.messages import RequestSender

STEALTH_TIMEOUT_SECONDS = 20.0


class StealthTier:
    """Reads the HTML that an earlier tier received, if it is not blocked; else fetches it as Chrome."""

    name = "stealth"

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        max_bytes: int,
        timeout: float = STEALTH_TIMEOUT_SECONDS,
    ) -> None:
        self._door = PageFetcher(sender, tasks, max_bytes=max_bytes)
        self._html = HtmlTier(self._door, tasks, timeout=timeout)
        self._timeout = timeout

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        if climb.response is not None and (extracted := await self._read_earlier_response(climb)):
            return extracted
        response = await self._door.fetch_response(climb.url, accept="", timeout=self._timeout)
        return await read_as_tier(self._html, replace(climb, response=response), self.name)

    async def _read_earlier_response(self, climb: FetchAttempt) -> ExtractedPage | None:
        """The page in the response that an earlier tier received; None if that was a bot wall.

        An empty shell or a short text would be the same for every client, so the page is not
        requested again: raises ContentEmpty.
        """
        try:
            return await self._html.fetch_page(climb)
        except Blocked:
            return None
        except (UnsurePage, CitewellError) as error:
            if isinstance(error, DEFINITIVE_ERRORS):
                raise
            raise page_errors.build_empty_error(climb.url, "not needed") from None


async def read_as_tier(html: HtmlTier, climb: FetchAttempt, name: str) -> ExtractedPage:
    """The page that the HTML tier reads in the attempt's response, under the name of the tier that fetched it."""
    try:
        return replace(await html.fetch_page(climb), extracted_by=name)
    except UnsurePage as unsure:
        raise UnsurePage(replace(unsure.extracted, extracted_by=name), unsure.error) from None
