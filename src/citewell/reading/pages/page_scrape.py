"""One page for a caller: its text up to a limit, its citation, and signals of its quality."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from citewell.citations.references.reference_splitting import drop_references
from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback, SourceCallback
from citewell.core.values.argument_types import OptionalName, check_declared_bounds
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import MAX_PAGE_BYTES, Page
from citewell.core.values.research_session import SessionSource
from citewell.core.values.scrape_results import InjectionSignal, PageMetadata, ScrapeOutput
from citewell.evidence.signs import source_quality
from citewell.net.http.messages import RequestSender
from citewell.net.robots_rules import RobotsPolicy
from citewell.reading import source_classification
from citewell.reading.fetch_tiers import PageFetcher, check_page_allowed
from citewell.reading.metadata.host_standing import find_host_reputation
from citewell.reading.page_tasks import PageTasks
from citewell.reading.page_works import PageWorkFinder, PageWorks
from citewell.reading.pages.artifacts import find_section, list_sections
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.reading.settings import ReadingSettings
from citewell.text import truncation
from citewell.text.addresses import extract_host
from citewell.text.truncation import truncate_text

_ANY_CONTENT_TYPE = "*/*"

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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.reading.page_tasks import PageTasks

        reading_settings = kit.settings[ReadingSettings]
        robots = kit.network.robots if reading_settings.respect_robots else None
        return cls(
            pages=kit.require_service(CachedPageReader),
            verbatim=RawPageFetcher(
                kit.network.client,
                PageTasks(kit.workers),
                robots=robots,
                timeout=reading_settings.page_timeout,
            ),
            works=PageWorkFinder(kit.require_retraction_checker()),
        )

    async def scrape_page(
        self,
        request: ScrapeRequest,
        *,
        tenant: str | None = None,
        progress: ProgressCallback | None = None,
        report: SourceCallback | None = None,
    ) -> ScrapeOutput:
        """The page in the requested mode; raises InvalidInput, or the errors of the page reader."""
        check_declared_bounds(request)
        _check_asked_start(request)
        url = request.url.strip()
        most = PREVIEW_BYTES if request.mode == "preview" else request.max_length
        length = min(most, MAX_PAGE_BYTES)
        if request.mode == "raw":
            raw = await self._verbatim.fetch_raw_page(url, max_length=length)
            if report is not None:
                report([SessionSource(url=url, stage="read")])
            return self._add_reputation(_build_raw_output(url, raw))
        kept = await self._pages.load_page(url, on_progress=progress, tenant=tenant)
        # Scanning a page of megabytes takes long enough to block the event loop.
        page = kept.page
        works = await self._works.find_page_works(page, tenant=tenant)
        if not request.include_references:
            page = await asyncio.to_thread(_drop_page_references, page)
        output = await asyncio.to_thread(_build_scrape_output, url, page, request, length, works)
        if request.include_comments and kept.page.comments and output.offset is None:
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
        replace(signal, end=content.find(signal.sentence) + len(signal.sentence))
        for signal in page.injection_signals or ()
        if signal.sentence in content
    )
    words = len(content.split())
    return replace(page, content=content, word_count=words, injection_signals=signals)


def _check_asked_start(request: ScrapeRequest) -> None:
    if request.offset and request.section:
        raise InvalidInput("Give offset or section, not both.")
    if request.mode == "raw" and (request.offset or request.section):
        raise InvalidInput(
            "offset and section are for the modes full and preview. Page a raw answer with"
            " read_artifact, or ask for a larger max_length."
        )


def _find_asked_span(text: str, request: ScrapeRequest) -> tuple[int, int]:
    """The part of the page that the caller asked for; raises InvalidInput if there is none."""
    if request.section:
        return find_section(text, request.section)
    if request.offset and request.offset >= len(text):
        raise InvalidInput(
            f"offset {request.offset} is not within the page's {len(text)} {pluralize(len(text), 'character')}."
        )
    return request.offset, len(text)


def _build_scrape_output(
    url: str, page: Page, request: ScrapeRequest, length: int, works: PageWorks
) -> ScrapeOutput:
    start, end = _find_asked_span(page.content, request)
    asked = page.content[start:end]
    cut = truncate_text(asked, length)
    shown = start + cut.kept_chars
    # Where the next word begins; None at the end of the text.
    rest_chars = len(page.content[shown:].lstrip())
    following = len(page.content) - rest_chars if cut.kept_chars and rest_chars else None
    is_part = start > 0 or following is not None
    weight = truncation.count_utf8_bytes(cut.text)
    stands = source_classification.classify_page(page)
    return ScrapeOutput(
        url=url,
        final_url=_choose_final_url(url, page.final_url),
        content=cut.text,
        content_type=page.content_type,
        content_length=weight,
        original_length=truncation.count_utf8_bytes(page.content) if cut.truncated else None,
        truncated=cut.truncated or page.truncated,
        offset=start or None,
        next_offset=following,
        sections=(list_sections(page.content) or None) if is_part else None,
        estimated_tokens=truncation.estimate_token_count(weight),
        size_category=truncation.classify_size(weight),
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
        InjectionSignal(kind=signal.kind, sentence=signal.sentence)
        for signal in page.comment_signals
        if signal.end <= len(shown)
    )
    signals = (output.injection_signals or ()) + found
    return output.model_copy(update={"comments": shown, "injection_signals": signals or None})


def _build_raw_output(url: str, raw: RawPage) -> ScrapeOutput:
    """The output of raw mode; the page is not parsed, so only its host is classified."""
    stands = source_classification.classify_source(raw.final_url)
    return ScrapeOutput(
        url=url,
        final_url=_choose_final_url(url, raw.final_url),
        content=raw.text,
        content_type=raw.content_type,
        content_encoding=raw.encoding,
        content_length=raw.length,
        original_length=raw.original_length if raw.truncated else None,
        truncated=raw.truncated,
        estimated_tokens=truncation.estimate_token_count(raw.length),
        size_category=truncation.classify_size(raw.length),
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
        InjectionSignal(kind=signal.kind, sentence=signal.sentence)
        for signal in page.injection_signals or ()
        if any(start < signal.end <= end for start, end in shown)
    )
    return tuple(found) or None


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
    if page.word_count >= truncation.SPARSE_PAGE_WORDS or page.quality == "complete":
        return None
    return (
        f"The page gave {page.word_count} {pluralize(page.word_count, 'word')}. It may be cut short, need a login or a browser, or have"
        " little content: check before relying on it."
    )


# Fetches a page's bytes as the server sent them: guarded and size-limited, but not cleaned.


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    final_url: str
    text: str
    encoding: str | None  # "base64" for binary content
    content_type: str  # the server's header; empty if it sent none
    length: int  # bytes of the body that are in `text`
    truncated: bool
    original_length: int | None  # bytes of the whole body, if known
    charset: str | None
    fetched_at: datetime


class RawPageFetcher:
    """Fetches without extraction: for JSON, markup and scripts that extraction would remove."""

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        robots: RobotsPolicy | None,
        timeout: float,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`robots` is None if the operator turned the robots.txt check off."""
        self._sender = sender
        self._tasks = tasks
        self._robots = robots
        self._timeout = timeout
        self._now = now

    async def fetch_raw_page(self, url: str, *, max_length: int) -> RawPage:
        """At most `max_length` bytes of the body; raises the errors of the page reader."""
        await check_page_allowed(url, self._robots)
        length = min(max_length, MAX_PAGE_BYTES)
        fetcher = PageFetcher(
            self._sender, self._tasks, max_bytes=MAX_PAGE_BYTES, max_prefix_bytes=length + 1
        )
        response = await fetcher.fetch_response(
            url, accept=_ANY_CONTENT_TYPE, timeout=self._timeout
        )
        kind = response.headers.get("content-type", "")
        body = response.body[:length]
        truncated = len(body) < len(response.body)
        stated = response.headers.get("content-length", "")
        is_packed = bool(response.headers.get("content-encoding", ""))  # then it is another length
        is_usable = stated.isdigit() and len(stated) < 16 and not is_packed
        announced = int(stated) if is_usable else None
        found = await self._tasks.decode_raw_body(url, response, length=length)
        return RawPage(
            final_url=response.url,
            text=found.text,
            encoding=found.encoding,
            content_type=kind,
            length=len(body),
            truncated=truncated,
            original_length=announced or (None if truncated else len(response.body)),
            charset=found.charset,
            fetched_at=self._now(),
        )
