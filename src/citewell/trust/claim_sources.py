"""Reads the sources of citations, measures how far they cover their claims, and judges them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from citewell.citations.references.reference_splitting import find_reference_list
from citewell.core.errors import CitewellError
from citewell.core.values.citation_checks import ClaimCheck
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page
from citewell.core.values.paper import Paper
from citewell.core.values.research import ClaimRelation
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement, Opinion
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.evidence.signs import claim_support, nearest_sentences
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.text.data_tables import load_table
from citewell.text.language import detection, sentences, word_forms
from citewell.text.truncation import SPARSE_PAGE_WORDS

if TYPE_CHECKING:
    from citewell.reading.pages.cached_pages import CachedPageReader

ADDRESSED, PARTLY, NOT_ADDRESSED = "addressed", "partially_addressed", "not_addressed"
SOURCE_UNAVAILABLE = "source_unavailable"
ADDRESSED_SHARE = 0.6  # share of the claim's terms in one window
WINDOW_SENTENCES = 4  # sentences
WHOLE_TEXT_SENTENCES = 20  # a text of up to this many sentences is one window
_MAX_EVIDENCE_SENTENCES = 5
_MAX_SENTENCE_CHARS = 600  # characters; a longer one is a table or text without full stops
_MIN_REFERENCES_OFFSET = 0.3  # a reference list is only looked for after this part of a text
_MAX_SOURCE_BYTES = 50_000  # bytes of a source compared with a claim
_MAX_ADDRESSES_TRIED = 3  # addresses tried for one source
_UNCOVERED_STATES = frozenset({NOT_ADDRESSED, SOURCE_UNAVAILABLE})
_ABSTRACT_ONLY_NOTE = "Only the abstract could be read; the full text may say more."


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
    def __init__(self, pages: CachedPageReader, judging: ClaimJudging) -> None:
        self._pages = pages
        self._judging = judging

    async def check_claims(
        self,
        claims: Sequence[CitedClaim],
        *,
        tenant: str | None = None,
        context: JudgeContext | None = None,
    ) -> list[ClaimCheck]:
        """How far the first readable address of each source covers its claim.

        Unreadable sources are reported, not raised. The judge, which may ask a model, is given all together.
        """
        compared = await asyncio.gather(
            *(self._compare_claim_text(claim, tenant) for claim in claims)
        )
        pairs = {
            place: ClaimPair(claim=claims[place].claim, source=comparison.source)
            for place, comparison in enumerate(compared)
            if comparison.source is not None
        }
        opinions = await self._judging.judge_claims(tuple(pairs.values()), context)
        found = dict(zip(pairs, opinions, strict=True))
        return [
            _add_judge_opinion(comparison, found.get(place))
            for place, comparison in enumerate(compared)
        ]

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
    fields = {"claim_judge": opinion.judge, "claim_judge_note": opinion.note or None}
    if not opinion.quote or (by_words and check.claim_support in _UNCOVERED_STATES):
        return check.model_copy(update=fields) if opinion.note else check
    fields |= {"claim_relation": opinion.relation.value, "claim_quote": opinion.quote}
    if not by_words and opinion.relation is not ClaimRelation.MENTIONS:
        # Other words, or another language: coverage alone had missed the place.
        check = compared.other_words or check
        fields |= {"claim_support": ADDRESSED}
    return check.model_copy(update=fields)


def list_source_places(paper: Paper | None, *, first: Sequence[str] = ()) -> SourcePlaces:
    """The record's addresses after `first`, with its abstract."""
    if paper is None:
        return SourcePlaces(urls=_keep_web_addresses(*first))
    free = [copy.url for copy in paper.copies if not copy.pdf]
    documents = [paper.pdf_url or "", *(copy.url for copy in paper.copies if copy.pdf)]
    return SourcePlaces(
        urls=_keep_web_addresses(*first, *free, *documents, paper.url),
        abstract=paper.abstract or "",
        abstract_url=paper.url,
    )


def _keep_web_addresses(*urls: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://"))))


def _check_claim_on_page(claim: str, page: Page) -> _ComparedSource:
    words = page.word_count or len(page.content.split())
    measured = measure_claim_coverage(claim, page.content, declared_language=page.language)
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
    measured = measure_claim_coverage(claim, places.abstract)
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


# Measures how far a source covers a claim: shared terms and the sentences with them, not a verdict.


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCoverage:
    support: str
    term_share: float = 0.0  # of the claim's terms, in the best window
    evidence: tuple[str, ...] = ()
    has_contrast: bool = False
    reason: str = ""  # why it could not be measured


def measure_claim_coverage(
    claim: str, text: str, *, declared_language: str | None = None
) -> ClaimCoverage:
    """The best overlap of claim and text in one window of sentences.

    `declared_language` is used if the language of the text cannot be detected.
    """
    body = cut_reference_list(text)
    spoken = detection.detect_language(body) or (declared_language or "")[:2].lower() or None
    asked = detection.detect_language(claim)
    wanted = nearest_sentences.build_claim_terms(claim, language=spoken or asked)
    specific = frozenset(term for term in wanted.terms - _load_common_terms() if not term.isdigit())
    if not (specific or wanted.terms):
        return ClaimCoverage(
            support=SOURCE_UNAVAILABLE, reason="The claim has no words that could be looked for."
        )
    found = [sentence for sentence in sentences.split_sentences(body) if sentence]
    each = [
        word_forms.extract_terms(sentence, language=wanted.language) & wanted.terms
        for sentence in found
    ]
    share, has_specific = _find_densest_window(each, wanted.terms, specific or wanted.terms)
    support = ADDRESSED if share >= ADDRESSED_SHARE else PARTLY if has_specific else NOT_ADDRESSED
    if support == NOT_ADDRESSED:
        return _explain_no_overlap(claim, asked, spoken)
    evidence = nearest_sentences.find_nearest_sentences(
        wanted, body, max_sentences=_MAX_EVIDENCE_SENTENCES
    )[1]
    # Whether a clause that says what the claim says is denied, or says the opposite.
    opposition = claim_support.find_source_opposition(
        build_sentence_features(claim, language=wanted.language),
        [build_sentence_features(sentence, language=wanted.language) for sentence in evidence],
    )
    shown = tuple(sentence[:_MAX_SENTENCE_CHARS] for sentence in evidence)
    return ClaimCoverage(
        support=support, term_share=share, evidence=shown, has_contrast=opposition is not None
    )


def _explain_no_overlap(claim: str, asked: str | None, spoken: str | None) -> ClaimCoverage:
    """The result without overlap: not addressed, or unavailable if the languages differ."""
    if _is_one_language(claim, asked, spoken):
        return ClaimCoverage(support=NOT_ADDRESSED)
    reason = (
        f"The source is in {spoken or 'an unknown language'} and the claim seems to be in another"
        " language, so their words cannot be compared."
    )
    return ClaimCoverage(support=SOURCE_UNAVAILABLE, reason=reason)


def _is_one_language(claim: str, asked: str | None, spoken: str | None) -> bool:
    if asked is not None or spoken is None:
        return asked == spoken
    words = frozenset(word_forms.split_words(claim))
    if words & word_forms.list_stopwords(spoken):
        return True
    foreign = any(
        words & word_forms.list_stopwords(code)
        for code in _load_stopword_languages()
        if code != spoken
    )
    return spoken == "en" and claim.isascii() and not foreign


def cut_reference_list(text: str) -> str:
    """The text before its reference list, whose titles must not count as evidence."""
    start = int(len(text) * _MIN_REFERENCES_OFFSET)
    end = find_reference_list(text, start)
    return text if end is None else text[:end]


def _find_densest_window(
    each: Sequence[frozenset[str]], wanted: frozenset[str], specific: frozenset[str]
) -> tuple[float, bool]:
    """The highest share of the claim's terms in a window, and whether any specific term occurs."""
    if not each:
        return 0.0, False
    width = len(each) if len(each) <= WHOLE_TEXT_SENTENCES else WINDOW_SENTENCES
    peak = max(
        len(frozenset().union(*each[at : at + width])) for at in range(len(each) - width + 1)
    )
    return peak / len(wanted), any(terms & specific for terms in each)


@cache
def _load_common_terms() -> frozenset[str]:
    """Terms of all papers, and for amounts, times and common actions: they identify no subject."""
    table = load_table(__package__, "common_words")
    words = (*table["scholarly_words"], *table["quantity_words"])
    return word_forms.extract_terms(" ".join(words), language="en")


# languages with a stop-word list
@cache
def _load_stopword_languages() -> tuple[str, ...]:
    return tuple(load_table(__package__, "common_words")["stopword_languages"])
