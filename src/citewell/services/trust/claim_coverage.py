"""Measures how far a source covers a claim: shared terms and the sentences with them, not a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.text.evidence import claim_support, nearest_sentences
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.language import detection, sentences, stopwords, tokens
from citewell.text.references.list_headings import find_reference_list

ADDRESSED, PARTLY, NOT_ADDRESSED = "addressed", "partially_addressed", "not_addressed"
SOURCE_UNAVAILABLE = "source_unavailable"
ADDRESSED_SHARE = 0.6  # share of the claim's terms in one window
WINDOW_SENTENCES = 4  # sentences
WHOLE_TEXT_SENTENCES = 20  # a text of up to this many sentences is one window
_STOPWORD_LANGUAGES = (
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "ru",
)  # languages with a stop-word list
_MAX_EVIDENCE_SENTENCES = 5
_MAX_SENTENCE_CHARS = 600  # characters; a longer one is a table or text without full stops
_MIN_REFERENCES_OFFSET = 0.3  # a reference list is only looked for after this part of a text
# Words common to all papers: a source that shares only these with a claim does not cover it.
_SCHOLARLY_WORDS = (
    "study studies paper article research researchers result results show shows showed shown find finds finding"
    " findings found report reports reported according suggest suggests suggested author authors data method methods"
    " analysis use used using new may also one two first however found based"
)
# Words for amounts, times and common actions, which do not identify a subject either.
_QUANTITY_WORDS = (
    "three four five six seven eight nine ten twelve twenty thirty hundred thousand million billion half third quarter"
    " double twice once time times second per cent percent percentage number amount rate rough roughly around nearly"
    " almost least most more less fewer many much several few day days week weeks month months year years hour hours"
    " minute minutes decade century give gives gave given take takes took taken make makes made keep keeps kept get gets"
    " got go goes went gone come comes came become becomes put puts set sets let lets need needs help helps mean means"
    " person people thing things way ways part parts case cases kind kinds large small high low good great long short"
)


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
    specific = frozenset(
        term
        for term in wanted.terms
        - tokens.extract_terms(f"{_SCHOLARLY_WORDS} {_QUANTITY_WORDS}", language="en")
        if not term.isdigit()
    )
    if not (specific or wanted.terms):
        return ClaimCoverage(
            support=SOURCE_UNAVAILABLE, reason="The claim has no words that could be looked for."
        )
    found = [sentence for sentence in sentences.split_sentences(body) if sentence]
    each = [
        tokens.extract_terms(sentence, language=wanted.language) & wanted.terms
        for sentence in found
    ]
    share, told = _find_densest_window(each, wanted.terms, specific or wanted.terms)
    support = ADDRESSED if share >= ADDRESSED_SHARE else PARTLY if told else NOT_ADDRESSED
    if support == NOT_ADDRESSED:
        return _explain_no_overlap(claim, asked, spoken)
    evidence = nearest_sentences.find_nearest_sentences(
        wanted, body, max_sentences=_MAX_EVIDENCE_SENTENCES
    )[1]
    opposed = _is_claim_denied(claim, evidence, language=wanted.language)
    shown = tuple(sentence[:_MAX_SENTENCE_CHARS] for sentence in evidence)
    return ClaimCoverage(support=support, term_share=share, evidence=shown, has_contrast=opposed)


def _is_claim_denied(claim: str, evidence: Sequence[str], *, language: str | None) -> bool:
    """Whether a clause that says what the claim says is denied, or says the opposite."""
    asked = build_sentence_features(claim, language=language)
    said = [build_sentence_features(sentence, language=language) for sentence in evidence]
    return claim_support.find_source_opposition(asked, said) is not None


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
    words = frozenset(tokens.split_words(claim))
    if words & stopwords.list_stopwords(spoken):
        return True
    foreign = any(
        words & stopwords.list_stopwords(code) for code in _STOPWORD_LANGUAGES if code != spoken
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
