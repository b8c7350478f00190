"""Fetches many feeds at once, within limits of number, size and time, and keeps them for a few minutes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citewell.dialects.feed_responses import read_feed_response
from citewell.errors import CitewellError, FailureReason, NetworkFailed
from citewell.model.domains.feed_items import FeedListing
from citewell.net.http.messages import RedirectPolicy
from citewell.ports import ProviderKit
from citewell.providers.newsfeeds.feed_list import NewsFeed

_MAX_PARALLEL_FEEDS = 12
_MAX_FEED_BYTES = 3 * 2**20
_FEED_SECONDS = 6.0  # for one feed
_MANY_FEEDS_SECONDS = 4.0  # for many: the slow ones are then not waited for
_ALL_FEEDS_SECONDS = 9.0  # for all, if none has come by then
_FRESH_SECONDS = 300.0
_FAILURE_SECONDS = 60.0
_MAX_KEPT_FEEDS = 200
_ACCEPTED_TYPES = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptFeed:
    outcome: FeedListing | CitewellError
    expires: float


class FeedReader:
    def __init__(self, kit: ProviderKit, *, unset: str, clock: Callable[[], float]) -> None:
        """`unset` is the base URL that means no mirror."""
        self._upstream = kit.upstream
        self._kit = kit
        self._mirror = None if kit.upstream.base_url == unset else kit.upstream.base_url.rstrip("/")
        self._clock = clock
        self._slots = asyncio.Semaphore(_MAX_PARALLEL_FEEDS)
        self._kept: dict[str, _KeptFeed] = {}

    async def read_feeds(self, feeds: Sequence[NewsFeed]) -> list[FeedListing | CitewellError]:
        """What each feed holds, or why it could not be read, in the same order."""
        tasks = [asyncio.create_task(self._read_feed(feed)) for feed in feeds]
        try:
            done, waiting = await asyncio.wait(tasks, timeout=_MANY_FEEDS_SECONDS)
            if waiting and not any(isinstance(task.result(), FeedListing) for task in done):
                rest = _ALL_FEEDS_SECONDS - _MANY_FEEDS_SECONDS
                await asyncio.wait(waiting, timeout=rest)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [_read_outcome(task) for task in tasks]

    async def _read_feed(self, feed: NewsFeed) -> FeedListing | CitewellError:
        kept = self._kept.get(feed.url)
        if kept is not None and self._clock() < kept.expires:
            return kept.outcome
        async with self._slots:
            outcome, seconds = await self._fetch_publisher_feed(feed)
        if len(self._kept) >= _MAX_KEPT_FEEDS:
            self._kept.pop(next(iter(self._kept)))
        self._kept[feed.url] = _KeptFeed(outcome=outcome, expires=self._clock() + seconds)
        return outcome

    async def _fetch_publisher_feed(
        self, feed: NewsFeed
    ) -> tuple[FeedListing | CitewellError, float]:
        """The listing or the error, and how long it is kept."""
        try:
            response = await self._upstream.send_get(
                base_url=self._choose_address(feed),
                headers={"Accept": _ACCEPTED_TYPES},
                timeout=_FEED_SECONDS,
                max_bytes=_MAX_FEED_BYTES,
                redirects=RedirectPolicy.FOLLOW,
                retry=False,
            )
            return await read_feed_response(response, self._kit.require_workers()), _FRESH_SECONDS
        except CitewellError as error:
            return error, _FAILURE_SECONDS

    def _choose_address(self, feed: NewsFeed) -> str:
        """The feed's own address, or that of the mirror, which has each below its host."""
        if self._mirror is None or feed.is_own:
            return feed.url
        return f"{self._mirror}/{feed.url.partition('://')[2]}"


def _read_outcome(
    task: asyncio.Task[FeedListing | CitewellError],
) -> FeedListing | CitewellError:
    if task.cancelled():
        return NetworkFailed("The feed took too long.", reason=FailureReason.TIMEOUT)
    return task.result()
