"""What is peculiar to each patent database: tokens, faults, quotas, extra rows, pages for people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from citewell import providers
from citewell.errors import (
    AuthRequired,
    Blocked,
    InvalidInput,
    MalformedResponse,
    RateLimited,
    RejectedRequest,
)
from citewell.model.domains.patent import PatentHits, PatentQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.ports import Offer
from tests.contract.recordings import Canned, encode, kit_over, recording, spec
from tests.unit.providers.asking import keys

WORDS = PatentQuery(text="tide gauge", count=2)
TOKEN = {"access_token": "t1", "expires_in": "1199"}


def reply(body: Any, status: int = 200, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status=status, url="https://x.example", headers=named, body=encode(body))


def fault(status: int, message: str, **headers: str) -> HttpResponse:
    xml = f'<?xml version="1.0"?><fault xmlns="http://ops.epo.org"><code>C</code><message>{message}</message></fault>'
    return reply(xml, status, **headers)


def ask(
    name: str, query: PatentQuery, answer: Callable[[HttpRequest], HttpResponse], memory: Any = None
) -> tuple[PatentHits, list[HttpRequest]]:
    sender = Canned(answer)
    kit = replace(kit_over(name, sender, keys(name)), memory=memory)
    provider: Any = providers.load(name).Provider(kit)
    return asyncio.run(provider.search_patents(query)), sender.sent


def ops(*answers: HttpResponse) -> Callable[[HttpRequest], HttpResponse]:
    """The EPO's service: a token whenever asked, else the answers in turn."""
    waiting = list(answers)

    def answer(request: HttpRequest) -> HttpResponse:
        if request.url.endswith("/accesstoken"):
            return reply(TOKEN)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return answer


def recorded(name: str) -> HttpResponse:
    record = recording(name, Offer.PATENTS)
    return HttpResponse(
        status=200, url="https://x.example", headers=record.headers, body=record.answer
    )


@pytest.mark.parametrize("refused", [fault(400, "invalid_access_token"), reply("", 401)])
def test_a_token_that_ended_is_renewed_once(refused: HttpResponse) -> None:
    found, sent = ask("epo", WORDS, ops(refused, recorded("epo")))

    assert len(found.patents) == 2
    assert sum(request.url.endswith("/accesstoken") for request in sent) == 2


def test_a_token_that_is_refused_again_is_a_refused_key() -> None:
    with pytest.raises(AuthRequired):
        ask("epo", WORDS, ops(reply("", 401)))


def test_a_used_up_quota_is_a_rate_limit_with_its_reason() -> None:
    with pytest.raises(RateLimited, match="IndividualQuotaPerHour"):
        ask("epo", WORDS, ops(fault(403, "x", x_rejection_reason="IndividualQuotaPerHour")))


def test_a_fault_in_the_query_repeats_what_the_office_said() -> None:
    with pytest.raises(RejectedRequest, match="The request was invalid"):
        ask("epo", WORDS, ops(fault(400, "The request was invalid")))


def test_no_match_at_the_office_is_an_empty_answer() -> None:
    found, _sent = ask("epo", WORDS, ops(fault(404, "No results found")))

    assert found.patents == ()


def test_a_429_without_a_delay_is_a_rate_limit() -> None:
    with pytest.raises(RateLimited):
        ask("uspto", WORDS, lambda _request: reply({"message": "Too many requests"}, 429))


def test_a_lookup_at_the_office_adds_the_family() -> None:
    family = (
        '<?xml version="1.0"?><ops:world-patent-data xmlns="http://www.epo.org/exchange"'
        ' xmlns:ops="http://ops.epo.org"><ops:patent-family><ops:family-member family-id="1">'
        '<publication-reference><document-id document-id-type="docdb"><country>US</country>'
        "<doc-number>2017100001</doc-number><kind>A1</kind></document-id></publication-reference>"
        "</ops:family-member></ops:patent-family></ops:world-patent-data>"
    )
    asked = PatentQuery(numbers=("WO2001043571A1",), count=1)

    found, sent = ask("epo", asked, ops(recorded("epo"), reply(family)))

    assert sent[1].url.endswith("/publication/docdb/WO.0143571.A1/biblio")
    assert found.patents[0].also_published_as == ("US20170100001A1",)


def test_a_family_that_cannot_be_had_costs_nothing_else() -> None:
    asked = PatentQuery(numbers=("EP3000001B1",), count=1)

    found, _sent = ask("epo", asked, ops(recorded("epo"), reply("oops", 500)))

    assert found.patents[0].number == "EP3000001B1"


def test_quotes_in_words_do_not_break_the_office_s_query() -> None:
    nasty = PatentQuery(text='tide" OR pa="x', inventor='O"Neil', count=1)

    _found, sent = ask("epo", nasty, ops(recorded("epo")))

    assert dict(sent[-1].params)["q"] == (
        'ta="tide" AND ta="OR" AND ta="pa" AND ta="x" AND in="O Neil"'
    )


def test_the_portal_sends_more_rows_than_asked_and_they_are_cut() -> None:
    found, _sent = ask("uspto", WORDS, lambda _request: recorded("uspto"))

    assert [one.number for one in found.patents] == ["US10100001", "US20190100002A1"]


def test_a_filing_that_is_not_published_has_the_number_of_the_filing() -> None:
    found, _sent = ask("uspto", PatentQuery(text="x", count=10), lambda _request: recorded("uspto"))

    assert [one.number for one in found.patents] == [
        "US10100001", "US20190100002A1", "US18/000003", "USD900004",
    ]  # fmt: skip
    assert found.patents[0].also_published_as == ("US20170100001A1",)
    assert found.patents[0].assignees == ("Example Instruments, Inc.", "EXAMPLE HOLDING LLC")


def test_no_match_at_the_portal_is_an_empty_answer_though_it_says_404() -> None:
    said = {"code": 404, "detailedMessage": "No matching records found"}

    found, _sent = ask("uspto", WORDS, lambda _request: reply(said, 404))

    assert found.patents == ()


def test_a_lookup_at_the_portal_keeps_only_the_number_asked_for() -> None:
    asked = PatentQuery(numbers=("US20190100002A1",), count=5)

    found, sent = ask("uspto", asked, lambda _request: recorded("uspto"))

    assert dict(sent[0].params)["q"] == '"US 2019-0100002"'
    assert [one.number for one in found.patents] == ["US20190100002A1"]


def test_a_publication_of_the_lens_has_its_family_and_one_form_of_number() -> None:
    found, _sent = ask("lens", PatentQuery(text="x", count=5), lambda _request: recorded("lens"))

    assert [one.number for one in found.patents] == [
        "EP3000001B1", "WO2016150001A1", "US20170100003A1",
    ]  # fmt: skip
    assert found.patents[0].also_published_as == ("EP3000001A1", "US20170100001A1")


def test_a_lookup_at_the_lens_asks_for_the_databases_form() -> None:
    asked = PatentQuery(numbers=("US20140131102A1",), count=1)

    _found, sent = ask("lens", asked, lambda _request: recorded("lens"))

    [condition] = sent[0].json["query"]["bool"]["must"]
    assert {"term": {"doc_number": "2014131102"}} in condition["bool"]["must"]


@pytest.mark.parametrize("name", ["searchapi", "epo", "lens", "uspto"])
def test_a_database_declares_the_filters_it_applies(name: str) -> None:
    every = PatentQuery(
        text="x", assignees=("A",), inventor="B", office="US", cpc_code="G01F", year_from=2001, year_to=2020
    )  # fmt: skip
    answer = ops(recorded("epo")) if name == "epo" else lambda _request: recorded(name)

    found, _sent = ask(name, every, answer)

    assert spec(name).applied_arguments.get(Offer.PATENTS, frozenset()) == set(found.applied)


class Memory:
    """Facts of a provider, kept in this process."""

    def __init__(self) -> None:
        self.facts: dict[str, bytes] = {}

    async def recall_fact(self, key: str) -> bytes | None:
        return self.facts.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        assert ttl > 86400
        self.facts[key] = value


def test_a_page_that_was_read_is_kept() -> None:
    memory, asked = Memory(), PatentQuery(numbers=("US10100001B2",), count=1)

    first, _sent = ask("googlepatents", asked, lambda _request: recorded("googlepatents"), memory)
    again, sent = ask("googlepatents", asked, lambda _request: reply("", 500), memory)

    assert again == first
    assert first.patents[0].family_id == "50000001"
    assert not sent


def test_a_kept_page_of_another_version_is_read_again() -> None:
    memory, asked = Memory(), PatentQuery(numbers=("US10100001B2",), count=1)
    memory.facts["US10100001B2"] = b'{"number": 7}'

    found, sent = ask("googlepatents", asked, lambda _request: recorded("googlepatents"), memory)

    assert len(found.patents) == len(sent) == 1


def test_kinds_are_tried_until_a_page_exists() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return recorded("googlepatents") if "B2" in request.url else reply("gone", 404)

    asked = PatentQuery(numbers=("US10100001B1", "US10100001B2"), count=1)

    found, sent = ask("googlepatents", asked, answer)

    assert [one.number for one in found.patents] == ["US10100001B2"]
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("<html><body>Our systems have detected unusual traffic</body></html>", Blocked),
        ("<html><body>Welcome</body></html>", MalformedResponse),
        ("", MalformedResponse),
        ("\x00\xff<<<<", MalformedResponse),
    ],
)
def test_another_page_in_place_of_a_patent_is_an_error(page: str, error: type[Exception]) -> None:
    asked, memory = PatentQuery(numbers=("US10100001B2",), count=1), Memory()

    with pytest.raises(error):
        ask("googlepatents", asked, lambda _request: reply(page), memory)

    assert not memory.facts


def test_google_patents_is_not_searched_by_words() -> None:
    with pytest.raises(InvalidInput, match="by number"):
        ask("googlepatents", WORDS, lambda _request: reply(""))


def test_a_script_on_a_page_is_not_part_of_a_title() -> None:
    page = '<span itemprop="title">Gauge <script>alert(1)</script><b>x</b></span>'

    found, _sent = ask(
        "googlepatents",
        PatentQuery(numbers=("EP1000000A1",), count=1),
        lambda _request: reply(page),
    )

    assert found.patents[0].title == "Gauge x"
    assert found.patents[0].number == "EP1000000A1"


def test_the_number_of_a_cited_patent_is_not_the_page_s_own() -> None:
    page = (
        '<meta name="DC.title" content="Gauge">'
        '<meta name="citation_patent_publication_number" content="US:10100001:B2">'
        '<span itemprop="publicationNumber">US5000000A</span>'
        '<dd itemprop="directAssociations"><span itemprop="publicationNumber">US20170100001A1</span></dd>'
    )

    found, _sent = ask(
        "googlepatents",
        PatentQuery(numbers=("US10100001B2",), count=1),
        lambda _request: reply(page),
    )

    assert found.patents[0].number == "US10100001B2"
    assert found.patents[0].also_published_as == ("US20170100001A1",)
