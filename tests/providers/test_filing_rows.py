"""Filings in submissions and in the full-text search."""

from __future__ import annotations

import pytest

from citewell.core.errors import (
    MalformedResponse,
)
from citewell.providers.edgar.filing_rows import build_document_address, parse_display_name
from tests.providers.edgar_bench import (
    APPLE,
    EFTS,
    Bench,
    full_text,
    row,
    submissions,
)


def test_columns_of_different_lengths_and_wrong_types_lose_only_what_is_missing() -> None:
    body = submissions([row(1), row(2), row(3)])
    recent = body["filings"]["recent"]
    recent["filingDate"] = ["2025-02-30", 7]
    recent["primaryDocument"] = [None, "../../etc/passwd", "a b.htm"]
    recent["items"] = "nothing"
    recent["form"] = ["10-K", "10-K", ""]

    found = Bench({APPLE: body}).search(text="Apple").filings

    assert [filing.filing_date for filing in found] == [None, None]
    assert all((filing.url or "").endswith("-index.htm") for filing in found)


def test_the_address_of_a_document_is_encoded() -> None:
    assert build_document_address("320193", "0000320193-25-000001", "a b&c.htm").endswith(
        "/320193/000032019325000001/a%20b%26c.htm"
    )


@pytest.mark.parametrize("recent", [{}, {"accessionNumber": "x"}, {"accessionNumber": ["x", 7]}])
def test_filings_that_cannot_be_read_are_malformed(recent: dict[str, object]) -> None:
    body = submissions([])
    body["filings"]["recent"] = recent

    with pytest.raises(MalformedResponse):
        Bench({APPLE: body}).search(text="Apple")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"date_from": "2024-01-01"}, {"startdt": "2024-01-01", "enddt": "2027-01-15"}),
        ({"date_to": "2024-01-01"}, {"startdt": "2001-01-01", "enddt": "2024-01-01"}),
        ({}, None),
    ],
)
def test_the_search_for_words_gets_both_ends_of_a_time_or_none(
    given: dict[str, str], sent: dict[str, str] | None
) -> None:
    bench = Bench({EFTS: full_text()})

    bench.search(text="“going concern” doubt", forms=("10-K", "20-F"), **given)

    params = dict(bench.sender.sent[-1].params)
    assert params.pop("q") == '"going concern" doubt'
    assert params.pop("forms") == "10-K,20-F"
    assert params == ({"dateRange": "custom"} | sent if sent else {})


@pytest.mark.parametrize(
    ("text", "name", "tickers"),
    [
        ("APPLE INC  (AAPL)  (CIK 0000320193)", "APPLE INC", ("AAPL",)),
        ("ALPHABET INC (GOOGL, GOOG) (CIK 0001652044)", "ALPHABET INC", ("GOOGL", "GOOG")),
        ("Example (Japan) Ltd (CIK 5)", "Example (Japan) Ltd", ()),
        ("Example Holdings (Japan) (CIK 5)", "Example Holdings (Japan)", ()),
    ],
)
def test_a_display_name_is_split(text: str, name: str, tickers: tuple[str, ...]) -> None:
    found = parse_display_name(text)

    assert found
    assert (found.name, found.tickers) == (name, tickers)


@pytest.mark.parametrize("text", ["", "APPLE INC", "(CIK 5)", "X (CIK five)", "X (CIK 0)"])
def test_what_is_no_display_name_is_none(text: str) -> None:
    assert parse_display_name(text) is None


def test_results_of_which_none_can_be_read_are_malformed() -> None:
    hit = {"_source": {"adsh": "0000000001-25-000001", "form": "8-K", "ciks": ["none"]}}

    with pytest.raises(MalformedResponse):
        Bench({EFTS: {"hits": {"hits": [hit]}}}).search(text='"climate"')


def test_only_variants_of_the_wanted_form_are_counted_as_left_out() -> None:
    rows = [row(1, "4"), row(2, "4/A"), row(3, "424B5"), row(4, "10-K"), row(5, "10-KT")]
    bench = Bench({APPLE: submissions(rows)})

    assert "forms: 4/A (1)." in bench.search(text="Apple", forms=("4",)).notes[0]
    assert "forms: 10-KT (1)." in bench.search(text="Apple", forms=("10-K",)).notes[0]
