"""One page for a caller: its text within bounds, where it comes from, and how far to trust it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError, InvalidInput
from citewell.model.page import Page
from citewell.model.scrape import InjectionSignal, PageMetadata, RetractionStatus, ScrapeOutput
from citewell.services import standing
from citewell.services.pages import LONGEST, CachedRead
from citewell.services.verbatim import Raw, Verbatim
from citewell.text import injection, quality, size
from citewell.text.truncate import truncate

logger = logging.getLogger(__name__)

MODES = ("full", "preview", "raw")
PREVIEW = 5000  # bytes

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


class RetractionLookup(Protocol):
    """Knows whether a work was retracted, corrected or put in doubt."""

    async def status(self, doi: str) -> RetractionStatus | None:
        """None for a work with a clean record; an error when the record cannot be seen."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    url: str
    mode: str = "full"
    max_length: int = 50_000  # bytes


class Scrape:
    def __init__(
        self, *, pages: CachedRead, verbatim: Verbatim, retractions: RetractionLookup | None = None
    ) -> None:
        """Without `retractions` nothing is said of a work's integrity."""
        self._pages = pages
        self._verbatim = verbatim
        self._retractions = retractions

    async def scrape(
        self, wish: Wish, *, tenant: str | None = None, progress: Progress | None = None
    ) -> ScrapeOutput:
        """The page, or the error that says why it cannot be read."""
        if wish.mode not in MODES:
            raise InvalidInput(f"mode {wish.mode!r} is not known. It takes: {', '.join(MODES)}.")
        if wish.max_length < 1:
            raise InvalidInput("max_length must be at least 1 byte.")
        url = wish.url.strip()
        length = PREVIEW if wish.mode == "preview" else min(wish.max_length, LONGEST)
        if wish.mode == "raw":
            return _verbatim(url, await self._verbatim.fetch(url, max_length=length))
        kept = await self._pages.kept(url, on_progress=progress, tenant=tenant)
        # A page of megabytes takes a while to look through; the loop must not stand still.
        output = await asyncio.to_thread(_output, url, kept.page, length)
        return await self._checked(output)

    async def _checked(self, output: ScrapeOutput) -> ScrapeOutput:
        """With the record of the work, where there is one to be had."""
        if self._retractions is None or output.detected_doi is None:
            return output
        try:
            status = await self._retractions.status(output.detected_doi)
        except CitewellError as error:
            logger.info("the record of a work could not be seen: %s", error.kind)
            return output
        return output.model_copy(update={"retraction_status": status})


def _output(url: str, page: Page, length: int) -> ScrapeOutput:
    cut = truncate(page.content, length)
    weight = size.weight(cut.text)
    stands = standing.of(page)
    doi = standing.doi(page)
    return ScrapeOutput(
        url=url,
        final_url=_elsewhere(url, page.final_url),
        content=cut.text,
        content_type=page.content_type,
        content_length=weight,
        original_length=size.weight(page.content) if cut.truncated else None,
        truncated=cut.truncated or page.truncated,
        estimated_tokens=size.tokens(weight),
        size_category=size.category(weight),
        word_count=page.word_count,
        sparsity_warning=_sparse(page.word_count),
        citation=standing.cited(page, doi=doi),
        extracted_by=page.extracted_by,
        extraction_quality=page.quality,
        page_type=page.kind,
        metadata=_metadata(page),
        published_at=page.published,
        published_basis=page.published_basis,
        modified_at=page.modified,
        language=page.language,
        charset=page.charset,
        structured_data=page.structured,
        forum_signals=page.forum_signals,
        github_trust_signals=page.trust_signals,
        highlights=page.highlights or None,
        source_type=stands.source_type,
        authority_tier=quality.tier(stands.authority),
        domain_category=stands.domain_category,
        detected_doi=doi,
        injection_signals=commands(cut.text),
        hidden_text=dict(page.hidden) or None,
        notes=page.notes or None,
    )


def _verbatim(url: str, raw: Raw) -> ScrapeOutput:
    """Nothing of the page is read here, so its host alone says what kind of source it is."""
    stands = standing.of_host(raw.final_url)
    return ScrapeOutput(
        url=url,
        final_url=_elsewhere(url, raw.final_url),
        content=raw.text,
        content_type=raw.content_type,
        content_encoding=raw.encoding,
        content_length=raw.length,
        original_length=raw.original if raw.truncated else None,
        truncated=raw.truncated,
        estimated_tokens=size.tokens(raw.length),
        size_category=size.category(raw.length),
        citation=standing.cited_bare(raw.final_url, accessed=raw.fetched_at),
        raw=True,
        charset=raw.charset,
        source_type=stands.source_type,
        authority_tier=quality.tier(stands.authority),
        domain_category=stands.domain_category,
    )


def commands(text: str) -> tuple[InjectionSignal, ...] | None:
    """The sentences that speak to a machine, for the reader to beware of."""
    found = injection.signals(text)
    return tuple(InjectionSignal(kind=one.kind, sentence=one.sentence) for one in found) or None


def _elsewhere(url: str, final: str) -> str | None:
    return final if final and final != url else None


def _metadata(page: Page) -> PageMetadata | None:
    if not page.title:
        return None
    return PageMetadata(
        title=page.title,
        author=page.author or "",
        page_count=page.page_count,
        created_at=page.published if page.page_count is not None else None,
        file_size=page.file_size,
    )


def _sparse(words: int) -> str | None:
    if words >= size.SPARSE:
        return None
    return (
        f"The page gave {words} words. It may be cut short, need a login or a browser, or have"
        " little to say: check before relying on it."
    )
