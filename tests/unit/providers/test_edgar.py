from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from citewell.errors import (
    Blocked,
    CitewellError,
    MalformedResponse,
    Misconfigured,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.model.domains.company_filing import FactHits, FilingHits, FilingQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers.edgar import SPEC, Provider
from citewell.providers.edgar.company_facts import read_company_facts
from citewell.providers.edgar.filing_rows import build_document_address
from citewell.providers.edgar.full_text import parse_display_name
from tests.contract.recordings import Canned, kit_over
from tests.internet.apis.edgar import columns
from tests.internet.companies import ticker_list

CONTACT = {"EDGAR_CONTACT_EMAIL": "someone@example.org"}
DAY = 86_400.0
TICKERS = "www.sec.gov/files/company_tickers.json"
APPLE = "data.sec.gov/submissions/CIK0000320193.json"
Answer = bytes | dict[str, Any] | tuple[int, bytes]


def submissions(rows: list[tuple[str, ...]], **more: Any) -> dict[str, Any]:
    filings = {"recent": columns(rows), "files": more.pop("files", [])}
    return {
        "cik": "0000320193",
        "name": "Apple Inc.",
        "tickers": ["AAPL"],
        "filings": filings,
    } | more


def row(number: int, form: str = "10-K", day: str = "2025-10-31") -> tuple[str, ...]:
    return (f"0000320193-25-{number:06}", form, day, day, f"doc{number}.htm", form, "")


@dataclass
class Memory:
    facts: dict[str, bytes] = field(default_factory=dict)

    async def recall_fact(self, key: str) -> bytes | None:
        return self.facts.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        assert ttl == DAY
        self.facts[key] = value


class Bench:
    """The provider over canned answers by host and path, with a clock that the test moves."""

    def __init__(
        self, answers: Mapping[str, Answer], *, options: Mapping[str, str] = CONTACT
    ) -> None:
        self.answers: dict[str, Answer] = {TICKERS: dict(ticker_list())} | dict(answers)
        self.now = 1_800_000_000.0
        self.memory = Memory()
        self.sender = Canned(self._answer)
        self.kit = replace(kit_over("edgar", self.sender, options), memory=self.memory)
        self.provider = Provider(self.kit, clock=lambda: self.now)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        parts = urlsplit(request.url)
        answer = self.answers.get(f"{parts.hostname}{parts.path}", (404, b"no such file"))
        status, content = answer if isinstance(answer, tuple) else (200, answer)
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return HttpResponse(status=status, url=request.url, headers={}, body=body)

    @property
    def asked(self) -> list[str]:
        return [f"{urlsplit(one.url).hostname}{urlsplit(one.url).path}" for one in self.sender.sent]

    def search(self, **query: Any) -> FilingHits:
        return asyncio.run(self.provider.search_filings(FilingQuery(**query)))

    def facts(self, **query: Any) -> FactHits:
        return asyncio.run(self.provider.list_company_facts(FilingQuery(**query)))


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
        f"data.sec.gov/submissions/{one['name']}": columns([row(1, "8-K", str(one["filingTo"]))])
        for one in files
    }
    bench = Bench({APPLE: submissions([row(1, "8-K", "2016-02-01")], files=files)} | pages)

    old = bench.search(text="Apple", date_from="2003-06-01", date_to="2004-06-01")
    assert [one.filing_date for one in old.filings] == ["2003-12-31"]
    assert bench.asked[-2:] == [
        f"data.sec.gov/submissions/{one['name']}" for one in (files[11], files[12])
    ]

    start = len(bench.asked)
    none = bench.search(text="Apple", forms=("10-K",))
    assert len(bench.asked) - start == 5
    assert none.filings == ()
    assert any("before 2011-12-31 were not looked at" in note for note in none.notes)


def test_columns_of_different_lengths_and_wrong_types_lose_only_what_is_missing() -> None:
    body = submissions([row(1), row(2), row(3)])
    recent = body["filings"]["recent"]
    recent["filingDate"] = ["2025-02-30", 7]
    recent["primaryDocument"] = [None, "../../etc/passwd", "a b.htm"]
    recent["items"] = "nothing"
    recent["form"] = ["10-K", "10-K", ""]

    found = Bench({APPLE: body}).search(text="Apple").filings

    assert [one.filing_date for one in found] == [None, None]
    assert all(one.url.endswith("-index.htm") for one in found)


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


def entry(value: str, end: str = "2024-12-31", **more: str) -> dict[str, Any]:
    told = {"end": end, "val": f"#{value}#", "accn": "0000320193-25-000001", "fy": 2024, "fp": "FY"}
    return told | {"form": "10-K", "filed": "2025-02-01"} | more


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
    told = {"us-gaap": {concept: {"units": {unit: rows}}}}
    body = json.dumps({"entityName": "Example", "facts": told})
    plain = body.replace('"#', "").replace('#"', "").encode()
    (fact,) = read_company_facts(plain, cik="1", forms=(), date_from="", date_to="", year="").facts
    return {
        name: (found.value, found.period_start, found.period_end)
        for name in ("newest", "annual", "quarter", "trailing")
        if (found := getattr(fact, name)) is not None
    }


def year(value: str, number: int, **more: str) -> dict[str, Any]:
    return entry(value, start=f"{number}-01-01", end=f"{number}-12-31", **more)


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
    told = concepts(
        "ifrs-full",
        Revenue=[entry("90", form="20-F"), entry("20", form="6-K", end="2025-03-31")],
        ProfitLoss=[entry("-1.50", form="20-F")],
        Equity=[entry("7", form="20-F")],
    )

    assert read_facts(told) == [
        ("ifrs-full:Revenue", "20"),
        ("ifrs-full:ProfitLoss", "-1.50"),
        ("ifrs-full:Equity", "7"),
    ]


def test_a_period_reported_twice_counts_as_it_was_filed_last() -> None:
    told = concepts(
        "us-gaap", Assets=[entry("2", filed="2026-02-01"), entry("1", filed="2025-02-01")]
    )

    assert read_facts(told) == [("us-gaap:Assets", "2")]


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
    told = concepts("us-gaap", Assets=[entry("5")], Liabilities=[entry("1", end="2012-12-31")])

    assert read_facts(told) == [("us-gaap:Assets", "5")]
    assert read_facts(told, year="2012") == [("us-gaap:Liabilities", "1")]


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
    told: Any = concepts(
        "us-gaap", Assets=[*bad, good | {"accn": "x", "fy": "y", "fp": "z", "filed": 3}]
    )
    told |= {"dei": 3, "ifrs-full": {"Revenue": {"units": {"": [good], "EUR": 7}}, "Assets": None}}

    assert read_facts(told) == [("us-gaap:Assets", "5")]


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"<html>", b'{"facts": 7}', b"[" * 100_000])
def test_anything_but_facts_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedResponse):
        read_company_facts(body, cik="1", forms=(), date_from="", date_to="", year="")


def test_cancelling_a_search_leaves_the_list_to_be_fetched_again() -> None:
    bench = Bench({APPLE: submissions([row(1)])})

    async def cancel_and_ask_again() -> FilingHits:
        asking = asyncio.create_task(bench.provider.search_filings(FilingQuery(text="Apple")))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return await bench.provider.search_filings(FilingQuery(text="Apple"))

    assert asyncio.run(cancel_and_ask_again()).filings


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


def full_text(*names: str, buckets: tuple[str, ...] = ()) -> dict[str, Any]:
    hits = [
        {
            "_id": f"0000000001-25-{place:06}:doc.htm",
            "_source": {
                "adsh": f"0000000001-25-{place:06}",
                "form": "8-K",
                "display_names": [name],
            },
        }
        for place, name in enumerate(names)
    ]
    told = {"hits": {"total": {"value": len(hits)}, "hits": hits}}
    return told | {
        "aggregations": {"entity_filter": {"buckets": [{"key": one} for one in buckets]}}
    }


EFTS = "efts.sec.gov/LATEST/search-index"


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

    assert [(one.company, one.tickers) for one in found.filings] == [
        ("OTHER CO", ("XY",)),
        ("THIRD CO", ()),
    ]
    assert bench.asked.count(EFTS) == 1


def test_long_texts_are_not_taken_for_names_of_filers() -> None:
    bench = Bench({EFTS: full_text()})

    bench.search(text="what do companies say about supply chain risk")

    assert bench.asked == [TICKERS, EFTS]


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


def test_a_company_without_headline_figures_is_told() -> None:
    answer: dict[str, Answer] = {
        "data.sec.gov/api/xbrl/companyfacts/CIK0000320193.json": {"facts": {"invest": {}}}
    }

    assert "none of the headline figures" in Bench(answer).facts(text="Apple").notes[0]


def test_only_variants_of_the_wanted_form_are_counted_as_left_out() -> None:
    rows = [row(1, "4"), row(2, "4/A"), row(3, "424B5"), row(4, "10-K"), row(5, "10-KT")]
    bench = Bench({APPLE: submissions(rows)})

    assert "forms: 4/A (1)." in bench.search(text="Apple", forms=("4",)).notes[0]
    assert "forms: 10-KT (1)." in bench.search(text="Apple", forms=("10-K",)).notes[0]
