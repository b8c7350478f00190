"""Turns the pages a search led to into scored, deduplicated sources and one combined text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from citewell.errors import CitewellError
from citewell.fetch import page_errors
from citewell.model.argument_types import ClaimText, OptionalName, QueryText
from citewell.model.page import MAX_PAGE_BYTES, Page
from citewell.model.scrape_results import (
    PipelineSummary,
    ScrapeFailure,
    SizeMetadata,
    SourceBundle,
    SourceResult,
)
from citewell.model.search_results import SearchAnswer, SearchResult
from citewell.services.reading import source_advice
from citewell.services.reading.page_scrape import select_injection_signals
from citewell.services.reading.source_figures import SourceFigures, measure_source_text
from citewell.services.sources import source_classification
from citewell.text import text_size
from citewell.text.evidence import source_quality
from citewell.text.evidence.repeated_paragraphs import drop_repeated_paragraphs
from citewell.text.truncation import TruncatedText, truncate_text
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, run_function

MIN_QUERY_RELEVANCE = 0.3  # filter_by_query drops sources with a lower relevance
_SOURCE_SEPARATOR = "\n\n---\n\n"


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """A search whose pages are read; the arguments of search_and_scrape."""

    query: QueryText
    source_count: Annotated[int, Field(ge=1, le=10, validation_alias="num_results")] = 3
    include_sources: Annotated[bool, Field(description="false: the combined text only.")] = True
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
    """A page with its text cut to the length asked for, and the figures of that text."""

    page: Page
    cut: TruncatedText
    title: str
    figures: SourceFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredPages:
    """A search answer and, for each result in order, the page that was read or the error."""

    answer: SearchAnswer
    outcomes: tuple[MeasuredPage | CitewellError, ...]
    now: datetime


async def measure_gathered_page(
    wish: GatherRequest, hit: SearchResult, page: Page, workers: TaskRunner
) -> MeasuredPage | CitewellError:
    """The page with its figures, which a worker finds; the error if it could not."""
    cut = truncate_text(page.content, min(wish.max_source_bytes, MAX_PAGE_BYTES))
    title = page.title or hit.title
    try:
        figures = await run_function(
            workers, measure_source_text, cut.text, wish.query, title, wish.claim, page.language
        )
    except TaskFailure as failure:
        return page_errors.build_failure_error(page.url, failure.message)
    return MeasuredPage(page=page, cut=cut, title=title, figures=figures)


def build_source_bundle(
    wish: GatherRequest, found: GatheredPages, *, recommend: bool, draw: bool
) -> SourceBundle:
    """The complete bundle, except for `processing_time_ms`, which the caller sets."""
    pairs = list(zip(found.answer.results, found.outcomes, strict=True))
    failures = tuple(
        _build_failure_info(hit.url, one) for hit, one in pairs if isinstance(one, CitewellError)
    )
    read = [
        _build_source_result(hit, one, found.now)
        for hit, one in pairs
        if isinstance(one, MeasuredPage)
    ]
    ranked = sorted(read, key=lambda source: -source.scores.overall)
    bar = MIN_QUERY_RELEVANCE if wish.filter_by_query else 0.0
    near = [source for source in ranked if source.scores.relevance >= bar]
    far = tuple(source.url for source in ranked if source.scores.relevance < bar)
    sources, dropped = _drop_repeated_paragraphs(wish, near)
    text, truncated = combine_sources(sources, wish.max_total_bytes)
    weight = text_size.count_utf8_bytes(text)
    return SourceBundle(
        query=found.answer.query,
        status=_describe_bundle_status(failures, read, near),
        source_count=len(sources),
        sources=sources if wish.include_sources else (),
        combined_content=text,
        scrape_failures=failures or None,
        filtered_out=far or None,
        note=_describe_empty_bundle(failures, read, far),
        hints=found.answer.hints,
        summary=PipelineSummary(
            urls_searched=len(pairs),
            urls_scraped=len(read),
            urls_failed=len(failures),
            sparse_sources=sum(
                source.word_count < text_size.SPARSE_PAGE_WORDS for source in sources
            ),
            duplicate_paragraphs=dropped,
            processing_time_ms=0,
        ),
        size_metadata=SizeMetadata(
            total_length=weight,
            estimated_tokens=text_size.estimate_token_count(weight),
            size_category=text_size.classify_size(weight),
            truncated=truncated or any(source.truncated for source in sources),
        ),
        recommendations=source_advice.recommend_sources(sources) if recommend else None,
        components=source_advice.build_components(sources) if draw else None,
    )


def _build_source_result(hit: SearchResult, measured: MeasuredPage, now: datetime) -> SourceResult:
    page, cut, figures = measured.page, measured.cut, measured.figures
    stands = source_classification.classify_page(page)
    own = page.published is not None
    published = page.published if own else hit.published_at
    return SourceResult(
        url=hit.url,
        title=measured.title or None,
        content=cut.text,
        content_type=page.content_type,
        truncated=cut.truncated or page.truncated,
        scores=source_quality.build_quality_score(
            relevance=figures.relevance,
            freshness=source_quality.score_freshness(
                _choose_latest_date(published, page.modified, now), now=now
            ),
            authority=stands.authority,
            content=figures.content_quality,
        ),
        source_type=stands.source_type,
        authority_tier=source_quality.classify_authority(stands.authority),
        domain_category=stands.domain_category,
        source_reputation=hit.source_reputation,
        claim_signal=figures.claim_signal or None,
        key_sentences=figures.key_sentences or None,
        published_at=published,
        published_basis=page.published_basis if own else hit.published_basis,
        word_count=page.word_count,
        extraction_quality=page.quality,
        injection_signals=select_injection_signals(page, cut.text),
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


def _drop_repeated_paragraphs(
    wish: GatherRequest, sources: Sequence[SourceResult]
) -> tuple[tuple[SourceResult, ...], int]:
    """The sources without paragraphs that a better-ranked source repeats, and the number dropped."""
    if not wish.deduplicate:
        return tuple(sources), 0
    parts = drop_repeated_paragraphs(
        [source.content for source in sources], drop_similar=wish.near_duplicates
    )
    thinned = []
    for source, part in zip(sources, parts, strict=True):
        whole = None if part.text or part.main_owner is None else sources[part.main_owner].url
        update = {"content": part.text, "duplicate_of": whole}
        thinned.append(source.model_copy(update=update) if part.dropped_paragraphs else source)
    return tuple(thinned), sum(part.dropped_paragraphs for part in parts)


def combine_sources(sources: Sequence[SourceResult], max_bytes: int) -> tuple[str, bool]:
    """All sources as one text of at most `max_bytes`, shared fairly; True if something was cut."""
    parts = [
        (_format_source_opening(source), source.content) for source in sources if source.content
    ]
    shown = len(parts)
    while shown and _count_frame_bytes(parts[:shown]) >= max_bytes:
        shown -= 1
    left = max_bytes - _count_frame_bytes(parts[:shown])
    granted = text_size.split_byte_limit(
        [text_size.count_utf8_bytes(content) for _, content in parts[:shown]], left
    )
    cuts = [
        truncate_text(content, share) for (_, content), share in zip(parts, granted, strict=False)
    ]
    text = _SOURCE_SEPARATOR.join(
        opening + cut.text for (opening, _), cut in zip(parts, cuts, strict=False) if cut.text
    )
    return text, shown < len(parts) or any(cut.truncated for cut in cuts)


def _format_source_opening(source: SourceResult) -> str:
    """The address and title before a source's text; no title if the text starts with a heading."""
    headed = source.content.startswith("# ") or not source.title
    return f"<{source.url}>\n\n" + ("" if headed else f"# {source.title}\n\n")


def _count_frame_bytes(parts: Sequence[tuple[str, str]]) -> int:
    """Bytes taken up by the openings and the separators."""
    openings = sum(text_size.count_utf8_bytes(opening) for opening, _ in parts)
    return openings + text_size.count_utf8_bytes(_SOURCE_SEPARATOR) * max(0, len(parts) - 1)


def _build_failure_info(url: str, error: CitewellError) -> ScrapeFailure:
    waits = error.retryable and error.retry_after is not None
    return ScrapeFailure(
        url=url,
        kind=error.kind,
        reason=error.message,
        retryable=error.retryable,
        retry_after_seconds=max(1, round(error.retry_after or 0)) if waits else None,
        suggested_action=error.suggested_action,
    )


def _describe_bundle_status(
    failures: Sequence[ScrapeFailure], read: Sequence[SourceResult], kept: Sequence[SourceResult]
) -> str:
    """`failed` without any page, `partial` if some failed or all are too far from the query."""
    if not read:
        return "failed"
    return "partial" if failures or not kept else "complete"


def _describe_empty_bundle(
    failures: Sequence[ScrapeFailure], read: Sequence[SourceResult], far: Sequence[str]
) -> str | None:
    if failures and not read:
        again = (
            "Some may work later: see retryable in scrapeFailures."
            if any(failure.retryable for failure in failures)
            else "Another query or provider may lead to pages that can be read."
        )
        return f"None of the {len(failures)} pages could be read. {again}"
    if far and len(far) == len(read):
        return (
            f"All {len(far)} pages that were read have too little to do with the query (filter_by_query)."
            " Set it to false to see them."
        )
    if not failures and not read:
        return "The search found no pages; hints say why."
    return None
