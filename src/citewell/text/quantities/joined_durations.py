"""Joins the parts of a duration, "4 min 50 s", to one value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from citewell.text.quantities.stated_quantities import StatedQuantity

# How many of the next smaller unit make one.
_PARTS = {
    ("minute", "second"): Decimal(60),
    ("hour", "minute"): Decimal(60),
    ("day", "hour"): Decimal(24),
    ("year", "month"): Decimal(12),
}
_JOINT_PATTERN = re.compile(r",?\s{0,2}(?:(?:and|und|et|y)\s)?")
_CONJUNCTION_PATTERN = re.compile(r"\s(?:and|und|et|y)\s")


def join_durations(found: Sequence[StatedQuantity], text: str) -> tuple[StatedQuantity, ...]:
    """The values, with one in the larger unit for each two that follow each other directly.

    The parts stay where a word joins them: "up to nine hours and 45 minutes if" may be two values.
    """
    joined = _join_parts(found, text)
    whole = [one for one in joined if not _CONJUNCTION_PATTERN.search(one.text)]
    parts = [one for one in found if not any(each.start <= one.start < each.end for each in whole)]
    return (*parts, *joined)


def _join_parts(found: Sequence[StatedQuantity], text: str) -> tuple[StatedQuantity, ...]:
    ordered = sorted(found, key=lambda one: one.start)
    return tuple(
        StatedQuantity(
            low=first.low + second.low / count,
            high=first.high + second.high / count,
            unit=first.unit,
            text=text[first.start : second.end],
            start=first.start,
            end=second.end,
            precision=second.precision / count,
        )
        for first, second in pairwise(ordered)
        if (count := _PARTS.get((first.unit, second.unit))) is not None
        and second.low < count
        and _JOINT_PATTERN.fullmatch(text[first.end : second.start])
    )
