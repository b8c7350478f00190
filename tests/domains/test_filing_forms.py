from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from citewell.domains.filing_forms import (
    describe_unknown_forms,
    extract_text_forms,
    normalize_form_types,
)
from citewell.domains.filings import FilingQuery


@pytest.mark.parametrize(
    ("written", "forms"),
    [
        ("10-K", ("10-K",)),
        ("10k", ("10-K",)),
        (" form 10-k ", ("10-K",)),
        ("10-K/A", ("10-K/A",)),
        ("10k/a", ("10-K/A",)),
        ("8K", ("8-K",)),
        ("def14a", ("DEF 14A",)),
        ("DEF 14A", ("DEF 14A",)),
        ("proxy statement", ("DEF 14A",)),
        ("13F", ("13F-HR",)),
        ("13F-HR/A", ("13F-HR/A",)),
        ("SC 13G", ("SC 13G", "SCHEDULE 13G")),
        ("Schedule 13D/A", ("SC 13D/A", "SCHEDULE 13D/A")),
        ("annual report", ("10-K", "20-F", "40-F")),
        ("4", ("4",)),
        ("144", ("144",)),
        ("s-1", ("S-1",)),
        ("424b5", ("424B5",)),
        ("10-K, 10-Q", ("10-K", "10-Q")),
        ("10-K,10k", ("10-K",)),
        ("40-17G", ("40-17G",)),  # a form of the SEC that is not in our list
        ("", ()),
        (None, ()),
    ],
)
def test_a_form_is_brought_into_the_name_that_edgar_uses(
    written: str | None, forms: tuple[str, ...]
) -> None:
    assert normalize_form_types(written) == forms


@pytest.mark.parametrize(
    "written",
    [
        "banana",
        "10-K/B",
        "10-K/A/A",
        "10-K;drop",
        "x" * 30 + "1",
        "日本10",
        "a1,b1,c1,d1,e1,f1",
    ],
)
def test_what_is_no_form_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput, match="form"):
        normalize_form_types(written)


def test_a_form_that_we_do_not_know_is_told_with_the_nearest_ones() -> None:
    assert describe_unknown_forms(("10-K", "10-K/A", "SCHEDULE 13G")) == ()
    [note] = describe_unknown_forms(("10-KZ",))
    assert "Did you mean 10-K" in note


@pytest.mark.parametrize(
    ("text", "forms", "rest"),
    [
        ("Apple 10-K 2023", ("10-K",), "Apple 2023"),
        ("Apple's 10-K/A", ("10-K/A",), "Apple's"),
        ("Tesla form 4", ("4",), "Tesla"),
        ("Forms 3 of Tesla", ("3",), "of Tesla"),
        ("Tesla 4", (), "Tesla 4"),
        ("annual reports of SAP", ("10-K", "20-F", "40-F"), "of SAP"),
        ("Disney proxy statement", ("DEF 14A",), "Disney"),
        ("8-K and 10-Q of Ford", ("8-K", "10-Q"), "and of Ford"),
        ("SC 13G BlackRock", ("SC 13G", "SCHEDULE 13G"), "BlackRock"),
        ("covid-10-K", (), "covid-10-K"),
        ("10-Kay", (), "10-Kay"),
        ("401K plans", (), "401K plans"),
        ("8-K", ("8-K",), ""),
    ],
)
def test_forms_are_found_in_a_text(text: str, forms: tuple[str, ...], rest: str) -> None:
    assert extract_text_forms(text) == (forms, rest)


@pytest.mark.parametrize(
    ("text", "whole", "company", "year"),
    [
        ("Apple", "Apple", "Apple", None),
        ("Apple 10-K 2023", "Apple 2023", "Apple", 2023),
        ("latest annual report of Bank of America for FY2023", "latest of Bank of America for FY2023", "Bank of America", 2023),
        ("McDonald's 10-K", "McDonald's", "McDonald", None),
        ("10-Q of Ford, Q3 2024", "of Ford, Q3 2024", "Ford", 2024),
        ("2020 Example Corp", "2020 Example Corp", "Example Corp", 2020),
        ("2023", "2023", "2023", None),
        ("climate 2050", "climate 2050", "climate 2050", None),
    ],
)  # fmt: skip
def test_years_and_frame_words_are_told_from_the_company(
    text: str, whole: str, company: str, year: int | None
) -> None:
    query, _ = FilingQuery(query=text).interpret_text()

    assert (query.text, query.company_text, query.year) == (whole, company, year)


@pytest.mark.parametrize(
    "text",
    [
        "latest 8-K filings",
        "newest filings",
        "8-K",
        "recent form 4 filings",
        "the latest 10-K reports",
    ],
)
def test_a_text_without_company_and_words_asks_for_the_newest_of_all(text: str) -> None:
    assert FilingQuery(query=text).interpret_text()[0].text == ""


@pytest.mark.parametrize(
    "text", ["company", "filings", "stock of the company", "latest climate rules"]
)
def test_other_words_are_searched_for(text: str) -> None:
    assert FilingQuery(query=text).interpret_text()[0].text == text


def test_form_type_goes_before_a_form_in_the_text() -> None:
    query, notes = FilingQuery(query="Apple 10-K", form_type="8-K").interpret_text()

    assert (query.forms, notes) == (("8-K",), ())


def test_a_ticker_leaves_forms_and_years_to_the_text() -> None:
    query, _ = FilingQuery(query="10-K 2023", ticker="AAPL").interpret_text()

    assert (query.ticker, query.forms, query.year) == ("AAPL", ("10-K",), 2023)


def test_given_dates_go_before_a_year_in_the_text() -> None:
    asked = FilingQuery(query="Apple 2023", date_from="2020-01-01")

    assert asked.interpret_text()[0].year is None


def test_figures_in_the_text_are_not_part_of_the_companys_name() -> None:
    query, _ = FilingQuery(query="Apple net income 2024", facts=True).interpret_text()

    assert (query.company_text, query.year) == ("Apple", 2024)


@pytest.mark.parametrize(
    "day", ["2024-1-5", "05.01.2024", "2024-02-30", "20240105", "today", "２０２４-01-05"]
)
def test_a_day_is_written_as_iso_8601_or_refused(day: str) -> None:
    with pytest.raises(InvalidInput, match="YYYY-MM-DD"):
        FilingQuery(query="Apple", date_from=day).clean_values()


def test_the_same_day_at_both_ends_is_a_time() -> None:
    asked = FilingQuery(query="Apple", date_from=" 2024-01-05 ", date_to="2024-01-05")

    assert asked.clean_values().date_from == "2024-01-05"
