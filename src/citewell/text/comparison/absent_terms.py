"""Measures how much of what a statement speaks of does not occur in its source at all."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.text.comparison.statement_twins import list_word_terms
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.oppositions.contrary_words import LIGHT_WORDS
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens
from citewell.text.passages.related_words import find_related_stems
from citewell.text.passages.term_weights import load_frequencies, weigh_rarity

_HEAD_LETTERS = 5  # "european" is in a text that has "Europe"
_MIN_PART_LETTERS = 4  # of a word within a longer one, as in "Echtzeitüberweisung"
_MIN_RELATED = 0.1  # how near a word must be to stand for another


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentTerms:
    """The words of a statement that its source has in no form, and their share by weight."""

    terms: tuple[str, ...]
    share: float
    count: int  # of the statement's words, absent or not


def find_absent_terms(asked: SentenceFeatures, source: SourceText) -> AbsentTerms:
    """Rare words weigh more; a word of near meaning in the source stands for the word itself."""
    code = (asked.language or "en")[:2]
    light = {tokens.stem_word(word, code) for word in LIGHT_WORDS}
    wanted = sorted(list_word_terms(asked) - light)
    held = source.all_terms
    heads = {term[:_HEAD_LETTERS] for term in held if len(term) >= _HEAD_LETTERS}
    text = source.text.lower()
    absent = tuple(term for term in wanted if not _occurs_in_source(term, held, heads, text, code))
    whole = sum(_weigh_word(term, code) for term in wanted)
    lost = sum(_weigh_word(term, code) for term in absent)
    return AbsentTerms(terms=absent, share=lost / whole if whole else 0.0, count=len(wanted))


def _occurs_in_source(
    term: str, held: frozenset[str], heads: set[str], text: str, code: str
) -> bool:
    if term in held or (len(term) >= _HEAD_LETTERS and term[:_HEAD_LETTERS] in heads):
        return True
    if len(term) >= _MIN_PART_LETTERS and term in text:
        return True
    related = find_related_stems(term, language=code)
    return any(near >= _MIN_RELATED and word in held for word, near in related.items())


def _weigh_word(term: str, code: str) -> float:
    if code != "en":
        return 1.0
    frequencies, passages = load_frequencies()
    return weigh_rarity(frequencies.get(term, 1), passages)
