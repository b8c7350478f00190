"""CourtListener: searches, look-ups with a token and without, limits, and what is remembered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from citewell import config, providers
from citewell.errors import (
    MalformedResponse,
    RateLimited,
    RejectedRequest,
    UpstreamError,
    UpstreamUnavailable,
)
from citewell.model.domains.court_case import CaseQuery, CitationMatch, CourtCase, LegalCitation
from citewell.net.network import Network
from citewell.ports import ProviderKit
from citewell.providers.courtlistener import citation_batches
from tests.contract.recordings import canned, kit_over
from tests.internet.apis.courtlistener import DAILY_LIMIT, list_cases
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.property.test_damaged_answers import REPLACEMENTS, damaged, places
from tests.skipped_pauses import SkippedPauses
from tests.unit.providers.desk import Desk, Reply

TOKEN = {"COURTLISTENER_API_TOKEN": "a-token"}
SEARCH, LOOKUP = "/search/", "/citation-lookup/"
CLUSTER = {
    "id": 7,
    "absolute_url": "/opinion/7/roe-v-wade/",
    "case_name": "Roe v. Wade",
    "citations": [{"volume": 410, "reporter": "U.S.", "page": "113", "type": 1}],
    "date_filed": "1973-01-22",
    "citation_count": 10,
    "precedential_status": "Published",
}
SURE_CASE = {
    "caseName": "Brown v. Board of Education",
    "absolute_url": "/opinion/105221/brown/",
    "citation": ["347 U.S. 483"],
}
FOUND = {"citation": "410 U.S. 113", "status": 200, "clusters": [CLUSTER]}


def cite(text: str) -> LegalCitation:
    return LegalCitation(kind="us_case", normalized=text)


def look_up(reply: Any, *, text: str = "410 U.S. 113") -> CitationMatch:
    found: CitationMatch = Desk("courtlistener", {LOOKUP: Reply(body=reply)}, TOKEN).ask(
        "look_up_citation", cite(text)
    )
    return found


def page(*names: str, following: str | None = None, **more: Any) -> dict[str, Any]:
    results = [
        {"caseName": name, "absolute_url": f"/opinion/{n}/x/"} for n, name in enumerate(names)
    ]
    return {"count": 50, "next": following, "previous": None, "results": results} | more


class Memory:
    """A provider's facts, with how long each is kept."""

    def __init__(self) -> None:
        self.facts: dict[str, bytes] = {}
        self.days: list[float] = []

    async def recall_fact(self, key: str) -> bytes | None:
        return self.facts.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        self.facts[key] = value
        self.days.append(ttl / 86400)


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with Internet() as internet:
        yield internet


def ask_over(
    web: Internet,
    *texts: str,
    memory: Memory | None = None,
    fault: Fault | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
    together: bool = False,
) -> Any:
    """Look citations up at the double of the loopback web; a match or an error for each."""

    async def run() -> list[CitationMatch | UpstreamError]:
        env = web.env() | {"CITEWELL_CONFIG": "/nonexistent"}
        pauses = SkippedPauses()
        network = Network(config.load_settings(env), clock=pauses.clock, sleep=pauses.sleep)
        upstream = network.open_upstream(
            "courtlistener", base_url=env["CITEWELL_COURTLISTENER_BASE_URL"]
        )
        kit = ProviderKit(upstream=upstream, options=options, memory=memory)
        provider: Any = providers.load("courtlistener").Provider(kit)
        got: list[CitationMatch | UpstreamError] = []
        try:
            if together:
                return await asyncio.gather(*(provider.look_up_citation(cite(t)) for t in texts))
            for text in texts:
                try:
                    got.append(await provider.look_up_citation(cite(text)))
                except UpstreamError as error:
                    got.append(error)
        finally:
            await network.aclose()
        return got

    web.world.reset()
    if fault is not None:
        web.world.fail("courtlistener", fault, times=ALWAYS)
    return asyncio.run(run())


@pytest.fixture
def sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A citation that is looked up alone does not wait for others to go with it."""
    monkeypatch.setattr(citation_batches, "_GATHER_SECONDS", 0.0)


@pytest.mark.usefixtures("sent_at_once")
@pytest.mark.parametrize("options", [{}, TOKEN], ids=["keyless", "token"])
def test_every_real_citation_is_found_and_has_the_name_and_day_of_its_case(
    options: dict[str, str], web: Internet
) -> None:
    cases = [(text, case) for case in list_cases() for text in case["citations"]]

    got = ask_over(web, *(text for text, _ in cases), options=options)

    assert len(cases) >= 60
    for (text, case), match in zip(cases, got, strict=True):
        assert [(one.name, one.date_filed) for one in match.cases] == [(case["name"], case["date"])]
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


@pytest.mark.parametrize(
    ("status", "names", "known"),
    [(200, ["Roe v. Wade"], True), (404, [], True), (400, [], False)],
)
def test_the_status_inside_the_list_decides(status: int, names: list[str], known: bool) -> None:
    row = FOUND | {"status": status, "clusters": [CLUSTER] if names else []}

    match = look_up([row])

    assert ([case.name for case in match.cases], match.is_reporter_known) == (names, known)


def test_several_cases_under_one_citation_are_all_returned() -> None:
    other = CLUSTER | {"id": 8, "case_name": "Doe v. Bolton"}

    match = look_up([FOUND | {"status": 300, "clusters": [CLUSTER, other]}])

    assert [case.name for case in match.cases] == ["Roe v. Wade", "Doe v. Bolton"]


def test_citations_that_are_looked_up_together_are_sent_in_one_request(web: Internet) -> None:
    texts = ("410 U.S. 113", "999 U.S. 1", "384 U.S. 436", "1 Nowhere 2", "410 U.S. 113")

    got = ask_over(web, *texts, options=TOKEN, together=True)

    assert [[case.name for case in match.cases] for match in got] == [
        ["Roe v. Wade"], [], ["Miranda v. Arizona"], [], ["Roe v. Wade"],
    ]  # fmt: skip
    assert [match.is_reporter_known for match in got] == [True, True, True, False, True]
    assert web.world.calls["courtlistener"] == 1


def test_answers_without_places_are_given_to_nobody() -> None:
    sender = canned(json.dumps([FOUND, FOUND]).encode())
    provider: Any = providers.load("courtlistener").Provider(
        kit_over("courtlistener", sender, TOKEN)
    )

    async def run() -> list[Any]:
        asked = [provider.look_up_citation(cite(text)) for text in ("1 U.S. 1", "2 U.S. 2")]
        return await asyncio.gather(*asked, return_exceptions=True)

    assert all(isinstance(one, MalformedResponse) for one in asyncio.run(run()))


def test_a_batch_that_nobody_waits_for_is_not_sent() -> None:
    sender = canned(json.dumps([FOUND]).encode())
    provider: Any = providers.load("courtlistener").Provider(
        kit_over("courtlistener", sender, TOKEN)
    )

    async def run() -> CitationMatch:
        gone = asyncio.create_task(provider.look_up_citation(cite("1 U.S. 1")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        match: CitationMatch = await provider.look_up_citation(cite("410 U.S. 113"))
        return match

    match = asyncio.run(run())

    assert [case.name for case in match.cases] == ["Roe v. Wade"]
    assert [dict(one.form or {}) for one in sender.sent] == [{"text": "410 U.S. 113"}]


def test_a_text_without_a_citation_names_no_known_reporter() -> None:
    assert not look_up([]).is_reporter_known


def test_too_many_citations_is_a_rate_limit_and_no_absence() -> None:
    with pytest.raises(RateLimited):
        look_up([FOUND | {"status": 429, "clusters": []}])


def test_found_without_cases_is_no_answer() -> None:
    with pytest.raises(MalformedResponse):
        look_up([FOUND | {"clusters": []}])


@pytest.mark.usefixtures("sent_at_once")
def test_a_damaged_lookup_gives_values_or_an_upstream_error() -> None:
    body = [FOUND]

    for place in filter(None, places(body)):
        for value in REPLACEMENTS:
            try:
                found = look_up(damaged(body, place, value)).cases
            except UpstreamError:
                continue
            assert all(
                case.name and case.url.startswith("https://www.courtlistener.com/")
                for case in found
            )
            repr(found).encode()


def test_what_was_found_is_remembered_for_a_month_and_absence_for_a_day(web: Internet) -> None:
    memory = Memory()

    first = ask_over(web, "410 U.S. 113", "999 U.S. 1", memory=memory)
    again = ask_over(web, "410 U. S. 113", "999 U.S. 1", memory=memory)

    assert sorted(memory.days) == [1, 1, 30]  # the proof that citations are found lasts a day too
    assert [match.cases for match in again] == [match.cases for match in first]
    assert not web.world.calls["courtlistener"]


def test_a_failure_is_not_remembered(web: Internet) -> None:
    memory = Memory()

    [failed] = ask_over(web, "410 U.S. 113", memory=memory, fault=Fault(status=500))
    [found] = ask_over(web, "410 U.S. 113", memory=memory)

    assert isinstance(failed, UpstreamError)
    assert found.cases


def test_a_memory_that_cannot_be_read_is_asked_over(web: Internet) -> None:
    memory = Memory()
    ask_over(web, "410 U.S. 113", memory=memory)
    memory.facts = dict.fromkeys(memory.facts, b'{"cases": [{"nonsense": 1}]}')

    [match] = ask_over(web, "410 U.S. 113", memory=memory)

    assert match.cases[0].name == "Roe v. Wade"


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
