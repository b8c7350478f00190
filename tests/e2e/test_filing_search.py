"""An assistant searches company filings, over a real server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.clients import body
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.apis.edgar import TOO_MANY, UNDECLARED
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

pytestmark = pytest.mark.usefixtures("skipped_pauses")


@pytest.fixture
def reachable(environ: Environ) -> Environ:
    """An environment with the contact that the SEC wants."""
    return environ | {"EDGAR_CONTACT_EMAIL": "someone@example.org"}


def accessions(answer: dict[str, Any]) -> list[str]:
    return [filing["accession"] for filing in answer["filings"]]


@requires("filing_search.filing", "filing_search.company")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_company_name_lists_its_newest_filings(transport: str, reachable: Environ) -> None:
    result = call(reachable, "filing_search", {"query": "Apple", "num_results": 1}, transport)

    answer = body(result)
    assert (answer["provider"], answer["query"], answer["resultCount"]) == ("edgar", "Apple", 1)
    assert answer["company"] == {"name": "Apple Inc.", "cik": "0000320193", "tickers": ["AAPL"]}
    assert answer["filings"] == [
        {
            "company": "Apple Inc.",
            "cik": "0000320193",
            "formType": "8-K",
            "filingDate": "2026-10-29",
            "periodOfReport": "2026-10-29",
            "accession": "0000320193-26-000101",
            "url": "https://www.sec.gov/Archives/edgar/data/320193/000032019326000101/aapl-20261029.htm",
            "description": "8-K",
            "isAmendment": False,
            "tickers": ["AAPL"],
            "items": ["2.02", "9.01"],
            "source": "edgar",
        }
    ]
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "edgar"


@requires("filing_search.contact")
@pytest.mark.parametrize("setting", [{}, {"CITEWELL_CONTACT": "https://example.org/about"}])
def test_without_a_contact_nothing_is_asked_and_the_line_to_set_is_named(
    setting: dict[str, str], environ: Environ, world: World
) -> None:
    result = call(environ | setting, "filing_search", {"query": "Apple"})

    assert error_of(result)["kind"] == "config"
    assert "EDGAR_CONTACT_EMAIL" in result.content[0].text
    assert world.calls["edgar"] == 0


@requires("filing_search.contact")
@pytest.mark.parametrize(
    "setting",
    [
        {"EDGAR_CONTACT_EMAIL": "ops@example.org"},
        {"OPENALEX_EMAIL": "ops@example.org"},
        {"CITEWELL_CONTACT": "https://example.org, ops@example.org"},
    ],
)
def test_every_request_names_the_program_and_the_contact(
    setting: dict[str, str], environ: Environ, world: World
) -> None:
    answer = body(call(environ | setting, "filing_search", {"query": "Apple"}))

    sent = {asked.headers["user-agent"] for asked in world.requests["edgar"]}
    assert answer["resultCount"] == 5
    assert len(sent) == 1
    assert sent.pop().split(" ")[0].startswith("Citewell/")
    assert all(
        asked.headers["user-agent"].endswith(" ops@example.org")
        for asked in world.requests["edgar"]
    )


@requires("filing_search.query", "filing_search.ticker")
@pytest.mark.parametrize(
    ("arguments", "cik"),
    [
        ({"ticker": "aapl"}, "0000320193"),
        ({"ticker": "META", "query": "Apple"}, "0001326801"),
        ({"ticker": "TWTR"}, "0001418091"),  # no longer in the list of tickers
        ({"query": "CIK0000320193"}, "0000320193"),
        ({"query": "320193"}, "0000320193"),
        ({"query": "BRK.B"}, "0001067983"),
        ({"query": "Twitter, Inc."}, "0001418091"),
    ],
)
def test_a_company_is_found_by_ticker_number_or_name(
    arguments: dict[str, str], cik: str, reachable: Environ
) -> None:
    answer = body(call(reachable, "filing_search", arguments))

    assert answer["company"]["cik"] == cik


@requires("filing_search.company")
def test_a_former_name_leads_to_the_company_of_today(reachable: Environ) -> None:
    answer = body(call(reachable, "filing_search", {"query": "Facebook"}))

    assert answer["company"]["name"] == "Meta Platforms, Inc."
    assert (
        "Facebook Inc is a former name of Meta Platforms, Inc. (until 2021-10-27)."
        in answer["notes"]
    )


@requires("filing_search.company")
def test_another_meaning_of_a_name_is_told(reachable: Environ) -> None:
    answer = body(call(reachable, "filing_search", {"query": "Ford"}))

    assert answer["company"]["name"] == "FORD MOTOR CO"
    assert any("FORWARD INDUSTRIES" in note for note in answer["notes"])


@requires("filing_search.form_type", "filing_search.amendments")
@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("10-K", ["0000320193-25-000073", "0000320193-24-000123", "0000320193-23-000106"]),
        ("10k", ["0000320193-25-000073", "0000320193-24-000123", "0000320193-23-000106"]),
        ("10-K/A", ["0000320193-25-000079"]),
        ("Form 4", ["0000320193-26-000096"]),
    ],
)
def test_a_form_is_found_without_its_amendments(
    form: str, found: list[str], reachable: Environ
) -> None:
    asked = {"ticker": "AAPL", "form_type": form, "num_results": 3}

    answer = body(call(reachable, "filing_search", asked))

    assert accessions(answer)[:3] == found
    assert all(one["isAmendment"] == form.endswith("/A") for one in answer["filings"])
    if form[-1].lower() == "k":
        assert "10-K/A (1)" in answer["notes"][0]


def test_a_filing_without_a_document_leads_to_its_index_page(reachable: Environ) -> None:
    asked = {"ticker": "AAPL", "date_from": "2023-01-01", "date_to": "2023-12-31"}

    [filing] = body(call(reachable, "filing_search", asked))["filings"]

    assert filing["url"] == (
        "https://www.sec.gov/Archives/edgar/data/320193/000032019323000106/0000320193-23-000106-index.htm"
    )


@requires("filing_search.query")
@pytest.mark.parametrize("text", ["Apple 10-K 2024", "latest annual report of Apple for FY2024"])
def test_a_form_and_a_year_in_the_text_are_used(text: str, reachable: Environ) -> None:
    answer = body(call(reachable, "filing_search", {"query": text}))

    assert accessions(answer) == ["0000320193-24-000123"]
    assert any("Searched for the form" in note for note in answer["notes"])


@requires("filing_search.dates", "filing_search.older")
def test_older_filings_are_looked_up_when_the_dates_need_them(
    reachable: Environ, world: World
) -> None:
    old = {"query": "Apple", "date_to": "2010-12-31"}

    answer = body(call(reachable, "filing_search", old))

    assert accessions(answer) == ["0001193125-10-238044", "0001193125-09-214859"]
    recent = {"query": "Apple", "date_from": "2026-01-01", "num_results": 2}
    before = world.calls["edgar"]
    assert len(body(call(reachable, "filing_search", recent))["filings"]) == 2
    assert (
        world.calls["edgar"] - before == 1
    )  # the list of tickers was kept, older files not needed


@requires("filing_search.text")
def test_words_search_the_text_of_all_filers(reachable: Environ) -> None:
    asked = {"query": "climate risk disclosure", "form_type": "10-K", "date_from": "2025-01-01"}

    answer = body(call(reachable, "filing_search", asked))

    [filing] = answer["filings"]
    assert "company" not in answer
    assert (filing["company"], filing["cik"], filing["tickers"]) == (
        "EXXON MOBIL CORP",
        "0000034088",
        ["XOM"],
    )
    assert filing["url"].endswith("/34088/000003408826000021/xom-20251231.htm")
    assert "10-K/A (1)" in answer["notes"][0]


@requires("filing_search.text")
def test_words_in_quotes_and_a_ticker_search_that_companys_filings(
    reachable: Environ, world: World
) -> None:
    answer = body(call(reachable, "filing_search", {"query": '"climate risk"', "ticker": "CVX"}))

    assert [one["company"] for one in answer["filings"]] == ["CHEVRON CORP"]
    assert world.requests["edgar"][-1].params["ciks"] == "0000093410"


@requires("filing_search.latest")
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"query": "latest 8-K filings"}, [("PACCAR INC", ["5.02", "8.01"])]),
        ({"query": "newest filings", "form_type": "4"}, [("Caf\u00e9 Example Co.", None)]),
        ({"query": "8-K/A"}, [("PACCAR INC", None)]),
    ],
)
def test_the_newest_filings_of_all_filers_are_listed(
    arguments: dict[str, str], found: list[tuple[str, Any]], reachable: Environ
) -> None:
    answer = body(call(reachable, "filing_search", arguments))

    assert [(one["company"], one.get("items")) for one in answer["filings"]] == found
    assert answer["filings"][0]["filingDate"] == "2026-11-13"
    assert answer["filings"][0]["url"].endswith("-index.htm")


@requires("filing_search.facts")
def test_facts_come_exactly_as_filed(reachable: Environ) -> None:
    asked = {"ticker": "AAPL", "facts": True, "num_results": 10}

    answer = body(call(reachable, "filing_search", asked))

    values = {fact["concept"]: (fact["value"], fact["unit"]) for fact in answer["filings"]}
    assert values == {
        "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax": ("94036000000", "USD"),
        "us-gaap:NetIncomeLoss": ("112010000000", "USD"),
        "us-gaap:Assets": ("359241000000123456789012345", "USD"),
        "us-gaap:EarningsPerShareDiluted": ("7.460", "USD/shares"),
        "dei:EntityCommonStockSharesOutstanding": ("14776353000", "shares"),
    }
    first = answer["filings"][0]
    annual, quarter, trailing = (
        first.pop(name) for name in ("latestAnnual", "latestQuarter", "trailingTwelveMonths")
    )
    newest = {
        "value": "94036000000",
        "periodStart": "2026-03-29",
        "periodEnd": "2026-06-27",
        "formType": "10-Q",
        "fiscalYear": 2026,
        "fiscalPeriod": "Q3",
        "filingDate": "2026-07-31",
        "accession": "0000320193-26-000077",
        "url": "",
    }
    assert first | {"label": "", "url": ""} == newest | {
        "company": "Apple Inc.",
        "cik": "0000320193",
        "concept": "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax",
        "label": "",
        "unit": "USD",
        "source": "edgar",
    }
    assert quarter | {"url": ""} == newest
    assert annual | {"url": ""} == {
        "value": "416161000001",
        "periodStart": "2024-09-29",
        "periodEnd": "2025-09-27",
        "formType": "10-K/A",
        "fiscalYear": 2025,
        "fiscalPeriod": "FY",
        "filingDate": "2025-11-20",
        "accession": "0000320193-25-000079",
        "url": "",
    }
    assert (trailing["value"], trailing["periodStart"], trailing["periodEnd"]) == (
        "445466000001",
        "2025-06-29",
        "2026-06-27",
    )
    assert [term.split()[:2] for term in trailing["computedFrom"]] == [
        ["+", "343000000000"],
        ["+", "416161000001"],
        ["-", "313695000000"],
    ]


@requires("filing_search.facts")
@pytest.mark.parametrize(
    ("narrowing", "value"),
    [
        ({"form_type": "10-Q"}, "94036000000"),
        ({"form_type": "10-K"}, "416161000000"),
        ({"date_to": "2024-12-31"}, "391035000000"),
        ({"query": "Apple revenue 2024"}, "391035000000"),
    ],
)
def test_facts_can_be_narrowed(narrowing: dict[str, str], value: str, reachable: Environ) -> None:
    asked = {"query": "Apple", "facts": True, "num_results": 1} | narrowing

    assert body(call(reachable, "filing_search", asked))["filings"][0]["value"] == value


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query": "Microsoft", "facts": True}, "no XBRL facts"),
        ({"query": "zebra crossings", "facts": True}, "No filer is called 'zebra crossings'"),
        ({"ticker": "NOPE"}, "No filer has the ticker 'NOPE'"),
        ({"query": "CIK 77"}, "no filer with the CIK"),
        ({"query": "Apple", "form_type": "S-1"}, "Filed in this time: 10-K (5)"),
        ({"query": "Apple", "form_type": "10-Z"}, "Did you mean"),
        ({"query": "zebra crossings"}, None),
    ],
)
def test_nothing_found_says_why(
    arguments: dict[str, object], told: str | None, reachable: Environ
) -> None:
    answer = body(call(reachable, "filing_search", arguments))

    assert (answer["filings"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["reason"] in {"no_match", "filters_too_restrictive"}
    assert told is None or any(told in line for line in answer["hints"]["details"])


@requires("filing_search.query", "filing_search.bad_input")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "query"),
        ({"form_type": "10-K"}, "query"),
        ({"query": "Apple", "form_type": "banana"}, "Usual forms: 10-K"),
        ({"query": "Apple", "date_from": "last year"}, "YYYY-MM-DD"),
        ({"query": "Apple", "date_to": "2025-02-30"}, "YYYY-MM-DD"),
        ({"query": "Apple", "date_from": "2025-02-01", "date_to": "2024-02-01"}, "swap them"),
        ({"query": "Apple", "num_results": 11}, "num_results"),
        ({"ticker": "a name that is much too long"}, "query"),
        ({"query": "Apple", "provider": "nowhere"}, "Supported: edgar."),
    ],
)
def test_bad_input_is_refused_with_what_to_write(
    arguments: dict[str, object], told: str, reachable: Environ, world: World
) -> None:
    result = call(reachable, "filing_search", arguments)

    assert error_of(result)["kind"] == "validation"
    assert told in result.content[0].text
    assert world.calls["edgar"] == 0


@requires("filing_search.blocked")
@pytest.mark.parametrize("page", [TOO_MANY, UNDECLARED])
def test_the_page_of_refusal_is_a_rate_limit_of_ten_minutes(
    page: str, reachable: Environ, world: World
) -> None:
    world.fail("edgar", Fault(status=403, body=page), times=1)

    refused = error_of(call(reachable, "filing_search", {"query": "Apple"}))

    assert (refused["kind"], refused["retryAfterSeconds"]) == ("rate_limited", 600)
    assert body(call(reachable, "filing_search", {"query": "Apple"}))["resultCount"] == 5


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_a_register_that_misbehaves_is_an_error_and_never_an_empty_answer(
    kind: str, reachable: Environ, world: World
) -> None:
    world.fail("edgar", MISBEHAVIOUR[kind], times=ALWAYS)

    for arguments in ({"query": "Apple"}, {"query": "320193"}, {"query": '"climate"'}):
        assert error_of(call(reachable, "filing_search", arguments))["provider"] == "edgar"
