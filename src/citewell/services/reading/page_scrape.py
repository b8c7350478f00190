"""One page for a caller: its text up to a limit, its citation, and signals of its quality."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Protocol

from pydantic import Field

from citewell.errors import CitewellError
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.page import MAX_PAGE_BYTES, Page
from citewell.model.paper import Paper
from citewell.model.scrape_results import (
    InjectionSignal,
    PageMetadata,
    RetractionStatus,
    ScrapeOutput,
)
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.services.reading.raw_pages import RawPage, RawPageFetcher
from citewell.services.sources import source_classification
from citewell.services.sources.host_reputation import HostReputations
from citewell.text import text_size
from citewell.text.evidence import source_quality
from citewell.text.references.markdown_references import drop_references
from citewell.text.truncation import truncate_text
from citewell.text.web.addresses import extract_host
from citewell.tooling import ProgressCallback

logger = logging.getLogger(__name__)

PREVIEW_BYTES = 5000  # bytes


class RetractionLookup(Protocol):
    """Finds the retraction, correction or expression of concern about a work."""

    async def find_retraction_status(
        self, doi: str, *, paper: Paper | None = None
    ) -> RetractionStatus | None:
        """None if there is no notice about the work; raises if that could not be checked.

        `paper` is the record of the work, if the caller has it already.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class ScrapeRequest:
    """A page to read; the arguments of scrape_page."""

    url: Annotated[str, Field(min_length=1, max_length=4096, description="http(s) address.")]
    mode: Annotated[
        Literal["full", "preview", "raw"],
        Field(
            description=f"preview: the first {PREVIEW_BYTES} bytes. raw: the body as sent, unsanitised; for JSON or markup only."
        ),
    ] = "full"
    max_length: Annotated[
        int, Field(ge=1, description=f"Bytes of content; {MAX_PAGE_BYTES} is the most.")
    ] = 50_000
    include_comments: Annotated[bool, Field(description="Also the comments under an article.")] = (
        False
    )
    include_references: Annotated[
        bool, Field(description="false: without reference lists and notes.")
    ] = True


class PageScraper:
    def __init__(
        self,
        *,
        pages: CachedPageReader,
        verbatim: RawPageFetcher,
        retractions: RetractionLookup | None = None,
        reputations: HostReputations | None = None,
    ) -> None:
        """Without `retractions` the output has no retraction status."""
        self._pages = pages
        self._verbatim = verbatim
        self._retractions = retractions
        self._reputations = reputations or HostReputations()

    async def scrape_page(
        self,
        wish: ScrapeRequest,
        *,
        tenant: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> ScrapeOutput:
        """The page in the requested mode; raises InvalidInput, or the errors of the page reader."""
        check_declared_bounds(wish)
        url = wish.url.strip()
        length = PREVIEW_BYTES if wish.mode == "preview" else min(wish.max_length, MAX_PAGE_BYTES)
        if wish.mode == "raw":
            raw = await self._verbatim.fetch_raw_page(url, max_length=length)
            return self._add_reputation(_build_raw_output(url, raw))
        kept = await self._pages.load_page(url, on_progress=progress, tenant=tenant)
        # Scanning a page of megabytes takes long enough to block the event loop.
        page = kept.page
        if not wish.include_references:
            page = await asyncio.to_thread(_drop_page_references, page)
        output = await asyncio.to_thread(_build_scrape_output, url, page, length)
        if wish.include_comments and kept.page.comments:
            output = _add_comments(output, kept.page, length)
        return await self._add_retraction_status(self._add_reputation(output))

    def _add_reputation(self, output: ScrapeOutput) -> ScrapeOutput:
        """The output with what is known about its host; unchanged if nothing is."""
        known = self._reputations.find_reputation(extract_host(output.final_url or output.url))
        return output.model_copy(update={"source_reputation": known}) if known else output

    async def _add_retraction_status(self, output: ScrapeOutput) -> ScrapeOutput:
        """The output with the retraction status of its DOI; unchanged if that cannot be checked."""
        if self._retractions is None or output.detected_doi is None:
            return output
        try:
            status = await self._retractions.find_retraction_status(output.detected_doi)
        except CitewellError as error:
            logger.info("the retraction status of a work could not be checked: %s", error.kind)
            return output
        return output.model_copy(update={"retraction_status": status})


def _drop_page_references(page: Page) -> Page:
    content = drop_references(page.content)
    signals = tuple(
        replace(one, end=content.find(one.sentence) + len(one.sentence))
        for one in page.injection_signals or ()
        if one.sentence in content
    )
    words = len(content.split())
    return replace(page, content=content, word_count=words, injection_signals=signals)


def _build_scrape_output(url: str, page: Page, length: int) -> ScrapeOutput:
    cut = truncate_text(page.content, length)
    weight = text_size.count_utf8_bytes(cut.text)
    stands = source_classification.classify_page(page)
    doi = source_classification.find_page_doi(page)
    return ScrapeOutput(
        url=url,
        final_url=_choose_final_url(url, page.final_url),
        content=cut.text,
        content_type=page.content_type,
        content_length=weight,
        original_length=text_size.count_utf8_bytes(page.content) if cut.truncated else None,
        truncated=cut.truncated or page.truncated,
        estimated_tokens=text_size.estimate_token_count(weight),
        size_category=text_size.classify_size(weight),
        word_count=page.word_count,
        sparsity_warning=_describe_sparse_page(page.word_count),
        citation=source_classification.cite_page(page, doi=doi),
        extracted_by=page.extracted_by,
        extraction_quality=page.quality,
        page_type=page.kind,
        metadata=_build_page_metadata(page),
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
        authority_tier=source_quality.classify_authority(stands.authority),
        domain_category=stands.domain_category,
        detected_doi=doi,
        injection_signals=select_injection_signals(page, cut.text),
        hidden_text=dict(page.hidden) or None,
        notes=page.notes or None,
    )


def _add_comments(output: ScrapeOutput, page: Page, length: int) -> ScrapeOutput:
    """The output with the comments, up to as many bytes as of content, and what is odd in them."""
    shown = truncate_text(page.comments, length).text
    found = tuple(
        InjectionSignal(kind=one.kind, sentence=one.sentence)
        for one in page.comment_signals
        if one.end <= len(shown)
    )
    signals = (output.injection_signals or ()) + found
    return output.model_copy(update={"comments": shown, "injection_signals": signals or None})


def _build_raw_output(url: str, raw: RawPage) -> ScrapeOutput:
    """The output of raw mode; the page is not parsed, so only its host is classified."""
    stands = source_classification.classify_host(raw.final_url)
    return ScrapeOutput(
        url=url,
        final_url=_choose_final_url(url, raw.final_url),
        content=raw.text,
        content_type=raw.content_type,
        content_encoding=raw.encoding,
        content_length=raw.length,
        original_length=raw.original_length if raw.truncated else None,
        truncated=raw.truncated,
        estimated_tokens=text_size.estimate_token_count(raw.length),
        size_category=text_size.classify_size(raw.length),
        citation=source_classification.cite_address(raw.final_url, accessed=raw.fetched_at),
        raw=True,
        charset=raw.charset,
        source_type=stands.source_type,
        authority_tier=source_quality.classify_authority(stands.authority),
        domain_category=stands.domain_category,
    )


def select_injection_signals(page: Page, shown: str) -> tuple[InjectionSignal, ...] | None:
    """Sentences in the shown beginning of the page that look like prompt injection; None if none do."""
    found = (one for one in page.injection_signals or () if one.end <= len(shown))
    return tuple(InjectionSignal(kind=one.kind, sentence=one.sentence) for one in found) or None


def _choose_final_url(url: str, final: str) -> str | None:
    return final if final and final != url else None


def _build_page_metadata(page: Page) -> PageMetadata | None:
    if not page.title:
        return None
    return PageMetadata(
        title=page.title,
        author=page.author or "",
        page_count=page.page_count,
        created_at=page.published if page.page_count is not None else None,
        file_size=page.file_size,
    )


def _describe_sparse_page(words: int) -> str | None:
    if words >= text_size.SPARSE_PAGE_WORDS:
        return None
    return (
        f"The page gave {words} words. It may be cut short, need a login or a browser, or have"
        " little content: check before relying on it."
    )
