"""Finds the places of a source that give a number of a statement, and those that give another of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import nlargest

from citewell.text.comparison.borne_out_values import can_mean
from citewell.text.comparison.changed_numbers.statement_words import (
    StatementWords,
    measure_statement_words,
    measure_term_share,
)
from citewell.text.comparison.like_values import have_like_figures
from citewell.text.comparison.source_values import gives_both_ends
from citewell.text.comparison.statement_values import DATED_UNITS, list_stated_values
from citewell.text.comparison.value_conflicts import are_of_one_kind, list_terms_beside
from citewell.text.comparison.value_equality import have_same_value
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.spelt_counts import find_spelt_counts
from citewell.text.quantities.stated_quantities import StatedQuantity, is_fixed_unit
from citewell.text.quantities.written_months import DAY_UNIT, MONTH_UNIT, find_written_months

_MAX_SENTENCES = 400  # whose numbers are compared
_MAX_PLACES = 12  # that are looked at closely, those with most of the statement first
_MAX_CACHED_SENTENCES = 8192
_WITHIN_WEIGHT, _BESIDE_WEIGHT, _COMPANY_WEIGHT = 0.5, 0.5, 0.3
_OTHER_UNIT_LOSS = 0.3
CALENDAR_UNITS = DATED_UNITS | {MONTH_UNIT, DAY_UNIT}


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

    def find_places(self, one: StatedQuantity) -> NumberPlaces:
        beside = frozenset().union(*list_terms_beside(one, self.asked))
        own: list[NumberPlace] = []
        other: list[NumberPlace] = []
        for place in self._iterate_places(one):
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
        best = nlargest(_MAX_SENTENCES, range(len(every)), key=self.words.around.__getitem__)
        return {
            index: [(value, self._find_same(value)) for value in list_all_numbers(every[index])]
            for index in sorted(best)
        }

    def _find_same(self, value: StatedQuantity) -> frozenset[int]:
        return frozenset(at for at, one in enumerate(self.numbers) if have_same_value(one, value))

    def _iterate_places(self, one: StatedQuantity) -> Iterator[NumberPlace]:
        beside = {at for at, each in enumerate(self.numbers) if each is not one}
        for index, held in self.matches.items():
            said = self.source.sentence_features[index]
            given = len(beside & frozenset().union(*(same for _, same in held)))
            for value, same in held:
                is_own = self._gives(one, value, said)
                if not is_own and (not are_of_one_kind(one, value) or beside & same):
                    continue
                yield NumberPlace(
                    value=value,
                    is_own=is_own,
                    index=index,
                    within=self.words.within[index],
                    around=self.words.around[index],
                    company=given / len(beside) if beside else 0.0,
                    has_same_unit=value.unit == one.unit,
                    has_like_figures=have_like_figures(one, value),
                )

    def _gives(self, one: StatedQuantity, value: StatedQuantity, said: SentenceFeatures) -> bool:
        if one.unit in CALENDAR_UNITS:
            return (one.unit, one.low) == (value.unit, value.low)
        if one.low < one.high and value.low == value.high:
            return gives_both_ends(one, said)
        if can_mean(one, value, self.asked.text):
            return True
        is_count = not is_fixed_unit(one.unit) and not is_fixed_unit(value.unit)
        return (one.low, one.high) == (value.low, value.high) and (
            one.unit == value.unit or is_count
        )

    def _look_closely(
        self, places: list[NumberPlace], beside: frozenset[str]
    ) -> tuple[NumberPlace, ...]:
        """The best places, with the words beside their numbers compared as well."""
        best = sorted(places, key=lambda each: -each.fit)[:_MAX_PLACES]
        looked = (
            replace(each, beside=measure_term_share(beside, self._list_beside(each), self.source))
            for each in best
        )
        return tuple(sorted(looked, key=lambda each: -each.fit))

    def _list_beside(self, place: NumberPlace) -> frozenset[str]:
        said = self.source.sentence_features[place.index]
        return frozenset().union(*list_terms_beside(place.value, said))


def list_all_numbers(said: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    """The numbers of a sentence, with the things that it counts in words, and months and days."""
    return _collect_all_numbers(said.text, list_stated_values(said), said.language)


@lru_cache(maxsize=_MAX_CACHED_SENTENCES)
def _collect_all_numbers(
    text: str, stated: tuple[StatedQuantity, ...], language: str | None
) -> tuple[StatedQuantity, ...]:
    counted = (
        one
        for one in find_spelt_counts(text, language)
        if not any(each.start < one.end and one.start < each.end for each in stated)
    )
    return (*stated, *counted, *find_written_months(text, stated))
