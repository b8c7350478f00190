from __future__ import annotations

import pytest

from citewell.core.errors import (
    MalformedResponse,
    UpstreamUnavailable,
)
from tests.internet.apis.edgar import columns
from tests.providers.edgar_bench import (
    APPLE,
    TICKERS,
    Answer,
    Bench,
    row,
    submissions,
)


@pytest.mark.parametrize(
    "missing", [(404, b""), (403, b"<Error><Code>AccessDenied</Code></Error>")]
)
def test_a_missing_file_is_no_error(missing: tuple[int, bytes]) -> None:
    bench = Bench(
        {APPLE: missing, "data.sec.gov/api/xbrl/companyfacts/CIK0000320193.json": missing}
    )

    assert "lists no filings" in bench.search(text="Apple").notes[0]
    assert "no XBRL facts" in bench.facts(text="Apple").notes[0]
    assert "no filer with the CIK" in bench.search(text="320193").notes[0]


def older(number: int, first: str, last: str) -> dict[str, object]:
    name = f"CIK0000320193-submissions-{number:03}.json"
    return {"name": name, "filingCount": 1, "filingFrom": first, "filingTo": last}


def test_of_the_older_files_only_those_of_the_time_are_read_and_no_more_than_four() -> None:
    files = [older(year - 1999, f"{year}-01-01", f"{year}-12-31") for year in range(2015, 1999, -1)]
    pages = {
        f"data.sec.gov/submissions/{file['name']}": columns([row(1, "8-K", str(file["filingTo"]))])
        for file in files
    }
    bench = Bench({APPLE: submissions([row(1, "8-K", "2016-02-01")], files=files)} | pages)

    old = bench.search(text="Apple", date_from="2003-06-01", date_to="2004-06-01")
    assert [filing.filing_date for filing in old.filings] == ["2003-12-31"]
    assert bench.asked[-2:] == [
        f"data.sec.gov/submissions/{file['name']}" for file in (files[11], files[12])
    ]

    start = len(bench.asked)
    none = bench.search(text="Apple", forms=("10-K",))
    assert len(bench.asked) - start == 5
    assert none.filings == ()
    assert any("before 2011-12-31 were not looked at" in note for note in none.notes)


FEED = "www.sec.gov/cgi-bin/browse-edgar"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"<html/>",
        b"<feed",
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry/></feed>',
    ],
)
def test_anything_but_a_feed_of_filings_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedResponse):
        Bench({FEED: body}).search()


def test_a_feed_without_entries_is_an_empty_answer() -> None:
    assert Bench({FEED: b'<feed xmlns="http://www.w3.org/2005/Atom"/>'}).search().filings == ()


@pytest.mark.parametrize("path", [FEED, TICKERS, "efts.sec.gov/LATEST/search-index"])
def test_a_service_that_is_not_there_is_unavailable_and_no_empty_answer(path: str) -> None:
    bench = Bench({path: (404, b"")})
    queries: dict[str, dict[str, str]] = {FEED: {}, TICKERS: {"text": "Apple"}}

    with pytest.raises(UpstreamUnavailable):
        bench.search(**queries.get(path, {"text": '"climate"'}))


def test_a_company_without_headline_figures_is_told() -> None:
    answer: dict[str, Answer] = {
        "data.sec.gov/api/xbrl/companyfacts/CIK0000320193.json": {"facts": {"invest": {}}}
    }

    assert "none of the headline figures" in Bench(answer).facts(text="Apple").notes[0]
