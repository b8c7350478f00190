"""Decides whether a number is what a rate of the source makes in another time: 120 a year of 10 a month."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache

from citewell.text.comparison.approximate_values import find_slack
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    TIME_UNITS,
    list_stated_values,
)
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.stated_quantities import StatedQuantity, is_fixed_unit

# How often a shorter time fits into a longer one, as people reckon.
_PERIODS = {
    ("month", "year"): (12,),
    ("week", "year"): (52,),
    ("quarter", "year"): (4,),
    ("day", "year"): (365, 360),
    ("week", "month"): (4,),
    ("day", "month"): (30,),
    ("day", "week"): (7, 5),
    ("hour", "day"): (24,),
}
_PERIOD_WORDS = {
    "hour": "hours?|hourly|stunden?|stündlich|heures?|horas?",
    "day": "days?|daily|tage?n?|täglich|jours?|día|días|diari[oa]s?",
    "week": "weeks?|weekly|wochen?|wöchentlich|semaines?|semanas?",
    "month": "months?|monthly|mo|monate?n?|monatlich|mois|mensuel\\w{0,3}|mes|meses|mensual\\w{0,2}",
    "quarter": "quarters?|quarterly|quartale?|vierteljährlich|trimestres?",
    "year": "years?|yearly|annual|annually|annum|jahre?s?|jährlich|ans?|année|annuel\\w{0,3}|año|años|anual\\w{0,5}",
}
_RATE_CHARS = 28  # behind a number of the source, where its time stands


def is_periodic_multiple(
    one: StatedQuantity, asked: SentenceFeatures, said: Iterable[SentenceFeatures]
) -> bool:
    """Whether a sentence gives a rate for another time than the statement, that makes the number."""
    if one.unit in DATED_UNITS | TIME_UNITS or one.low != one.high:
        return False
    below, above = find_slack(one, asked.text)
    slack = max(one.precision / 2, abs(one.low) / 200)
    low, high = one.low - max(below, slack), one.low + max(above, slack)
    factors = _list_factors(asked.text)
    return bool(factors) and any(
        low <= end * factor <= high
        for each in said
        for other in list_stated_values(each)
        if other.unit == one.unit or not is_fixed_unit(other.unit)
        for period, factor in factors
        if _compile_period(period).search(each.text, other.start, other.end + _RATE_CHARS)
        for end in (other.low, other.high)
    )


def _list_factors(statement: str) -> list[tuple[str, Decimal]]:
    """The times of a rate, and by what it is multiplied for a time of which the statement speaks."""
    told = {name for name in _PERIOD_WORDS if _compile_period(name).search(statement)}
    found = []
    for (shorter, longer), counts in _PERIODS.items():
        if longer in told:
            found += [(shorter, Decimal(count)) for count in counts]
        if shorter in told:
            found += [(longer, 1 / Decimal(count)) for count in counts]
    return found


@cache
def _compile_period(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_PERIOD_WORDS[name]})(?!\w)", re.IGNORECASE)
