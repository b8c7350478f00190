"""Reads one address: checks robots.txt, tries the tiers, and builds a page of the result."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from citewell.errors import NetworkFailed, RefusedByPolicy
from citewell.fetch import page_errors
from citewell.fetch.extracted_page import ExtractedPage
from citewell.fetch.tiers.tier_ladder import (
    FetchTier,
    TierLadder,
    TierNote,
    TierOrder,
    keep_given_order,
)
from citewell.model.page import Page, PageAuthor
from citewell.net.guard.url_grammar import parse_url
from citewell.net.robots_rules import RobotsPolicy

SiteReading = Callable[[str], Awaitable[Page | None]]


class AddressReader:
    """Reads an address as a Page, or raises the error that says why it cannot."""

    def __init__(
        self,
        tiers: Sequence[FetchTier],
        *,
        robots: RobotsPolicy | None,
        order: TierOrder = keep_given_order,
        by_site: SiteReading | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`robots` is None if the operator ignores robots.txt; `by_site` reads sites through their APIs."""
        self._ladder = TierLadder(tiers, order=order)
        self._robots = robots
        self._by_site = by_site
        self._now = now
        self._clock = clock

    async def read_page(self, url: str, *, note: TierNote | None = None) -> Page:
        started = self._clock()
        page = await self._read_site_page(url)
        if page is not None:
            return replace(page, seconds=self._clock() - started)
        await self._check_robots(url)
        extracted = await self._ladder.climb_tiers(url, note=note)
        return self._build_page(url, extracted, seconds=self._clock() - started)

    async def _read_site_page(self, url: str) -> Page | None:
        """The page as its site reader returns it; None if the tiers have to fetch it."""
        try:
            parse_url(url)
            return await self._by_site(url) if self._by_site is not None else None
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None

    async def _check_robots(self, url: str) -> None:
        if self._robots is None:
            return
        try:
            await self._robots.check_robots(url)
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None
        except NetworkFailed as error:
            raise page_errors.build_network_error(url, error.message, reason=error.reason) from None

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
