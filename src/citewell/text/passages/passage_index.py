"""Passages of many pages, and how well each answers to the words of a question (BM25F).

The words of a passage count fully, those of its headings and of the page's title in part; a page that
is about the question as a whole lifts all of its passages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from math import ceil

from citewell.text.language import word_forms
from citewell.text.passages.markdown_blocks import render_plain_text
from citewell.text.passages.page_units import PageUnit, list_passage_terms
from citewell.text.passages.term_weights import weigh_term

_RELATED_FILE = "related_words.txt"
_LEAST_NEARNESS = 0.55  # below it, words are only of the same field
_RELATED_FACTOR = 0.8  # a related word counts at most this much of the word itself

_MAX_PASSAGE_CHARS = 500
_WELL_STEMMED_LANGUAGES = frozenset(("en",))  # elsewhere, compounds and endings hide a word
_MIN_ROOT_LETTERS, _KINDRED_SHARE, _KINDRED_FACTOR = 5, 0.6, 0.6
_MIN_MISSPELT_LETTERS, _MAX_MISSPELT_LETTERS, _MISSPELT_LIKENESS = 5, 2, 0.8
# What words of the rest of the question weigh for one part, and for one with few words of its own.
_CONTEXT_SHARE, _NEEDED_CONTEXT_SHARE, _FEW_WORDS = 0.4, 0.75, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingWeights:
    """What counts how much; found by trying many on questions over real pages."""

    saturation: float = 0.7  # k1 of BM25
    length_norm: float = 0.4  # b of BM25
    heading: float = 0.6
    title: float = 0.6
    page: float = 0.1  # what the page as a whole adds
    page_saturation: float = 1.0
    rarity_power: float = 1.0
    context: float = 0.7  # a word that only heading or title has, in a window
    passage_share: float = 0.5  # of the passage in the score of its window
    ideal_words: int = 52
    long_penalty: float = 0.15  # for each hundred words more
    short_penalty: float = 0.3  # for each hundred words less
    max_sentences: int = 5
    max_words: int = 100
    max_list_words: int = 130
    answer_bonus: float = 0.12
    definition_bonus: float = 0.15
    opening_bonus: float = 0.03  # first below its heading
    list_bonus: float = 0.08  # for a whole list where one is asked for
    pointing_penalty: float = 0.06


DEFAULT_RANKING = RankingWeights()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    title: str
    language: str | None
    units: tuple[PageUnit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPassage:
    """A few units that stand together under the same headings."""

    page: int
    first: int  # index of the first unit
    last: int  # and of the last
    length: int  # in stems


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTerm:
    """A word of the question with its weight; the context of a part weighs less."""

    word: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageScore:
    passage: int  # index
    score: float


class PassageIndex:
    """The passages of some pages; build it once and rank it for several parts of a question."""

    def __init__(
        self, pages: Sequence[IndexedPage], *, weights: RankingWeights = DEFAULT_RANKING
    ) -> None:
        self.pages = tuple(pages)
        self.weights = weights
        self.passages = tuple(
            passage
            for number, page in enumerate(self.pages)
            for passage in _group_passages(number, page.units)
        )
        self._held: Counter[str] = Counter()
        for passage in self.passages:
            units = self.pages[passage.page].units[passage.first : passage.last + 1]
            self._held.update({stem for unit in units for stem in unit.stems})
        words = sum(passage.length for passage in self.passages)
        self.mean_length = words / len(self.passages) if words else 1.0
        self.mean_page_length = words / len(self.pages) if words else 1.0

    def has_word(self, word: str) -> bool:
        """Whether a page has the word, a compound of it, or another spelling; no other word will do."""
        for code in {(page.language or "en")[:2] for page in self.pages}:
            stems = list_passage_terms(word, language=code)
            for stem in stems:
                kindred = () if code in _WELL_STEMMED_LANGUAGES else self.find_kindred_stems(stem)
                if self._held[stem] or kindred or self.find_misspelt_stems(stem):
                    return True
        return False

    def find_kindred_stems(self, stem: str) -> tuple[str, ...]:
        """Stems of the pages with the same beginning, such as compounds of the word."""
        root = stem[:_MIN_ROOT_LETTERS]
        if len(root) < _MIN_ROOT_LETTERS or not root.isalpha():
            return ()
        same_root = (other for other in self._held if other != stem and other.startswith(root))
        return tuple(
            other
            for other in same_root
            if stem[: (least := ceil(_KINDRED_SHARE * max(len(stem), len(other))))] == other[:least]
        )

    def find_misspelt_stems(self, stem: str) -> tuple[str, ...]:
        """For a word that no page has: the stems it may be a slip or another spelling of."""
        if self._held[stem] or len(stem) < _MIN_MISSPELT_LETTERS or not stem.isalpha():
            return ()
        near = [
            other
            for other in self._held
            if other[0] == stem[0] and abs(len(other) - len(stem)) <= _MAX_MISSPELT_LETTERS
        ]
        return tuple(get_close_matches(stem, near, n=2, cutoff=_MISSPELT_LIKENESS))

    def weigh_word(self, word: str, *, language: str | None) -> float:
        stem = word_forms.stem_word(word, (language or "en")[:2])
        weight = weigh_term(
            stem, held=self._held[stem], total=len(self.passages), language=language
        )
        return float(weight**self.weights.rarity_power)

    def weigh_words(
        self, text: str, *, language: str | None, context: str = ""
    ) -> tuple[AskedTerm, ...]:
        """The words of a question with their weights; those only in `context` weigh less."""
        own = list_question_words(text, language=language)
        context_share = _CONTEXT_SHARE if len(own) > _FEW_WORDS else _NEEDED_CONTEXT_SHARE
        around = list_question_words(context, language=language)
        code = (language or "en")[:2]
        seen: dict[str, AskedTerm] = {}
        shares = [(word, 1.0) for word in own] + [(word, context_share) for word in around]
        for word, share in shares:
            weight = share * self.weigh_word(word, language=language)
            seen.setdefault(word_forms.stem_word(word, code), AskedTerm(word=word, weight=weight))
        return tuple(seen.values())


def list_question_words(text: str, *, language: str | None) -> list[str]:
    """The words that say what is asked, in order, without stop-words."""
    plain = word_forms.list_stopwords(language)
    return [
        word
        for word in dict.fromkeys(word_forms.split_words(text))
        if word not in plain and word_forms.is_content_word(word, min_letters=2)
    ]


def _group_passages(number: int, units: Sequence[PageUnit]) -> Iterator[TextPassage]:
    """Neighbouring units under the same headings, up to a length; a lead-in goes with its list."""
    first = 0
    while first < len(units):
        last, chars = first, len(units[first].text)
        while (
            last + 1 < len(units)
            and units[last + 1].headings == units[first].headings
            and chars + len(units[last + 1].text) <= _MAX_PASSAGE_CHARS
        ):
            last += 1
            chars += len(units[last].text)
        if last > first and _is_lead_in(units, last):
            last -= 1
        length = sum(len(unit.stems) for unit in units[first : last + 1])
        if length:
            yield TextPassage(page=number, first=first, last=last, length=length)
        first = last + 1


def _is_lead_in(units: Sequence[PageUnit], place: int) -> bool:
    return (
        units[place].text.endswith((":", "："))
        and place + 1 < len(units)
        and units[place + 1].headings == units[place].headings
    )


class TermMatcher:
    """Finds the words of a question in the units of the pages, by stem and by related stem."""

    def __init__(self, index: PassageIndex, terms: Sequence[AskedTerm]) -> None:
        self.index = index
        self.terms = tuple(terms)
        self.total = sum(term.weight for term in terms) or 1.0
        self._lookups: dict[str, Mapping[str, tuple[tuple[int, float], ...]]] = {}
        self._context: dict[tuple[tuple[str, ...], str | None], dict[int, float]] = {}
        self.title_hits = [
            self._match_text(render_plain_text(page.title), page.language) for page in index.pages
        ]
        self.unit_hits = [
            [self.match_stems(unit.stems, page.language) for unit in page.units]
            for page in index.pages
        ]

    def match_stems(self, stems: Sequence[str], language: str | None) -> list[tuple[int, float]]:
        """For each occurrence of an asked word: its index and how much of it the match earns."""
        code = (language or "en")[:2]
        if code not in self._lookups:
            self._lookups[code] = self._build_lookup(code)
        lookup = self._lookups[code]
        return [hit for stem in stems if stem in lookup for hit in lookup[stem]]

    def match_headings(self, headings: tuple[str, ...], language: str | None) -> dict[int, float]:
        key = (headings, language)
        if key not in self._context:
            self._context[key] = self._match_text(" ".join(headings), language)
        return self._context[key]

    def _match_text(self, text: str, language: str | None) -> dict[int, float]:
        best: dict[int, float] = {}
        for place, factor in self.match_stems(
            list_passage_terms(text, language=language), language
        ):
            best[place] = max(best.get(place, 0.0), factor)
        return best

    def _build_lookup(self, code: str) -> Mapping[str, tuple[tuple[int, float], ...]]:
        own = {word_forms.stem_word(term.word, code): at for at, term in enumerate(self.terms)}
        found: dict[str, list[tuple[int, float]]] = {stem: [(at, 1.0)] for stem, at in own.items()}
        for stem, at in own.items():
            for other, factor in find_related_stems(stem, language=code).items():
                if other not in own:
                    found.setdefault(other, []).append((at, factor))
        for stem, at in own.items():
            kindred = () if code in _WELL_STEMMED_LANGUAGES else self.index.find_kindred_stems(stem)
            for other in kindred or self.index.find_misspelt_stems(stem):
                if other not in found:
                    found[other] = [(at, _KINDRED_FACTOR)]
        return {stem: tuple(hits) for stem, hits in found.items()}

    def measure_unit(self, page: int, place: int) -> float:
        """The share of the question, by weight, that one unit holds; headings and title in part."""
        unit = self.index.pages[page].units[place]
        above = self.match_headings(unit.headings, self.index.pages[page].language)
        context = self.title_hits[page] | above
        held = {at: self.index.weights.context * factor for at, factor in context.items()}
        for at, factor in self.unit_hits[page][place]:
            held[at] = max(held.get(at, 0.0), factor)
        return sum(self.terms[at].weight * factor for at, factor in held.items()) / self.total

    def score_passages(self) -> list[PassageScore]:
        """Every passage with its score, the best first."""
        pages = [self._score_page(number) for number in range(len(self.index.pages))]
        scored = [
            PassageScore(
                passage=place,
                score=self._score_passage(passage) + self.index.weights.page * pages[passage.page],
            )
            for place, passage in enumerate(self.index.passages)
        ]
        return sorted(scored, key=lambda row: (-round(row.score, 9), row.passage))

    def _score_passage(self, passage: TextPassage) -> float:
        weights, page = self.index.weights, self.index.pages[passage.page]
        norm = (
            1 - weights.length_norm + weights.length_norm * passage.length / self.index.mean_length
        )
        counts = self._count_hits(passage.page, passage.first, passage.last)
        above = self.match_headings(page.units[passage.first].headings, page.language)
        total = 0.0
        for at, term in enumerate(self.terms):
            found = (
                counts.get(at, 0.0) / norm
                + weights.heading * above.get(at, 0.0)
                + weights.title * self.title_hits[passage.page].get(at, 0.0)
            )
            if found:
                total += term.weight * found / (found + weights.saturation)
        return total / self.total

    def _score_page(self, number: int) -> float:
        weights, units = self.index.weights, self.index.pages[number].units
        length = sum(len(unit.stems) for unit in units)
        norm = 0.5 + 0.5 * length / self.index.mean_page_length
        counts = self._count_hits(number, 0, len(units) - 1)
        total = 0.0
        for at, term in enumerate(self.terms):
            found = counts.get(at, 0.0) / norm + 2 * self.title_hits[number].get(at, 0.0)
            if found:
                total += term.weight * found / (found + weights.page_saturation)
        return total / self.total

    def _count_hits(self, page: int, first: int, last: int) -> dict[int, float]:
        counts: dict[int, float] = {}
        for hits in self.unit_hits[page][first : last + 1]:
            for at, factor in hits:
                counts[at] = counts.get(at, 0.0) + factor
        return counts


# English words with a near meaning, so that a page need not use the words of the question.


def find_related_stems(stem: str, *, language: str | None) -> Mapping[str, float]:
    """Stems of related words, each with the share of the word's weight that it earns."""
    return _load_related().get(stem, {}) if (language or "en")[:2] == "en" else {}


@cache
def _load_related() -> Mapping[str, Mapping[str, float]]:
    text = resources.files(__package__).joinpath(_RELATED_FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        stem, *others = line.split()
        pairs = (other.rsplit(":", 1) for other in others)
        found[stem] = {
            word: _RELATED_FACTOR * (int(near) / 100 - _LEAST_NEARNESS) / (1 - _LEAST_NEARNESS)
            for word, near in pairs
            if int(near) / 100 > _LEAST_NEARNESS
        }
    return found
