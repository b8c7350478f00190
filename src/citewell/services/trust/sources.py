"""Reads the source of a citation for what is claimed of it; a wall or a stub is no source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.page import Page
from citewell.model.paper import Paper
from citewell.model.trust import ClaimCheck
from citewell.services.trust import coverage
from citewell.services.trust.coverage import NOT_ADDRESSED, UNAVAILABLE
from citewell.text.size import SPARSE

_LONGEST = 50_000  # bytes of a source that are compared with a claim
_TRIES = 3  # addresses of one source
_ABSTRACT = "Only the abstract could be read; the full text may say more."


class Pages(Protocol):
    """Reads one page; raises when a wall, a login or an error stands before it."""

    async def read(self, url: str, *, max_length: int = ..., tenant: str | None = ...) -> Page: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a source may be read, the likeliest first, and its abstract where a registry has it."""

    urls: tuple[str, ...] = ()
    abstract: str = ""
    abstract_url: str = ""


class Sources:
    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def check(self, claim: str, places: Places, *, tenant: str | None = None) -> ClaimCheck:
        """How far the first readable place speaks of the claim; never an error."""
        complaint = "There is no address at which the source could be read."
        for url in places.urls[:_TRIES]:
            try:
                page = await self._pages.read(url, max_length=_LONGEST, tenant=tenant)
            except CitewellError as error:
                complaint = f"{url}: {error.message}"
                continue
            found = _page(claim, page)
            if found.claim_support != UNAVAILABLE or not places.abstract:
                return found
            complaint = found.claim_fetch_error or complaint
        return _from_abstract(claim, places, complaint)


def places(paper: Paper | None, *, first: Sequence[str] = (), last: Sequence[str] = ()) -> Places:
    """The addresses of a record around those that the citation itself gives."""
    if paper is None:
        return Places(urls=_once(*first, *last))
    free = [copy.url for copy in paper.copies if not copy.pdf]
    documents = [paper.pdf_url or "", *(copy.url for copy in paper.copies if copy.pdf)]
    return Places(
        urls=_once(*first, *free, *documents, paper.url, *last),
        abstract=paper.abstract or "",
        abstract_url=paper.url,
    )


def _once(*urls: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://"))))


def _page(claim: str, page: Page) -> ClaimCheck:
    words = page.word_count or len(page.content.split())
    measured = coverage.measure(claim, page.content, declared=page.language)
    thin = words < SPARSE or page.quality == "partial"
    note = (
        f"The page gave {words} words; it may be a stub, a teaser or a landing page."
        if thin
        else None
    )
    support, reason = measured.support, measured.reason
    if thin and support == NOT_ADDRESSED:
        support, reason = (
            UNAVAILABLE,
            "What could be read is too little to say what the source leaves out.",
        )
    return ClaimCheck(
        claim=claim,
        claim_support=support,
        claim_evidence=measured.evidence or None,
        claim_source_url=page.final_url or page.url,
        contrast_signal=measured.contrast or None,
        claim_fetch_error=reason or None,
        content_words=words,
        sparsity_note=note,
    )


def _from_abstract(claim: str, places: Places, complaint: str) -> ClaimCheck:
    """An abstract may show that a claim is spoken of, never that it is not."""
    measured = coverage.measure(claim, places.abstract) if places.abstract else None
    if measured is None or not measured.evidence:
        return ClaimCheck(claim=claim, claim_support=UNAVAILABLE, claim_fetch_error=complaint)
    return ClaimCheck(
        claim=claim,
        claim_support=measured.support,
        claim_evidence=measured.evidence,
        claim_source_url=places.abstract_url or None,
        contrast_signal=measured.contrast or None,
        claim_fetch_error=complaint,
        content_words=len(places.abstract.split()),
        sparsity_note=_ABSTRACT,
    )
