"""An assistant searches cases and texts of law, over a real server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.clients import body
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.apis.courtlistener import DAILY_LIMIT, PASSING_LIMIT
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

TOKEN = "a-token-that-nobody-may-see"


def search(environ: Environ, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = body(call(environ, "legal_search", arguments))
    return found


@requires("legal_search.case", "legal_search.answer", "legal_search.query", "legal_search.bluebook")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_case_is_found_by_its_name_without_a_token(transport: str, environ: Environ) -> None:
    result = call(environ, "legal_search", {"query": "Miranda v. Arizona"}, transport)

    answer = body(result)
    assert (answer["provider"], answer["query"]) == ("courtlistener", "Miranda v. Arizona")
    assert answer["resultCount"] == len(answer["cases"]) == answer["totalResults"] == 1
    assert answer["cases"][0] == {
        "caseName": "Miranda v. Arizona",
        "citation": "Miranda v. Arizona, 384 U.S. 436 (1966)",
        "citations": ["384 U.S. 436", "86 S. Ct. 1602", "16 L. Ed. 2d 694"],
        "court": "Supreme Court of the United States",
        "courtId": "scotus",
        "dateFiled": "1966-06-13",
        "docketNumber": "759",
        "citationCount": 60000,
        "url": answer["cases"][0]["url"],
        "source": "courtlistener",
        "status": "Published",
        "snippet": "A case about custodial interrogation, right to silence, self-incrimination.",
    }
    assert answer["cases"][0]["url"].startswith("https://www.courtlistener.com/opinion/")
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "courtlistener"


def test_case_names_are_searched_as_names_and_the_most_cited_comes_first(
    environ: Environ, world: World
) -> None:
    answer = search(environ, query="United States v. Microsoft")

    assert world.requests["courtlistener"][-1].params["case_name"] == "United States v. Microsoft"
    assert world.requests["courtlistener"][-1].params["order_by"] == "citeCount desc"
    assert answer["cases"][0]["citation"].endswith("253 F.3d 34 (D.C. Cir. 2001)")


def test_a_name_that_no_case_has_is_searched_as_words(environ: Environ) -> None:
    answer = search(environ, query="Roe v. Wade abortion privacy")

    assert [case["caseName"] for case in answer["cases"]] == ["Roe v. Wade"]


def test_a_citation_finds_its_case(environ: Environ, world: World) -> None:
    answer = search(environ, query="576 U.S. 644")

    assert world.requests["courtlistener"][-1].params["q"] == 'citation:("576 U.S. 644")'
    assert [case["caseName"] for case in answer["cases"]] == ["Obergefell v. Hodges"]


def test_a_whole_citation_finds_its_case(environ: Environ) -> None:
    answer = search(environ, query="Authors Guild v. Google, 804 F.3d 202, 229 (2d Cir. 2015)")

    assert [case["citations"] for case in answer["cases"]] == [["804 F.3d 202"]]


def test_an_invented_citation_of_a_real_name_is_told(environ: Environ) -> None:
    answer = search(environ, query="Miranda v. Arizona, 999 U.S. 436 (1966)")

    assert answer["notes"] == ["No case has the citation 999 U.S. 436."]
    assert answer["cases"][0]["citations"][0] == "384 U.S. 436"


def test_a_citation_that_no_case_has_is_told(environ: Environ) -> None:
    answer = search(environ, query="925 F.3d 1339")

    assert answer["resultCount"] == 0
    assert "No case has the citation 925 F.3d 1339" in answer["hints"]["details"][0]


@requires("legal_search.jurisdiction")
@pytest.mark.parametrize(
    ("jurisdiction", "found"),
    [
        ("scotus", "Google LLC v. Oracle America, Inc."),
        ("Second Circuit", "Authors Guild v. Google, Inc."),
        ("9th Cir.", "A&M Records, Inc. v. Napster, Inc."),
    ],
)
def test_a_court_is_given_by_id_name_or_label(
    jurisdiction: str, found: str, environ: Environ
) -> None:
    answer = search(environ, query="fair use copyright", jurisdiction=jurisdiction)

    assert [case["caseName"] for case in answer["cases"]] == [found]


@requires("legal_search.jurisdiction")
def test_an_unknown_court_is_refused_with_the_nearest(environ: Environ) -> None:
    result = call(environ, "legal_search", {"query": "privacy", "jurisdiction": "scotsu"})

    assert error_of(result)["kind"] == "validation"
    assert "scotus (Supreme Court of the United States)" in result.content[0].text


@requires("legal_search.dates")
def test_days_bound_the_decision(environ: Environ) -> None:
    answer = search(
        environ, query="same-sex marriage", date_from="2010-01-01", date_to="2014-12-31"
    )

    assert [case["dateFiled"] for case in answer["cases"]] == ["2013-06-26", "2010-08-04"]


@requires("legal_search.dates")
@pytest.mark.parametrize(
    ("days", "said"),
    [
        ({"date_from": "2020-01-01", "date_to": "2010-01-01"}, "swap them"),
        ({"date_from": "last year"}, "YYYY-MM-DD"),
        ({"date_to": "2021-02-30"}, "YYYY-MM-DD"),
    ],
)
def test_days_that_cannot_be_are_refused_before_anybody_is_asked(
    days: dict[str, str], said: str, environ: Environ, world: World
) -> None:
    result = call(environ, "legal_search", {"query": "privacy"} | days)

    assert error_of(result)["kind"] == "validation"
    assert said in result.content[0].text
    assert not world.calls["courtlistener"]


@requires("legal_search.num_results")
def test_no_more_cases_come_than_were_asked_for(environ: Environ) -> None:
    answer = search(environ, query="equal protection", num_results=3)

    assert answer["resultCount"] == len(answer["cases"]) == 3
    assert answer["totalResults"] > 3


@requires("legal_search.registries")
@pytest.mark.parametrize(
    ("arguments", "provider", "citation"),
    [
        (
            {"query": "prorogation of Parliament", "jurisdiction": "UK Supreme Court"},
            "findcaselaw",
            "R (Miller) v. The Prime Minister [2019] UKSC 41",
        ),
        (
            {"query": "[2021] UKSC 5"},
            "findcaselaw",
            "Uber BV v. Aslam [2021] UKSC 5",
        ),
        (
            {"query": "personal data search engines", "jurisdiction": "CJEU"},
            "eurlex",
            "Case C-131/12, Google Spain SL & Google Inc. v. Agencia Española de Protección de Datos (AEPD) & Mario Costeja González, ECLI:EU:C:2014:317 (May 13, 2014)",
        ),
        (
            {"query": "Regulation (EU) 2016/679"},
            "eurlex",
            "Regulation (EU) 2016/679 of the European Parliament and of the Council of 27 April 2016 on the protection of natural persons with regard to the processing of personal data (General Data Protection Regulation), CELEX 32016R0679",
        ),
        ({"query": "17 C.F.R. § 240.10b-5"}, "ecfr", "17 C.F.R. § 240.10b-5"),
        (
            {"query": "equity securities", "jurisdiction": "cfr"},
            "ecfr",
            "17 C.F.R. § 240.10b-18",
        ),
        (
            {"query": "drones", "jurisdiction": "us-regulations"},
            "federalregister",
            "Example Standards for Drones, 89 Fed. Reg. 3344 (Jan. 18, 2024)",
        ),
        (
            {"query": "88 Fed. Reg. 37,900"},
            "federalregister",
            "Proposed Limits for Ozone, 88 Fed. Reg. 37,900 (June 9, 2023)",
        ),
        (
            {"query": "informed consent", "provider": "findcaselaw"},
            "findcaselaw",
            "Montgomery v. Lanarkshire Health Bd. [2015] UKSC 11",
        ),
    ],
)
def test_each_jurisdiction_has_its_registry(
    arguments: dict[str, str], provider: str, citation: str, environ: Environ
) -> None:
    answer = search(environ, **arguments)

    assert answer["provider"] == provider
    assert answer["cases"][0]["citation"] == citation


def test_a_topic_that_cites_a_regulation_is_searched_in_cases(environ: Environ) -> None:
    answer = search(environ, query="who is liable for insider trading under 17 CFR 240.10b-5")

    assert answer["provider"] == "courtlistener"


def test_the_court_of_another_registry_is_refused(environ: Environ) -> None:
    asked = {"query": "privacy", "jurisdiction": "uksc", "provider": "courtlistener"}

    result = call(environ, "legal_search", asked)

    assert error_of(result)["kind"] == "validation"
    assert "served by findcaselaw" in result.content[0].text


@requires("legal_search.answer")
def test_no_case_gives_hints_with_the_filters(environ: Environ) -> None:
    answer = search(environ, query="zebra crossing unicorn", jurisdiction="scotus")

    assert (answer["cases"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["reason"] == "filters_too_restrictive"
    assert answer["hints"]["filtersApplied"] == ["jurisdiction"]


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
@pytest.mark.parametrize(
    ("provider", "query"),
    [
        ("courtlistener", "privacy"),
        ("findcaselaw", "privacy"),
        ("eurlex", "privacy"),
        ("ecfr", "privacy"),
        ("federalregister", "privacy"),
    ],
)
def test_a_registry_that_misbehaves_is_an_error_and_never_an_empty_answer(
    provider: str, query: str, kind: str, environ: Environ, world: World
) -> None:
    world.fail(provider, MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ, "legal_search", {"query": query, "provider": provider})

    assert error_of(result)["provider"] == provider


def test_one_of_two_registries_may_fail_and_it_is_told(environ: Environ, world: World) -> None:
    world.fail("ecfr", Fault(status=500, body="oops"), times=ALWAYS)

    answer = search(environ, query="drones", jurisdiction="us-regulations")

    assert (answer["provider"], answer["resultCount"]) == ("federalregister", 2)
    assert answer["notes"][0].startswith("ecfr was not searched:")


def test_half_a_json_is_an_error(environ: Environ, world: World) -> None:
    half = Fault(
        status=200, headers={"content-type": "application/json"}, body='{"count": 3, "results": [{'
    )
    world.fail("courtlistener", half, times=ALWAYS)

    result = call(environ, "legal_search", {"query": "privacy"})

    assert error_of(result)["kind"] == "upstream_unavailable"


def test_the_daily_limit_is_told_with_its_time_and_what_to_do(
    environ: Environ, world: World
) -> None:
    world.fail("courtlistener", DAILY_LIMIT, times=ALWAYS)

    result = call(environ, "legal_search", {"query": "privacy"})

    error = error_of(result)
    assert (error["kind"], error["retryAfterSeconds"]) == ("rate_limited", 51000)
    assert "COURTLISTENER_API_TOKEN" in result.content[0].text
    assert world.calls["courtlistener"] == 1


def test_a_refusal_without_a_time_is_tried_once_more(environ: Environ, world: World) -> None:
    world.fail("courtlistener", PASSING_LIMIT, times=1)

    answer = search(environ, query="Katz v. United States")

    assert answer["cases"][0]["citation"] == "Katz v. United States, 389 U.S. 347 (1967)"


@requires("legal_search.token")
def test_a_token_is_sent_as_a_header_and_shown_to_nobody(
    environ: Environ, world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    given = environ | {"COURTLISTENER_API_TOKEN": TOKEN, "LOG_LEVEL": "debug"}
    world.fail("courtlistener", Fault(status=401, body={"detail": f"bad {TOKEN}"}), times=1)

    refused = call(given, "legal_search", {"query": "privacy"})
    found = call(given, "legal_search", {"query": "Terry v. Ohio"})

    asked = world.requests["courtlistener"]
    assert {one.headers["authorization"] for one in asked} == {f"Token {TOKEN}"}
    assert all(TOKEN not in one.query_string for one in asked)
    assert error_of(refused)["kind"] == "auth_required"
    shown = capfd.readouterr()
    assert TOKEN not in f"{refused} {found} {shown.out} {shown.err}"


@requires("provider.tool_names")
def test_an_unknown_registry_is_refused_with_those_there_are(environ: Environ) -> None:
    result = call(environ, "legal_search", {"query": "privacy", "provider": "nowhere"})

    assert error_of(result)["kind"] == "validation"
    served = ["courtlistener", "findcaselaw", "eurlex", "ecfr", "federalregister"]
    assert all(name in result.content[0].text for name in served)
    assert "brave" not in result.content[0].text
