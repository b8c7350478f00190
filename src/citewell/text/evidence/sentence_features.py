"""The features by which sentences are compared: stems, stem pairs, trigrams and quantities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from citewell.text.evidence import negation
from citewell.text.evidence.oppositions.compared_sentence import ComparedSentence
from citewell.text.language import tokens
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.sentence_values import collect_sentence_values
from citewell.text.quantities.stated_quantities import StatedQuantity


@dataclass(frozen=True, kw_only=True)
class SentenceFeatures:
    """One sentence and its features; the costly ones are computed on first use and cached."""

    text: str
    stems: tuple[str, ...]  # in text order, without stop-words
    language: str | None = None

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def stem_pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(zip(self.stems, self.stems[1:], strict=False))

    @cached_property
    def trigrams(self) -> frozenset[str]:
        plain = f" {' '.join(tokens.split_words(self.text))} "
        return frozenset(plain[at : at + 3] for at in range(len(plain) - 2))

    @cached_property
    def quantities(self) -> tuple[StatedQuantity, ...]:
        return extract_quantities(self.text, language=self.language)

    @cached_property
    def stated_values(self) -> tuple[StatedQuantity, ...]:
        """The numbers and the shares in words, without numbers that name a section."""
        return collect_sentence_values(self.text, self.quantities, self.language)

    @cached_property
    def word_terms(self) -> frozenset[str]:
        """The terms without the numbers, in figures and in words."""
        spelt = {
            tokens.stem_word(word, (self.language or "en")[:2])
            for one in self.quantities
            if not any(map(str.isdigit, one.text))
            for word in one.text.lower().split()[:-1]  # the last one is the unit
        }
        return frozenset(
            term for term in self.terms if term not in spelt and not any(map(str.isdigit, term))
        )

    @cached_property
    def compared(self) -> ComparedSentence:
        """The sentence as it is compared with others for oppositions."""
        return ComparedSentence(text=self.text, code=(self.language or "en")[:2])

    @cached_property
    def is_negated(self) -> bool:
        return negation.is_negated_statement(self.text, language=self.language)


def build_sentence_features(text: str, *, language: str | None = None) -> SentenceFeatures:
    stems = tuple(tokens.list_terms(text, language=language))
    return SentenceFeatures(text=text, stems=stems, language=language)
