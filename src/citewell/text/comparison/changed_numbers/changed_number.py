"""Judges by learned trees whether a number of a statement was changed, and names what its source has instead.

A number that a source gives only where it speaks of something else does not bear the statement out,
and where the source speaks of it another number may stand. How much either tells was learned from
statements about pages, sound ones and some with one number changed (see training/changed_numbers.py).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import exp

from citewell.text.comparison.borne_out_values import ValueSearch, is_told_as_reckoned
from citewell.text.comparison.changed_numbers.number_places import (
    CALENDAR_UNITS,
    NumberPlaces,
    PlacedStatement,
    list_all_numbers,
)
from citewell.text.comparison.changed_numbers.number_signs import list_number_signs
from citewell.text.comparison.changed_numbers.trees import sum_trees
from citewell.text.comparison.statement_values import list_compared_values
from citewell.text.comparison.unstated_values import FIRST_RECENT_YEAR
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.stated_quantities import ORDINAL_UNIT, YEAR_UNIT, StatedQuantity

_MAX_NUMBERS = 20  # of a statement; one with more is a table
_MIN_YEAR_BESIDE = 0.5  # of the words at a year of the statement, at another one of the source


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
    judged = [
        (measure_changed_chance(one, places, search), one, places)
        for one in search.wanted
        if (places := statement.find_places(one)).other
        and _is_told_by_source(one, places)
        and not is_told_as_reckoned(one, search)
    ]
    if not judged:
        return None
    chance, one, places = max(judged, key=lambda each: each[0])
    best = places.other[0]
    start, end = source.sentence_spans[best.index]
    return ChangedNumber(
        chance=chance,
        share=best.around,
        draft=one,
        source=best.value,
        start=start,
        end=end,
        is_elsewhere=bool(places.own),
    )


def _is_told_by_source(one: StatedQuantity, places: NumberPlaces) -> bool:
    """A year of our days that the source lacks may tell when the author looked."""
    if one.unit != YEAR_UNIT or one.low < FIRST_RECENT_YEAR or places.own:
        return True
    return places.other[0].beside >= _MIN_YEAR_BESIDE


def search_statement_numbers(
    asked: SentenceFeatures, source: SourceText, *, known_years: Collection[int] = ()
) -> ValueSearch:
    """All numbers of a statement, with the things that it counts in words."""
    compared = list_compared_values(asked, source)
    counted = [
        one
        for one in list_all_numbers(asked)[:_MAX_NUMBERS]
        if one.unit != ORDINAL_UNIT
        and one not in compared
        and (
            one.unit in CALENDAR_UNITS
            or not any(each.start < one.end and one.start < each.end for each in compared)
        )
    ]
    return ValueSearch(
        asked=asked, wanted=[*compared, *counted], source=source, known_years=known_years
    )


def measure_changed_chance(one: StatedQuantity, places: NumberPlaces, search: ValueSearch) -> float:
    """The chance from 0 to 1 that a number was changed."""
    return 1 / (1 + exp(-sum_trees(list_number_signs(one, places, search))))
