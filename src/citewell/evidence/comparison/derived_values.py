"""Decides whether a number follows from others of its statement or source: a sum, a share, a multiple."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import combinations, islice, pairwise, permutations

from citewell.core.lazy_patterns import compile_on_use
from citewell.evidence.comparison.compared_values import DATED_UNITS, TIME_UNITS
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.spelt_numbers import MULTIPLE_UNIT, find_spelt_counts
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
    build_exact_quantity,
    is_fixed_unit,
)

_DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
WHOLE_PERCENT = Decimal(100)
_MAX_DERIVED_VALUES = 14
_MAX_DATES = 200  # of one source between which times are reckoned: each with each other
_RATIO_SLACK = Decimal("0.2")  # of a multiple: what rose from 7.5 to 17.3 has "doubled"
# Between a share and the number of which it is one.
_SHARE_OF_PATTERN = compile_on_use(
    r"\s(?:of|von|aller|der|des|de)\s(?:(?:all|our|its|their|the|those|these|some|about|around|den|les|las|los)\s){0,2}",
    re.IGNORECASE,
)
_POINT_UNITS = frozenset({"pp", "point", "punkt", "punto"})  # of a difference of shares

_APPROXIMATE_SLACK = Decimal("0.15")  # of a number that is given as approximate
_APPROXIMATE_PATTERN = compile_on_use(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|circa|ca\.|just|well|close to|as many as|something like|in the region of|rund|etwa"
    r"|fast|knapp|ungefähr|environ|près de|presque|autour de|casi|cerca de|alrededor de|unos|unas|quasi)|[~≈])"
    r"\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
_OR_SO_PATTERN = compile_on_use(r"\s(?:\w{1,20}\s)?or so\b", re.IGNORECASE)
# A bound is a round number below or above the one that is meant.
_LOWER_BOUND_PATTERN = compile_on_use(
    r"(?:\b(?:over|(?<!no )more than|above|über|mehr als|plus de|más de|oltre|più di)|[>≥])\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
_UPPER_BOUND_PATTERN = compile_on_use(
    r"(?:\b(?:under|(?<!no )less than|(?<!no )fewer than|no more than|up to|at most|below|not quite|(?:just )?(?:short|shy) of|unter|weniger als|moins de|menos de|meno di)|[<≤])"
    r"\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)

_UNRECKONED_UNITS = DATED_UNITS | {ORDINAL_UNIT, MULTIPLE_UNIT}
_MAX_STATEMENT_VALUES = 8
_PAIR_PATTERN = compile_on_use(
    r"\b(?:pair|couple|duo|both|paar|beide[nr]?|paire|deux|par|ambos)\b", re.IGNORECASE
)
# What one of several things has, or makes in a unit of time.
_RATE_PATTERN = compile_on_use(
    r"\b(?:per|each|every|apiece|average|averages|averaging|pro|je|jede[rnms]?|par|chaque|por|cada)\b|/",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)  # it is asked for each of the numbers of a statement, more than once
def follows_from_statement(value: StatedQuantity, asked: SentenceFeatures) -> bool:
    """Whether two other numbers of the statement make it, which a source need not do as well."""
    if value.unit in _UNRECKONED_UNITS or value.low != value.high:
        return False
    below, above = find_slack(value, asked.text)
    slack = max(value.precision / 2, abs(value.low) / 200)
    beside = _list_other_numbers(value, asked)[:_MAX_STATEMENT_VALUES]
    has_rate = _RATE_PATTERN.search(asked.text) is not None
    return any(
        value.low - max(below, slack) <= made <= value.low + max(above, slack)
        for first, second in permutations(beside, 2)
        for made in _combine_numbers(value, first, second, has_rate=has_rate)
    )


def _list_other_numbers(value: StatedQuantity, asked: SentenceFeatures) -> list[StatedQuantity]:
    """The numbers of the statement, with counts in words and pairs, besides the one in question."""
    found = [each for each in asked.stated_values if each.unit not in _UNRECKONED_UNITS]
    spelt = find_spelt_counts(asked.text, asked.language)
    found += [each for each in spelt if not any(_overlap(each, other) for other in found)]
    found += [
        build_exact_quantity(Decimal(2), "", asked.text, match.span())
        for match in _PAIR_PATTERN.finditer(asked.text)
    ]
    return [each for each in found if not _overlap(value, each) and each.low == each.high > 1]


def _overlap(value: StatedQuantity, other: StatedQuantity) -> bool:
    return value.start < other.end and other.start < value.end


def _combine_numbers(
    value: StatedQuantity, first: StatedQuantity, second: StatedQuantity, *, has_rate: bool
) -> Iterator[Decimal]:
    """What two numbers make in the unit that is looked for; the order of them matters."""
    is_alike = _have_one_unit(value, first) and _have_one_unit(value, second)
    if is_alike and first.low >= second.low:
        yield first.low + second.low
        yield first.low - second.low
    is_count = not is_fixed_unit(second.unit)
    if is_fixed_unit(value.unit) and value.unit == first.unit and is_count:
        yield first.low * second.low
    if value.unit == first.unit and has_rate and (is_count or second.unit in TIME_UNITS):
        yield first.low / second.low
    is_pair_of_counts = is_count and not is_fixed_unit(first.unit)
    if value.unit == "%" and is_pair_of_counts and first.low < second.low:
        yield WHOLE_PERCENT * first.low / second.low


def _have_one_unit(value: StatedQuantity, other: StatedQuantity) -> bool:
    return value.unit == other.unit or not (is_fixed_unit(value.unit) or is_fixed_unit(other.unit))


# Decides whether a number that is given as approximate, or as a bound, can mean another one.


def is_about_equal(value: StatedQuantity, other: StatedQuantity, statement: str) -> bool:
    """Whether the words before a number of the statement let it mean the other; ranges by both ends."""
    below, above = find_slack(value, statement)
    if not (below or above) or not stated_quantities.have_comparable_units(value, other):
        return False
    fixed = {stated_quantities.is_fixed_unit(each.unit) for each in (value, other)}
    if value.unit != other.unit and True in fixed:
        return False  # "about 64 percent" is not borne out by "65"
    value, other = stated_quantities.write_alike(value, other)
    if value.low < value.high and other.low < other.high:  # "around 65 to 70" is not 70 to 85
        pairs = ((value.low, other.low), (value.high, other.high))
        return all(mine - below <= theirs <= mine + above for mine, theirs in pairs)
    return value.low - below <= other.high and other.low <= value.high + above


@lru_cache(maxsize=256)  # it is asked for every number of a source
def find_slack(value: StatedQuantity, statement: str) -> tuple[Decimal, Decimal]:
    """How far below and above the number the source's may be, by the words before it."""
    before = statement[max(0, value.start - 24) : value.start]
    behind = statement[value.end : value.end + 24]
    # The step between numbers that are as round as this one: 10 for 40, 0.01 for 7.52, 50 for 350.
    _, digits, exponent = value.high.normalize().as_tuple()
    step = Decimal(1).scaleb(int(exponent))
    last_place = step * 5 if digits[-1] == 5 else step
    slack = min(abs(value.high) * _APPROXIMATE_SLACK, last_place)
    is_about = bool(_APPROXIMATE_PATTERN.search(before) or _OR_SO_PATTERN.match(behind))
    below = is_about or _UPPER_BOUND_PATTERN.search(before) is not None
    above = is_about or _LOWER_BOUND_PATTERN.search(before) is not None
    return slack * below, slack * above


# Decides whether a number follows from others: as a sum, a difference, a share, a multiple, or the rest.


def is_ratio_of_values(value: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether two values of one unit are about this many times each other."""
    pairs = combinations([each for each in held if each.unit not in _DATED_UNITS], 2)
    return any(
        low and abs(high / low - value.low) <= _RATIO_SLACK * value.low
        for low, high in (sorted((abs(a.low), abs(b.low))) for a, b in pairs if a.unit == b.unit)
    )


def is_complement_share(value: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether the share is what others leave of the whole."""
    slack = max(value.precision / 2, abs(value.low) / 200)
    return value.unit in {"%", "pp"} and any(
        abs(WHOLE_PERCENT - each.low - value.low) <= slack for each in held if each.unit == "%"
    )


def is_combined_value(value: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    given = list(
        islice((each for each in held if each.unit not in _DATED_UNITS), _MAX_DERIVED_VALUES)
    )
    slack = max(value.precision / 2, abs(value.low) / 200)
    return any(
        abs(made - abs(value.low)) <= slack
        for first, second in combinations(given, 2)
        for made in _combine_values(value, first, second)
    )


def is_reckoned_value(value: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether the value follows from given ones, also as a share of things of another name."""
    return (
        is_combined_value(value, held)
        or is_complement_share(value, held)
        or is_share_of_counts(value, held)
    )


def is_share_of_counts(value: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether the percentage is one number of things in another, whatever they are called."""
    counts = [abs(each.low) for each in held if each.unit not in {*_DATED_UNITS, "%"}]
    slack = max(value.precision / 2, abs(value.low) / 200)
    return value.unit == "%" and any(
        abs(100 * low / high - value.low) <= slack
        for low, high in map(sorted, combinations(counts[:_MAX_DERIVED_VALUES], 2))
        if high
    )


def is_share_of_value(value: StatedQuantity, held: Sequence[StatedQuantity], text: str) -> bool:
    """Whether `text` gives a share of a number that make it: 280 for "half of our 560 species"."""
    slack = max(value.precision / 2, abs(value.low) / 200)
    return value.unit not in {*_DATED_UNITS, "%"} and any(
        share.unit == "%"
        and whole.unit == value.unit
        and abs(share.low * whole.low / WHOLE_PERCENT - value.low) <= slack
        and _SHARE_OF_PATTERN.fullmatch(text, share.end, whole.start) is not None
        for share, whole in pairwise(held)
    )


def is_multiplied_value(
    value: StatedQuantity, beside: Iterable[StatedQuantity], held: Iterable[StatedQuantity]
) -> bool:
    """Whether a rate of the source and another value of the statement make it, or it makes that one.

    "Ten kilograms less lower the pressure by 10 mmHg" follows from 1 mmHg for each kilogram.
    """
    rates = [each for each in held if each.low == each.high and each.unit not in _DATED_UNITS]
    return any(
        _is_product(made, factor, rate)
        for other in beside
        if other is not value and other.unit not in _DATED_UNITS
        for made, factor in ((value, other), (other, value))
        for rate in rates
    )


def _is_product(made: StatedQuantity, factor: StatedQuantity, rate: StatedQuantity) -> bool:
    slack = made.precision / 2
    if rate.unit == "%":  # "a turnover of 1 billion risks 70 million" follows from 7 percent
        share = factor.low * rate.low / WHOLE_PERCENT
        return made.unit == factor.unit and abs(share - made.low) <= slack
    times = factor.low / factor.scale
    return made.unit == rate.unit and times > 1 and abs(times * rate.low - made.low) <= slack


def is_product_of_counts(value: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether two numbers without a measure make it: 361 crossings of 19 by 19 lines."""
    counts = [each.low for each in held if not is_fixed_unit(each.unit) and each.low > 1]
    return not is_fixed_unit(value.unit) and any(
        first * second == value.low
        for first, second in combinations(counts[:_MAX_DERIVED_VALUES], 2)
    )


def list_time_spans(
    held: Sequence[StatedQuantity], known_years: Iterable[int]
) -> list[StatedQuantity]:
    """The times between any two years, with those of the record, and between any two days."""
    days = set(islice((int(each.low) for each in held if each.unit == DATE_UNIT), _MAX_DATES))
    years = set(islice((int(each.low) for each in held if each.unit == YEAR_UNIT), _MAX_DATES))
    years |= {date.fromordinal(each).year for each in days}
    spans = {("year", abs(first - other)) for first in years for other in (*years, *known_years)}
    spans |= {("day", abs(first - other)) for first in days for other in days}
    return [
        StatedQuantity(
            low=Decimal(length),
            high=Decimal(length),
            unit=unit,
            text=f"{length} {unit}s",
            start=0,
            end=0,
            precision=Decimal(1),
        )
        for unit, length in sorted(spans)
    ]


def is_sum_of_run(
    value: StatedQuantity,
    held: Sequence[StatedQuantity],
    slack: tuple[Decimal, Decimal] = (Decimal(0), Decimal(0)),
) -> bool:
    """Whether several values of one unit, in a row, add up to this one.

    `slack` is how much less and more the sum may be, by the words before the number.
    """
    run = [each.low for each in held if each.unit == value.unit and each.low == each.high]
    least = max(value.precision / 2, abs(value.low) / 200)
    low, high = value.low - max(least, slack[0]), value.low + max(least, slack[1])
    return any(
        low <= sum(run[start:end]) <= high
        for start in range(len(run))
        for end in range(start + 2, min(len(run), start + _MAX_DERIVED_VALUES) + 1)
    )


def _combine_values(
    value: StatedQuantity, first: StatedQuantity, second: StatedQuantity
) -> Iterable[Decimal]:
    """What follows from two values of one unit, in the unit of the value that is looked for."""
    low, high = sorted((abs(first.low), abs(second.low)))
    if value.unit == "year" and {first.unit, second.unit} == {"year", ""}:
        yield high - low  # of ages: "a 25-year-old … when they are 65"
    if not have_like_units(first, second):
        return
    if have_like_units(value, first) or (first.unit == "%" and value.unit in _POINT_UNITS):
        yield low + high
        yield high - low
    if value.unit == "%" and low:
        yield 100 * low / high
        yield 100 * (high - low) / low
        yield 100 * (high - low) / high


def have_like_units(first: StatedQuantity, second: StatedQuantity) -> bool:
    """Whether both have one unit; the names of counted things, and scores without any, may differ."""
    return first.unit == second.unit or not (
        is_fixed_unit(first.unit) or is_fixed_unit(second.unit)
    )
