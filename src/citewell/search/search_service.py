"""The web search service: asks the configured providers and reports how the answer came about."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, FailureReason, InvalidInput, NetworkFailed
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import SEARXNG_PROFILE, CoreSettings
from citewell.core.tooling import ProgressCallback, SourceCallback
from citewell.core.values.counted_words import pluralize
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchFilter
from citewell.core.values.search_results import (
    EmptySearchHints,
    FetchStats,
    PageContent,
    SearchAnswer,
    SearchMetadata,
    SearchResult,
)
from citewell.evidence.signs import nearest_sentences
from citewell.reading.settings import ReadingSettings
from citewell.routing.ports import FindPause, Offer, ProviderPause
from citewell.routing.provider_catalogue import ProviderCatalogue, ProviderChain, SearchRouter
from citewell.search import result_filters, search_hints
from citewell.search.lenses import LensCatalogue, SearchLens
from citewell.search.ranked_results import build_search_results, read_claim_signals
from citewell.search.search_request import SearchRequest, build_search_query, normalize_request
from citewell.search.search_rounds import SearchHarvest, SearchRounds
from citewell.search.settings import SearchSettings
from citewell.text.language import sentences

if TYPE_CHECKING:
    from citewell.core.values.page import Page

# For each address, in order, the page content or the error; reports the pages that were read.
ReadMany = Callable[
    [Sequence[str], SourceCallback], Awaitable[Sequence[PageContent | CitewellError]]
]
Clock = Callable[[], float]

SUMMARY_CHARS = 500  # characters of a summary, unless the settings say otherwise
_MARKDOWN_MARKS_PATTERN = re.compile(
    r"!?\[([^\[\]]*)\]\([^()]*\)|[*_`#>|]+|^[ \t]*[-+]\s+", re.MULTILINE
)

__all__ = ["SearchRequest"]


def _get_utc_now() -> datetime:
    return datetime.now(UTC)


def _find_no_pause(_provider: str) -> ProviderPause | None:
    return None


class WebSearchService:
    """Searches one provider or several; every failure is reported in the answer or raised."""

    def __init__(
        self,
        *,
        settings: Settings,
        catalogue: ProviderCatalogue,
        lenses: LensCatalogue | None = None,
        reader: ReadMany | None = None,
        find_pause: FindPause = _find_no_pause,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = _get_utc_now,
    ) -> None:
        search_settings = settings[SearchSettings]
        self._catalogue = catalogue
        self._lenses = lenses or LensCatalogue(search_settings.custom_lenses_path)
        self._reader = reader
        self._clock = clock
        self._max_results = search_settings.search_max_results
        self.follows_searxng = settings[CoreSettings].profile == SEARXNG_PROFILE
        self.router = SearchRouter(settings, catalogue)
        self._rounds = SearchRounds(
            settings, catalogue, list_able=self._list_web_providers, find_pause=find_pause, now=now
        )

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        settings = kit.settings
        search_settings = settings[SearchSettings]

        def read_page(url: str, *, max_length: int) -> Awaitable[Page]:
            # The reader is built by the first search that reads a page: most read none.
            return kit.require_page_reader().read_page(url, max_length=max_length)

        reader = build_page_batch_reader(
            read_page,
            max_length=search_settings.search_page_chars,
            concurrency=settings[ReadingSettings].max_page_concurrency,
            timeout=search_settings.search_page_timeout,
            summary_chars=search_settings.search_summary_chars,
        )
        return cls(
            settings=settings,
            catalogue=kit.catalogue,
            lenses=kit.lenses,
            reader=reader,
            find_pause=kit.find_pause,
        )

    def check_result_count(self, count: int) -> None:
        """Raise InvalidInput for more results than the settings allow one call to ask for."""
        if self._max_results is not None and count > self._max_results:
            raise InvalidInput(
                f"num_results (results_count) is at most {self._max_results} on this server."
            )

    async def search_web_pages(
        self,
        request: SearchRequest,
        *,
        trace: RoutingTrace,
        progress: ProgressCallback | None = None,
        report: SourceCallback = lambda _: None,
    ) -> SearchAnswer:
        """Results, or hints why there are none; raises if no provider could answer."""
        started = self._clock()
        asked = normalize_request(request)
        if asked.fetch_content and self._reader is None:
            raise InvalidInput("fetch_content is not available here; read the links one by one.")
        lens = self._lenses.resolve_lens(asked.lens) if asked.lens else None
        harvest = await self._search_providers(asked, lens, trace)
        found = build_search_results(
            harvest.fuse_replies()[: asked.count],
            claim=_build_claim_terms(asked),
            own_scores=len(harvest.replies) == 1,
        )
        report(hit.to_source() for hit in found)
        stats = None
        if asked.fetch_content and found and self._reader:
            if progress is not None:
                await progress(0, len(found), "reading the pages")
            found, stats = await attach_page_contents(
                found, self._reader, report=report, clock=self._clock
            )
            if claim := _build_claim_terms(asked):
                found = await asyncio.to_thread(read_claim_signals, found, claim)
        milliseconds = round(1000 * (self._clock() - started))
        return self._build_search_answer(
            asked, harvest, found, stats=stats, milliseconds=milliseconds
        )

    def _search_providers(
        self, request: SearchRequest, lens: SearchLens | None, trace: RoutingTrace
    ) -> Awaitable[SearchHarvest]:
        query = build_search_query(request)
        name = request.provider or (lens.required_provider if lens else None)
        if name:
            # Web if the provider does not offer news, which the filter report mentions.
            has_news = (
                query.category == "news"
                and name in self._catalogue.list_provider_names()
                and Offer.NEWS in self._catalogue.find_spec(name).offers
            )
            offer = Offer.NEWS if has_news else Offer.WEB
            return self._rounds.search_named_provider(name, offer, query, lens=lens, trace=trace)
        chain = self._choose_category_chain(request)
        return self._rounds.search_chain(chain, query, lens=lens, trace=trace)

    def _choose_category_chain(self, request: SearchRequest) -> ProviderChain:
        """The web chain with providers that support the category first."""
        web = self.router.require_chain(Offer.WEB)
        if request.category == "general":
            return web
        if request.category == "news":
            able = self.router.find_chain(Offer.NEWS).main
        else:
            able = tuple(
                name
                for name in web.main
                if SearchFilter.CATEGORY in self._catalogue.find_spec(name).filters
            )
        return ProviderChain(main=tuple(dict.fromkeys((*able, *web.main))), spare=web.spare)

    def _list_web_providers(self) -> tuple[str, ...]:
        chain = self.router.find_chain(Offer.WEB)
        return (*chain.main, *chain.spare)

    def _build_search_answer(
        self,
        request: SearchRequest,
        harvest: SearchHarvest,
        found: tuple[SearchResult, ...],
        *,
        stats: FetchStats | None,
        milliseconds: int,
    ) -> SearchAnswer:
        limit = max(reply.max_results for reply in harvest.replies)
        rows = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
        return SearchAnswer(
            urls=tuple(result.url for result in found),
            query=request.query,
            result_count=len(found),
            results=found,
            hints=None if found else self._explain_empty_harvest(request, harvest),
            requested_num_results=request.count if request.count > limit else None,
            filters=rows or None,
            notes=_collect_answer_notes(request, harvest, limit) or None,
            metadata=_build_search_metadata(
                request, harvest, found, stats=stats, milliseconds=milliseconds
            ),
        )

    def _explain_empty_harvest(
        self, request: SearchRequest, harvest: SearchHarvest
    ) -> EmptySearchHints:
        others = self._rounds.list_healthy_providers(but=harvest.list_attempted_providers())
        return search_hints.explain_empty_answer(request, harvest, others=others)


def _build_claim_terms(request: SearchRequest) -> nearest_sentences.ClaimTerms | None:
    if not request.claim:
        return None
    return nearest_sentences.build_claim_terms(request.claim, language=request.language)


def _collect_answer_notes(
    request: SearchRequest, harvest: SearchHarvest, limit: int
) -> tuple[str, ...]:
    notes = [note for reply in harvest.replies for note in reply.notes] + harvest.notes
    if request.count > limit:
        notes.append(f"{limit} results are the maximum that the provider can return.")
    return tuple(dict.fromkeys(notes))


def _build_search_metadata(
    request: SearchRequest,
    harvest: SearchHarvest,
    found: tuple[SearchResult, ...],
    *,
    stats: FetchStats | None,
    milliseconds: int,
) -> SearchMetadata:
    replies = [reply for reply in harvest.replies if reply.hits] or harvest.replies
    engines = [engine for reply in replies for engine in reply.engines or (reply.provider,)]
    instance = next((reply.instance for reply in replies if reply.instance), None)
    asked = dict.fromkeys(url for reply in harvest.replies for url in reply.instances_asked)
    return SearchMetadata(
        query=request.query,
        category=request.category,
        language=request.language,
        results_count=len(found),
        fetch_content=request.fetch_content,
        search_time_ms=milliseconds,
        instance_used=instance,
        attempted_instances=tuple(asked) if set(asked) - {instance} else None,
        engines_used=tuple(dict.fromkeys(engines)),
        total_results=replies[0].total,
        content_fetch_stats=stats,
    )


# Reads the pages of search results on request; a page that fails does not affect the others.


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
    read: Callable[..., Awaitable[Page]],
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

    async def read_result(
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
                message = (
                    f"The page was not read within {timeout:g} {pluralize(timeout, 'second')}."
                )
                return NetworkFailed(message, reason=FailureReason.TIMEOUT)
            from citewell.reading.source_classification import describe_page_source

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
        return await asyncio.gather(*(read_result(url, report, gate) for url in addresses))

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
