"""Chooses the headline facts from everything that a company reported in XBRL; done in a worker."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.errors import MalformedResponse
from citewell.model.domains.company_filing import HeadlineFact, ReportedFact
from citewell.providers.edgar.fact_periods import choose_headline_periods
from citewell.providers.edgar.filing_rows import (
    build_document_address,
    is_accession,
    is_form_name,
    read_day,
)
from citewell.text.data_tables import load_table
from citewell.text.safety.markup_cleaning import clean_markup

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
    found = _collect_headlines(by_taxonomy, cik)
    wanted = [
        [
            fact
            for fact in group
            if _is_wanted(fact, forms, date_from, date_to) and fact.period_end.startswith(year)
        ]
        for group in found
    ]
    chosen = [fact for group in wanted if (fact := choose_headline_periods(group)) is not None]
    name = whole.get("entityName")
    return CompanyFacts(
        company=clean_markup(name) if isinstance(name, str) else "",
        facts=tuple(_drop_stale(chosen)),
        is_outside_filters=any(found) and not chosen,
    )


def _collect_headlines(by_taxonomy: Mapping[str, Any], cik: str) -> list[list[ReportedFact]]:
    """One headline a group: of the concepts that report it, the one with the newest period is taken."""
    return [
        [fact for name in group for fact in _read_concept(by_taxonomy, name, cik)]
        for group in load_table(__package__, "headline_concepts")
    ]


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
        read_day(_read_fact_text(row, "end")),
        _read_fact_text(row, "form"),
    )
    known_unit = clean_markup(unit)[:_MAX_UNIT_CHARS]
    if not isinstance(value, _NumberText) or len(value) > _MAX_VALUE_CHARS:
        return None
    if end is None or not is_form_name(form) or not known_unit:
        return None
    accession = _read_fact_text(row, "accn")
    is_known = is_accession(accession)
    return ReportedFact(
        concept=concept,
        value=str(value),
        unit=known_unit,
        period_start=read_day(_read_fact_text(row, "start")),
        period_end=end,
        form_type=form,
        label=label,
        fiscal_year=_read_year(row.get("fy")),
        fiscal_period=_read_period(_read_fact_text(row, "fp")),
        filing_date=read_day(_read_fact_text(row, "filed")),
        accession=accession if is_known else None,
        url=build_document_address(cik, accession) if is_known else None,
    )


def _read_fact_text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _read_year(value: Any) -> int | None:
    is_year = isinstance(value, str) and len(value) == 4 and value.isascii() and value.isdigit()
    return int(value) if is_year else None


def _read_period(text: str) -> str | None:
    return text if text in {"FY", "Q1", "Q2", "Q3", "Q4", "H1", "H2"} else None


def _is_wanted(fact: ReportedFact, forms: tuple[str, ...], date_from: str, date_to: str) -> bool:
    filed = fact.filing_date or ""
    return (
        (not forms or fact.form_type.upper() in forms)
        and (not date_from or filed >= date_from)
        and (not date_to or "" < filed <= date_to)
    )


def _drop_stale(facts: list[HeadlineFact]) -> Iterator[HeadlineFact]:
    newest = max((_get_end_year(fact) for fact in facts), default=0)
    return (fact for fact in facts if newest - _get_end_year(fact) <= _MAX_STALE_YEARS)


def _get_end_year(fact: HeadlineFact) -> int:
    return int(fact.newest.period_end[:4])
