"""What is known of a number of a statement before it is judged: the columns that the trees were learned from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewell.text.comparison.approximate_values import find_slack
from citewell.text.comparison.borne_out_values import ValueSearch, is_borne_out
from citewell.text.comparison.changed_numbers.number_places import (
    CALENDAR_UNITS,
    NumberPlace,
    NumberPlaces,
)
from citewell.text.comparison.deriving_words import may_be_derived
from citewell.text.comparison.statement_values import TIME_UNITS
from citewell.text.quantities.stated_quantities import YEAR_UNIT, StatedQuantity

NUMBER_SIGNS = (
    "gap around", "gap fit", "gap company", "gap beside", "better others", "other fit",
    "other company", "other has same unit", "like around", "own places", "borne out", "written",
    "digits", "in words", "range", "numbers beside", "slack", "derived", "calendar", "percent", "time",
    "own fit", "other beside", "other within", "best other around", "others in sentence",
    "statement words", "page sentences",
)  # fmt: skip
_NONE = -1.0  # a share at a place that does not exist
_MAX_OTHERS, _MAX_OWN, _MAX_NUMBERS, _MAX_DIGITS = 10, 6, 6, 6
_MAX_WORDS, _MAX_SENTENCES = 25, 80  # beyond them, longer texts are like each other


def list_number_signs(
    one: StatedQuantity, places: NumberPlaces, search: ValueSearch
) -> tuple[float, ...]:
    """The values of NUMBER_SIGNS, in their order."""
    own, other = places.own, places.other
    digits = re.sub(r"\D", "", one.text)
    like = [each.around for each in other if each.has_like_figures]
    return (
        _find_best(own, "around") - _find_best(other, "around"),
        _find_best(own, "fit") - _find_best(other, "fit"),
        _find_best(own, "company") - _find_best(other, "company"),
        _find_best(own, "beside") - _find_best(other, "beside"),
        _count_better(own, other),
        _find_best(other, "fit"),
        _find_best(other, "company"),
        float(other[0].has_same_unit) if other else _NONE,
        max(like, default=_NONE),
        min(len(own), _MAX_OWN),
        float(_is_borne_out(one, places, search)),
        float(bool(digits) and set(re.findall(r"\d+", one.text)) <= search.source.figures),
        min(len(digits), _MAX_DIGITS),
        float(not digits),
        float(one.low < one.high),
        min(len(search.wanted), _MAX_NUMBERS),
        float(any(find_slack(one, search.asked.text))),
        float(may_be_derived(one, search.asked.text)),
        float(one.unit in CALENDAR_UNITS),
        float(one.unit == "%"),
        float(one.unit in TIME_UNITS),
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


def _count_better(own: Sequence[NumberPlace], other: Sequence[NumberPlace]) -> float:
    """In how many places another number fits better than this one does anywhere."""
    if not own:
        return _MAX_OTHERS
    return min(_MAX_OTHERS, sum(each.fit > own[0].fit for each in other))


def _is_borne_out(one: StatedQuantity, places: NumberPlaces, search: ValueSearch) -> bool:
    if one.unit == YEAR_UNIT and int(one.low) in search.known_years:
        return True
    if one.unit in CALENDAR_UNITS:
        return bool(places.own)
    return is_borne_out(one, search)
