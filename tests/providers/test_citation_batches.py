"""Citations that are looked up exactly, several in one request."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell import providers
from citewell.core.errors import (
    MalformedResponse,
    RateLimited,
    UpstreamError,
)
from citewell.core.values.court_case import CitationMatch
from tests.contract.recordings import canned, kit_over
from tests.internet.serve import Internet
from tests.property.test_damaged_answers import REPLACEMENTS, damaged, places
from tests.providers.courtlistener_bench import LOOKUP, TOKEN, ask_over, cite, sent_at_once, web
from tests.providers.desk import Desk, Reply

__all__ = ["sent_at_once", "web"]

CLUSTER = {
    "id": 7,
    "absolute_url": "/opinion/7/roe-v-wade/",
    "case_name": "Roe v. Wade",
    "citations": [{"volume": 410, "reporter": "U.S.", "page": "113", "type": 1}],
    "date_filed": "1973-01-22",
    "citation_count": 10,
    "precedential_status": "Published",
}


FOUND = {"citation": "410 U.S. 113", "status": 200, "clusters": [CLUSTER]}


def look_up(reply: Any, *, text: str = "410 U.S. 113") -> CitationMatch:
    found: CitationMatch = Desk("courtlistener", {LOOKUP: Reply(body=reply)}, TOKEN).ask(
        "look_up_citation", cite(text)
    )
    return found


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

    assert all(isinstance(answer, MalformedResponse) for answer in asyncio.run(run()))


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
    assert [dict(request.form or {}) for request in sender.sent] == [{"text": "410 U.S. 113"}]


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
