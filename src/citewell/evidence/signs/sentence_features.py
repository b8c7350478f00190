"""The features by which sentences are compared, how similar two sentences are, and a source as its sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, islice
from math import fsum
from typing import TypeVar, cast

from citewell.core.lazy_patterns import compile_on_use
from citewell.evidence.signs import nearest_sentences
from citewell.evidence.signs.oppositions.compared_sentence import ComparedSentence
from citewell.text.data_tables import load_table, load_words
from citewell.text.language import detection, sentences, word_forms
from citewell.text.passages.term_weights import knows_frequencies, load_frequencies, load_name_stems
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.sentence_values import collect_sentence_values
from citewell.text.quantities.stated_quantities import DATE_UNIT, YEAR_UNIT, StatedQuantity

TermWeight = Callable[[str], float]
TRIGRAM_WEIGHT, STEM_WEIGHT = 0.5, 0.5  # weights in measure_similarity
MIN_RELATED_SIMILARITY = 0.55
NOUN_CAPITAL_CODES = frozenset(("de", "lb"))
CAPITAL_WORD_PATTERN = compile_on_use(r"\b[A-ZÀ-Þ][\w’']++")
# A capital inside a sentence, a word of capitals, or one of letters and digits.
_INNER_NAME_PATTERN = compile_on_use(
    r"(?<=[\w,;:’'\"”)] )[A-Z][\w’'-]*+|\b[A-Z]{2,}+\b|\b(?=[^\W\d]*+\d)(?=\d*+[^\W\d])\w++"
)
# What stands before an ordinary noun and hardly ever before a name without an ordinary word in it.
_ARTICLE_PATTERN = compile_on_use(
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


# A source text with its sentences, and an index of them, to be compared with many claims.


_FIGURE_PATTERN = compile_on_use(r"\d+")
_FIGURE_RANGE_PATTERN = compile_on_use(r"\d\s?[–-]\s?\d")
# A capital inside a sentence, or a word of capitals.
_NAME_PATTERN = compile_on_use(r"(?<=[a-z,] )[A-Z][\w’'-]++|\b[A-Z]{2,}+\b")
_NAME_PREFIX_LETTERS = 5  # European and Europe, Italian and Italy
_MAX_FIGURE_CHARS = 400_000  # of a source in which figures are looked up

HEAD_LETTERS = 5  # of words that count as forms of each other
_Derived = TypeVar("_Derived")
# Marks of citations, which are no part of what is said: [4], [2, 3], (Miller et al., 2020).
_CITATION_MARK_PATTERN = compile_on_use(
    r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]"
    r"|\([A-Z][\w'’-]{1,30}(?: (?:and|&) [A-Z][\w'’-]{1,30}| et al\.?)?,? (?:19|20)\d\d[a-z]?\)"
)
MIN_SUPPORTED_SCORE = 0.5  # of every kind, after `scale_overlap`
_MIN_PAGE_SENTENCES = 40
_MAX_EXCERPT_SENTENCES, _MAX_EXCERPT_STEMS = 5, 130  # about 200 words
_PASSAGE_OVERLAP, _PAGE_OVERLAP, _RESEARCH_OVERLAP = 0.505, 0.5, 0.33
_MIN_RESEARCH_SHARE = 0.2  # of the words of the claim and of the source, added up


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """A source text, split into sentences once to be checked against many claims."""

    text: str
    language: str | None = None
    known_names: str = ""  # title, authors and site, which a claim may name and the text need not

    @cached_property
    def known_terms(self) -> frozenset[str]:
        return word_forms.extract_terms(self.known_names, language=self.language)

    @cached_property
    def sentence_spans(self) -> tuple[tuple[int, int], ...]:
        return tuple(_join_table_cells(self.text, sentences.find_sentence_spans(self.text)))

    @cached_property
    def sentence_features(self) -> tuple[SentenceFeatures, ...]:
        return tuple(
            build_sentence_features(
                remove_citation_marks(self.text[start:end]), language=self.language
            )
            for start, end in self.sentence_spans
        )

    @cached_property
    def spoken_language(self) -> str | None:
        """The language that is given, else the one that is detected."""
        return self.language or detection.detect_language(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word_forms.split_words(self.text))

    @cached_property
    def all_terms(self) -> frozenset[str]:
        return frozenset(self.sentences_by_term)

    @cached_property
    def figures(self) -> frozenset[str]:
        return list_figures(self.text)

    @cached_property
    def sentences_by_term(self) -> Mapping[str, Sequence[int]]:
        """The sentences that have each term, in order."""
        found: dict[str, list[int]] = {}
        for index, sentence in enumerate(self.sentence_features):
            for term in sentence.terms:
                found.setdefault(term, []).append(index)
        return found

    @cached_property
    def sentences_by_head(self) -> Mapping[str, Sequence[int]]:
        """The same by the first letters of longer terms, which forms of one word share."""
        found: dict[str, list[int]] = {}
        for term, places in self.sentences_by_term.items():
            if len(term) >= HEAD_LETTERS:
                found.setdefault(term[:HEAD_LETTERS], []).extend(places)
        return found

    def count_shared_terms(self, terms: Iterable[str]) -> Mapping[int, int]:
        """The sentences that have any of these terms, in order, each with how many it has."""
        counts: Counter[int] = Counter()
        for term in terms:
            counts.update(self.sentences_by_term.get(term, ()))
        return dict(sorted(counts.items()))

    def derive(self, build: Callable[[SourceText], _Derived]) -> _Derived:
        """What `build` makes of the source; it is built once and kept for further claims."""
        if build not in self._derived:
            self._derived[build] = build(self)
        return cast("_Derived", self._derived[build])

    @cached_property
    def _derived(self) -> dict[Callable[[SourceText], object], object]:
        return {}


def _join_table_cells(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans, with the cells of a row of a table as one: a cell says nothing without its row."""
    row_end = -1
    for start, end in spans:
        if start < row_end:
            continue
        line_start = text.rfind("\n", 0, start) + 1
        if text[line_start:start].lstrip().startswith("|"):
            row_end = text.find("\n", start)
            row_end = len(text) if row_end < 0 else row_end
            yield line_start, row_end
        else:
            yield start, end


def remove_citation_marks(text: str) -> str:
    """The text without marks such as [4] or (Miller, 2020)."""
    return _CITATION_MARK_PATTERN.sub(" ", text) if "[" in text or "(" in text else text


# Finds the numbers and names of a claim that a source does not have.


def list_figures(text: str) -> frozenset[str]:
    """Every run of digits in a text."""
    return frozenset(_FIGURE_PATTERN.findall(text[:_MAX_FIGURE_CHARS]))


def find_missing_numbers(
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    figures: frozenset[str],
    terms: frozenset[str],
) -> tuple[StatedQuantity, ...]:
    """The numbers of a claim that are not in the sentences near it.

    `figures` and `terms` are those of the whole source: years and dates often stand far away, at
    its head, and small numbers are often written as words.
    """
    if not asked.quantities:
        return ()
    gone = stated_quantities.find_missing_quantities(
        asked.quantities, (value for each in near for value in each.quantities)
    )
    return tuple(number for number in gone if not _is_written_elsewhere(number, figures, terms))


def _is_written_elsewhere(
    value: StatedQuantity, figures: frozenset[str], terms: frozenset[str]
) -> bool:
    digits = _FIGURE_PATTERN.findall(value.text)
    if value.unit in {YEAR_UNIT, DATE_UNIT} or _FIGURE_RANGE_PATTERN.search(value.text):
        return bool(digits) and all(
            each in figures or each.lstrip("0") in figures for each in digits
        )
    words = load_table(__package__, "missing_details")["number_words"]
    if len(digits) != 1 or len(digits[0]) > 2 or int(digits[0]) >= len(words):
        return False
    return word_forms.stem_word(words[int(digits[0])], "en") in terms


def measure_missing_names(
    asked: SentenceFeatures, terms: frozenset[str], heads: Collection[str]
) -> float:
    """The share of the names in an English claim that a source with these terms does not have.

    `heads` are the first letters of its longer terms.
    """
    if (asked.language or "en")[:2] != "en":
        return 0.0
    names = {match[0] for match in _NAME_PATTERN.finditer(asked.text)}
    name_stems = [stems for stems in map(word_forms.extract_terms, names) if stems]
    gone = [stems for stems in name_stems if stems.isdisjoint(terms)]
    if not gone:
        return 0.0
    return sum(not _has_known_head(stems, heads) for stems in gone) / len(name_stems)


def _has_known_head(stems: frozenset[str], heads: Collection[str]) -> bool:
    """Whether a longer name begins like a word of the source: European and Europe."""
    return any(
        len(stem) >= _NAME_PREFIX_LETTERS and stem[:_NAME_PREFIX_LETTERS] in heads for stem in stems
    )


# Says how high overlap must be for a source of some kind to support a claim.


def choose_least_overlap(claim: SentenceFeatures, source: Sequence[SentenceFeatures]) -> float:
    """The overlap from which a source of this kind supports the claim."""
    if is_research_text(claim, source):
        return _RESEARCH_OVERLAP
    return _PAGE_OVERLAP if len(source) >= _MIN_PAGE_SENTENCES else _PASSAGE_OVERLAP


def is_research_text(claim: SentenceFeatures, source: Sequence[SentenceFeatures]) -> bool:
    """Whether the claim and a short source are about research into health, life or climate."""
    if (claim.language or "en")[:2] != "en" or len(source) > _MAX_EXCERPT_SENTENCES:
        return False
    stems = tuple(
        islice(chain.from_iterable(sentence.stems for sentence in source), _MAX_EXCERPT_STEMS + 1)
    )
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
    """Stems that are common in texts about research into health, life and climate, and rare elsewhere."""
    words = load_words(__package__, "missing_details", "research_words")
    return frozenset(word_forms.stem_word(word, "en") for word in words)
