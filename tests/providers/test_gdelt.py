"""What is GDELT's own: refusals with status 200, tokens for titles, and a long rest after a refusal."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell import providers
from citewell.core.errors import (
    FailureReason,
    MalformedResponse,
    NetworkFailed,
    RateLimited,
    RejectedRequest,
    UpstreamError,
    UpstreamUnavailable,
)
from citewell.core.values.search_queries import SearchQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers.gdelt import tidy_token_spacing
from tests.contract.recordings import Canned, encode, kit_over
from tests.providers.asking import NOW, Reply, ask

ARTICLE = {
    "url": "https://www.example.org/a",
    "title": "Sanctions ; Tehran hits back",
    "seendate": "20261114T121500Z",
    "domain": "example.org",
}


def search(query: SearchQuery, *replies: Any) -> Any:
    return ask("gdelt", query, *replies, offer="news")


def test_the_date_is_when_it_was_seen_and_the_answer_says_so() -> None:
    found = search(SearchQuery(text="sanctions"), {"articles": [ARTICLE]}).found

    (hit,) = found.hits
    assert hit.title == "Sanctions; Tehran hits back"
    assert (hit.published, hit.published_basis) == (
        datetime(2026, 11, 14, 12, 15, tzinfo=UTC),
        "seen",
    )
    assert hit.source == "example.org"
    assert any("first saw" in note for note in found.notes)


def test_a_date_that_cannot_be_read_is_left_out() -> None:
    damaged = ARTICLE | {"seendate": "yesterday-ish"}

    (hit,) = search(SearchQuery(text="sanctions"), {"articles": [damaged]}).found.hits

    assert (hit.published, hit.published_basis) == (None, None)


def test_a_title_without_end_is_cut() -> None:
    endless = ARTICLE | {"title": "a , " * 100_000}

    (hit,) = search(SearchQuery(text="sanctions"), {"articles": [endless]}).found.hits

    assert len(hit.title) <= 500


@pytest.mark.parametrize(
    ("tokens", "title"),
    [
        ("Sanctions ; Tehran hits", "Sanctions; Tehran hits"),
        ("Apple ' s plan", "Apple's plan"),
        ("It doesn ’ t work", "It doesn’t work"),
        ("7 , 500 pounds , at last", "7,500 pounds, at last"),
        ("in 2024 , 2025 and 2026", "in 2024, 2025 and 2026"),
        ("up 2 . 5 %", "up 2.5%"),
        ("Why ( not ) ?", "Why (not)?"),
        ("Price is $ 5", "Price is $5"),
        ("Nothing to tidy here", "Nothing to tidy here"),
        ("L'État , c'est moi", "L'État, c'est moi"),
    ],
)
def test_a_title_of_tokens_is_written_as_people_write(tokens: str, title: str) -> None:
    assert tidy_token_spacing(tokens) == title


def test_control_characters_in_the_json_do_no_harm() -> None:
    body = encode({"articles": [ARTICLE]}).replace(b"Tehran", b"Teh\x02ran\x0b")

    (hit,) = search(SearchQuery(text="sanctions"), body.decode()).found.hits

    assert hit.title == "Sanctions; Tehran hits back"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Your query was too short or too long.", RejectedRequest),
        ("One or more of your keywords were too common.", RejectedRequest),
        ("Please limit requests to one every 5 seconds", RateLimited),
        ("Unknown trouble", UpstreamUnavailable),
        ("<html><body>Sorry</body></html>", MalformedResponse),
        ('{"articles": [', MalformedResponse),
    ],
)
def test_a_refusal_with_status_200_is_an_error(body: str, kind: type[UpstreamError]) -> None:
    with pytest.raises(kind) as caught:
        search(SearchQuery(text="x"), body)

    assert caught.value.provider == "gdelt"


def test_a_refused_query_is_told_in_its_words() -> None:
    with pytest.raises(RejectedRequest, match="too short or too long"):
        search(SearchQuery(text="x"), "Your query was too short or too long.")


def test_an_empty_object_means_that_nothing_matched() -> None:
    assert search(SearchQuery(text="x"), {}).found.hits == ()


def test_filters_become_operators_and_words_are_all_required() -> None:
    query = SearchQuery(
        text="what is the price of e-bikes in Zürich?",
        sites=("example.org", "example.net"),
        country="CH",
        language="de-CH",
        sort_by="date",
        time_range="month",
    )

    asked = search(query.with_changes(language="en"), {}).params

    assert asked["query"] == (
        'price "e-bikes" Zürich (domain:example.org OR domain:example.net)'
        " sourcelang:english sourcecountry:switzerland"
    )
    assert (asked["sort"], asked["timespan"]) == ("DateDesc", "1m")


def test_operators_of_the_query_itself_do_not_reach_it() -> None:
    asked = search(SearchQuery(text='theme:KILL (a OR b) -c domain:x "two words"'), {}).params

    assert asked["query"] == 'theme KILL b c domain x "two words"'
    assert search(SearchQuery(text="OR OR"), {}).params["query"] == "or or"


def test_a_year_is_two_dates_because_spans_end_after_three_months() -> None:
    asked = search(SearchQuery(text="sanctions", time_range="year"), {}).params

    assert asked["startdatetime"] == "20251115000000"
    assert asked["enddatetime"] == "20261115130000"
    assert "timespan" not in asked


def test_an_unknown_country_is_told() -> None:
    found = search(SearchQuery(text="sanctions", country="TV"), {}).found

    assert found.notes == ("GDELT was not told the country TV; it was not applied.",)


class Upstreams:
    """Two searches by one provider; the sender counts what reaches it."""

    def __init__(self, *replies: Any) -> None:
        self._replies = list(replies)
        self.sender = Canned(self._answer)
        make: Any = providers.load("gdelt").Provider
        self.provider = make(replace(kit_over("gdelt", self.sender, {}), clock=NOW.timestamp))

    def _answer(self, request: HttpRequest) -> HttpResponse:
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return HttpResponse(
            status=reply.status, url=request.url, headers={}, body=encode(reply.body)
        )


@pytest.mark.parametrize(
    "refusal",
    [
        Reply(status=429, body="slow down"),
        Reply(status=503, body="overloaded"),
        Reply(body="Please limit requests to one every 5 seconds"),
        NetworkFailed("too slow", reason=FailureReason.TIMEOUT),
    ],
)
def test_after_a_refusal_it_is_left_alone_for_ten_minutes(refusal: Any) -> None:
    upstream = Upstreams(refusal)

    async def twice() -> None:
        with pytest.raises(UpstreamError):
            await upstream.provider.search_news(SearchQuery(text="sanctions"))
        with pytest.raises(RateLimited) as caught:
            await upstream.provider.search_news(SearchQuery(text="sanctions"))
        assert caught.value.retry_after == pytest.approx(600, abs=1)

    asyncio.run(twice())

    assert len(upstream.sender.sent) == 1


def test_the_same_question_a_moment_later_costs_no_request() -> None:
    upstream = Upstreams(Reply(body={"articles": [ARTICLE]}))

    async def twice() -> tuple[Any, Any]:
        first = await upstream.provider.search_news(SearchQuery(text="the sanctions", count=1))
        return first, await upstream.provider.search_news(SearchQuery(text="the sanctions"))

    first, second = asyncio.run(twice())

    assert len(upstream.sender.sent) == 1
    assert first.hits == second.hits
