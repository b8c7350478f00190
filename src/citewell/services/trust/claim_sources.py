"""Reads the sources of citations and judges their claims; bot walls and stubs do not count."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.citation_checks import ClaimCheck
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.model.paper import Paper
from citewell.model.research import ClaimRelation
from citewell.services.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement, Opinion
from citewell.services.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.services.trust import claim_coverage
from citewell.services.trust.claim_coverage import (
    ADDRESSED,
    NOT_ADDRESSED,
    SOURCE_UNAVAILABLE,
    cut_reference_list,
)
from citewell.text.evidence.claim_support import SourceText
from citewell.text.text_size import SPARSE_PAGE_WORDS

_MAX_SOURCE_BYTES = 50_000  # bytes of a source compared with a claim
_MAX_ADDRESSES_TRIED = 3  # addresses tried for one source
_UNCOVERED_STATES = frozenset({NOT_ADDRESSED, SOURCE_UNAVAILABLE})
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaim:
    """A claim, and where the source that it cites may be read."""

    claim: str
    places: SourcePlaces


@dataclass(frozen=True, slots=True, kw_only=True)
class _ComparedSource:
    """What the words of a source say about a claim, and the text that was read, if any was."""

    check: ClaimCheck
    source: SourceText | None = None
    other_words: ClaimCheck | None = None  # instead, if a judge finds the claim in other words


class ClaimSources:
    def __init__(self, pages: SourcePageReader, judging: ClaimJudging) -> None:
        self._pages = pages
        self._judging = judging

    async def check_claim(
        self,
        claim: str,
        places: SourcePlaces,
        *,
        tenant: str | None = None,
        context: JudgeContext | None = None,
    ) -> ClaimCheck:
        """How far the first readable address covers the claim; unreadable sources are reported, not raised."""
        asked = CitedClaim(claim=claim, places=places)
        [found] = await self.check_claims([asked], tenant=tenant, context=context)
        return found

    async def check_claims(
        self,
        claims: Sequence[CitedClaim],
        *,
        tenant: str | None = None,
        context: JudgeContext | None = None,
    ) -> list[ClaimCheck]:
        """The check of each claim; all are given to the judge together, which may ask a model."""
        compared = await asyncio.gather(*(self._compare_claim_text(one, tenant) for one in claims))
        pairs = {
            place: ClaimPair(claim=claims[place].claim, source=one.source)
            for place, one in enumerate(compared)
            if one.source is not None
        }
        opinions = await self._judging.judge_claims(tuple(pairs.values()), context)
        found = dict(zip(pairs, opinions, strict=True))
        return [_add_judge_opinion(one, found.get(place)) for place, one in enumerate(compared)]

    async def _compare_claim_text(self, asked: CitedClaim, tenant: str | None) -> _ComparedSource:
        places = asked.places
        complaint = "There is no address at which the source could be read."
        for url in places.urls[:_MAX_ADDRESSES_TRIED]:
            try:
                page = await self._pages.read_page(url, max_length=_MAX_SOURCE_BYTES, tenant=tenant)
            except CitewellError as error:
                complaint = f"{url}: {error.message}"
                continue
            found = await asyncio.to_thread(_check_claim_on_page, asked.claim, page)
            if found.check.claim_support != SOURCE_UNAVAILABLE or not places.abstract:
                return found
            complaint = found.check.claim_fetch_error or complaint
        return await asyncio.to_thread(_check_claim_on_abstract, asked.claim, places, complaint)


def _add_judge_opinion(compared: _ComparedSource, opinion: Opinion | None) -> ClaimCheck:
    """The check with the relation and the words that show it, if the judge named any."""
    check = compared.check
    if not isinstance(opinion, Judgement):
        return check
    by_words = opinion.judge == LEXICAL_NAME
    said = {"claim_judge": opinion.judge, "claim_judge_note": opinion.note or None}
    if not opinion.quote or (by_words and check.claim_support in _UNCOVERED_STATES):
        return check.model_copy(update=said) if opinion.note else check
    said |= {"claim_relation": opinion.relation.value, "claim_quote": opinion.quote}
    if not by_words and opinion.relation is not ClaimRelation.MENTIONS:
        # Other words, or another language: coverage alone had missed the place.
        check = compared.other_words or check
        said |= {"claim_support": ADDRESSED}
    return check.model_copy(update=said)


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


def _check_claim_on_page(claim: str, page: Page) -> _ComparedSource:
    words = page.word_count or len(page.content.split())
    measured = claim_coverage.measure_claim_coverage(
        claim, page.content, declared_language=page.language
    )
    thin = words < SPARSE_PAGE_WORDS or page.quality == "partial"
    note = (
        f"The page gave {words} {pluralize(words, 'word')}; it may be a stub, a teaser or a landing page."
        if thin
        else None
    )
    support, reason = measured.support, measured.reason
    if thin and support == NOT_ADDRESSED:
        support, reason = (
            SOURCE_UNAVAILABLE,
            "Too little could be read to say what the source leaves out.",
        )
    check = ClaimCheck(
        claim=claim,
        claim_support=support,
        claim_evidence=measured.evidence or None,
        claim_source_url=page.final_url or page.url,
        contrast_signal=measured.has_contrast or None,
        claim_fetch_error=reason or None,
        content_words=words,
        sparsity_note=note,
    )
    # Titles in a list of references are not what the source says.
    return _ComparedSource(
        check=check,
        source=SourceText(text=cut_reference_list(page.content), language=page.language),
        other_words=check.model_copy(update={"claim_fetch_error": None}),
    )


def _check_claim_on_abstract(claim: str, places: SourcePlaces, complaint: str) -> _ComparedSource:
    """Check the abstract only; it can show that a claim is addressed, never that it is not."""
    unread = ClaimCheck(claim=claim, claim_support=SOURCE_UNAVAILABLE, claim_fetch_error=complaint)
    if not places.abstract:
        return _ComparedSource(check=unread)
    measured = claim_coverage.measure_claim_coverage(claim, places.abstract)
    check = ClaimCheck(
        claim=claim,
        claim_support=measured.support,
        claim_evidence=measured.evidence or None,
        claim_source_url=places.abstract_url or None,
        contrast_signal=measured.has_contrast or None,
        claim_fetch_error=complaint,
        content_words=len(places.abstract.split()),
        sparsity_note=_ABSTRACT_ONLY_NOTE,
    )
    return _ComparedSource(
        check=check if measured.evidence else unread,
        source=SourceText(text=places.abstract),
        other_words=check,
    )
