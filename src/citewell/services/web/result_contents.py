"""Reads the pages of search results on request; a page that fails does not affect the others."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from citewell.errors import CitewellError, FailureReason, NetworkFailed
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.model.search_results import FetchStats, PageContent, SearchResult
from citewell.services.sources.source_classification import describe_page_source
from citewell.text.language import sentences
from citewell.tooling import SourceCallback

# For each address, in order, the page content or the error; reports the pages that were read.
ReadMany = Callable[
    [Sequence[str], SourceCallback], Awaitable[Sequence[PageContent | CitewellError]]
]
Clock = Callable[[], float]

SUMMARY_CHARS = 500  # characters of a summary, unless the settings say otherwise
_MARKDOWN_MARKS_PATTERN = re.compile(
    r"!?\[([^\[\]]*)\]\([^()]*\)|[*_`#>|]+|^[ \t]*[-+]\s+", re.MULTILINE
)


class _SinglePageReader(Protocol):
    async def __call__(self, url: str, *, max_length: int) -> Page: ...


async def attach_page_contents(
    results: Sequence[SearchResult],
    read_many: ReadMany,
    *,
    report: SourceCallback = lambda _: None,
    clock: Clock = time.perf_counter,
) -> tuple[tuple[SearchResult, ...], FetchStats]:
    """The results with their page content or the error that prevented it, and statistics."""
    started = clock()
    pages = await read_many([result.url for result in results], report)
    filled = tuple(
        _add_page_content(result, page) for result, page in zip(results, pages, strict=True)
    )
    good = sum(result.content is not None for result in filled)
    stats = FetchStats(
        attempted=len(filled),
        successful=good,
        failed=len(filled) - good,
        total_time_ms=round(1000 * (clock() - started)),
    )
    return filled, stats


def build_page_batch_reader(
    read: _SinglePageReader,
    *,
    max_length: int,
    concurrency: int,
    timeout: float,
    summary_chars: int = SUMMARY_CHARS,
    clock: Clock = time.perf_counter,
) -> ReadMany:
    """A batch reader from a single-page reader: `concurrency` at a time, with a timeout for each page.

    Without `summary_chars` pages have no summary.
    """

    async def one(
        url: str, report: SourceCallback, gate: asyncio.Semaphore
    ) -> PageContent | CitewellError:
        async with gate:
            started = clock()
            try:
                async with asyncio.timeout(timeout):
                    page = await read(url, max_length=max_length)
            except CitewellError as error:
                return error
            except TimeoutError:
                said = f"The page was not read within {timeout:g} {pluralize(timeout, 'second')}."
                return NetworkFailed(said, reason=FailureReason.TIMEOUT)
            report([describe_page_source(url, page)])
            return _build_page_content(
                page,
                milliseconds=round(1000 * (clock() - started)),
                summary_chars=summary_chars,
            )

    async def many(
        addresses: Sequence[str], report: SourceCallback
    ) -> Sequence[PageContent | CitewellError]:
        gate = asyncio.Semaphore(concurrency)
        return await asyncio.gather(*(one(url, report, gate) for url in addresses))

    return many


def _add_page_content(result: SearchResult, page: PageContent | CitewellError) -> SearchResult:
    if isinstance(page, CitewellError):
        return result.model_copy(update={"content_error": f"{page.kind}: {page.message}"})
    return result.model_copy(update={"content": page})


def _build_page_content(page: Page, *, milliseconds: int, summary_chars: int) -> PageContent:
    return PageContent(
        markdown=page.content,
        word_count=page.word_count or len(page.content.split()),
        fetch_time_ms=milliseconds,
        truncated=page.truncated or None,
        summary=_summarize_opening(page.content, summary_chars) if summary_chars else None,
    )


def _summarize_opening(markdown: str, max_chars: int) -> str:
    """The first sentences as plain text, without headings and markdown marks."""
    prose = [line for line in markdown.splitlines() if line.strip() and not line.startswith("#")]
    text = " ".join(_MARKDOWN_MARKS_PATTERN.sub(r"\1", "\n".join(prose[:40])).split())
    summary = ""
    for sentence in sentences.split_sentences(text[: 4 * max_chars]):
        if summary and len(summary) + len(sentence) >= max_chars:
            break
        summary = f"{summary} {sentence}".strip()
    return summary if len(summary) <= max_chars else summary[: max_chars - 1].rstrip() + "…"
