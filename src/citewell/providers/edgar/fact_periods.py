"""Finds the latest year, quarter and twelve months of one figure among all its reported values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal, localcontext

from citewell.model.domains.company_filing import HeadlineFact, ReportedFact

_ANNUAL_FORMS = ("10-K", "20-F", "40-F")
_QUARTERLY_FORM = "10-Q"
_YEAR_DAYS = range(340, 391)  # fiscal years have 52 or 53 weeks
_QUARTER_DAYS = range(75, 126)  # some retailers have quarters of 12 and 16 weeks
_MAX_DAYS_APART = 10  # between the limits of two fiscal periods that belong together
_MAX_DIGITS = 60  # longer sums are not written out
_ONE_DAY = timedelta(days=1)


def choose_headline_periods(facts: Sequence[ReportedFact]) -> HeadlineFact | None:
    """The latest periods of a figure, whose concepts come in the order of preference; None without facts.

    A period is reported again in later filings: the last word on it counts. A value since the start
    of the fiscal year is no quarter, and a value on one day, such as assets, has no twelve months.
    """
    newest_end = max((fact.period_end for fact in facts), default="")
    units = [fact.unit for fact in facts if fact.period_end == newest_end]
    if not units:
        return None
    unit = next((unit for unit in units if unit.startswith("USD")), units[0])
    able = [fact for fact in facts if fact.unit == unit]
    annual = _pick_last(filter(_is_annual, able))
    quarter = _pick_last(filter(_is_quarter, able))
    if annual and (quarter is None or quarter.period_end < annual.period_end):
        quarter = _compute_last_quarter(annual, able) or quarter
    if annual and quarter and not quarter.period_start and quarter.period_end <= annual.period_end:
        quarter = None  # the balance at the end of the year
    ranked = [fact for fact in (annual, quarter) if fact and not fact.computed_from]
    return HeadlineFact(
        newest=max(ranked, key=lambda fact: fact.period_end, default=_pick_shortest(able)),
        annual=annual,
        quarter=quarter,
        trailing=_find_twelve_months(annual, able) if annual else None,
    )


def _pick_last(facts: Iterable[ReportedFact]) -> ReportedFact | None:
    """The value with the latest end, as it was filed last, in the first filing that has it so."""
    able = list(facts)
    newest = max((fact.period_end for fact in able), default="")
    ended = [fact for fact in able if fact.period_end == newest]
    same = [fact for fact in ended if fact.concept == ended[0].concept]
    if not same:
        return None
    last = max(same, key=_get_filing_day)
    return min((fact for fact in same if fact.value == last.value), key=_get_filing_day)


def _get_filing_day(fact: ReportedFact) -> str:
    return fact.filing_date or ""


def _pick_shortest(facts: Sequence[ReportedFact]) -> ReportedFact:
    newest = max(fact.period_end for fact in facts)
    return min((fact for fact in facts if fact.period_end == newest), key=_count_period_days)


def _is_annual(fact: ReportedFact) -> bool:
    form = fact.form_type.upper()
    if fact.period_start is None:
        return form.startswith(_ANNUAL_FORMS)
    return _count_period_days(fact) in _YEAR_DAYS and not form.startswith(_QUARTERLY_FORM)


def _is_quarter(fact: ReportedFact) -> bool:
    if fact.period_start is None:
        return not _is_annual(fact)
    return _count_period_days(fact) in _QUARTER_DAYS


def _count_period_days(fact: ReportedFact) -> int:
    return (_get_end(fact) - _get_start(fact)).days + 1


def _get_start(fact: ReportedFact) -> date:
    return date.fromisoformat(fact.period_start or fact.period_end)


def _get_end(fact: ReportedFact) -> date:
    return date.fromisoformat(fact.period_end)


def _are_close(first: date, second: date) -> bool:
    return abs((first - second).days) <= _MAX_DAYS_APART


def _select_spans(annual: ReportedFact, facts: Sequence[ReportedFact]) -> list[ReportedFact]:
    """The values that can be added to or taken from a year's: those of its concept, over a time."""
    is_share = "/" in annual.unit  # earnings per share of several quarters have no sum
    if annual.period_start is None or is_share:
        return []
    return [fact for fact in facts if fact.concept == annual.concept and fact.period_start]


def _compute_last_quarter(
    annual: ReportedFact, facts: Sequence[ReportedFact]
) -> ReportedFact | None:
    """The year less the quarters before its last one."""
    before = _pick_last(
        fact
        for fact in _select_spans(annual, facts)
        if _are_close(_get_start(fact), _get_start(annual))
        and (_get_end(annual) - _get_end(fact)).days in _QUARTER_DAYS
    )
    if before is None:
        return None
    return _combine_facts(annual, (), (before,), start=_get_end(before) + _ONE_DAY)


def _find_twelve_months(annual: ReportedFact, facts: Sequence[ReportedFact]) -> ReportedFact | None:
    """The year, plus the time since, less the same time a year before; None if one is not reported."""
    spans = _select_spans(annual, facts)
    later = [fact for fact in spans if fact.period_end > annual.period_end]
    if not later:
        return annual if spans else None
    newest = max(fact.period_end for fact in later)
    ended = [fact for fact in later if fact.period_end == newest]
    if whole := _pick_last(fact for fact in ended if _count_period_days(fact) in _YEAR_DAYS):
        return whole
    since = _pick_last(
        fact for fact in ended if _are_close(_get_start(fact), _get_end(annual) + _ONE_DAY)
    )
    if since is None:
        return None
    before = _pick_last(
        fact
        for fact in spans
        if _are_close(_get_start(fact), _get_start(annual))
        and _are_close(_get_end(fact), _get_end(since) - timedelta(days=365))
    )
    if before is None:
        return None
    return _combine_facts(since, (annual,), (before,), start=_get_end(before) + _ONE_DAY)


def _combine_facts(
    base: ReportedFact,
    added: tuple[ReportedFact, ...],
    taken: tuple[ReportedFact, ...],
    *,
    start: date,
) -> ReportedFact | None:
    """The base with its value changed by the others, and how; None if a number is absurdly long."""
    signed = [(1, base), *((1, fact) for fact in added), *((-1, fact) for fact in taken)]
    numbers = [(sign, Decimal(fact.value)) for sign, fact in signed]
    if any(abs(number.adjusted()) > _MAX_DIGITS for _, number in numbers):
        return None
    with localcontext(prec=3 * _MAX_DIGITS):
        total = sum((sign * number for sign, number in numbers), Decimal(0))
    return replace(
        base,
        value=format(total, "f"),
        period_start=start.isoformat(),
        fiscal_year=None,
        fiscal_period=None,
        computed_from=tuple(_describe_term(sign, fact) for sign, fact in signed),
    )


def _describe_term(sign: int, fact: ReportedFact) -> str:
    filing = " ".join(filter(None, (fact.form_type, fact.accession)))
    shown = "+" if sign > 0 else "-"
    return f"{shown} {fact.value} ({fact.period_start} to {fact.period_end}, {filing})"
