"""Judges by learned trees whether a number of a statement was changed, and names what its source has instead.

A number that a source gives only where it speaks of something else does not bear the statement out,
and where the source speaks of it another number may stand. How much either tells was learned from
statements about pages, sound ones and some with one number changed (see training/changed_numbers.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import nlargest

from citewell.evidence.comparison import borne_out_values, compared_values
from citewell.evidence.comparison.borne_out_values import ValueSearch
from citewell.evidence.comparison.derived_values import find_slack
from citewell.evidence.comparison.source_values import gives_both_ends, may_be_derived
from citewell.evidence.comparison.unstated_values import FIRST_RECENT_YEAR
from citewell.evidence.comparison.value_conflicts import are_of_one_kind, list_terms_beside
from citewell.evidence.signs.claim_support import HEAD_LETTERS, SourceText
from citewell.evidence.signs.grounding_signs import estimate_chance
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.passages.passage_index import find_related_stems
from citewell.text.passages.term_weights import weigh_term
from citewell.text.quantities.sentence_values import DAY_UNIT, MONTH_UNIT, find_written_months
from citewell.text.quantities.spelt_numbers import find_spelt_counts
from citewell.text.quantities.stated_quantities import (
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
    is_fixed_unit,
)

NUMBER_SIGNS = (
    "gap around", "gap fit", "gap company", "gap beside", "better others", "other fit",
    "other company", "other has same unit", "like around", "own places", "borne out", "written",
    "digits", "in words", "range", "numbers beside", "slack", "derived", "calendar", "percent", "time",
    "own fit", "other beside", "other within", "best other around", "others in sentence",
    "statement words", "page sentences",
)  # fmt: skip
_NONE = -1.0  # a share at a place that does not exist
_MAX_OTHERS, _MAX_OWN, _MAX_WANTED, _MAX_DIGITS = 10, 6, 6, 6
_MAX_WORDS, _MAX_SENTENCES = 25, 80  # beyond them, longer texts are like each other

_MAX_NUMBERS = 20  # of a statement; one with more is a table
_MIN_YEAR_BESIDE = 0.5  # of the words at a year of the statement, at another one of the source
# What a word counts in the sentences after the one that has it, and in those before it.
_LATER_SHARES = (1.0, 0.75, 0.6, 0.5, 0.42, 0.36, 0.3)
_EARLIER_SHARES = (1.0, 0.55, 0.35)
_HEAD_NEARNESS = 0.7

_MAX_LISTED_SENTENCES = 400  # whose numbers are compared
_MAX_PLACES = 12  # that are looked at closely, those with most of the statement first
_MAX_CACHED_SENTENCES = 8192
_WITHIN_WEIGHT, _BESIDE_WEIGHT, _COMPANY_WEIGHT = 0.5, 0.5, 0.3
_OTHER_UNIT_LOSS = 0.3
CALENDAR_UNITS = compared_values.DATED_UNITS | {MONTH_UNIT, DAY_UNIT}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPlace:
    """A number of the source, and how much of the statement stands at it; shares from 0 to 1."""

    value: StatedQuantity
    is_own: bool  # the statement's number, and no other
    index: int  # of its sentence
    within: float  # of the statement's words, in its sentence
    around: float  # the same, in its sentence or near it
    company: float  # of the statement's other numbers, in its sentence
    has_same_unit: bool
    has_like_figures: bool  # as if one had been written for the other by mistake
    beside: float = 0.0  # of the words at the statement's number, at this one

    @property
    def fit(self) -> float:
        """How well the place fits the statement's number."""
        return (
            self.around
            + _WITHIN_WEIGHT * self.within
            + _BESIDE_WEIGHT * self.beside
            + _COMPANY_WEIGHT * self.company
            - (0.0 if self.has_same_unit else _OTHER_UNIT_LOSS)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPlaces:
    """Where a source gives a number of the statement, and where one that could stand in its place."""

    own: tuple[NumberPlace, ...]  # the best first
    other: tuple[NumberPlace, ...]


@dataclass(frozen=True, kw_only=True)
class PlacedStatement:
    """A statement with its numbers, whose places in a source are looked for."""

    asked: SentenceFeatures
    numbers: Sequence[StatedQuantity]
    source: SourceText

    @cached_property
    def words(self) -> StatementWords:
        return measure_statement_words(self.asked, self.source)

    def find_places(self, value: StatedQuantity) -> NumberPlaces:
        beside = frozenset().union(*list_terms_beside(value, self.asked))
        own: list[NumberPlace] = []
        other: list[NumberPlace] = []
        for place in self._iterate_places(value):
            (own if place.is_own else other).append(place)
        return NumberPlaces(
            own=self._look_closely(own, beside), other=self._look_closely(other, beside)
        )

    @cached_property
    def matches(self) -> Mapping[int, Sequence[tuple[StatedQuantity, frozenset[int]]]]:
        """By sentence its numbers, with those of the statement that have the same value.

        Of a long source only the sentences with most of the statement around them.
        """
        every = self.source.sentence_features
        best = nlargest(_MAX_LISTED_SENTENCES, range(len(every)), key=self.words.around.__getitem__)
        return {
            index: [(value, self._find_same(value)) for value in list_all_numbers(every[index])]
            for index in sorted(best)
        }

    def _find_same(self, value: StatedQuantity) -> frozenset[int]:
        return frozenset(
            at
            for at, number in enumerate(self.numbers)
            if compared_values.have_same_value(number, value)
        )

    def _iterate_places(self, number: StatedQuantity) -> Iterator[NumberPlace]:
        beside = {at for at, each in enumerate(self.numbers) if each is not number}
        for index, held in self.matches.items():
            sentence = self.source.sentence_features[index]
            given = len(beside & frozenset().union(*(same for _, same in held)))
            for value, same in held:
                is_own = self._gives(number, value, sentence)
                if not is_own and (not are_of_one_kind(number, value) or beside & same):
                    continue
                yield NumberPlace(
                    value=value,
                    is_own=is_own,
                    index=index,
                    within=self.words.within[index],
                    around=self.words.around[index],
                    company=given / len(beside) if beside else 0.0,
                    has_same_unit=value.unit == number.unit,
                    has_like_figures=borne_out_values.have_like_figures(number, value),
                )

    def _gives(
        self, number: StatedQuantity, value: StatedQuantity, sentence: SentenceFeatures
    ) -> bool:
        if number.unit in CALENDAR_UNITS:
            return (number.unit, number.low) == (value.unit, value.low)
        if number.low < number.high and value.low == value.high:
            return gives_both_ends(number, sentence)
        if borne_out_values.can_mean(number, value, self.asked.text):
            return True
        is_count = not is_fixed_unit(number.unit) and not is_fixed_unit(value.unit)
        return (number.low, number.high) == (value.low, value.high) and (
            number.unit == value.unit or is_count
        )

    def _look_closely(
        self, places: list[NumberPlace], beside: frozenset[str]
    ) -> tuple[NumberPlace, ...]:
        """The best places, with the words beside their numbers compared as well."""
        looked = []
        for each in sorted(places, key=lambda each: -each.fit)[:_MAX_PLACES]:
            sentence = self.source.sentence_features[each.index]
            words = frozenset().union(*list_terms_beside(each.value, sentence))
            share = measure_term_share(beside, words, self.source)
            looked.append(replace(each, beside=share))
        return tuple(sorted(looked, key=lambda each: -each.fit))


def list_all_numbers(sentence: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    """The numbers of a sentence, with the things that it counts in words, and months and days."""
    return _collect_all_numbers(sentence.text, sentence.stated_values, sentence.language)


@lru_cache(maxsize=_MAX_CACHED_SENTENCES)
def _collect_all_numbers(
    text: str, stated: tuple[StatedQuantity, ...], language: str | None
) -> tuple[StatedQuantity, ...]:
    counted = (
        count
        for count in find_spelt_counts(text, language)
        if not any(each.start < count.end and count.start < each.end for each in stated)
    )
    return (*stated, *counted, *find_written_months(text, stated))


# Measures how much of a statement stands in each sentence of its source, and in what is near it.


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementWords:
    """For each sentence of a source, the share of the statement's words by weight."""

    within: Sequence[float]  # in the sentence itself
    around: Sequence[float]  # in it or near it; less, the further away


def measure_statement_words(asked: SentenceFeatures, source: SourceText) -> StatementWords:
    count = len(source.sentence_features)
    within, around = [0.0] * count, [0.0] * count
    total = 0.0
    for term in asked.word_terms:
        weight = weigh_source_term(term, source)
        total += weight
        nearness = _find_term_sentences(term, source)
        for index, near in nearness.items():
            within[index] += weight * near
        for index, near in _spread_nearness(nearness, count).items():
            around[index] += weight * near
    if total:
        within = [shared / total for shared in within]
        around = [shared / total for shared in around]
    return StatementWords(within=within, around=around)


def measure_term_share(wanted: Iterable[str], held: AbstractSet[str], source: SourceText) -> float:
    """The share of some words, by weight, that others contain or come near to."""
    total = found = 0.0
    heads = {term[:HEAD_LETTERS] for term in held if len(term) >= HEAD_LETTERS}
    for term in wanted:
        weight = weigh_source_term(term, source)
        total += weight
        if term in held:
            found += weight
            continue
        related = find_related_stems(term, language=source.language)
        near = max((share for word, share in related.items() if word in held), default=0.0)
        if len(term) >= HEAD_LETTERS and term[:HEAD_LETTERS] in heads:
            near = max(near, _HEAD_NEARNESS)
        found += weight * near
    return found / total if total else 0.0


def weigh_source_term(term: str, source: SourceText) -> float:
    held = len(source.sentences_by_term.get(term, ()))
    return weigh_term(
        term, held=held, total=len(source.sentence_features), language=source.language
    )


def _find_term_sentences(term: str, source: SourceText) -> Mapping[int, float]:
    """The sentences that have the word or one like it, each with how near its word comes."""
    found: dict[int, float] = {}
    related = {**find_related_stems(term, language=source.language), term: 1.0}
    for word, near in related.items():
        for index in source.sentences_by_term.get(word, ()):
            found[index] = max(found.get(index, 0.0), near)
    if len(term) >= HEAD_LETTERS:
        for index in source.sentences_by_head.get(term[:HEAD_LETTERS], ()):
            found[index] = max(found.get(index, 0.0), _HEAD_NEARNESS)
    return found


def _spread_nearness(nearness: Mapping[int, float], count: int) -> Mapping[int, float]:
    spread: dict[int, float] = {}
    for index, near in nearness.items():
        steps = (
            *enumerate(_LATER_SHARES),
            *((-step, share) for step, share in enumerate(_EARLIER_SHARES)),
        )
        for step, share in steps:
            if 0 <= index + step < count:
                spread[index + step] = max(spread.get(index + step, 0.0), near * share)
    return spread


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedNumber:
    """A number of a statement, and the one that stands where the source speaks of the same."""

    chance: float  # from 0 to 1, that it was changed
    share: float  # of the statement's words, at the other number or near it
    draft: StatedQuantity
    source: StatedQuantity
    start: int  # of its sentence, in the source
    end: int
    is_elsewhere: bool  # the source has the statement's number too, in another place

    @property
    def kind(self) -> str:
        return "date" if self.draft.unit in CALENDAR_UNITS else "number"


def find_likely_change(
    asked: SentenceFeatures, source: SourceText, *, known_years: Collection[int] = ()
) -> ChangedNumber | None:
    """The number of the statement that was changed most likely, however likely that is."""
    search = search_statement_numbers(asked, source, known_years=known_years)
    statement = PlacedStatement(asked=asked, numbers=search.wanted, source=source)
    judged = []
    for value in search.wanted:
        places = statement.find_places(value)
        if not places.other or borne_out_values.is_told_as_reckoned(value, search):
            continue
        # A year of our days that the source lacks may tell when the author looked.
        is_recent = value.unit == YEAR_UNIT and value.low >= FIRST_RECENT_YEAR
        if is_recent and not places.own and places.other[0].beside < _MIN_YEAR_BESIDE:
            continue
        signs = list_number_signs(value, places, search)
        judged.append((estimate_chance("changed_number_trees", signs), value, places))
    if not judged:
        return None
    chance, draft, places = max(judged, key=lambda each: each[0])
    best = places.other[0]
    start, end = source.sentence_spans[best.index]
    return ChangedNumber(
        chance=chance,
        share=best.around,
        draft=draft,
        source=best.value,
        start=start,
        end=end,
        is_elsewhere=bool(places.own),
    )


def search_statement_numbers(
    asked: SentenceFeatures, source: SourceText, *, known_years: Collection[int] = ()
) -> ValueSearch:
    """All numbers of a statement, with the things that it counts in words."""
    compared = compared_values.list_compared_values(asked, source)
    counted = [
        number
        for number in list_all_numbers(asked)[:_MAX_NUMBERS]
        if number.unit != ORDINAL_UNIT
        and number not in compared
        and (
            number.unit in CALENDAR_UNITS
            or not any(each.start < number.end and number.start < each.end for each in compared)
        )
    ]
    return ValueSearch(
        asked=asked, wanted=[*compared, *counted], source=source, known_years=known_years
    )


# What is known of a number of a statement before it is judged: the columns that the trees were learned from.


def list_number_signs(
    value: StatedQuantity, places: NumberPlaces, search: ValueSearch
) -> tuple[float, ...]:
    """The values of NUMBER_SIGNS, in their order."""
    own, other = places.own, places.other
    digits = re.sub(r"\D", "", value.text)
    like = [each.around for each in other if each.has_like_figures]
    return (
        _find_best(own, "around") - _find_best(other, "around"),
        _find_best(own, "fit") - _find_best(other, "fit"),
        _find_best(own, "company") - _find_best(other, "company"),
        _find_best(own, "beside") - _find_best(other, "beside"),
        # In how many places another number fits better than this one does anywhere.
        min(_MAX_OTHERS, sum(each.fit > own[0].fit for each in other)) if own else _MAX_OTHERS,
        _find_best(other, "fit"),
        _find_best(other, "company"),
        float(other[0].has_same_unit) if other else _NONE,
        max(like, default=_NONE),
        min(len(own), _MAX_OWN),
        float(_is_borne_out(value, places, search)),
        float(bool(digits) and set(re.findall(r"\d+", value.text)) <= search.source.figures),
        min(len(digits), _MAX_DIGITS),
        float(not digits),
        float(value.low < value.high),
        min(len(search.wanted), _MAX_WANTED),
        float(any(find_slack(value, search.asked.text))),
        float(may_be_derived(value, search.asked.text)),
        float(value.unit in CALENDAR_UNITS),
        float(value.unit == "%"),
        float(value.unit in compared_values.TIME_UNITS),
        _find_best(own, "fit"),
        other[0].beside if other else _NONE,
        other[0].within if other else _NONE,
        other[0].around if other else _NONE,
        float(sum(each.index == other[0].index for each in other)) if other else 0.0,
        min(len(search.asked.terms), _MAX_WORDS),
        min(len(search.source.sentence_features), _MAX_SENTENCES),
    )


def _find_best(places: Sequence[NumberPlace], name: str) -> float:
    return max((getattr(each, name) for each in places), default=_NONE)


def _is_borne_out(value: StatedQuantity, places: NumberPlaces, search: ValueSearch) -> bool:
    if value.unit == YEAR_UNIT and int(value.low) in search.known_years:
        return True
    if value.unit in CALENDAR_UNITS:
        return bool(places.own)
    return borne_out_values.is_borne_out(value, search)
