"""Pages that were read become ranked sources: scored, thinned of repetition, and put into one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.errors import CitewellError
from citewell.model.page import Page
from citewell.model.scrape import (
    Bundle,
    FailureInfo,
    PipelineSummary,
    SizeMetadata,
    SourceResult,
)
from citewell.model.source import SearchAnswer, SearchResult
from citewell.services import advice, standing
from citewell.services.pages import LONGEST
from citewell.services.scrape import commands
from citewell.text import claims, quality, size, summary
from citewell.text.dedupe import deduplicate
from citewell.text.truncate import truncate

FAR = 0.3  # relevance below which filter_by_query drops a source
_JOINT = "\n\n---\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """What is wanted of search_and_scrape."""

    query: str
    count: int = 3
    include_sources: bool = True
    deduplicate: bool = True
    near_duplicates: bool = False
    per_source: int = 50_000  # bytes
    total: int = 300_000  # bytes
    filter_by_query: bool | None = None  # None: when there is a claim
    provider: str | None = None
    claim: str | None = None

    @property
    def filters(self) -> bool:
        return bool(self.claim) if self.filter_by_query is None else self.filter_by_query


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The search's answer and what became of each of its pages, in its order."""

    answer: SearchAnswer
    outcomes: tuple[Page | CitewellError, ...]
    now: datetime


def bundled(wish: Gathering, found: Found, *, recommend: bool, draw: bool) -> Bundle:
    """The whole answer but for the time it took."""
    pairs = list(zip(found.answer.results, found.outcomes, strict=True))
    failures = tuple(_failure(hit.url, one) for hit, one in pairs if isinstance(one, CitewellError))
    read = [_source(wish, hit, one, found.now) for hit, one in pairs if isinstance(one, Page)]
    ranked = sorted(read, key=lambda source: -source.scores.overall)
    bar = FAR if wish.filters else 0.0
    near = [source for source in ranked if source.scores.relevance >= bar]
    far = tuple(source.url for source in ranked if source.scores.relevance < bar)
    sources, dropped = _thinned(wish, near)
    text, truncated = combined(sources, wish.total)
    weight = size.weight(text)
    return Bundle(
        query=found.answer.query,
        status=_status(failures, read),
        source_count=len(sources),
        sources=sources if wish.include_sources else (),
        combined_content=text,
        scrape_failures=failures or None,
        filtered_out=far or None,
        note=_note(failures, read, far),
        hints=found.answer.hints,
        summary=PipelineSummary(
            urls_searched=len(pairs),
            urls_scraped=len(read),
            urls_failed=len(failures),
            sparse_sources=sum(source.word_count < size.SPARSE for source in sources),
            duplicate_paragraphs=dropped,
            processing_time_ms=0,
        ),
        size_metadata=SizeMetadata(
            total_length=weight,
            estimated_tokens=size.tokens(weight),
            size_category=size.category(weight),
            truncated=truncated or any(source.truncated for source in sources),
        ),
        recommendations=advice.recommended(sources) if recommend else None,
        components=advice.components(sources) if draw else None,
    )


def _source(wish: Gathering, hit: SearchResult, page: Page, now: datetime) -> SourceResult:
    cut = truncate(page.content, min(wish.per_source, LONGEST))
    title = page.title or hit.title
    stands = standing.of(page)
    own = page.published is not None
    published = page.published if own else hit.published_at
    signal, evidence = _evidence(wish, cut.text, page.language)
    return SourceResult(
        url=hit.url,
        title=title or None,
        content=cut.text,
        content_type=page.content_type,
        truncated=cut.truncated or page.truncated,
        scores=quality.score(
            relevance=quality.relevance(
                wish.query, title=title, content=cut.text, language=page.language
            ),
            freshness=quality.freshness(_latest(published, page.modified, now), now=now),
            authority=stands.authority,
            content=quality.content(cut.text),
        ),
        source_type=stands.source_type,
        authority_tier=quality.tier(stands.authority),
        domain_category=stands.domain_category,
        claim_signal=signal or None,
        key_sentences=evidence or None,
        published_at=published,
        published_basis=page.published_basis if own else hit.published_basis,
        word_count=page.word_count,
        extraction_quality=page.quality,
        injection_signals=commands(cut.text),
    )


def _evidence(wish: Gathering, content: str, language: str | None) -> tuple[str, tuple[str, ...]]:
    if not wish.claim:
        return "", ()
    asked = claims.claim(wish.claim, language=language)
    return claims.nearest(asked, summary.plain(content))


def _latest(published: str | None, modified: str | None, now: datetime) -> datetime | None:
    """The later of the two days, as far as it has come."""
    read = [moment for moment in map(_moment, (published, modified)) if moment is not None]
    past = [moment for moment in read if moment <= now]
    return max(past or read, default=None)


def _moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _thinned(
    wish: Gathering, sources: Sequence[SourceResult]
) -> tuple[tuple[SourceResult, ...], int]:
    """Without the paragraphs that a better source has too, and how many those were."""
    if not wish.deduplicate:
        return tuple(sources), 0
    parts = deduplicate([source.content for source in sources], near=wish.near_duplicates)
    thinned = []
    for source, part in zip(sources, parts, strict=True):
        whole = None if part.text or part.owner is None else sources[part.owner].url
        update = {"content": part.text, "duplicate_of": whole}
        thinned.append(source.model_copy(update=update) if part.dropped else source)
    return tuple(thinned), sum(part.dropped for part in parts)


def combined(sources: Sequence[SourceResult], room: int) -> tuple[str, bool]:
    """One text of them all in at most `room` bytes, shared fairly; True when something was cut."""
    parts = [(_opening(source), source.content) for source in sources if source.content]
    shown = len(parts)
    while shown and _frame(parts[:shown]) >= room:
        shown -= 1
    left = room - _frame(parts[:shown])
    granted = size.shares([size.weight(content) for _, content in parts[:shown]], left)
    cuts = [truncate(content, share) for (_, content), share in zip(parts, granted, strict=False)]
    text = _JOINT.join(
        opening + cut.text for (opening, _), cut in zip(parts, cuts, strict=False) if cut.text
    )
    return text, shown < len(parts) or any(cut.truncated for cut in cuts)


def _opening(source: SourceResult) -> str:
    """Whose text follows, under a heading unless it has its own."""
    headed = source.content.startswith("# ") or not source.title
    return f"<{source.url}>\n\n" + ("" if headed else f"# {source.title}\n\n")


def _frame(parts: Sequence[tuple[str, str]]) -> int:
    """Bytes that go to headings and rules."""
    openings = sum(size.weight(opening) for opening, _ in parts)
    return openings + size.weight(_JOINT) * max(0, len(parts) - 1)


def _failure(url: str, error: CitewellError) -> FailureInfo:
    waits = error.retryable and error.retry_after is not None
    return FailureInfo(
        url=url,
        kind=error.kind,
        reason=error.message,
        retryable=error.retryable,
        retry_after_seconds=max(1, round(error.retry_after or 0)) if waits else None,
        suggested_action=error.suggested_action,
    )


def _status(failures: Sequence[FailureInfo], read: Sequence[SourceResult]) -> str:
    if not failures:
        return "complete"
    return "partial" if read else "failed"


def _note(
    failures: Sequence[FailureInfo], read: Sequence[SourceResult], far: Sequence[str]
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
            f"All {len(far)} pages that were read are too far from the query (filter_by_query)."
            " Set it to false to see them."
        )
    if not failures and not read:
        return "The search found no pages; hints say why."
    return None
