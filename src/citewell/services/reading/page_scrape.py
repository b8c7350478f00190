"""One page for a caller: its text up to a limit, its citation, and signals of its quality."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName
from citewell.model.counted_words import pluralize
from citewell.model.page import MAX_PAGE_BYTES, Page
from citewell.model.research_session import SessionSource
from citewell.model.scrape_results import (
    InjectionSignal,
    PageMetadata,
    ScrapeOutput,
)
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.services.reading.raw_pages import RawPage, RawPageFetcher
from citewell.services.reading.text_sections import find_section, list_sections
from citewell.services.sources import source_classification
from citewell.services.sources.host_reputation import find_host_reputation
from citewell.services.sources.page_works import PageWorkFinder, PageWorks
from citewell.text import text_size
from citewell.text.evidence import source_quality
from citewell.text.references.markdown_references import drop_references
from citewell.text.truncation import truncate_text
from citewell.text.web.addresses import extract_host
from citewell.tooling import ProgressCallback, SourceCallback

PREVIEW_BYTES = 5000  # bytes


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
    offset: Annotated[int, Field(ge=0, description="Read on from here: nextOffset.")] = 0
    section: Annotated[OptionalName, Field(description="Only the text under this heading.")] = None
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
        works: PageWorkFinder | None = None,
    ) -> None:
        """Without `works` no registry is asked about the DOIs of a page."""
        self._pages = pages
        self._verbatim = verbatim
        self._works = works or PageWorkFinder(None)

    async def scrape_page(
        self,
        wish: ScrapeRequest,
        *,
        tenant: str | None = None,
        progress: ProgressCallback | None = None,
        report: SourceCallback | None = None,
    ) -> ScrapeOutput:
        """The page in the requested mode; raises InvalidInput, or the errors of the page reader."""
        check_declared_bounds(wish)
        _check_asked_start(wish)
        url = wish.url.strip()
        length = PREVIEW_BYTES if wish.mode == "preview" else min(wish.max_length, MAX_PAGE_BYTES)
        if wish.mode == "raw":
            raw = await self._verbatim.fetch_raw_page(url, max_length=length)
            if report is not None:
                report([SessionSource(url=url, stage="read")])
            return self._add_reputation(_build_raw_output(url, raw))
        kept = await self._pages.load_page(url, on_progress=progress, tenant=tenant)
        # Scanning a page of megabytes takes long enough to block the event loop.
        page = kept.page
        works = await self._works.find_page_works(page, tenant=tenant)
        if not wish.include_references:
            page = await asyncio.to_thread(_drop_page_references, page)
        output = await asyncio.to_thread(_build_scrape_output, url, page, wish, length, works)
        if wish.include_comments and kept.page.comments and output.offset is None:
            output = _add_comments(output, kept.page, length)
        if report is not None:
            doi = output.detected_doi
            report([source_classification.describe_page_source(url, kept.page, doi=doi)])
        return self._add_reputation(output)

    @staticmethod
    def _add_reputation(output: ScrapeOutput) -> ScrapeOutput:
        """The output with what is known about its host; unchanged if nothing is."""
        known = find_host_reputation(extract_host(output.final_url or output.url))
        return output.model_copy(update={"source_reputation": known}) if known else output


def _drop_page_references(page: Page) -> Page:
    content = drop_references(page.content)
    signals = tuple(
        replace(one, end=content.find(one.sentence) + len(one.sentence))
        for one in page.injection_signals or ()
        if one.sentence in content
    )
    words = len(content.split())
    return replace(page, content=content, word_count=words, injection_signals=signals)


def _check_asked_start(wish: ScrapeRequest) -> None:
    if wish.offset and wish.section:
        raise InvalidInput("Give offset or section, not both.")
    if wish.mode == "raw" and (wish.offset or wish.section):
        raise InvalidInput(
            "offset and section are for the modes full and preview. Page a raw answer with"
            " read_artifact, or ask for a larger max_length."
        )


def _find_asked_span(text: str, wish: ScrapeRequest) -> tuple[int, int]:
    """The part of the page that the caller asked for; raises InvalidInput if there is none."""
    if wish.section:
        return find_section(text, wish.section)
    if wish.offset and wish.offset >= len(text):
        raise InvalidInput(
            f"offset {wish.offset} is not within the page's {len(text)} {pluralize(len(text), 'character')}."
        )
    return wish.offset, len(text)


def _find_following_offset(text: str, end: int) -> int | None:
    """Where the next word after `end` begins; None at the end of the text."""
    rest = len(text[end:].lstrip())
    return len(text) - rest if rest else None


def _build_scrape_output(
    url: str, page: Page, wish: ScrapeRequest, length: int, works: PageWorks
) -> ScrapeOutput:
    start, end = _find_asked_span(page.content, wish)
    asked = page.content[start:end]
    cut = truncate_text(asked, length)
    shown = start + cut.kept_chars
    following = _find_following_offset(page.content, shown) if cut.kept_chars else None
    is_part = start > 0 or following is not None
    weight = text_size.count_utf8_bytes(cut.text)
    stands = source_classification.classify_page(page)
    return ScrapeOutput(
        url=url,
        final_url=_choose_final_url(url, page.final_url),
        content=cut.text,
        content_type=page.content_type,
        content_length=weight,
        original_length=text_size.count_utf8_bytes(page.content) if cut.truncated else None,
        truncated=cut.truncated or page.truncated,
        offset=start or None,
        next_offset=following,
        sections=(list_sections(page.content) or None) if is_part else None,
        estimated_tokens=text_size.estimate_token_count(weight),
        size_category=text_size.classify_size(weight),
        word_count=page.word_count,
        sparsity_warning=_describe_sparse_page(page),
        citation=source_classification.cite_page(page, doi=works.doi),
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
        source_kind=stands.kind,
        source_basis=stands.basis,
        authority_tier=source_quality.classify_authority(stands.authority),
        domain_category=stands.domain_category,
        detected_doi=works.doi,
        retraction_status=works.status,
        mentioned_dois=works.mentioned or None,
        more_mentioned_dois=works.unlisted or None,
        injection_signals=select_injection_signals(page, [(start, shown)]),
        hidden_text=dict(page.hidden) or None,
        notes=(*page.notes, *((works.note,) if works.note else ())) or None,
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
        source_kind=stands.kind,
        source_basis=stands.basis,
        authority_tier=source_quality.classify_authority(stands.authority),
        domain_category=stands.domain_category,
    )


def select_injection_signals(
    page: Page, shown: Sequence[tuple[int, int]]
) -> tuple[InjectionSignal, ...] | None:
    """Sentences in the shown spans of the page that look like prompt injection; None if none do."""
    found = (
        one
        for one in page.injection_signals or ()
        if any(start < one.end <= end for start, end in shown)
    )
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
        created_at=page.created,
        file_size=page.file_size,
    )


def _describe_sparse_page(page: Page) -> str | None:
    """A warning for a short page of which something may be missing; a complete one may be short."""
    if page.word_count >= text_size.SPARSE_PAGE_WORDS or page.quality == "complete":
        return None
    return (
        f"The page gave {page.word_count} {pluralize(page.word_count, 'word')}. It may be cut short, need a login or a browser, or have"
        " little content: check before relying on it."
    )
