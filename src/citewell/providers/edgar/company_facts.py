"""Chooses the headline facts from everything that a company reported in XBRL; done in a worker."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import Any

from citewell.core.errors import MalformedResponse
from citewell.domains.filings import HeadlineFact, ReportedFact
from citewell.providers.edgar import filing_rows
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

_ANNUAL_FORMS = ("10-K", "20-F", "40-F")
_QUARTERLY_FORM = "10-Q"
_YEAR_DAYS = range(340, 391)  # fiscal years have 52 or 53 weeks
_QUARTER_DAYS = range(75, 126)  # some retailers have quarters of 12 and 16 weeks
_MAX_DAYS_APART = 10  # between the limits of two fiscal periods that belong together
_MAX_DIGITS = 60  # longer sums are not written out
_ONE_DAY = timedelta(days=1)

_MAX_VALUE_CHARS = 60
_MAX_UNIT_CHARS = 40
_MAX_STALE_YEARS = 3  # a concept that was given up this long before the newest one is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyFacts:
    company: str
    facts: tuple[HeadlineFact, ...]
    is_outside_filters: bool = False  # there are headline facts, but none that was asked for


class _NumberText(str):
    """A number as the characters it was written with."""

    __slots__ = ()


def read_company_facts(
    body: bytes, *, cik: str, forms: tuple[str, ...], date_from: str, date_to: str, year: str
) -> CompanyFacts:
    """The latest values of each headline.

    `forms` and the days narrow the filings, `year` is that in which the period ends; all may be empty.

    Raises MalformedResponse if the body is not that of company facts.
    """
    try:
        whole = json.loads(body, parse_float=_NumberText, parse_int=_NumberText)
    except (ValueError, RecursionError):
        raise MalformedResponse("The company facts are not JSON.") from None
    by_taxonomy = whole.get("facts") if isinstance(whole, dict) else None
    if not isinstance(by_taxonomy, dict):
        raise MalformedResponse("The response holds no company facts.")
    found = [
        [fact for name in group for fact in _read_concept(by_taxonomy, name, cik)]
        for group in load_table(__package__, "headline_concepts")
    ]
    wanted = [
        [
            fact
            for fact in group
            if _is_wanted(fact, forms, date_from, date_to) and fact.period_end.startswith(year)
        ]
        for group in found
    ]
    chosen = [fact for group in wanted if (fact := choose_headline_periods(group)) is not None]
    newest = max((_get_end_year(fact) for fact in chosen), default=0)
    name = whole.get("entityName")
    return CompanyFacts(
        company=clean_markup(name) if isinstance(name, str) else "",
        facts=tuple(fact for fact in chosen if newest - _get_end_year(fact) <= _MAX_STALE_YEARS),
        is_outside_filters=any(found) and not chosen,
    )


def _read_concept(by_taxonomy: Mapping[str, Any], name: str, cik: str) -> Iterator[ReportedFact]:
    taxonomy, _, tag = name.partition(":")
    concepts = by_taxonomy.get(taxonomy)
    concept = concepts.get(tag) if isinstance(concepts, dict) else None
    units = concept.get("units") if isinstance(concept, dict) else None
    if not isinstance(concept, dict) or not isinstance(units, dict):
        return
    label = concept.get("label")
    shown = clean_markup(label) if isinstance(label, str) else ""
    for unit, rows in units.items():
        for row in rows if isinstance(rows, list) else ():
            if fact := _read_fact(row, cik, concept=name, label=shown or None, unit=unit):
                yield fact


def _read_fact(
    row: Any, cik: str, *, concept: str, label: str | None, unit: str
) -> ReportedFact | None:
    if not isinstance(row, dict):
        return None
    value, end, form = (
        row.get("val"),
        filing_rows.read_day(_read_fact_text(row, "end")),
        _read_fact_text(row, "form"),
    )
    known_unit = clean_markup(unit)[:_MAX_UNIT_CHARS]
    if not isinstance(value, _NumberText) or len(value) > _MAX_VALUE_CHARS:
        return None
    if end is None or not filing_rows.is_form_name(form) or not known_unit:
        return None
    accession = _read_fact_text(row, "accn")
    is_known = filing_rows.is_accession(accession)
    text = _read_fact_text(row, "fp")
    return ReportedFact(
        concept=concept,
        value=str(value),
        unit=known_unit,
        period_start=filing_rows.read_day(_read_fact_text(row, "start")),
        period_end=end,
        form_type=form,
        label=label,
        fiscal_year=_read_year(row.get("fy")),
        fiscal_period=(text if text in {"FY", "Q1", "Q2", "Q3", "Q4", "H1", "H2"} else None),
        filing_date=filing_rows.read_day(_read_fact_text(row, "filed")),
        accession=accession if is_known else None,
        url=filing_rows.build_document_address(cik, accession) if is_known else None,
    )


def _read_fact_text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _read_year(value: Any) -> int | None:
    is_year = isinstance(value, str) and len(value) == 4 and value.isascii() and value.isdigit()
    return int(value) if is_year else None


def _is_wanted(fact: ReportedFact, forms: tuple[str, ...], date_from: str, date_to: str) -> bool:
    filed = fact.filing_date or ""
    return (
        (not forms or fact.form_type.upper() in forms)
        and (not date_from or filed >= date_from)
        and (not date_to or "" < filed <= date_to)
    )


def _get_end_year(fact: HeadlineFact) -> int:
    return int(fact.newest.period_end[:4])


# Finds the latest year, quarter and twelve months of one figure among all its reported values.


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
    last = [fact for fact in able if fact.period_end == newest_end]
    return HeadlineFact(
        newest=max(
            ranked, key=lambda fact: fact.period_end, default=min(last, key=_count_period_days)
        ),
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
    return base.with_changes(
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
