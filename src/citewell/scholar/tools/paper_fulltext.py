"""Read the full text of a paper from its best free copy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field

from citewell.core.errors import (
    CitewellError,
    FailureReason,
    NetworkFailed,
    NotFound,
    RefusedByPolicy,
    UpstreamError,
)
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.core.tooling import ProgressCallback, SessionArguments, Tool, ToolCall
from citewell.core.values.argument_types import check_declared_bounds
from citewell.core.values.page import Page
from citewell.core.values.paper import IdentifierScheme, OpenCopy, Paper, PaperId
from citewell.core.values.paper_results import FullTextAnswer
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.scrape_results import RetractionStatus
from citewell.reading import page_works, source_classification
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.reading.pages.page_scrape import select_injection_signals
from citewell.routing.provider_failures import drop_provider_advice
from citewell.scholar import free_copies, work_resolution
from citewell.scholar.work_resolution import ResolvedWork, WorkResolver
from citewell.text import truncation
from citewell.text.addresses import build_page_key, extract_host, is_web_address
from citewell.text.safety.text_cleaning import clean_markup
from citewell.text.truncation import truncate_text

if TYPE_CHECKING:
    from citewell.trust.retraction_checks import RetractionChecker


logger = logging.getLogger(__name__)

_COPY_TIMEOUT_SECONDS = 40.0  # seconds for one copy
_RETRACTION_TIMEOUT_SECONDS = 5.0  # seconds for the retraction lookup
_ANSWER_RESERVE_SECONDS = 10.0  # of the tool's time, left for the answer after reading copies


@dataclass(frozen=True, kw_only=True)
class FullTextRequest:
    """A paper to read; the arguments of paper_fulltext."""

    identifier: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2048,
            description="DOI, arXiv id, PMID, PMCID, Semantic Scholar id, address or exact title.",
        ),
    ]
    max_length: Annotated[int, Field(ge=1000, le=200_000, description="Bytes.")] = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _GenuineCopy:
    page: Page
    copy: OpenCopy


@dataclass(slots=True)
class _CopyAttempts:
    """The copies that were tried without success, and why."""

    failures: list[str] = field(default_factory=list)
    errors: list[CitewellError] = field(default_factory=list)
    tried_keys: set[str] = field(default_factory=set)

    def record_copy_failure(self, copy: OpenCopy, why: str) -> None:
        self.failures.append(f"{copy.source or 'unknown'} ({extract_host(copy.url)}): {why}")


class FullTextReader:
    def __init__(
        self,
        *,
        subjects: WorkResolver,
        candidates: free_copies.CopyCandidates,
        pages: CachedPageReader,
        weigh: work_resolution.NoticeWeigher,
        retractions: RetractionChecker | None = None,
        deadline: float = 90.0,
    ) -> None:
        """`deadline` is the time for reading all copies together, in seconds."""
        self._subjects = subjects
        self._candidates = candidates
        self._pages = pages
        self._weigh = weigh
        self._retractions = retractions
        self._deadline = deadline

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.scholar.registry_records import WorkRecords

        checker = kit.require_retraction_checker()
        return cls(
            subjects=WorkResolver(kit.require_service(WorkRecords)),
            candidates=kit.require_service(free_copies.CopyCandidates),
            pages=kit.require_service(CachedPageReader),
            weigh=checker.weigh_notices,
            retractions=checker,
            deadline=kit.settings[CoreSettings].long_tool_timeout - _ANSWER_RESERVE_SECONDS,
        )

    async def read_full_text(
        self,
        request: FullTextRequest,
        *,
        trace: RoutingTrace,
        tenant: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> FullTextAnswer:
        """The full text, or the abstract marked as such if no free copy can be read.

        Raises NotFound or the upstream's error if there is no abstract either.
        """
        check_declared_bounds(request)
        subject = await self._subjects.resolve_work(request.identifier, tenant=tenant)
        located = await self._candidates.locate_copies(
            subject.paper, subject.ids, given_url=subject.address
        )
        tries = _CopyAttempts()
        try:
            async with asyncio.timeout(self._deadline):
                text, located = await self._find_genuine_copy(
                    located, subject, tries, tenant, progress
                )
        except TimeoutError:
            text = None
            tries.errors.append(
                NetworkFailed("Reading the copies took too long.", reason=FailureReason.TIMEOUT)
            )
        paper = located.paper
        if text is None:
            return await self._answer_with_abstract(request, subject, paper, tries)
        if text.copy.source != free_copies.GIVEN_SOURCE:
            trace.record_attempt(text.copy.source)
            trace.record_success(text.copy.source)
        # Searching a long text takes a while and must not block the event loop.
        answer = await asyncio.to_thread(_build_full_text_answer, request, paper, text)
        return await self._complete_full_text(answer, subject, paper, tries)

    async def _find_genuine_copy(
        self,
        located: free_copies.LocatedWork,
        subject: ResolvedWork,
        tries: _CopyAttempts,
        tenant: str | None,
        progress: ProgressCallback | None,
    ) -> tuple[_GenuineCopy | None, free_copies.LocatedWork]:
        """The first copy that contains the paper, and the work as far as it was identified meanwhile."""
        queue = list(located.copies)
        while queue:
            copy = queue.pop(0)
            if build_page_key(copy.url) in tries.tried_keys:
                continue
            tries.tried_keys.add(build_page_key(copy.url))
            if progress is not None:
                await progress(
                    len(tries.tried_keys), None, f"reading the copy at {extract_host(copy.url)}"
                )
            page = await self._fetch_copy_page(copy, tries, tenant)
            if page is None:
                continue
            title = located.paper.title if located.paper else ""
            fault = free_copies.find_full_text_fault(page, title)
            if fault is None:
                return _GenuineCopy(page=page, copy=copy), located
            tries.record_copy_failure(copy, fault)
            if copy.source == free_copies.GIVEN_SOURCE and located.paper is None:
                located = await self._locate_landing_work(page, subject, tenant)
                queue = [*located.copies, *queue]
            queue = [*_find_declared_pdf(page, copy, title), *queue]
        return None, located

    async def _fetch_copy_page(
        self, copy: OpenCopy, tries: _CopyAttempts, tenant: str | None
    ) -> Page | None:
        try:
            async with asyncio.timeout(_COPY_TIMEOUT_SECONDS):
                return (await self._pages.load_page(copy.url, tenant=tenant)).page
        except RefusedByPolicy as error:
            if copy.source == free_copies.GIVEN_SOURCE:
                raise  # our policy forbids the address that the caller asked for
            tries.record_copy_failure(copy, error.kind)
        except CitewellError as error:
            tries.record_copy_failure(copy, error.kind)
            tries.errors.append(error)
        except TimeoutError:
            tries.record_copy_failure(copy, "reading it took too long")
            tries.errors.append(
                NetworkFailed("Reading a copy took too long.", reason=FailureReason.TIMEOUT)
            )
        return None

    async def _locate_landing_work(
        self, page: Page, subject: ResolvedWork, tenant: str | None
    ) -> free_copies.LocatedWork:
        """The work and copies of the paper whose landing page the given address is."""
        claimed = source_classification.list_claimed_dois(page)
        doi = claimed[0] if claimed else page_works.find_likely_doi(page)
        if doi is None:
            return free_copies.LocatedWork(paper=None, copies=())
        paper_id = PaperId(scheme=IdentifierScheme.DOI, value=doi)
        paper = await self._subjects.look_up_registered(paper_id, tenant=tenant)
        if not page_works.is_page_work(page, paper, is_claimed=bool(claimed)):
            return free_copies.LocatedWork(paper=None, copies=())
        return await self._candidates.locate_copies(paper, (paper_id, *subject.ids))

    async def _answer_with_abstract(
        self,
        request: FullTextRequest,
        subject: ResolvedWork,
        paper: Paper | None,
        tries: _CopyAttempts,
    ) -> FullTextAnswer:
        """An answer with the abstract, marked as such; raises if there is none."""
        abstract = clean_markup(paper.abstract) if paper else ""
        if paper is None or not abstract:
            raise _build_no_copy_error(request.identifier, tries)
        text = truncate_text(abstract, request.max_length)
        answer = FullTextAnswer(
            **_describe_requested_work(request, paper),
            url=work_resolution.choose_work_address(paper),
            content=text.text,
            is_full_text=False,
            source=paper.provenance.get("abstract", paper.source),
            content_length=truncation.count_utf8_bytes(text.text),
            truncated=text.truncated,
            notes=("No free copy could be read: this is the abstract only, not the paper.",),
        )
        return await self._complete_full_text(answer, subject, paper, tries)

    async def _complete_full_text(
        self,
        answer: FullTextAnswer,
        subject: ResolvedWork,
        paper: Paper | None,
        tries: _CopyAttempts,
    ) -> FullTextAnswer:
        notes = (*(answer.notes or ()), *subject.notes)
        return answer.model_copy(
            update={
                "retraction_status": await self._look_up_retraction(answer.doi, paper),
                "tried": tuple(tries.failures) or None,
                "notes": notes or None,
            }
        )

    async def _look_up_retraction(
        self, doi: str | None, paper: Paper | None
    ) -> RetractionStatus | None:
        known = self._weigh(paper.events) if paper else None
        if doi is None or self._retractions is None:
            return known
        try:
            async with asyncio.timeout(_RETRACTION_TIMEOUT_SECONDS):
                return await self._retractions.find_retraction_status(doi, paper=paper)
        except (CitewellError, TimeoutError) as error:
            logger.info("the retraction lookup of a work failed: %s", type(error).__name__)
        return known


def _find_declared_pdf(page: Page, copy: OpenCopy, title: str) -> Iterable[OpenCopy]:
    """The PDF that a landing page declares, if the page is about this paper."""
    declared = page.structured.citation if page.structured else None
    address = (declared or {}).get("citation_pdf_url", "")
    if not is_web_address(address) or (title and not free_copies.has_own_title(page, title)):
        return ()
    return (
        OpenCopy(url=address, pdf=True, version=copy.version, host=copy.host, source=copy.source),
    )


def _build_no_copy_error(identifier: str, tries: _CopyAttempts) -> CitewellError:
    """A retryable error if one occurred, else NotFound or the upstream's error.

    No other provider is suggested: all that list copies were asked.
    """
    what = f"No free full text of {identifier[:200]!r} could be read."
    tried = (
        f" Tried: {'; '.join(tries.failures)}."
        if tries.failures
        else " No provider lists a free copy."
    )
    passing = [error for error in tries.errors if isinstance(error, UpstreamError)]
    retryable = next((error for error in passing if error.retryable), None)
    if retryable is not None:
        again = type(retryable)(
            what + tried, retry_after=retryable.retry_after, reason=retryable.reason
        )
        return drop_provider_advice(again)
    if passing and len(passing) == len(tries.failures):
        return drop_provider_advice(type(passing[0])(what + tried, reason=passing[0].reason))
    return NotFound(what + tried)


def _describe_requested_work(request: FullTextRequest, paper: Paper | None) -> dict[str, object]:
    if paper is None:
        return {"identifier": request.identifier}
    return {
        "identifier": request.identifier,
        "title": clean_markup(paper.title) or None,
        "doi": paper.doi,
        "authors": work_resolution.list_author_names(paper),
        "journal": paper.venue,
        "year": paper.year,
        "ids": work_resolution.list_other_identifiers(paper),
    }


def _build_full_text_answer(
    request: FullTextRequest, paper: Paper | None, text: _GenuineCopy
) -> FullTextAnswer:
    page, copy = text.page, text.copy
    cut = truncate_text(page.content, request.max_length)
    described = _describe_requested_work(request, paper)
    if paper is None:
        claimed = source_classification.list_claimed_dois(page)
        described |= {"title": page.title or None, "doi": claimed[0] if claimed else None}
    notes = (
        () if paper else ("No registry record was found; only the text's structure was checked.",)
    )
    return FullTextAnswer(
        **described,
        url=page.final_url,
        content=cut.text,
        is_full_text=True,
        version=free_copies.detect_copy_version(copy),
        license=copy.license,
        source=copy.source,
        host_type=copy.host,
        content_type=page.content_type,
        content_length=truncation.count_utf8_bytes(cut.text),
        original_length=truncation.count_utf8_bytes(page.content) if cut.truncated else None,
        truncated=cut.truncated or page.truncated,
        page_count=page.page_count,
        word_count=page.word_count,
        injection_signals=select_injection_signals(page, [(0, cut.kept_chars)]),
        notes=notes or None,
    )


class Args(SessionArguments, FullTextRequest):
    """Read a paper's full text from its best free copy (publisher, repository or preprint), with version and licence. Says so when only the abstract could be had (isFullText false). To find papers use academic_search; for other pages, scrape_page."""


async def run(args: Args, call: ToolCall) -> FullTextAnswer:
    answer = await call.require_service(FullTextReader).read_full_text(
        args.build_request(FullTextRequest),
        trace=call.trace,
        tenant=call.owner.tenant,
        progress=call.report_progress,
    )
    call.report_sources([answer.to_source()])
    return answer


TOOL = Tool(
    args=Args,
    result=FullTextAnswer,
    run=run,
    toolset="scholar",
    title="Paper full text",
    ttl_seconds=3600,
    has_long_timeout=True,
    is_always_inline=True,  # max_length bounds it
    is_empty_result=lambda answer: not answer.is_full_text,
)
