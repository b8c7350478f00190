"""Which company is meant, and what is asked of the SEC for it."""

from __future__ import annotations

import asyncio

import pytest

from citewell.core.errors import (
    Blocked,
    CitewellError,
    Misconfigured,
    RateLimited,
)
from citewell.domains.filings import FilingHits, FilingLookup
from citewell.providers.edgar import SPEC
from tests.providers.edgar_bench import (
    APPLE,
    DAY,
    EFTS,
    TICKERS,
    Bench,
    full_text,
    row,
    submissions,
)


def test_the_three_hosts_are_asked_and_all_together_keep_to_ten_requests_a_second() -> None:
    bench = Bench(
        {APPLE: submissions([row(1)]), "efts.sec.gov/LATEST/search-index": {"hits": {"hits": []}}}
    )

    bench.search(text="Apple")
    bench.search(text='"climate"')

    assert bench.asked == [TICKERS, APPLE, "efts.sec.gov/LATEST/search-index"]
    assert (SPEC.per_second or 0) * 3 * SPEC.burst <= 10


def test_no_request_goes_out_without_a_mail_address() -> None:
    for options in ({}, {"CITEWELL_CONTACT": "https://example.org"}, {"EDGAR_CONTACT_EMAIL": "@"}):
        bench = Bench({}, options=options)

        with pytest.raises(Misconfigured, match="EDGAR_CONTACT_EMAIL"):
            bench.search(text="Apple")
        assert bench.sender.sent == []


def test_the_list_of_tickers_is_fetched_once_a_day() -> None:
    bench = Bench({APPLE: submissions([row(1)])})

    bench.search(text="Apple")
    bench.now += DAY - 1
    bench.search(text="AAPL")
    assert bench.asked.count(TICKERS) == 1
    bench.now += 2
    bench.search(text="AAPL")

    assert bench.asked.count(TICKERS) == 2


def test_the_list_of_tickers_survives_a_restart() -> None:
    first = Bench({APPLE: submissions([row(1)])})
    first.search(text="Apple")
    second = Bench({APPLE: submissions([row(1)]), TICKERS: (500, b"")})
    second.memory.facts = first.memory.facts

    assert second.search(text="Apple").company


@pytest.mark.parametrize("kept", [b"", b"x", b"1800000000\n{}", b"nan\n{}", b"1\n{}"])
def test_a_kept_list_that_cannot_be_read_is_fetched_again(kept: bytes) -> None:
    bench = Bench({APPLE: submissions([row(1)])})
    bench.memory.facts["company_tickers"] = kept

    assert bench.search(text="Apple").company
    assert bench.asked.count(TICKERS) == 1


def test_a_list_kept_by_an_earlier_process_is_no_older_than_a_day() -> None:
    first = Bench({APPLE: submissions([row(1)])})
    first.search(text="Apple")
    second = Bench({APPLE: submissions([row(1)])})
    second.memory.facts = first.memory.facts
    second.now += DAY / 2
    second.search(text="Apple")
    assert second.asked.count(TICKERS) == 0
    second.now += DAY / 2 + 1

    second.search(text="Apple")

    assert second.asked.count(TICKERS) == 1


@pytest.mark.parametrize(
    "failure", [(500, b""), (200, b"<html>Sorry</html>"), (200, b"{}"), (429, b"")]
)
def test_a_failure_to_get_the_list_is_not_remembered(failure: tuple[int, bytes]) -> None:
    bench = Bench({APPLE: submissions([row(1)]), TICKERS: failure})

    with pytest.raises(CitewellError) as caught:
        bench.search(text="Apple")
    assert caught.value.provider == "edgar"
    assert bench.memory.facts == {}


def test_an_old_list_serves_while_a_new_one_cannot_be_had() -> None:
    bench = Bench({APPLE: submissions([row(1)])})
    bench.search(text="Apple")
    bench.now += 2 * DAY
    bench.answers[TICKERS] = (200, b"<html>Sorry</html>")

    assert bench.search(text="Apple").company


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<title>SEC.gov | Request Rate Threshold Exceeded</title>", RateLimited),
        (b"Your Request Originates from an Undeclared Automated Tool", RateLimited),
        (b"<h1>Forbidden</h1>", Blocked),
    ],
)
def test_a_403_is_read_for_what_it_says(body: bytes, kind: type[CitewellError]) -> None:
    bench = Bench({TICKERS: (403, body)})

    with pytest.raises(kind) as caught:
        bench.search(text="Apple")
    assert caught.value.provider == "edgar"
    if kind is RateLimited:
        assert caught.value.retry_after == 600
        with pytest.raises(RateLimited):
            bench.search(text="Apple")
        assert len(bench.sender.sent) == 1


def test_cancelling_a_search_leaves_the_list_to_be_fetched_again() -> None:
    bench = Bench({APPLE: submissions([row(1)])})

    async def cancel_and_ask_again() -> FilingHits:
        asking = asyncio.create_task(bench.provider.search_filings(FilingLookup(text="Apple")))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return await bench.provider.search_filings(FilingLookup(text="Apple"))

    assert asyncio.run(cancel_and_ask_again()).filings


def test_a_filer_without_a_ticker_is_found_among_those_the_words_lead_to() -> None:
    answer = full_text(
        "OTHER CO  (CIK 0000000002)", buckets=("Example Rockets Corp  (CIK 0000000003)",)
    )
    rockets = submissions([row(1)]) | {"cik": "3", "name": "Example Rockets Corp", "tickers": []}
    bench = Bench({EFTS: answer, "data.sec.gov/submissions/CIK0000000003.json": rockets})

    found = bench.search(text="Example Rockets Corporation")

    assert found.company
    assert (found.company.name, found.company.cik) == ("Example Rockets Corp", "0000000003")


def test_words_that_lead_to_no_filer_of_that_name_are_searched_once() -> None:
    bench = Bench(
        {EFTS: full_text("OTHER CO  (XY)  (CIK 0000000002)", "THIRD CO  (CIK 0000000004)")}
    )

    found = bench.search(text="quantum sensors")

    assert [(filing.company, filing.tickers) for filing in found.filings] == [
        ("OTHER CO", ("XY",)),
        ("THIRD CO", None),
    ]
    assert bench.asked.count(EFTS) == 1


def test_long_texts_are_not_taken_for_names_of_filers() -> None:
    bench = Bench({EFTS: full_text()})

    bench.search(text="what do companies say about supply chain risk")

    assert bench.asked == [TICKERS, EFTS]
