"""Says how high overlap must be for a source of some kind to support a claim.

A page of its own has more words of a claim by chance, and says them farther apart; a passage picked
out for the claim should have nearly all of them. What research says is put into other words by
nearly everyone who cites it, so that less overlap has to be enough there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, islice

from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens

MIN_SUPPORTED_SCORE = 0.5  # of every kind, after `scale_overlap`
_MIN_PAGE_SENTENCES = 40
_MAX_EXCERPT_SENTENCES, _MAX_EXCERPT_STEMS = 5, 130  # about 200 words
_PASSAGE_OVERLAP, _PAGE_OVERLAP, _RESEARCH_OVERLAP = 0.505, 0.5, 0.33
_MIN_RESEARCH_SHARE = 0.2  # of the words of the claim and of the source, added up
# Words that are common in texts about research into health, life and climate, and rare elsewhere.
_RESEARCH_WORDS = (
    "study studies trial trials patients clinical disease infection infected virus viral coronavirus covid sars protein"
    " gene genetic cell mice mouse expression risk mortality symptoms treatment therapy vaccine vaccination antibody"
    " immune receptor mutation cancer tumor tumour diabetes cardiovascular blood plasma serum levels dose cohort"
    " randomized placebo association associated significantly significant incidence prevalence odds ratio hazard"
    " confidence interval analysis results findings evidence respiratory pneumonia acute chronic syndrome insulin"
    " inflammatory inflammation metabolism signaling pathway activation inhibition inhibitor dna rna bacterial"
    " bacteria transmission hospitalized severity outcomes intervention exposure obesity pregnancy infants climate"
    " warming temperature carbon dioxide co2 emissions greenhouse atmosphere atmospheric ice glacier sea ocean arctic"
    " antarctic species precipitation drought radiation solar concentration hypertension kidney liver lung brain"
    " neurons tissue vitro vivo mechanism enzyme molecular cellular human population adults children women men"
)


def choose_least_overlap(claim: SentenceFeatures, source: Sequence[SentenceFeatures]) -> float:
    """The overlap from which a source of this kind supports the claim."""
    if is_research_text(claim, source):
        return _RESEARCH_OVERLAP
    return _PAGE_OVERLAP if len(source) >= _MIN_PAGE_SENTENCES else _PASSAGE_OVERLAP


def is_research_text(claim: SentenceFeatures, source: Sequence[SentenceFeatures]) -> bool:
    """Whether the claim and a short source are about research into health, life or climate."""
    if (claim.language or "en")[:2] != "en" or len(source) > _MAX_EXCERPT_SENTENCES:
        return False
    stems = tuple(islice(chain.from_iterable(one.stems for one in source), _MAX_EXCERPT_STEMS + 1))
    if len(stems) > _MAX_EXCERPT_STEMS:
        return False
    shares = _measure_research_share(claim.stems) + _measure_research_share(stems)
    return shares >= _MIN_RESEARCH_SHARE


def scale_overlap(overlap: float, least: float) -> float:
    """The score of an overlap, 0 to 1: `least` becomes MIN_SUPPORTED_SCORE."""
    plain = min(1.0, max(0.0, overlap))
    if plain < least:
        return MIN_SUPPORTED_SCORE * plain / least
    return MIN_SUPPORTED_SCORE + (1 - MIN_SUPPORTED_SCORE) * (plain - least) / (1 - least)


def _measure_research_share(stems: Sequence[str]) -> float:
    known = _load_research_stems()
    return sum(stem in known for stem in stems) / len(stems) if stems else 0.0


@cache
def _load_research_stems() -> frozenset[str]:
    return frozenset(tokens.stem_word(word, "en") for word in _RESEARCH_WORDS.split())
