"""Decides whether a number that is given as approximate, or as a bound, can mean another one."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from citewell.text.quantities import stated_quantities
from citewell.text.quantities.stated_quantities import StatedQuantity

_APPROXIMATE_SLACK = Decimal("0.15")  # of a number that is given as approximate
_APPROXIMATE_PATTERN = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|circa|ca\.|just|well|close to|as many as|something like|in the region of|rund|etwa"
    r"|fast|knapp|ungefähr|environ|près de|presque|autour de|casi|cerca de|alrededor de|unos|unas|quasi)|[~≈])"
    r"\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
_OR_SO_PATTERN = re.compile(r"\s(?:\w{1,20}\s)?or so\b", re.IGNORECASE)
# A bound is a round number below or above the one that is meant.
_LOWER_BOUND_PATTERN = re.compile(
    r"(?:\b(?:over|(?<!no )more than|above|über|mehr als|plus de|más de|oltre|più di)|[>≥])\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
_UPPER_BOUND_PATTERN = re.compile(
    r"(?:\b(?:under|(?<!no )less than|(?<!no )fewer than|no more than|up to|at most|below|not quite|(?:just )?(?:short|shy) of|unter|weniger als|moins de|menos de|meno di)|[<≤])"
    r"\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)


def is_about_equal(one: StatedQuantity, other: StatedQuantity, statement: str) -> bool:
    """Whether the words before a number of the statement let it mean the other; ranges by both ends."""
    below, above = find_slack(one, statement)
    if not (below or above) or not stated_quantities.have_comparable_units(one, other):
        return False
    fixed = {stated_quantities.is_fixed_unit(each.unit) for each in (one, other)}
    if one.unit != other.unit and True in fixed:
        return False  # "about 64 percent" is not borne out by "65"
    one, other = stated_quantities.write_alike(one, other)
    if one.low < one.high and other.low < other.high:  # "around 65 to 70" is not 70 to 85
        pairs = ((one.low, other.low), (one.high, other.high))
        return all(mine - below <= theirs <= mine + above for mine, theirs in pairs)
    return one.low - below <= other.high and other.low <= one.high + above


@lru_cache(maxsize=256)  # it is asked for every number of a source
def find_slack(one: StatedQuantity, statement: str) -> tuple[Decimal, Decimal]:
    """How far below and above the number the source's may be, by the words before it."""
    before = statement[max(0, one.start - 24) : one.start]
    behind = statement[one.end : one.end + 24]
    slack = min(abs(one.high) * _APPROXIMATE_SLACK, _measure_last_place(one.high))
    is_about = bool(_APPROXIMATE_PATTERN.search(before) or _OR_SO_PATTERN.match(behind))
    below = is_about or _UPPER_BOUND_PATTERN.search(before) is not None
    above = is_about or _LOWER_BOUND_PATTERN.search(before) is not None
    return slack * below, slack * above


def _measure_last_place(value: Decimal) -> Decimal:
    """The step between numbers that are as round as this one: 10 for 40, 0.01 for 7.52, 50 for 350."""
    _, digits, exponent = value.normalize().as_tuple()
    step = Decimal(1).scaleb(int(exponent))
    return step * 5 if digits[-1] == 5 else step
