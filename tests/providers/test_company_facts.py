"""Headline figures among everything that a company reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.core.errors import (
    MalformedResponse,
)
from citewell.providers.edgar.company_facts import read_company_facts
from tests.providers.edgar_bench import (
    entry,
    year,
)


def read_facts(by_taxonomy: dict[str, Any], **narrowing: Any) -> list[tuple[str, str]]:
    body = json.dumps({"entityName": "Example", "facts": by_taxonomy})
    plain = body.replace('"#', "").replace('#"', "").encode()
    given: dict[str, Any] = {"forms": (), "date_from": "", "date_to": "", "year": ""} | narrowing
    facts = read_company_facts(plain, cik="1", **given).facts
    return [(fact.newest.concept, fact.newest.value) for fact in facts]


def read_periods(
    rows: list[dict[str, Any]], *, concept: str = "Revenues", unit: str = "USD"
) -> Any:
    """The value, start and end of the latest year, quarter and twelve months of one figure."""
    facts = {"us-gaap": {concept: {"units": {unit: rows}}}}
    body = json.dumps({"entityName": "Example", "facts": facts})
    plain = body.replace('"#', "").replace('#"', "").encode()
    (fact,) = read_company_facts(plain, cik="1", forms=(), date_from="", date_to="", year="").facts
    return {
        name: (found.value, found.period_start, found.period_end)
        for name in ("newest", "annual", "quarter", "trailing")
        if (found := getattr(fact, name)) is not None
    }


def span(value: str, start: str, end: str, **more: str) -> dict[str, Any]:
    return entry(value, start=start, end=end, **({"form": "10-Q"} | more))


def test_a_year_a_quarter_and_twelve_months_are_told_apart() -> None:
    rows = [
        year("1000", 2024),
        span("200", "2024-01-01", "2024-03-31"),
        span("450", "2024-01-01", "2024-06-30"),
        span("250", "2024-04-01", "2024-06-30"),
        span("260", "2025-01-01", "2025-03-31"),
        span("300", "2025-04-01", "2025-06-30"),
        span("560", "2025-01-01", "2025-06-30"),
    ]

    assert read_periods(rows) == {
        "newest": ("300", "2025-04-01", "2025-06-30"),
        "annual": ("1000", "2024-01-01", "2024-12-31"),
        "quarter": ("300", "2025-04-01", "2025-06-30"),
        "trailing": ("1110", "2024-07-01", "2025-06-30"),
    }


def test_after_the_annual_report_the_last_quarter_is_what_the_others_leave() -> None:
    rows = [
        year("1000.5", 2024),
        span("300", "2024-07-01", "2024-09-30"),
        span("750.25", "2024-01-01", "2024-09-30"),
    ]

    assert read_periods(rows) == {
        "newest": ("1000.5", "2024-01-01", "2024-12-31"),
        "annual": ("1000.5", "2024-01-01", "2024-12-31"),
        "quarter": ("250.25", "2024-10-01", "2024-12-31"),
        "trailing": ("1000.5", "2024-01-01", "2024-12-31"),
    }


def test_fiscal_years_of_53_weeks_and_quarters_of_16_weeks_are_years_and_quarters() -> None:
    rows = [
        entry("530", start="2023-01-29", end="2024-02-03"),
        span("160", "2023-01-29", "2023-05-20"),
        span("170", "2024-02-04", "2024-05-25"),
    ]

    assert read_periods(rows)["trailing"] == ("540", "2023-05-21", "2024-05-25")
    assert read_periods(rows)["quarter"][0] == "170"


def test_twelve_months_are_not_computed_without_the_same_time_of_the_year_before() -> None:
    rows = [year("1000", 2024), span("260", "2025-01-01", "2025-03-31")]

    assert "trailing" not in read_periods(rows)


def test_twelve_months_that_were_reported_are_not_computed_again() -> None:
    rows = [year("1000", 2024), span("1234", "2024-04-01", "2025-03-31")]

    assert read_periods(rows)["trailing"] == ("1234", "2024-04-01", "2025-03-31")
    assert read_periods(rows)["annual"][0] == "1000"


def test_a_restated_value_counts_in_the_twelve_months_as_filed_last() -> None:
    rows = [
        year("1000", 2024),
        year("1100", 2024, form="10-K/A", filed="2025-09-01"),
        span("200", "2024-01-01", "2024-03-31"),
        span("210", "2024-01-01", "2024-03-31", filed="2025-05-01"),
        span("260", "2025-01-01", "2025-03-31", filed="2025-05-01"),
    ]

    assert read_periods(rows)["trailing"][0] == "1150"


def test_a_balance_has_no_twelve_months_and_the_newer_quarter_is_the_newest() -> None:
    rows = [
        entry("9033938000", end="2025-02-01"),
        entry("8157407000", end="2025-05-03", form="10-Q"),
    ]

    assert read_periods(rows, concept="Assets") == {
        "newest": ("8157407000", None, "2025-05-03"),
        "annual": ("9033938000", None, "2025-02-01"),
        "quarter": ("8157407000", None, "2025-05-03"),
    }


def test_earnings_per_share_are_not_added_up() -> None:
    rows = [
        year("4.00", 2024),
        span("1.00", "2024-01-01", "2024-03-31"),
        span("1.20", "2025-01-01", "2025-03-31"),
    ]

    found = read_periods(rows, concept="EarningsPerShareDiluted", unit="USD/shares")

    assert (found["annual"][0], found["quarter"][0]) == ("4.00", "1.20")
    assert "trailing" not in found


def test_absurd_numbers_are_not_added_up() -> None:
    rows = [
        year("1E+999999", 2024),
        span("2", "2024-01-01", "2024-03-31"),
        span("3", "2025-01-01", "2025-03-31"),
    ]

    assert "trailing" not in read_periods(rows)


def concepts(taxonomy: str, **entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {taxonomy: {name: {"units": {"USD": rows}} for name, rows in entries.items()}}


def test_a_foreign_filers_facts_are_those_of_ifrs() -> None:
    facts = concepts(
        "ifrs-full",
        Revenue=[entry("90", form="20-F"), entry("20", form="6-K", end="2025-03-31")],
        ProfitLoss=[entry("-1.50", form="20-F")],
        Equity=[entry("7", form="20-F")],
    )

    assert read_facts(facts) == [
        ("ifrs-full:Revenue", "20"),
        ("ifrs-full:ProfitLoss", "-1.50"),
        ("ifrs-full:Equity", "7"),
    ]


def test_a_period_reported_twice_counts_as_it_was_filed_last() -> None:
    facts = concepts(
        "us-gaap", Assets=[entry("2", filed="2026-02-01"), entry("1", filed="2025-02-01")]
    )

    assert read_facts(facts) == [("us-gaap:Assets", "2")]


def test_a_whole_year_goes_before_its_last_quarter() -> None:
    year, quarter = entry("100", start="2024-01-01"), entry("30", start="2024-10-01")

    assert read_facts(concepts("us-gaap", NetIncomeLoss=[quarter, year, quarter])) == [
        ("us-gaap:NetIncomeLoss", "100")
    ]


def test_a_quarter_is_taken_where_there_is_no_annual_report() -> None:
    half, quarter = (
        entry("60", start="2024-07-01", form="10-Q"),
        entry("30", start="2024-10-01", form="10-Q"),
    )

    assert read_facts(concepts("us-gaap", NetIncomeLoss=[half, quarter])) == [
        ("us-gaap:NetIncomeLoss", "30")
    ]


def test_a_concept_that_was_given_up_years_ago_is_left_out() -> None:
    facts = concepts("us-gaap", Assets=[entry("5")], Liabilities=[entry("1", end="2012-12-31")])

    assert read_facts(facts) == [("us-gaap:Assets", "5")]
    assert read_facts(facts, year="2012") == [("us-gaap:Liabilities", "1")]


@pytest.mark.parametrize(
    "value", ["123456789012345678901234567890", "0.10", "-0", "1E+5", "1.0e-7", "0"]
)
def test_a_number_stays_as_it_was_written(value: str) -> None:
    assert read_facts(concepts("us-gaap", Assets=[entry(value)])) == [("us-gaap:Assets", value)]


def test_damaged_facts_are_left_out() -> None:
    good = entry("5")
    bad: list[Any] = [
        None,
        7,
        {},
        good | {"end": "soon"},
        good | {"val": "text"},
        good | {"form": None},
    ]
    facts: Any = concepts(
        "us-gaap", Assets=[*bad, good | {"accn": "x", "fy": "y", "fp": "z", "filed": 3}]
    )
    facts |= {"dei": 3, "ifrs-full": {"Revenue": {"units": {"": [good], "EUR": 7}}, "Assets": None}}

    assert read_facts(facts) == [("us-gaap:Assets", "5")]


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"<html>", b'{"facts": 7}', b"[" * 100_000])
def test_anything_but_facts_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedResponse):
        read_company_facts(body, cik="1", forms=(), date_from="", date_to="", year="")
