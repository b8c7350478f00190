"""The whole text of a paper: the best free copy that really reads as this paper."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from citewell.errors import (
    CitewellError,
    InvalidInput,
    NetworkFailed,
    NotFound,
    Refused,
    UpstreamError,
)
from citewell.model.literature import FullTextAnswer
from citewell.model.page import Page
from citewell.model.paper import Copy, Paper, PaperId, Scheme
from citewell.model.routing import Trace
from citewell.model.scrape import RetractionStatus
from citewell.services import standing
from citewell.services.pages import CachedRead
from citewell.services.scholar import genuine, shown
from citewell.services.scholar.candidates import GIVEN, Candidates, Located, version
from citewell.services.scholar.subjects import Subject, Subjects
from citewell.services.scrape import commands
from citewell.text import size
from citewell.text.markup import clean
from citewell.text.truncate import truncate
from citewell.text.urls import host, key, readable

logger = logging.getLogger(__name__)

LEAST, MOST = 1000, 200_000  # bytes
_EACH = 40.0  # seconds for one copy
_RECORD = 5.0  # seconds for the record of retractions

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


class Integrity(Protocol):
    """Knows whether a work was retracted, corrected or put in doubt."""

    async def status(self, doi: str, *, paper: Paper | None = None) -> RetractionStatus | None:
        """None for a clean record; an error when it cannot be seen."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    identifier: str
    max_length: int = 50_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    page: Page
    copy: Copy


@dataclass(slots=True)
class _Tries:
    """What was tried in vain."""

    told: list[str] = field(default_factory=list)
    errors: list[CitewellError] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def note(self, copy: Copy, why: str) -> None:
        self.told.append(f"{copy.source or 'unknown'} ({host(copy.url)}): {why}")


class FullText:
    def __init__(
        self,
        *,
        subjects: Subjects,
        candidates: Candidates,
        pages: CachedRead,
        weigh: shown.Weigh,
        retractions: Integrity | None = None,
        deadline: float = 90.0,
    ) -> None:
        """`deadline` bounds the reading of all copies together, in seconds."""
        self._subjects = subjects
        self._candidates = candidates
        self._pages = pages
        self._weigh = weigh
        self._retractions = retractions
        self._deadline = deadline

    async def read(
        self,
        wish: Wish,
        *,
        trace: Trace,
        tenant: str | None = None,
        progress: Progress | None = None,
    ) -> FullTextAnswer:
        """The text; its abstract, marked as such, where no free copy reads; else an error."""
        if not LEAST <= wish.max_length <= MOST:
            raise InvalidInput(f"max_length must be between {LEAST} and {MOST}.")
        subject = await self._subjects.of(wish.identifier, tenant=tenant)
        located = await self._candidates.of(subject.paper, subject.ids, given=subject.address)
        tries = _Tries()
        try:
            async with asyncio.timeout(self._deadline):
                text, located = await self._first(located, subject, tries, tenant, progress)
        except TimeoutError:
            text = None
            tries.errors.append(NetworkFailed("The copies could not be read in time."))
        paper = located.paper
        if text is None:
            return await self._without(wish, subject, paper, tries)
        if text.copy.source != GIVEN:
            trace.attempt(text.copy.source)
            trace.served(text.copy.source)
        # A long text takes a while to look through; the loop must not stand still.
        answer = await asyncio.to_thread(_answer, wish, paper, text)
        return await self._completed(answer, subject, paper, tries)

    async def _first(
        self,
        located: Located,
        subject: Subject,
        tries: _Tries,
        tenant: str | None,
        progress: Progress | None,
    ) -> tuple[_Text | None, Located]:
        """The first copy that reads as the paper, and what was learnt of the paper on the way."""
        queue = list(located.copies)
        while queue:
            copy = queue.pop(0)
            if key(copy.url) in tries.seen:
                continue
            tries.seen.add(key(copy.url))
            if progress is not None:
                await progress(len(tries.seen), None, f"reading the copy at {host(copy.url)}")
            page = await self._page(copy, tries, tenant)
            if page is None:
                continue
            title = located.paper.title if located.paper else ""
            fault = genuine.fault(page, title)
            if fault is None:
                return _Text(page=page, copy=copy), located
            tries.note(copy, fault)
            if copy.source == GIVEN and located.paper is None:
                located = await self._learnt(page, subject, tenant)
                queue = [*located.copies, *queue]
            queue = [*_linked(page, copy, title), *queue]
        return None, located

    async def _page(self, copy: Copy, tries: _Tries, tenant: str | None) -> Page | None:
        try:
            async with asyncio.timeout(_EACH):
                return (await self._pages.kept(copy.url, tenant=tenant)).page
        except Refused as error:
            if copy.source == GIVEN:
                raise  # our policy forbids the very address that was asked for
            tries.note(copy, error.kind)
        except CitewellError as error:
            tries.note(copy, error.kind)
            tries.errors.append(error)
        except TimeoutError:
            tries.note(copy, "it was not read in time")
            tries.errors.append(NetworkFailed("A copy was not read in time."))
        return None

    async def _learnt(self, page: Page, subject: Subject, tenant: str | None) -> Located:
        """An address that is only a paper's landing page leads to the paper."""
        doi = standing.doi(page)
        if doi is None:
            return Located(paper=None, copies=())
        paper_id = PaperId(scheme=Scheme.DOI, value=doi)
        paper = await self._subjects.registered(paper_id, tenant=tenant)
        return await self._candidates.of(paper, (paper_id, *subject.ids))

    async def _without(
        self, wish: Wish, subject: Subject, paper: Paper | None, tries: _Tries
    ) -> FullTextAnswer:
        """The abstract, said to be one; an error where there is not even that."""
        abstract = clean(paper.abstract) if paper else ""
        if paper is None or not abstract:
            raise _nothing(wish.identifier, tries)
        text = truncate(abstract, wish.max_length)
        answer = FullTextAnswer(
            **_described(wish, paper),
            url=shown.address(paper),
            content=text.text,
            is_full_text=False,
            source=paper.provenance.get("abstract", paper.source),
            content_length=size.weight(text.text),
            truncated=text.truncated,
            notes=("No free copy could be read: this is the abstract only, not the paper.",),
        )
        return await self._completed(answer, subject, paper, tries)

    async def _completed(
        self, answer: FullTextAnswer, subject: Subject, paper: Paper | None, tries: _Tries
    ) -> FullTextAnswer:
        notes = (*(answer.notes or ()), *subject.notes)
        return answer.model_copy(
            update={
                "retraction_status": await self._integrity(answer.doi, paper),
                "tried": tuple(tries.told) or None,
                "notes": notes or None,
            }
        )

    async def _integrity(self, doi: str | None, paper: Paper | None) -> RetractionStatus | None:
        known = self._weigh(paper.events) if paper else None
        if known is not None or doi is None or self._retractions is None:
            return known
        try:
            async with asyncio.timeout(_RECORD):
                return await self._retractions.status(doi, paper=paper)
        except (CitewellError, TimeoutError) as error:
            logger.info("the record of a work could not be seen: %s", type(error).__name__)
        return None


def _linked(page: Page, copy: Copy, title: str) -> Iterable[Copy]:
    """The PDF that a landing page declares, where the page is the paper's own."""
    declared = page.structured.citation if page.structured else None
    address = (declared or {}).get("citation_pdf_url", "")
    if not readable(address) or (title and not genuine.names(page, title)):
        return ()
    return (Copy(url=address, pdf=True, version=copy.version, host=copy.host, source=copy.source),)


def _nothing(identifier: str, tries: _Tries) -> CitewellError:
    """The failure that a retry may mend, or that there is no free copy."""
    what = f"No free full text of {identifier[:200]!r} could be read."
    tried = f" Tried: {'; '.join(tries.told)}." if tries.told else " Nobody knows of a free copy."
    passing = [error for error in tries.errors if isinstance(error, UpstreamError)]
    retryable = next((error for error in passing if error.retryable), None)
    if retryable is not None:
        return type(retryable)(what + tried, retry_after=retryable.retry_after)
    if passing and len(passing) == len(tries.told):
        return type(passing[0])(what + tried)
    return NotFound(what + tried)


def _described(wish: Wish, paper: Paper | None) -> dict[str, object]:
    if paper is None:
        return {"identifier": wish.identifier}
    return {
        "identifier": wish.identifier,
        "title": clean(paper.title) or None,
        "doi": paper.doi,
        "authors": shown.authors(paper),
        "journal": paper.venue,
        "year": paper.year,
        "ids": shown.identifiers(paper),
    }


def _answer(wish: Wish, paper: Paper | None, text: _Text) -> FullTextAnswer:
    page, copy = text.page, text.copy
    cut = truncate(page.content, wish.max_length)
    described = _described(wish, paper)
    if paper is None:
        described |= {"title": page.title or None, "doi": standing.doi(page)}
    notes = (
        () if paper else ("No registry record was found; only the form of the text was judged.",)
    )
    return FullTextAnswer(
        **described,
        url=page.final_url,
        content=cut.text,
        is_full_text=True,
        version=version(copy),
        license=copy.license,
        source=copy.source,
        host_type=copy.host,
        content_type=page.content_type,
        content_length=size.weight(cut.text),
        original_length=size.weight(page.content) if cut.truncated else None,
        truncated=cut.truncated or page.truncated,
        page_count=page.page_count,
        word_count=page.word_count,
        injection_signals=commands(cut.text),
        notes=notes or None,
    )
