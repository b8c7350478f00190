"""Decides whether a number of a statement follows from its other numbers: "twelve at $35 apiece, $420 in all"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import permutations

from citewell.text.comparison.approximate_values import find_slack
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    TIME_UNITS,
    list_stated_values,
)
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.spelt_counts import find_spelt_counts
from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import (
    ORDINAL_UNIT,
    StatedQuantity,
    build_exact_quantity,
    is_fixed_unit,
)

_UNRECKONED_UNITS = DATED_UNITS | {ORDINAL_UNIT, MULTIPLE_UNIT}
_MAX_STATEMENT_VALUES = 8
_WHOLE_PERCENT = Decimal(100)
_PAIR_PATTERN = re.compile(
    r"\b(?:pair|couple|duo|both|paar|beide[nr]?|paire|deux|par|ambos)\b", re.IGNORECASE
)
# What one of several things has, or makes in a unit of time.
_RATE_PATTERN = re.compile(
    r"\b(?:per|each|every|apiece|average|averages|averaging|pro|je|jede[rnms]?|par|chaque|por|cada)\b|/",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)  # it is asked for each of the numbers of a statement, more than once
def follows_from_statement(one: StatedQuantity, asked: SentenceFeatures) -> bool:
    """Whether two other numbers of the statement make it, which a source need not do as well."""
    if one.unit in _UNRECKONED_UNITS or one.low != one.high:
        return False
    below, above = find_slack(one, asked.text)
    slack = max(one.precision / 2, abs(one.low) / 200)
    beside = _list_other_numbers(one, asked)[:_MAX_STATEMENT_VALUES]
    has_rate = _RATE_PATTERN.search(asked.text) is not None
    return any(
        one.low - max(below, slack) <= made <= one.low + max(above, slack)
        for first, second in permutations(beside, 2)
        for made in _combine_numbers(one, first, second, has_rate=has_rate)
    )


def _list_other_numbers(one: StatedQuantity, asked: SentenceFeatures) -> list[StatedQuantity]:
    """The numbers of the statement, with counts in words and pairs, besides the one in question."""
    found = [each for each in list_stated_values(asked) if each.unit not in _UNRECKONED_UNITS]
    spelt = find_spelt_counts(asked.text, asked.language)
    found += [each for each in spelt if not any(_overlap(each, other) for other in found)]
    found += [
        build_exact_quantity(Decimal(2), "", asked.text, match.span())
        for match in _PAIR_PATTERN.finditer(asked.text)
    ]
    return [each for each in found if not _overlap(one, each) and each.low == each.high > 1]


def _overlap(one: StatedQuantity, other: StatedQuantity) -> bool:
    return one.start < other.end and other.start < one.end


def _combine_numbers(
    one: StatedQuantity, first: StatedQuantity, second: StatedQuantity, *, has_rate: bool
) -> Iterator[Decimal]:
    """What two numbers make in the unit that is looked for; the order of them matters."""
    is_alike = _have_one_unit(one, first) and _have_one_unit(one, second)
    if is_alike and first.low >= second.low:
        yield first.low + second.low
        yield first.low - second.low
    is_count = not is_fixed_unit(second.unit)
    if is_fixed_unit(one.unit) and one.unit == first.unit and is_count:
        yield first.low * second.low
    if one.unit == first.unit and has_rate and (is_count or second.unit in TIME_UNITS):
        yield first.low / second.low
    is_pair_of_counts = is_count and not is_fixed_unit(first.unit)
    if one.unit == "%" and is_pair_of_counts and first.low < second.low:
        yield _WHOLE_PERCENT * first.low / second.low


def _have_one_unit(one: StatedQuantity, other: StatedQuantity) -> bool:
    return one.unit == other.unit or not (is_fixed_unit(one.unit) or is_fixed_unit(other.unit))
