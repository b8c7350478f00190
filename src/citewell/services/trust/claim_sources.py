"""Reads the source of a citation and checks it for a claim; bot walls and stubs do not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.citation_checks import ClaimCheck
from citewell.model.page import Page
from citewell.model.paper import Paper
from citewell.services.trust import claim_coverage
from citewell.services.trust.claim_coverage import NOT_ADDRESSED, SOURCE_UNAVAILABLE
from citewell.text.text_size import SPARSE_PAGE_WORDS

_MAX_SOURCE_BYTES = 50_000  # bytes of a source compared with a claim
_MAX_ADDRESSES_TRIED = 3  # addresses tried for one source
_ABSTRACT_ONLY_NOTE = "Only the abstract could be read; the full text may say more."


class SourcePageReader(Protocol):
    """Reads one page; raises if it is behind a bot wall or login, or fails."""

    async def read_page(
        self, url: str, *, max_length: int = ..., tenant: str | None = ...
    ) -> Page: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlaces:
    """Addresses of a source, the most likely first, and its abstract if a registry has one."""

    urls: tuple[str, ...] = ()
    abstract: str = ""
    abstract_url: str = ""


class ClaimSources:
    def __init__(self, pages: SourcePageReader) -> None:
        self._pages = pages

    async def check_claim(
        self, claim: str, places: SourcePlaces, *, tenant: str | None = None
    ) -> ClaimCheck:
        """How far the first readable address covers the claim; unreadable sources are reported, not raised."""
        complaint = "There is no address at which the source could be read."
        for url in places.urls[:_MAX_ADDRESSES_TRIED]:
            try:
                page = await self._pages.read_page(url, max_length=_MAX_SOURCE_BYTES, tenant=tenant)
            except CitewellError as error:
                complaint = f"{url}: {error.message}"
                continue
            found = _check_claim_on_page(claim, page)
            if found.claim_support != SOURCE_UNAVAILABLE or not places.abstract:
                return found
            complaint = found.claim_fetch_error or complaint
        return _check_claim_on_abstract(claim, places, complaint)


def list_source_places(
    paper: Paper | None, *, first: Sequence[str] = (), last: Sequence[str] = ()
) -> SourcePlaces:
    """The record's addresses between `first` and `last`, with its abstract."""
    if paper is None:
        return SourcePlaces(urls=_keep_web_addresses(*first, *last))
    free = [copy.url for copy in paper.copies if not copy.pdf]
    documents = [paper.pdf_url or "", *(copy.url for copy in paper.copies if copy.pdf)]
    return SourcePlaces(
        urls=_keep_web_addresses(*first, *free, *documents, paper.url, *last),
        abstract=paper.abstract or "",
        abstract_url=paper.url,
    )


def _keep_web_addresses(*urls: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://"))))


def _check_claim_on_page(claim: str, page: Page) -> ClaimCheck:
    words = page.word_count or len(page.content.split())
    measured = claim_coverage.measure_claim_coverage(
        claim, page.content, declared_language=page.language
    )
    thin = words < SPARSE_PAGE_WORDS or page.quality == "partial"
    note = (
        f"The page gave {words} words; it may be a stub, a teaser or a landing page."
        if thin
        else None
    )
    support, reason = measured.support, measured.reason
    if thin and support == NOT_ADDRESSED:
        support, reason = (
            SOURCE_UNAVAILABLE,
            "Too little could be read to say what the source leaves out.",
        )
    return ClaimCheck(
        claim=claim,
        claim_support=support,
        claim_evidence=measured.evidence or None,
        claim_source_url=page.final_url or page.url,
        contrast_signal=measured.has_contrast or None,
        claim_fetch_error=reason or None,
        content_words=words,
        sparsity_note=note,
    )


def _check_claim_on_abstract(claim: str, places: SourcePlaces, complaint: str) -> ClaimCheck:
    """Check the abstract only; it can show that a claim is addressed, never that it is not."""
    measured = (
        claim_coverage.measure_claim_coverage(claim, places.abstract) if places.abstract else None
    )
    if measured is None or not measured.evidence:
        return ClaimCheck(
            claim=claim, claim_support=SOURCE_UNAVAILABLE, claim_fetch_error=complaint
        )
    return ClaimCheck(
        claim=claim,
        claim_support=measured.support,
        claim_evidence=measured.evidence,
        claim_source_url=places.abstract_url or None,
        contrast_signal=measured.has_contrast or None,
        claim_fetch_error=complaint,
        content_words=len(places.abstract.split()),
        sparsity_note=_ABSTRACT_ONLY_NOTE,
    )
