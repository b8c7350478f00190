"""The features by which sentences are compared, and how similar two sentences are by them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import fsum

from citewell.evidence.signs import nearest_sentences
from citewell.evidence.signs.oppositions.compared_sentence import ComparedSentence
from citewell.text.language import word_forms
from citewell.text.passages.term_weights import knows_frequencies, load_frequencies, load_name_stems
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.sentence_values import collect_sentence_values
from citewell.text.quantities.stated_quantities import StatedQuantity

TermWeight = Callable[[str], float]
TRIGRAM_WEIGHT, STEM_WEIGHT = 0.5, 0.5  # weights in measure_similarity
MIN_RELATED_SIMILARITY = 0.55
NOUN_CAPITAL_CODES = frozenset(("de", "lb"))
CAPITAL_WORD_PATTERN = re.compile(r"\b[A-ZÀ-Þ][\w’']++")
# A capital inside a sentence, a word of capitals, or one of letters and digits.
_INNER_NAME_PATTERN = re.compile(
    r"(?<=[\w,;:’'\"”)] )[A-Z][\w’'-]*+|\b[A-Z]{2,}+\b|\b(?=[^\W\d]*+\d)(?=\d*+[^\W\d])\w++"
)
# What stands before an ordinary noun and hardly ever before a name without an ordinary word in it.
_ARTICLE_PATTERN = re.compile(
    r"\b(?:[dD](?:er|ie|as|es|em|en)|(?:[kK]|[mMsS])?[eE]in(?:e[mnrs]?)?|[iIaA]m|[zZ]u[mr]|[bBvV][eo]i?m|[aAiI]ns|[iI]hre?[mnrs]?|[dD]iese?[mnrs]?) \Z"
)
_MIN_START_LETTERS, _MIN_END_LETTERS = 5, 4  # of a part that shows an ordinary compound
_MAX_ARTICLE_CHARS = 8
_CACHED_WORDS = 2**14


def list_capital_names(text: str, *, language: str | None = None) -> list[str]:
    """The names as written, in text order; in German the parts of hyphenated ones apart."""
    code = (language or "en")[:2]
    if code in NOUN_CAPITAL_CODES:
        return list(_list_noun_names(text, code))
    names = [match[0] for match in _INNER_NAME_PATTERN.finditer(text)]
    first = CAPITAL_WORD_PATTERN.match(text) if code != "en" else None
    if first is not None and (_is_known_name(first[0], code) or _is_strange_word(first[0], code)):
        names.insert(0, first[0])
    return names


def _list_noun_names(text: str, code: str) -> Iterator[str]:
    for match in CAPITAL_WORD_PATTERN.finditer(text):
        before = text[max(0, match.start() - _MAX_ARTICLE_CHARS) : match.start()]
        if _is_known_name(match[0], code) or (
            _is_strange_word(match[0], code) and not _ARTICLE_PATTERN.search(before)
        ):
            yield match[0]


def _is_known_name(word: str, code: str) -> bool:
    return knows_frequencies(code) and word_forms.stem_word(word.lower(), code) in load_name_stems(
        code
    )


@lru_cache(maxsize=_CACHED_WORDS)
def _is_strange_word(word: str, code: str) -> bool:
    """Whether the table of a language has neither a word nor a word that it may be made of."""
    if not knows_frequencies(code) or word.lower() in word_forms.list_stopwords(code):
        return False
    stem = word_forms.stem_word(word.lower(), code)
    known = _list_ordinary_stems(code)
    ends = (stem[at:] for at in range(1, len(stem) - _MIN_END_LETTERS + 1))
    starts = (stem[:at] for at in range(_MIN_START_LETTERS, len(stem)))
    return not any(part in known for part in (stem, *ends, *starts))


@cache
def _list_ordinary_stems(code: str) -> frozenset[str]:
    return frozenset(load_frequencies(code)[0]) - load_name_stems(code)


def measure_similarity(
    first: SentenceFeatures, second: SentenceFeatures, weigh: TermWeight
) -> float:
    """From 0 to 1: the shared letter trigrams (Dice) and the shared stems by weight (Jaccard)."""
    together = len(first.trigrams) + len(second.trigrams)
    trigrams = 2 * len(first.trigrams & second.trigrams) / together if together else 0.0
    union = fsum(map(weigh, first.terms | second.terms))
    stems = fsum(map(weigh, first.terms & second.terms)) / union if union else 0.0
    return TRIGRAM_WEIGHT * trigrams + STEM_WEIGHT * stems


def measure_stem_coverage(
    wanted: SentenceFeatures, held: frozenset[str], weigh: TermWeight | None = None
) -> float:
    """The share of a sentence's stems that are in `held`, weighted if asked; 0 without stems."""
    if not wanted.terms:
        return 0.0
    if weigh is None:
        return len(wanted.terms & held) / len(wanted.terms)
    total = fsum(map(weigh, wanted.terms))
    return fsum(map(weigh, wanted.terms & held)) / total if total else 0.0


def measure_mutual_coverage(first: SentenceFeatures, second: SentenceFeatures) -> float:
    """The smaller of the two shares of stems that each sentence has of the other."""
    return min(
        measure_stem_coverage(first, second.terms), measure_stem_coverage(second, first.terms)
    )


# The features by which sentences are compared: stems, stem pairs, trigrams and quantities.


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
        plain = f" {' '.join(word_forms.split_words(self.text))} "
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
            word_forms.stem_word(word, (self.language or "en")[:2])
            for value in self.quantities
            if not any(map(str.isdigit, value.text))
            for word in value.text.lower().split()[:-1]  # the last one is the unit
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
        return nearest_sentences.is_negated_statement(self.text, language=self.language)


def build_sentence_features(text: str, *, language: str | None = None) -> SentenceFeatures:
    stems = tuple(word_forms.list_terms(text, language=language))
    return SentenceFeatures(text=text, stems=stems, language=language)
