"""Turns the pages a search led to into scored sources with the passages that answer the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from citewell.core.errors import CitewellError
from citewell.core.values import scrape_results
from citewell.core.values.argument_types import ClaimText, OptionalName, QueryText
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import MAX_PAGE_BYTES, Page
from citewell.core.values.search_results import SearchAnswer, SearchResult
from citewell.evidence.signs import source_quality
from citewell.reading import page_errors, source_classification
from citewell.reading.pages.page_scrape import select_injection_signals
from citewell.reading.pages.source_passages import (
    PASSAGE_SEPARATOR,
    ChosenText,
    PageText,
    PassageLimits,
    SourceFigures,
    choose_passages,
    measure_source_text,
)
from citewell.text import truncation
from citewell.text.truncation import truncate_text
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, run_function

MIN_QUERY_RELEVANCE = 0.3  # filter_by_query drops sources with a lower relevance
_SOURCE_SEPARATOR = "\n\n---\n\n"
_MAX_MEASURED_CHARS = 400_000  # of a page
_UNCHOSEN_NOTE = "The passages could not be chosen in time. Read the linked text instead."


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """A search whose pages are read; the arguments of search_and_scrape."""

    query: QueryText
    source_count: Annotated[int, Field(ge=1, le=10, validation_alias="num_results")] = 3
    include_sources: Annotated[
        bool, Field(description="false: combinedContent has the passages.")
    ] = True
    max_tokens: Annotated[
        int, Field(ge=1, le=1_000_000, description="Of the passages; 4 bytes each.")
    ] = 4000
    deduplicate: Annotated[
        bool, Field(description="Drop paragraphs that a better source has too.")
    ] = True
    near_duplicates: Annotated[bool, Field(description="Drop nearly equal paragraphs as well.")] = (
        False
    )
    max_source_bytes: Annotated[
        int, Field(ge=1, validation_alias="max_length_per_source", description="Bytes.")
    ] = 50_000
    max_total_bytes: Annotated[
        int, Field(ge=1, validation_alias="total_max_length", description="Bytes.")
    ] = 300_000
    filter_by_query: Annotated[bool, Field(description="Leave out pages far from the query.")] = (
        False
    )
    provider: Annotated[
        OptionalName, Field(description="Use this search provider and no other.")
    ] = None
    claim: Annotated[
        ClaimText,
        Field(
            description="Each source then quotes its sentences nearest to this claim: evidence, no verdict."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPage:
    """A page and the figures of its text."""

    page: Page
    title: str
    figures: SourceFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredPages:
    """A search answer and, for each result in order, the page that was read or the error."""

    answer: SearchAnswer
    outcomes: tuple[MeasuredPage | CitewellError, ...]
    now: datetime


async def measure_gathered_page(
    request: GatherRequest, hit: SearchResult, page: Page, workers: TaskRunner
) -> MeasuredPage | CitewellError:
    """The page with its figures, which a worker finds; the error if it could not."""
    text = page.content[:_MAX_MEASURED_CHARS]
    title = page.title or hit.title
    try:
        figures = await run_function(
            workers, measure_source_text, text, request.query, title, request.claim, page.language
        )
    except TaskFailure as failure:
        return page_errors.build_failure_error(page.url, failure.message)
    return MeasuredPage(page=page, title=title, figures=figures)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredSources:
    """The answer, and the text of all pages if the answer holds only passages of it."""

    bundle: scrape_results.SourceBundle
    page_texts: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSource:
    """A source without its text, and the page that has it."""

    source: scrape_results.SourceResult
    page: Page


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSources:
    """The sources of a search, best first, and what became of its other results."""

    answer: SearchAnswer
    near: tuple[RankedSource, ...]
    far: tuple[str, ...]  # read, but not relevant enough
    failures: tuple[scrape_results.ScrapeFailure, ...]

    @property
    def read_count(self) -> int:
        return len(self.near) + len(self.far)


def rank_sources(request: GatherRequest, found: GatheredPages) -> RankedSources:
    pairs = list(zip(found.answer.results, found.outcomes, strict=True))
    read = [
        RankedSource(source=_build_source_result(hit, outcome, found.now), page=outcome.page)
        for hit, outcome in pairs
        if isinstance(outcome, MeasuredPage)
    ]
    ranked = sorted(read, key=lambda row: -row.source.scores.overall)
    bar = MIN_QUERY_RELEVANCE if request.filter_by_query else 0.0
    return RankedSources(
        answer=found.answer,
        near=tuple(row for row in ranked if row.source.scores.relevance >= bar),
        far=tuple(row.source.url for row in ranked if row.source.scores.relevance < bar),
        failures=tuple(
            _build_failure_info(hit.url, outcome)
            for hit, outcome in pairs
            if isinstance(outcome, CitewellError)
        ),
    )


async def choose_source_passages(
    request: GatherRequest, ranked: RankedSources, workers: TaskRunner
) -> tuple[ChosenText, ...] | None:
    """For each source the passages to show; None if the worker could not choose them."""
    texts = tuple(
        PageText(text=row.page.content, title=row.source.title or "", language=row.page.language)
        for row in ranked.near
    )
    openings = () if request.include_sources else ranked.near
    frame = sum(  # bytes taken up by the openings and the separators
        truncation.count_utf8_bytes(_format_source_opening(row.source) + _SOURCE_SEPARATOR)
        for row in openings
    )
    limits = PassageLimits(
        max_bytes=max(0, min(4 * request.max_tokens, request.max_total_bytes) - frame),
        max_page_bytes=request.max_source_bytes,
        deduplicate=request.deduplicate,
        near_duplicates=request.near_duplicates,
    )
    try:
        return await run_function(workers, choose_passages, texts, request.query, limits)
    except TaskFailure:
        return None


def build_source_bundle(
    request: GatherRequest,
    ranked: RankedSources,
    chosen: Sequence[ChosenText] | None,
    *,
    recommend: bool,
    draw: bool,
) -> GatheredSources:
    """The complete bundle, except for `processing_time_ms`, which the caller sets.

    Without a choice of passages the sources have no text, and a note says so.
    """
    note = _UNCHOSEN_NOTE if chosen is None else None
    chosen = chosen if chosen is not None else [ChosenText(passages=())] * len(ranked.near)
    filled = tuple(
        _fill_source(row, choice, ranked.near)
        for row, choice in zip(ranked.near, chosen, strict=True)
    )
    shown_bytes = sum(truncation.count_utf8_bytes(source.content) for source in filled)
    is_partial = any(source.truncated for source in filled)
    pages, starts = combine_sources(
        [row.source.model_copy(update={"content": row.page.content}) for row in ranked.near]
    )
    sources = tuple(
        source.model_copy(
            update={"artifact_offset": starts.get(source.url) if is_partial else None}
        )
        for source in filled
    )
    if request.include_sources:  # each has its text, which is not given twice
        names = (f"{source.title or source.url} <{source.url}>" for source in sources)
        combined = "\n".join(f"{number}. {name}" for number, name in enumerate(names, 1))
    else:
        combined = combine_sources(sources)[0]
    status = "complete"
    if not ranked.read_count:
        status = "failed"
    elif ranked.failures or not ranked.near:  # some failed, or all are too far from the query
        status = "partial"
    bundle = scrape_results.SourceBundle(
        query=ranked.answer.query,
        status=status,
        source_count=len(sources),
        sources=sources if request.include_sources else (),
        combined_content=truncate_text(combined, request.max_total_bytes).text,
        scrape_failures=ranked.failures or None,
        filtered_out=ranked.far or None,
        note=note or _describe_empty_bundle(request, ranked, shown_bytes),
        hints=ranked.answer.hints,
        summary=scrape_results.PipelineSummary(
            urls_searched=ranked.read_count + len(ranked.failures),
            urls_scraped=ranked.read_count,
            urls_failed=len(ranked.failures),
            sparse_sources=sum(
                source.word_count < truncation.SPARSE_PAGE_WORDS for source in sources
            ),
            duplicate_paragraphs=sum(choice.dropped_paragraphs for choice in chosen),
            processing_time_ms=0,
        ),
        size_metadata=scrape_results.SizeMetadata(
            total_length=shown_bytes,
            whole_length=sum(truncation.count_utf8_bytes(row.page.content) for row in ranked.near),
            estimated_tokens=truncation.estimate_token_count(shown_bytes),
            size_category=truncation.classify_size(shown_bytes),
            truncated=is_partial,
        ),
        recommendations=source_quality.recommend_sources(sources) if recommend else None,
        components=source_quality.build_components(sources) if draw else None,
    )
    return GatheredSources(bundle=bundle, page_texts=pages[:MAX_PAGE_BYTES] if is_partial else None)


def _fill_source(
    row: RankedSource, choice: ChosenText, ranked: Sequence[RankedSource]
) -> scrape_results.SourceResult:
    """The source with its passages, and where they are in the page."""
    text = row.page.content
    places = [(passage.start, passage.end) for passage in choice.passages]
    copied = choice.copy_of
    return row.source.model_copy(
        update={
            "content": PASSAGE_SEPARATOR.join(text[start:end] for start, end in places),
            "passages": choice.passages,
            "page_length": len(text),
            "truncated": row.page.truncated or not choice.is_whole,
            "duplicate_of": None if copied is None else ranked[copied].source.url,
            "injection_signals": select_injection_signals(row.page, places),
        }
    )


def _build_source_result(
    hit: SearchResult, measured: MeasuredPage, now: datetime
) -> scrape_results.SourceResult:
    """The source as it is ranked; its text comes later."""
    page, figures = measured.page, measured.figures
    stands = source_classification.classify_page(page)
    own = page.published is not None
    published = page.published if own else hit.published_at
    return scrape_results.SourceResult(
        url=hit.url,
        title=measured.title or None,
        content="",
        content_type=page.content_type,
        scores=source_quality.build_quality_score(
            relevance=figures.relevance,
            freshness=source_quality.score_freshness(
                _choose_latest_date(published, page.modified, now), now=now
            ),
            authority=stands.authority,
            content=figures.content_quality,
        ),
        source_type=stands.source_type,
        source_kind=stands.kind,
        source_basis=stands.basis,
        authority_tier=source_quality.classify_authority(stands.authority),
        domain_category=stands.domain_category,
        source_reputation=hit.source_reputation,
        claim_signal=figures.claim_signal or None,
        key_sentences=figures.key_sentences or None,
        published_at=published,
        published_basis=page.published_basis if own else hit.published_basis,
        word_count=page.word_count,
        extraction_quality=page.quality,
    )


def _choose_latest_date(
    published: str | None, modified: str | None, now: datetime
) -> datetime | None:
    """The later of the two dates; dates in the future count only if there is no other."""
    read = [
        moment for moment in map(_parse_iso_moment, (published, modified)) if moment is not None
    ]
    past = [moment for moment in read if moment <= now]
    return max(past or read, default=None)


def _parse_iso_moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def combine_sources(sources: Sequence[scrape_results.SourceResult]) -> tuple[str, dict[str, int]]:
    """The texts of all sources as one, and for each address where its text begins."""
    text, starts = "", {}
    for source in sources:
        if source.content:
            text += (_SOURCE_SEPARATOR if text else "") + _format_source_opening(source)
            starts[source.url] = len(text)
            text += source.content
    return text, starts


def _format_source_opening(source: scrape_results.SourceResult) -> str:
    """The address and title before a source's text; no title if the text starts with a heading."""
    headed = source.content.startswith("# ") or not source.title
    return f"<{source.url}>\n\n" + ("" if headed else f"# {source.title}\n\n")


def _build_failure_info(url: str, error: CitewellError) -> scrape_results.ScrapeFailure:
    waits = error.retryable and error.retry_after is not None
    return scrape_results.ScrapeFailure(
        url=url,
        kind=error.kind,
        reason=error.message,
        retryable=error.retryable,
        retry_after_seconds=max(1, round(error.retry_after or 0)) if waits else None,
        suggested_action=error.suggested_action,
    )


def _describe_empty_bundle(
    request: GatherRequest, ranked: RankedSources, shown_bytes: int
) -> str | None:
    """Why the bundle has no text; None if it has some."""
    failures, far = ranked.failures, ranked.far
    if failures and not ranked.read_count:
        again = (
            "Some may work later: see retryable in scrapeFailures."
            if any(failure.retryable for failure in failures)
            else "Another query or provider may lead to pages that can be read."
        )
        return (
            f"None of the {len(failures)} {pluralize(len(failures), 'page')} could be read. {again}"
        )
    if far and not ranked.near:
        return (
            f"{pluralize(len(far), 'The page that was read has', 'All pages that were read have')} too little to do with the query (filter_by_query)."
            " Set it to false to see them."
        )
    if not ranked.read_count:
        return "The search found no pages; hints say why."
    if not shown_bytes:
        room = min(4 * request.max_tokens, request.max_total_bytes, request.max_source_bytes)
        return (
            f"No sentence of the pages fits into {room} {pluralize(room, 'byte')}. Raise max_tokens, total_max_length or"
            " max_length_per_source, or read the linked text."
        )
    return None
