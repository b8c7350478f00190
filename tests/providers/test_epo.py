"""Open Patent Services: tokens, faults, queries and families."""

from __future__ import annotations

import pytest

from citewell.core.errors import (
    AuthRequired,
    RateLimited,
    RejectedRequest,
)
from citewell.domains.patents.patent_records import PatentQuery
from citewell.net.http.messages import HttpResponse
from tests.providers.patent_desk import WORDS, ask, ops, recorded, reply


def fault(status: int, message: str, **headers: str) -> HttpResponse:
    xml = f'<?xml version="1.0"?><fault xmlns="http://ops.epo.org"><code>C</code><message>{message}</message></fault>'
    return reply(xml, status, **headers)


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
