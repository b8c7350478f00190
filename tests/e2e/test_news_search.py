"""An assistant searches news, over a real server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.e2e.domains import TRANSPORTS, Environ, call, error_of
from tests.internet.apis.newsfeeds import FULL
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

HEAT = "Heat wave breaks temperature records across the south"


def keyless(environ: Environ) -> Environ:
    """The same without an instance of SearXNG: what a fresh machine has."""
    return {name: value for name, value in environ.items() if name != "SEARXNG_URL"}


@requires("news_search.answer", "news_search.article", "news_search.query")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_news_are_found_without_a_key(transport: str, environ: Environ, world: World) -> None:
    result = call(keyless(environ), "news_search", {"query": "heat wave"}, transport)

    answer = body(result)
    first = answer["articles"][0]
    assert (answer["query"], answer["resultCount"]) == ("heat wave", len(answer["articles"]))
    assert first["title"] == HEAT
    assert first["publishedAt"].endswith("Z")
    assert first.keys() >= {"title", "url", "source", "snippet"}
    assert answer["trust"] == "untrusted-external-content"
    assert {row["filter"] for row in answer["filters"]} >= {"time_range"}
    assert "cached" not in result.meta


@pytest.mark.parametrize(
    ("provider", "basis"),
    [("gdelt", "seen"), ("newsfeeds", "provider"), ("hackernews", "provider")],
)
def test_each_keyless_provider_answers_alone(provider: str, basis: str, environ: Environ) -> None:
    result = call(environ, "news_search", {"query": "heat wave", "provider": provider})

    answer = body(result)
    assert answer["articles"][0]["title"] == HEAT
    assert answer["articles"][0]["publishedBasis"] == basis
    assert result.meta["routing"]["providers_attempted"] == [provider]


def test_the_ladder_goes_on_to_the_feeds_when_all_others_fail(
    environ: Environ, world: World
) -> None:
    for name in ("tavily", "gdelt"):
        world.fail(name, Fault(status=503, body="busy"), times=ALWAYS)

    result = call(keyless(environ), "news_search", {"query": "heat wave"})

    answer = body(result)
    assert answer["articles"][0]["title"] == HEAT
    assert result.meta["routing"]["provider_used"] == "newsfeeds"
    assert any("Could not be read: wired.com (not found)" in note for note in answer["notes"])
    assert world.calls["gdelt"] == 1  # one try, no retry


@requires("news_search.no_duplicates")
def test_a_story_of_two_feeds_with_tracking_is_listed_once(environ: Environ) -> None:
    answer = body(call(environ, "news_search", {"query": "heat wave", "provider": "newsfeeds"}))

    assert [article["title"] for article in answer["articles"]].count(HEAT) == 1
    assert not any("utm_" in article["url"] for article in answer["articles"])


def test_feeds_of_the_users_choice_are_read(environ: Environ, world: World) -> None:
    own = f"{world.base_url}/newsfeeds/{FULL}/own.xml"
    ask = {"query": "heat wave", "provider": "newsfeeds", "country": "NZ"}

    answer = body(call(environ | {"NEWS_FEEDS": own}, "news_search", ask))

    assert answer["articles"][0]["source"] == FULL
    assert body(call(environ, "news_search", ask | {"query": "heat waves"}))["articles"] == []


def test_google_news_is_off_until_it_is_switched_on(environ: Environ) -> None:
    ask = {"query": "heat wave", "provider": "googlenews"}

    refused = call(environ | {"GOOGLE_NEWS_RSS": "false"}, "news_search", ask)
    answer = body(call(environ | {"GOOGLE_NEWS_RSS": "true"}, "news_search", ask))

    assert error_of(refused)["kind"] == "config"
    assert "GOOGLE_NEWS_RSS" in refused.content[0].text
    assert answer["articles"][0]["source"] == "Example News"
    assert answer["articles"][0]["sourceUrl"] == "https://news.example.com"


@requires("news_search.time_range", "news_search.sort_by")
def test_the_window_and_the_order_are_kept(environ: Environ) -> None:
    ask = {"query": "record", "provider": "gdelt", "sort_by": "date", "num_results": 50}

    year = body(call(environ, "news_search", ask | {"freshness": "year"}))
    hour = body(call(environ, "news_search", ask | {"time_range": "hour"}))

    dates = [article["publishedAt"] for article in year["articles"]]
    assert dates == sorted(dates, reverse=True)
    assert hour["resultCount"] < year["resultCount"]


@requires("news_search.news_source", "news_search.hints")
def test_hints_name_the_window_and_the_source(environ: Environ) -> None:
    ask = {"query": "heat wave", "news_source": "nowhere.example", "provider": "gdelt"}

    answer = body(call(environ, "news_search", ask))

    assert (answer["articles"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == ["news_source", "time_range"]


@requires("news_search.safe", "news_search.country")
@pytest.mark.parametrize("safe", ["off", "moderate", "strict", "medium", "high"])
def test_both_sets_of_words_for_safety_are_taken(safe: str, environ: Environ) -> None:
    ask = {"query": "heat wave", "safe": safe, "country": "us", "language": "en"}

    assert body(call(environ, "news_search", ask))["resultCount"] >= 1


def test_a_refused_query_of_gdelt_is_told_in_its_words(environ: Environ) -> None:
    result = call(environ, "news_search", {"query": "x", "provider": "gdelt"})

    assert "too short or too long" in result.content[0].text


def test_an_unknown_provider_is_refused_with_those_that_have_news(environ: Environ) -> None:
    result = call(environ, "news_search", {"query": "x", "provider": "nowhere"})

    names = "brave, exa, gdelt, google, googlenews, hackernews, newsfeeds"
    assert error_of(result)["kind"] == "validation"
    assert f"Supported: {names}" in result.content[0].text


@requires("news_search.cache")
def test_freshness_is_shown_on_cached_answers_only(environ: Environ) -> None:
    async def twice() -> tuple[Any, Any]:
        offered = environ | {"CITEWELL_TOOLSETS": "domains"}
        async with connected("memory", offered) as client:
            first = await client.call_tool("news_search", {"query": "heat wave"})
            return first, await client.call_tool("news_search", {"query": "heat wave"})

    first, second = asyncio.run(twice())

    assert "cached" not in first.meta
    assert (second.meta["cached"], second.meta["maxAgeSeconds"]) == (True, 900)


@requires("news_search.session_id")
def test_articles_are_recorded_in_the_session(environ: Environ) -> None:
    async def talk() -> tuple[Any, Any]:
        offered = environ | {"CITEWELL_TOOLSETS": "domains,sessions"}
        step = {
            "searchStep": "look for news",
            "stepNumber": 1,
            "totalStepsEstimate": 1,
            "nextStepNeeded": True,
        }
        async with connected("memory", offered) as client:
            session = body(await client.call_tool("sequential_search", step))["sessionId"]
            ask = {"query": "heat wave", "provider": "gdelt", "sessionId": session}
            found = await client.call_tool("news_search", ask)
            shown = await client.call_tool("get_research_session", {"sessionId": session})
            return found, shown

    found, shown = asyncio.run(talk())

    assert found.meta["session"] == {"linked": True}
    assert "/site/news.example.com/heat-wave-records" in str(body(shown))
