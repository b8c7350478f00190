"""The pages behind the results, read on request; one page's failure spares the others."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from citewell.errors import CitewellError, NetworkFailed
from citewell.model.source import FetchStats, PageContent, SearchResult
from citewell.text import sentences

# One entry for each address, in order: what was read, or why not.
ReadMany = Callable[[Sequence[str]], Awaitable[Sequence[PageContent | CitewellError]]]
Clock = Callable[[], float]

_SUMMARY = 500  # characters
_MARKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`#>|]+|^\s*[-+]\s+", re.MULTILINE)


class _Page(Protocol):
    @property
    def content(self) -> str: ...

    @property
    def word_count(self) -> int: ...


class _Read(Protocol):
    async def __call__(self, url: str, *, max_length: int) -> _Page: ...


async def attached(
    results: Sequence[SearchResult], read_many: ReadMany, *, clock: Clock = time.perf_counter
) -> tuple[tuple[SearchResult, ...], FetchStats]:
    """The results with their pages' content, or each with the reason why it has none."""
    started = clock()
    pages = await read_many([result.url for result in results])
    filled = tuple(_filled(result, page) for result, page in zip(results, pages, strict=True))
    good = sum(result.content is not None for result in filled)
    stats = FetchStats(
        attempted=len(filled),
        successful=good,
        failed=len(filled) - good,
        total_time_ms=round(1000 * (clock() - started)),
    )
    return filled, stats


def reading(
    read: _Read,
    *,
    max_length: int,
    at_once: int,
    timeout: float,
    clock: Clock = time.perf_counter,
) -> ReadMany:
    """A reader of many pages from a reader of one: a few at a time, each with its own deadline."""

    async def one(url: str, gate: asyncio.Semaphore) -> PageContent | CitewellError:
        async with gate:
            started = clock()
            try:
                async with asyncio.timeout(timeout):
                    page = await read(url, max_length=max_length)
            except CitewellError as error:
                return error
            except TimeoutError:
                return NetworkFailed(f"The page was not read within {timeout:g} seconds.")
            return _content(page, milliseconds=round(1000 * (clock() - started)))

    async def many(addresses: Sequence[str]) -> Sequence[PageContent | CitewellError]:
        gate = asyncio.Semaphore(at_once)
        return await asyncio.gather(*(one(url, gate) for url in addresses))

    return many


def _filled(result: SearchResult, page: PageContent | CitewellError) -> SearchResult:
    if isinstance(page, CitewellError):
        return result.model_copy(update={"content_error": f"{page.kind}: {page.message}"})
    return result.model_copy(update={"content": page})


def _content(page: _Page, *, milliseconds: int) -> PageContent:
    return PageContent(
        markdown=page.content,
        word_count=page.word_count or len(page.content.split()),
        fetch_time_ms=milliseconds,
        summary=_summary(page.content),
    )


def _summary(markdown: str) -> str:
    """The opening sentences as plain text; headings and list marks are not sentences."""
    prose = [line for line in markdown.splitlines() if line.strip() and not line.startswith("#")]
    text = " ".join(_MARKS.sub(r"\1", "\n".join(prose[:40])).split())
    summary = ""
    for sentence in sentences.split(text[: 4 * _SUMMARY]):
        if summary and len(summary) + len(sentence) >= _SUMMARY:
            break
        summary = f"{summary} {sentence}".strip()
    return summary if len(summary) <= _SUMMARY else summary[: _SUMMARY - 1].rstrip() + "…"
