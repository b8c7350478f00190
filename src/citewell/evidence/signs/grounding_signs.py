"""What of a claim a passage has and lacks: the columns that the trees of `grounding_trees` were learned from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from math import exp

from citewell.evidence.signs.oppositions.contrary_words import (
    CHANGE,
    OPPOSITION_LANGUAGES,
    are_contrary,
    find_word_polarities,
    load_opposition_words,
)
from citewell.evidence.signs.oppositions.opposition import Opposition
from citewell.evidence.signs.sentence_features import (
    CAPITAL_WORD_PATTERN,
    NOUN_CAPITAL_CODES,
    SentenceFeatures,
    list_capital_names,
)
from citewell.text.data_tables import load_table
from citewell.text.language import word_forms
from citewell.text.language.word_forms import find_held_form, list_particles
from citewell.text.passages.passage_index import find_related_stems
from citewell.text.passages.term_weights import knows_frequencies, split_compound, weigh_stem
from citewell.text.quantities.stated_quantities import find_missing_quantities

GROUNDING_SIGNS = (
    "sentence weight", "passage weight", "source weight", "passage share", "lost in sentence",
    "lost in passage", "lost in source", "rarest lost in passage", "rarest lost in source",
    "lost without related", "rarest without related", "names lost in sentence",
    "names lost in passage", "names lost in source", "numbers lost in sentence",
    "numbers lost in passage", "denial differs", "contraries", "directions differ",
    "absolutes lost", "hedges dropped", "hedges added", "causes lost", "extremes lost",
    "times lost", "order", "pairs in sentence", "pairs in passage", "longest run", "replaced",
    "rarest replaced", "replaced by", "first lost", "last lost", "opposition", "sentence surplus",
    "names turned",
)  # fmt: skip
_MAX_WORDS, _MAX_COUNT = 30, 8
_MAX_SENTENCE_CHARS = 1500
_PERCENT_WORDS = frozenset(("percent", "prozent", "pourcent", "ciento"))
_FORM_LETTERS = 5  # words that begin alike count as forms of each other
_MAX_REPLACED_GAP = 4  # words of the passage between two neighbours of a replaced word
# Of a word in a language whose frequencies are not known: between rare and common.
_FOREIGN_WEIGHT = 5.0
_MAX_LOST_RARITY = 7.0  # of a word that the passage may lack: "nicotine" weighs 9.6, "mixture" 5.8
_CACHED_WORDS = 2**14


class GroundingDoubt(StrEnum):
    """Signs of which any forbids to call a claim supported, however many words are there."""

    CONTRARY = "contraries"
    ABSOLUTE = "absolutes lost"
    HEDGE = "hedges dropped"
    NAME = "names lost in passage"
    ORDER = "names turned"
    RARE_WORD = "rarest without related"
    # These are no signs that trees learn from: `claim_frames` finds them.
    AMOUNT = "amount lost"
    REASON = "reason invented"
    DISPUTED = "disputed"
    SET_APART = "set apart"
    SUBJECT = "other subject"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimWord:
    text: str  # in small letters
    stem: str  # empty for words without content


@dataclass(frozen=True, kw_only=True)
class _SentenceWords:
    """A sentence as its words."""

    features: SentenceFeatures
    forms: Mapping[str, str] = field(default_factory=dict)  # stems by those that they count as

    @cached_property
    def listed(self) -> tuple[_ClaimWord, ...]:
        words = word_forms.split_words(self.features.text[:_MAX_SENTENCE_CHARS])
        return tuple(_ClaimWord(text=word, stem=self._find_stem(word)) for word in words)

    def _find_stem(self, word: str) -> str:
        language = self.features.language
        # Whether a word belongs to a number; numbers are compared by their values.
        if (
            word in word_forms.list_stopwords(language)
            or word[:1].isdigit()
            or word in _PERCENT_WORDS
            or not word_forms.is_content_word(word)
        ):
            return ""
        stem = word_forms.stem_word(word, (language or "en")[:2])
        return "" if stem in _list_plain_stems(self.language_code) else self.forms.get(stem, stem)

    @cached_property
    def texts(self) -> frozenset[str]:
        return frozenset(word.text for word in self.listed)

    @property
    def language_code(self) -> str:
        return self.features.compared.code


@dataclass(frozen=True, kw_only=True)
class ClaimPassage:
    """Sentences of a source, the first of which has most of the claim."""

    sentences: Sequence[SentenceFeatures]
    read_order: Sequence[SentenceFeatures]  # the same as the source has them
    source_terms: frozenset[str]
    known_terms: frozenset[str]  # of names that belong to the source, though its text may lack them

    @cached_property
    def held_stems(self) -> frozenset[str]:
        return self.known_terms.union(*(sentence.terms for sentence in self.sentences))

    @cached_property
    def heads(self) -> frozenset[str]:
        return frozenset(
            stem[:_FORM_LETTERS] for stem in self.held_stems if len(stem) >= _FORM_LETTERS
        )

    @cached_property
    def held_words(self) -> frozenset[str]:
        return frozenset().union(
            *(_SentenceWords(features=sentence).texts for sentence in self.sentences)
        )


def build_passage(
    claim: SentenceFeatures,
    sentences: Sequence[SentenceFeatures],
    window: tuple[int, int],
    *,
    source_terms: frozenset[str],
    known_terms: frozenset[str],
) -> ClaimPassage:
    """The sentences of a window of the source, the nearest to the claim first."""
    weights = {stem: _weigh_stem(stem, claim.compared.code) for stem in claim.terms}
    near = sorted(
        sentences[slice(*window)], key=lambda sentence: -_measure_weight(weights, sentence.terms)
    )
    return ClaimPassage(
        sentences=near,
        read_order=sentences[slice(*window)],
        source_terms=source_terms | known_terms,
        known_terms=known_terms,
    )


def list_grounding_signs(
    claim: SentenceFeatures, passage: ClaimPassage, *, against: Opposition | None
) -> tuple[float, ...]:
    """The values of GROUNDING_SIGNS, in their order."""
    forms = _list_held_forms(claim, passage)
    own = _SentenceWords(features=claim, forms=forms)
    nearest = _SentenceWords(features=passage.sentences[0])
    capitals = " ".join(list_capital_names(claim.text, language=claim.language))
    name_stems = word_forms.extract_terms(capitals, language=claim.language)
    names = frozenset(forms.get(stem, stem) for stem in name_stems)
    if forms:
        claim = replace(claim, stems=tuple(forms.get(stem, stem) for stem in claim.stems))
    content = [word for word in own.listed if word.stem][:_MAX_WORDS]
    near = passage.sentences[0].terms
    weights = {word.stem: _weigh_stem(word.stem, own.language_code) for word in content}
    lost_near = [word for word in content if word.stem not in near]
    lost = [word for word in content if word.stem not in passage.held_stems]
    lost_far = [word for word in lost if word.stem not in passage.source_terms]
    unlike = [word for word in lost if not _is_related(word.stem, passage, claim.language)]
    plain = _list_plain_stems(own.language_code)
    lost_plain = [
        word for word in own.listed if word.text not in passage.held_words and not word.stem
    ]
    # Order and strength are learned for English alone: elsewhere they must agree more strictly.
    is_learned = own.language_code == "en"
    strong = passage.held_words if is_learned else nearest.texts
    read = passage.sentences[:1] if is_learned else passage.read_order
    places = _place_words(content, nearest)
    replaced = list(_list_replaced(content, places, nearest))
    contrary = [*lost, *(lost_plain if plain else ())]
    if nearest.language_code not in OPPOSITION_LANGUAGES:
        contrary = []
    contraries = sum(
        any(are_contrary(word.text, held, nearest.language_code) for held in passage.held_words)
        for word in contrary
    )
    return (
        _measure_weight(weights, near),
        _measure_weight(weights, passage.held_stems),
        _measure_weight(weights, passage.source_terms),
        1 - len(lost) / max(1, len(content)),
        min(_MAX_COUNT, len(lost_near)),
        min(_MAX_COUNT, len(lost)),
        min(_MAX_COUNT, len(lost_far)),
        _find_rarest(weights, lost),
        _find_rarest(weights, lost_far),
        min(_MAX_COUNT, len(unlike)),
        _find_rarest(weights, unlike),
        min(_MAX_COUNT, len(names - near)),
        min(_MAX_COUNT, len(names - passage.held_stems)),
        min(_MAX_COUNT, len(names - passage.source_terms)),
        min(_MAX_COUNT, _count_missing(claim, passage.sentences[:1])),
        min(_MAX_COUNT, _count_missing(claim, passage.sentences)),
        _count_claim_denials(own, claim.terms) % 2 != _count_claim_denials(nearest, claim.terms) % 2,
        min(_MAX_COUNT, contraries),
        _find_net_direction(own) * _find_net_direction(nearest) < 0,
        _count_lost_words("absolutes", own, strong),
        _count_dropped_hedges(nearest, own, claim.terms),
        _count_lost_words("hedges", own, passage.held_words),
        _count_lost_words("causes", own, passage.held_words),
        _count_lost_words("extremes", own, passage.held_words),
        _count_lost_words("times", own, passage.held_words),
        _measure_order(places),
        _measure_pairs(claim, passage.sentences[:1]),
        _measure_pairs(claim, passage.sentences),
        _measure_longest_run(own, nearest),
        min(_MAX_COUNT, len(replaced)),
        _find_rarest(weights, [word for word, _ in replaced]),
        max((_weigh_stem(other, own.language_code) for _, other in replaced), default=0.0),
        bool(content) and content[0].stem not in passage.held_stems,
        bool(content) and _find_last_word(content, claim).stem not in passage.held_stems,
        against.certainty if against is not None else -1,
        1 - sum(stem in near for stem in weights) / max(1, len(near - plain)),
        _are_names_turned(own, read, names),
    )  # fmt: skip


def list_doubts(signs: Sequence[float]) -> tuple[GroundingDoubt, ...]:
    """What of a claim the passage does not say, though it has the words."""
    held = dict(zip(GROUNDING_SIGNS, signs, strict=True))
    return tuple(
        doubt
        for doubt in GroundingDoubt
        if held.get(doubt.value, 0) > (_MAX_LOST_RARITY if doubt is GroundingDoubt.RARE_WORD else 0)
    )


def list_ungrounded_words(claim: SentenceFeatures, passage: ClaimPassage) -> tuple[str, ...]:
    """Words of the claim, as written, that the passage has in no form; words of strength included."""
    listed = [
        list_strength_words(kind, claim.compared.code)
        for kind in (
            "absolutes",
            "causes",
            "extremes",
            "majorities",
            "minorities",
            "halves",
            "doubles",
        )
    ]
    strong = frozenset().union(*(words for words in listed if not words & passage.held_words))
    own = _SentenceWords(features=claim, forms=_list_held_forms(claim, passage))
    lost = (
        word.text
        for word in own.listed
        if word.text in strong
        or (
            word.stem
            and word.text not in list_strength_words("joining", claim.compared.code)
            and word.stem not in passage.held_stems
            and not _is_related(word.stem, passage, claim.language)
        )
    )
    return tuple(_find_written_form(word, claim.text) for word in dict.fromkeys(lost))


def _find_written_form(word: str, text: str) -> str:
    """The word with the capitals that the text gives it."""
    place = text.casefold().find(word) if len(text.casefold()) == len(text) else -1
    return text[place : place + len(word)] if place >= 0 else word


def _list_held_forms(claim: SentenceFeatures, passage: ClaimPassage) -> dict[str, str]:
    """Stems of the claim that the passage has in another form or compound, with that one.

    English has a table of related words instead.
    """
    code = claim.compared.code
    if code == "en":
        return {}
    words = passage.held_words.union(word_forms.split_words(claim.text))
    particles = list_particles(words, code)
    forms: dict[str, str] = {}
    for stem in claim.terms - passage.held_stems:
        parts = split_compound(stem, code) or ()
        for wanted in ((stem,), parts):
            found = [
                find_held_form(part, passage.held_stems, code, particles=particles)
                for part in wanted
            ]
            if found and all(found):
                forms[stem] = found[-1] or ""
                break
    return forms


@lru_cache(maxsize=_CACHED_WORDS)
def _weigh_stem(stem: str, code: str) -> float:
    return weigh_stem(stem, code) if knows_frequencies(code) else _FOREIGN_WEIGHT


def _measure_weight(weights: Mapping[str, float], held: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in held) / total if total else 1.0


def _find_rarest(weights: Mapping[str, float], words: Sequence[_ClaimWord]) -> float:
    return max((weights[word.stem] for word in words), default=0.0)


def _is_related(stem: str, passage: ClaimPassage, language: str | None) -> bool:
    """Whether the passage has another form of a word, or one of a near meaning."""
    if len(stem) >= _FORM_LETTERS and stem[:_FORM_LETTERS] in passage.heads:
        return True
    return not passage.held_stems.isdisjoint(find_related_stems(stem, language=language))


def _find_last_word(content: Sequence[_ClaimWord], claim: SentenceFeatures) -> _ClaimWord:
    """The last word, or in languages that write nouns with a capital and verbs at the end, the last noun."""
    nouns: list[_ClaimWord] = []
    if claim.compared.code in NOUN_CAPITAL_CODES:
        capitals = {word.lower() for word in CAPITAL_WORD_PATTERN.findall(claim.text)}
        nouns = [word for word in content if word.text in capitals]
    return nouns[-1] if nouns else content[-1]


def _count_missing(claim: SentenceFeatures, sentences: Sequence[SentenceFeatures]) -> int:
    if not claim.quantities:
        return 0
    held = (value for each in sentences for value in each.quantities)
    return len(find_missing_quantities(claim.quantities, held))


def _count_claim_denials(sentence: _SentenceWords, about: frozenset[str]) -> int:
    """How many words of the sentence deny something that the claim speaks of."""
    if sentence.language_code not in OPPOSITION_LANGUAGES:
        return 0
    return sum(not about.isdisjoint(denial.stems) for denial in sentence.features.compared.denials)


def _find_net_direction(sentence: _SentenceWords) -> int:
    """1 if more words say that something rises than that it falls, -1 if fewer, else 0."""
    if sentence.language_code not in OPPOSITION_LANGUAGES:
        return 0
    if sentence.language_code == "en":
        found = sum(_find_change(word.text) for word in sentence.listed)
        return max(-1, min(1, found))
    table = load_opposition_words(sentence.language_code)
    rising, falling = tuple(table.rising), tuple(table.falling)
    found = sum(
        word.text.startswith(rising) - word.text.startswith(falling) for word in sentence.listed
    )
    return max(-1, min(1, found))


@lru_cache(maxsize=_CACHED_WORDS)
def _find_change(word: str) -> int:
    return sum(polarity.sign for polarity in find_word_polarities(word) if polarity.axis == CHANGE)


@cache
def list_strength_words(kind: str, code: str) -> frozenset[str]:
    """Words of a kind, such as "absolutes" or "hedges", in a language."""
    return frozenset(load_table(__package__, "grounding_words")[kind].get(code, ()))


@cache
def _list_plain_stems(code: str) -> frozenset[str]:
    """Stems that say nothing and are not among the stop-words, which are fewer than in English."""
    return frozenset(
        word_forms.stem_word(word, code) for word in list_strength_words("plain", code)
    )


def _count_lost_words(kind: str, sentence: _SentenceWords, held: frozenset[str]) -> int:
    """Words of a kind that the sentence has, if the other side has none of that kind."""
    words = list_strength_words(kind, sentence.language_code)
    return 0 if words & held else min(2, len(words & sentence.texts))


def _count_dropped_hedges(
    sentence: _SentenceWords, claim: _SentenceWords, about: frozenset[str]
) -> int:
    """Words of caution in the sentence, between words of the claim, which has none."""
    hedges = list_strength_words("hedges", sentence.language_code)
    if hedges & claim.texts:
        return 0
    count, before, is_open = 0, True, False
    for word in sentence.listed:
        if word.text in hedges:
            is_open = before
        elif word.stem:
            before = word.stem in about
            count += is_open and before
            is_open = False
    return min(2, count)


def _place_words(content: Sequence[_ClaimWord], sentence: _SentenceWords) -> list[tuple[int, ...]]:
    """For each word of the claim, the places of the same word in the sentence."""
    found: dict[str, list[int]] = {}
    for at, word in enumerate(sentence.listed):
        if word.stem:
            found.setdefault(word.stem, []).append(at)
    return [tuple(found.get(word.stem, ())) for word in content]


def _measure_order(places: Sequence[tuple[int, ...]]) -> float:
    """The share of the claim's words in the sentence that follow each other as in the claim."""
    tails: list[int] = []
    held = [each for each in places if each]
    for each in held:
        for place in reversed(each):  # a word counts once
            at = bisect_left(tails, place)
            tails[at : at + 1] = [place]
    return len(tails) / len(held) if held else 0.0


def _measure_pairs(claim: SentenceFeatures, sentences: Sequence[SentenceFeatures]) -> float:
    own = _list_pairs(claim)
    if not own:
        return 0.0
    held = frozenset().union(*map(_list_pairs, sentences))
    return len(own & held) / len(own)


def _list_pairs(sentence: SentenceFeatures) -> frozenset[tuple[str, str]]:
    plain = _list_plain_stems(sentence.compared.code)
    if not plain:
        return sentence.stem_pairs
    return frozenset(pairwise(stem for stem in sentence.stems if stem not in plain))


def _measure_longest_run(claim: _SentenceWords, sentence: _SentenceWords) -> float:
    """The longest run of words that both have, as a share of the claim."""
    own, other = [word.text for word in claim.listed], [word.text for word in sentence.listed]
    best, before = 0, [0] * (len(other) + 1)
    for word in own[: 2 * _MAX_WORDS]:
        row = [0] * (len(other) + 1)
        for at, each in enumerate(other):
            if each == word:
                row[at + 1] = before[at] + 1
                best = max(best, row[at + 1])
        before = row
    return best / max(1, len(own))


def _list_replaced(
    content: Sequence[_ClaimWord], places: Sequence[tuple[int, ...]], sentence: _SentenceWords
) -> Iterator[tuple[_ClaimWord, str]]:
    """Words of the claim between two words of the sentence, which has another word there."""
    stems = {word.stem for word in content}
    for at in range(1, len(content) - 1):
        if places[at]:
            continue
        for first in places[at - 1]:
            last = next(
                (each for each in places[at + 1] if 1 < each - first <= _MAX_REPLACED_GAP), None
            )
            if last is None:
                continue
            between = [word.stem for word in sentence.listed[first + 1 : last] if word.stem]
            others = [stem for stem in between if stem not in stems]
            if others:
                yield content[at], others[0]
                break


def _are_names_turned(
    claim: _SentenceWords, sentences: Sequence[SentenceFeatures], names: frozenset[str]
) -> bool:
    """Whether two names that follow each other in the claim follow in the other order in the sentences."""
    words = (word for sentence in sentences for word in _SentenceWords(features=sentence).listed)
    first: dict[str, int] = {}
    for at, word in enumerate(words):
        first.setdefault(word.stem, at)
    named = list(dict.fromkeys(word.stem for word in claim.listed if word.stem in names))
    held = [first[stem] for stem in named if stem in first]
    return any(place > other + 1 for place, other in pairwise(held))


# Judges signs by trees that were learned from labelled examples, and are kept as data beside this module.


def estimate_chance(trees: str, signs: Sequence[float]) -> float:
    """What the trees of this name make of the signs: a chance from 0 to 1.

    A leaf of a tree is a number, all other nodes are [sign, bound, below, above], where `below`
    is for a sign of at most the bound.
    """
    total = 0.0
    for tree in load_table(__package__, trees):
        node = tree
        while isinstance(node, list):
            node = node[2] if signs[node[0]] <= node[1] else node[3]
        total += node
    return 1 / (1 + exp(-total))
