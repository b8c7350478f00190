"""CourtListener: searches, look-ups with a token and without, limits, and what is remembered."""

from __future__ import annotations

import pytest

from citewell.core.errors import (
    RateLimited,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.court_case import CaseQuery, CourtCase
from tests.internet.apis.courtlistener import DAILY_LIMIT, list_cases
from tests.internet.serve import Internet
from tests.providers.courtlistener_bench import (
    SEARCH,
    TOKEN,
    Memory,
    ask_over,
    cite,
    page,
    sent_at_once,
    web,
)
from tests.providers.desk import Desk, Reply

__all__ = ["sent_at_once", "web"]

SURE_CASE = {
    "caseName": "Brown v. Board of Education",
    "absolute_url": "/opinion/105221/brown/",
    "citation": ["347 U.S. 483"],
}


@pytest.mark.usefixtures("sent_at_once")
@pytest.mark.parametrize("options", [{}, TOKEN], ids=["keyless", "token"])
def test_every_real_citation_is_found_and_has_the_name_and_day_of_its_case(
    options: dict[str, str], web: Internet
) -> None:
    cases = [(text, case) for case in list_cases() for text in case["citations"]]

    got = ask_over(web, *(text for text, _ in cases), options=options)

    assert len(cases) >= 60
    for (text, case), match in zip(cases, got, strict=True):
        assert [(case.name, case.date_filed) for case in match.cases] == [
            (case["name"], case["date"])
        ]
        assert text in match.cases[0].citations


@pytest.mark.parametrize("options", [{}, TOKEN], ids=["keyless", "token"])
def test_an_invented_citation_is_not_found(options: dict[str, str], web: Internet) -> None:
    [absent] = ask_over(web, "925 F.3d 1339", options=options)

    assert absent.cases == ()
    assert absent.is_reporter_known


def test_other_cases_that_a_search_returns_are_no_match() -> None:
    near = page("Roe v. Wade") | {}
    near["results"][0]["citation"] = ["410 U.S. 1134", "41 U.S. 113"]
    near["results"].append(SURE_CASE)

    match = Desk("courtlistener", {SEARCH: near}).ask("look_up_citation", cite("410 U.S. 113"))

    assert match.cases == ()


def test_a_search_that_does_not_find_a_sure_case_tells_of_no_absence() -> None:
    desk = Desk("courtlistener", {SEARCH: page()})

    with pytest.raises(UpstreamUnavailable, match="does not find cases by their citation"):
        desk.ask("look_up_citation", cite("999 U.S. 1"))


def test_the_sure_case_is_searched_for_once_a_day(web: Internet) -> None:
    memory = Memory()

    ask_over(web, "998 U.S. 1", "999 U.S. 1", memory=memory)

    searched = [asked.params["q"] for asked in web.world.requests["courtlistener"]]
    assert searched.count('citation:("347 U.S. 483")') == 1


def test_spaces_dots_and_capitals_do_not_part_citations() -> None:
    found = page("Roe v. Wade")
    found["results"][0]["citation"] = ["410 U. S. 113"]

    match = Desk("courtlistener", {SEARCH: found}).ask("look_up_citation", cite("410 U.S. 113"))

    assert [case.name for case in match.cases] == ["Roe v. Wade"]


def test_after_the_daily_limit_nothing_is_sent(web: Internet) -> None:
    first, second = ask_over(web, "1 U.S. 1", "2 U.S. 2", fault=DAILY_LIMIT)

    assert isinstance(first, RateLimited)
    assert isinstance(second, RateLimited)
    assert first.retry_after == 51000
    assert second.retry_after is not None
    assert 0 < second.retry_after <= 3600  # then one request tests whether the limit still holds
    assert web.world.calls["courtlistener"] == 1


def test_the_words_of_a_refusal_tell_the_time_if_no_header_does() -> None:
    body = {"detail": "Request was throttled. Expected available in 86399 seconds."}

    with pytest.raises(RateLimited) as caught:
        Desk("courtlistener", {SEARCH: Reply(body=body, status=429)}).ask(
            "search_cases", CaseQuery(text="privacy")
        )

    assert caught.value.retry_after == 86399


def test_a_refused_query_says_what_the_service_said() -> None:
    body = {"detail": "The query contains unbalanced quotes."}

    with pytest.raises(RejectedRequest, match="unbalanced quotes"):
        Desk("courtlistener", {SEARCH: Reply(body=body, status=400)}).ask(
            "search_cases", CaseQuery(text='"privacy')
        )


def test_pages_are_followed_only_as_far_as_needed() -> None:
    following = "https://elsewhere.example/api/rest/v4/search/?cursor=abc%3D&q=x"
    desk = Desk(
        "courtlistener", {SEARCH: [page("A", "B", following=following), page("C", "D", "E")]}
    )

    hits = desk.ask("search_cases", CaseQuery(text="x", count=3))

    assert [case.name for case in hits.cases] == ["A", "B", "C"]
    assert len(desk.sent) == 2
    assert desk.params["cursor"] == "abc="
    assert desk.sent[-1].url.startswith("https://www.courtlistener.com/")


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Miranda v. Arizona", "case_name"),
        ("roe vs. wade", "case_name"),
        ("In re Gault", "case_name"),
        ("Ex parte Young", "case_name"),
        ("R v Brown", "case_name"),
        ("strict scrutiny", "q"),
        ('"right to counsel" v. state', "q"),
        (
            "what did the court decide in Roe v. Wade about abortion and privacy rights of women",
            "q",
        ),
    ],
)
def test_case_names_are_told_from_topics(text: str, sent: str) -> None:
    desk = Desk("courtlistener", {SEARCH: page("A")})

    desk.ask("search_cases", CaseQuery(text=text))

    assert desk.params[sent] == text


@pytest.mark.parametrize(
    "address",
    ["//evil.example/x", "https://evil.example/", "javascript:alert(1)", "/opinion/1/\n", "/a?b#c"],
)
def test_an_address_that_leaves_the_site_is_dropped(address: str) -> None:
    body = page("A", "B")
    body["results"][0]["absolute_url"] = address

    hits = Desk("courtlistener", {SEARCH: body}).ask("search_cases", CaseQuery(text="x"))

    assert [case.name for case in hits.cases] == ["B"]


def test_dockets_of_another_search_can_be_read_too() -> None:
    docket = {
        "caseName": "Example v. Agency",
        "docket_absolute_url": "/docket/1/example-v-agency/",
        "court_citation_string": "D.D.C.",
        "recap_documents": [{"snippet": "A motion"}],
    }

    hits = Desk("courtlistener", {SEARCH: {"count": 1, "results": [docket]}}).ask(
        "search_cases", CaseQuery(text="x")
    )

    [case] = hits.cases
    assert isinstance(case, CourtCase)
    assert (case.url, case.snippet) == (
        "https://www.courtlistener.com/docket/1/example-v-agency/",
        "A motion",
    )
