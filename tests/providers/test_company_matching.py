from __future__ import annotations

import json

import pytest

from citewell.core.errors import MalformedResponse
from citewell.providers.edgar.company_matching import (
    CompanyChoice,
    match_company,
    measure_spelling_distance,
    normalize_cik,
    normalize_ticker,
)
from tests.internet.companies import ticker_list

LIST = json.dumps(ticker_list()).encode()

TICKERS = (
    ("AAPL", "AAPL"), ("aapl", "AAPL"), ("$AAPL", "AAPL"), ("NASDAQ:AAPL", "AAPL"), (" Aapl ", "AAPL"),
    ("BRK.B", "BRK-B"), ("BRK-B", "BRK-B"), ("brk/b", "BRK-B"), ("BRKB", "BRK-B"), ("BRK A", "BRK-B"),
    ("GOOG", "GOOGL"), ("googl", "GOOGL"), ("V", "V"), ("T", "T"), ("FORD", "FORD"), ("nyse: ibm", "IBM"),
)  # fmt: skip
NUMBERS = (
    ("320193", "0000320193"), ("0000320193", "0000320193"), ("CIK0000320193", "0000320193"),
    ("cik 320193", "0000320193"), ("CIK#320193", "0000320193"), ("CIK: 1067983", "0001067983"),
    ("  1326801 ", "0001326801"), ("00019617", "0000019617"), ("2488", "0000002488"),
    ("9999999999", "9999999999"),
)  # fmt: skip
NAMES = (
    ("Apple", "AAPL"), ("Apple Inc", "AAPL"), ("apple inc.", "AAPL"), ("APPLE", "AAPL"),
    ("Microsoft Corporation", "MSFT"), ("microsoft", "MSFT"), ("Amazon", "AMZN"), ("Amazon.com, Inc.", "AMZN"),
    ("Alphabet", "GOOGL"), ("Meta Platforms", "META"), ("Meta", "META"), ("Berkshire Hathaway", "BRK-B"),
    ("Eli Lilly and Company", "LLY"), ("JPMorgan", "JPM"), ("JP Morgan Chase", "JPM"), ("J.P. Morgan", "JPM"),
    ("Exxon", "XOM"), ("ExxonMobil", "XOM"), ("Johnson & Johnson", "JNJ"), ("Johnson and Johnson", "JNJ"),
    ("Bank of America", "BAC"), ("Costco", "COST"), ("The Home Depot", "HD"), ("ASML", "ASML"),
    ("Procter & Gamble", "PG"), ("Procter and Gamble Company", "PG"), ("Coca-Cola", "KO"),
    ("The Coca-Cola Company", "KO"), ("Wells Fargo", "WFC"), ("Toyota", "TM"), ("Morgan Stanley", "MS"),
    ("International Business Machines", "IBM"), ("ibm", "IBM"), ("Goldman Sachs", "GS"), ("Merck", "MRK"),
    ("Novo Nordisk", "NVO"), ("McDonald's", "MCD"), ("McDonald’s Corp", "MCD"), ("Disney", "DIS"),
    ("Walt Disney Company", "DIS"), ("AT&T", "T"), ("AT and T", "T"), ("att", "T"), ("Citigroup", "C"),
    ("Lowe's", "LOW"), ("3M", "MMM"), ("Moody's", "MCO"), ("BP plc", "BP"), ("U.S. Bancorp", "USB"),
    ("US Bancorp", "USB"), ("Ford", "F"), ("ford", "F"), ("Ford Motor Company", "F"), ("key", "KEY"),
    ("Visa", "V"), ("S&P Global", "SPGI"), ("HP", "HPQ"), ("Gap", "GAP"), ("Nike", "NKE"), ("SAP SE", "SAP"),
)  # fmt: skip
MISSPELT = (
    ("Mircosoft", "MSFT"), ("Microsft", "MSFT"), ("Tessla", "TSLA"), ("Nvida", "NVDA"), ("Goldmann Sachs", "GS"),
    ("Wallmart", "WMT"), ("Starbuks", "SBUX"), ("Palentir", "PLTR"), ("Berkshire Hathway", "BRK-B"),
    ("Airbnbb", "ABNB"),
)  # fmt: skip
NO_COMPANIES = (
    "climate risk disclosure", "supply chain disruption in Taiwan", "dividend", "material weakness",
    "cyber", "it", "going concern doubt", "lithium", "of the", "&", "日本", "",
)  # fmt: skip


def choice(text: str) -> CompanyChoice:
    return match_company(LIST, ticker="", texts=(text,))


def ticker_of(found: CompanyChoice) -> str | None:
    return found.company.tickers[0] if found.company else None


@pytest.mark.parametrize(("text", "ticker"), TICKERS)
def test_a_ticker_is_found_however_it_is_written(text: str, ticker: str) -> None:
    assert ticker_of(match_company(LIST, ticker=text, texts=())) == ticker


@pytest.mark.parametrize(("text", "cik"), NUMBERS)
def test_a_cik_is_read_in_any_padding_and_reads_again_as_itself(text: str, cik: str) -> None:
    assert normalize_cik(text) == cik
    assert normalize_cik(cik) == cik


@pytest.mark.parametrize(
    "text", ["", "0", "CIK", "12345678901", "Apple", "3M", "-5", "10-K", "1.5"]
)
def test_what_is_no_cik_is_not_read_as_one(text: str) -> None:
    assert normalize_cik(text) is None


@pytest.mark.parametrize("text", ["", "A Company Name", "TOOLONGX", "BRK..B", "<b>", "ÄÖ", "🍎"])
def test_what_is_no_ticker_is_not_read_as_one(text: str) -> None:
    assert normalize_ticker(text) is None


@pytest.mark.parametrize(("text", "ticker"), NAMES)
def test_a_company_is_found_by_its_name(text: str, ticker: str) -> None:
    assert ticker_of(choice(text)) == ticker


@pytest.mark.parametrize("row", ticker_list().values(), ids=lambda row: row["title"])
def test_every_listed_name_and_ticker_leads_back_to_its_company(row: dict[str, object]) -> None:
    wanted = f"{row['cik_str']:010}"

    by_name, by_ticker = (
        choice(str(row["title"])),
        match_company(LIST, ticker=str(row["ticker"]), texts=()),
    )

    assert by_name.company
    assert by_ticker.company
    assert (by_name.company.cik, by_ticker.company.cik) == (wanted, wanted)


@pytest.mark.parametrize(("text", "ticker"), MISSPELT)
def test_a_name_may_be_misspelt_a_little(text: str, ticker: str) -> None:
    found = choice(text)

    assert (ticker_of(found), found.basis) == (ticker, "spelling")


@pytest.mark.parametrize("text", NO_COMPANIES)
def test_words_that_name_no_company_are_left_to_the_search_for_words(text: str) -> None:
    assert choice(text).company is None


def test_a_name_that_could_be_another_lists_the_other() -> None:
    ford = choice("Ford")

    assert [company.tickers[0] for company in ford.others] == ["FORD"]


def test_a_word_that_begins_too_many_names_names_none() -> None:
    rows = {
        str(number): {
            "cik_str": number + 1,
            "ticker": f"F{number}",
            "title": f"First Bank {number} Corp",
        }
        for number in range(13)
    }

    found = match_company(json.dumps(rows).encode(), ticker="", texts=("First",))

    assert found.company is None


def test_the_second_text_is_tried_when_the_first_names_nobody() -> None:
    found = match_company(LIST, ticker="", texts=("Apple 2023", "Apple"))

    assert (ticker_of(found), found.text) == ("AAPL", "Apple")


def test_damaged_rows_of_the_list_are_left_out() -> None:
    rows = {
        "0": None, "1": {"cik_str": "x", "ticker": "X", "title": "X"}, "2": {"cik_str": -1, "title": "Y"},
        "3": {"cik_str": 10**30, "ticker": "Z", "title": "Z"}, "4": {"cik_str": 5, "ticker": None, "title": "Fine Corp"},
    }  # fmt: skip

    found = match_company(json.dumps(rows).encode(), ticker="", texts=("Fine",))

    assert found.company
    assert (found.company.cik, found.company.tickers) == ("0000000005", ())


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b"null", b"<html>", b'{"0": 1}', b"[" * 100_000]
)
def test_anything_but_the_list_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedResponse):
        match_company(body, ticker="AAPL", texts=())


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("abc", "abc", 0),
        ("abcd", "abdc", 1),
        ("abc", "abcd", 1),
        ("abcde", "axcye", 2),
        ("abc", "xbc", 3),
        ("", "a", 3),
    ],
)
def test_letters_are_counted_up_to_the_bound(left: str, right: str, distance: int) -> None:
    assert measure_spelling_distance(left, right, 2) == distance
