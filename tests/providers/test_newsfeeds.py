"""What is the publishers' feeds' own: which are read, which entries fit, and feeds that are dead."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from citewell import providers
from citewell.core.errors import Misconfigured, NotFound
from citewell.core.values.search_queries import SearchQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers import newsfeeds
from citewell.providers.newsfeeds import choose_feeds, load_feed_list, parse_user_feeds
from citewell.text import addresses, places
from tests.contract.recordings import Canned, kit_over
from tests.providers.asking import NOW

OWN = "https://feeds.example.org/own.xml"


def rss(*titles: str, date: str = "Sat, 14 Nov 2026 08:00:00 GMT", language: str = "en") -> bytes:
    items = "".join(
        f"<item><title>{title}</title><link>https://example.org/{place}</link>"
        f"<description>About it.</description><pubDate>{date}</pubDate></item>"
        for place, title in enumerate(titles)
    )
    about = f"<title>Own feed</title><language>{language}</language>"
    return f"<rss version='2.0'><channel>{about}{items}</channel></rss>".encode()


EMPTY = rss()


class Publishers:
    """A provider whose feeds answer by address; all others are empty."""

    def __init__(self, answers: dict[str, bytes | Exception | int], own: str | None = OWN) -> None:
        self._answers = answers
        self.sender = Canned(self._answer)
        options = {"NEWS_FEEDS": own} if own else {}
        make: Any = providers.load("newsfeeds").Provider
        self.provider = make(
            replace(kit_over("newsfeeds", self.sender, options), clock=NOW.timestamp)
        )

    def _answer(self, request: HttpRequest) -> HttpResponse:
        answer = self._answers.get(request.url, EMPTY)
        if isinstance(answer, Exception):
            raise answer
        status, body = (answer, b"") if isinstance(answer, int) else (200, answer)
        return HttpResponse(status=status, url=request.url, headers={}, body=body)

    def search(self, **query: Any) -> Any:
        return asyncio.run(self.provider.search_news(SearchQuery(**query)))


def test_entries_are_ranked_by_the_words_of_the_query() -> None:
    publishers = Publishers(
        {OWN: rss("Heat in the city", "A heat pump for the school", "Pumping heat", "Cats")}
    )

    found = publishers.search(text="heat pumps")

    assert [hit.title for hit in found.hits] == ["A heat pump for the school", "Pumping heat"]
    assert found.hits[0].source == "Own feed"


def test_entries_outside_the_time_range_are_left_out() -> None:
    publishers = Publishers({OWN: rss("Heat pump", date="Sat, 01 Nov 2025 08:00:00 GMT")})

    assert publishers.search(text="heat pump", time_range="week").hits == ()
    assert len(publishers.search(text="heat pump").hits) == 1


def test_a_dead_feed_costs_only_itself_and_is_told() -> None:
    dead = load_feed_list().feeds[0].url
    publishers = Publishers(
        {OWN: rss("Heat pump"), dead: NotFound("gone"), "https://www.wired.com/feed/rss": 500}
    )

    found = publishers.search(text="heat pump")

    assert len(found.hits) == 1
    (note,) = [note for note in found.notes if note.startswith("Could not be read")]
    assert addresses.format_host_name(dead) in note
    assert "wired.com (upstream unavailable)" in note


def test_feeds_are_not_fetched_again_for_five_minutes() -> None:
    publishers = Publishers({OWN: rss("Heat pump")})

    publishers.search(text="heat pump", sites=("rnz.co.nz",))
    before = len(publishers.sender.sent)
    publishers.search(text="pump", sites=("rnz.co.nz",))

    assert before == len(publishers.sender.sent) == 2


def test_newest_first_if_asked_for() -> None:
    both = rss("Heat pump heat pump") + b""
    newer = rss("Another heat pump", date="Sun, 15 Nov 2026 08:00:00 GMT").replace(b"/0<", b"/new<")
    publishers = Publishers(
        {OWN: both, "https://feeds.example.org/new.xml": newer},
        f"{OWN}, https://feeds.example.org/new.xml",
    )

    found = publishers.search(text="heat pump", sort_by="date")

    assert [hit.url for hit in found.hits] == ["https://example.org/new", "https://example.org/0"]


def test_an_own_feed_in_another_language_is_left_out_if_one_is_asked_for() -> None:
    publishers = Publishers({OWN: rss("Heat pump", language="de-AT")})

    assert publishers.search(text="heat pump", language="fr").hits == ()


def test_a_slow_feed_is_not_waited_for_once_others_have_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(newsfeeds, "_MANY_FEEDS_SECONDS", 0.2)
    publishers = Publishers({OWN: rss("Heat pump")})
    answer = publishers.sender.send_request

    async def never_for_one(request: HttpRequest) -> HttpResponse:
        if "rnz.co.nz" in request.url:
            await asyncio.Event().wait()
        return await answer(request)

    publishers.sender.send_request = never_for_one  # type: ignore[method-assign]  # the fake of a fake

    found = publishers.search(text="heat pump", sites=("rnz.co.nz", "rte.ie"))

    assert len(found.hits) == 1
    assert "Could not be read: rnz.co.nz (network)." in found.notes


def test_a_search_that_is_given_up_stops_its_requests() -> None:
    publishers = Publishers({})
    waiting: list[str] = []
    stopped: list[str] = []
    all_wait = asyncio.Event()

    async def wait_for_ever(request: HttpRequest) -> HttpResponse:
        waiting.append(request.url)
        if len(waiting) == 12:
            all_wait.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(request.url)
            raise
        raise AssertionError("never set")

    publishers.sender.send_request = wait_for_ever  # type: ignore[method-assign]  # the fake of a fake

    async def give_up() -> None:
        search = asyncio.create_task(publishers.provider.search_news(SearchQuery(text="x")))
        await all_wait.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search

    asyncio.run(give_up())

    assert len(waiting) == 12  # no more at a time
    assert sorted(stopped) == sorted(waiting)


@pytest.mark.parametrize("setting", ["nonsense", "ftp://example.org/a", "https://a.example, x"])
def test_what_is_no_address_is_refused_by_its_setting(setting: str) -> None:
    with pytest.raises(Misconfigured, match="NEWS_FEEDS"):
        parse_user_feeds(setting)


@pytest.mark.parametrize(
    ("preference", "wanted"),
    [
        ({"country": "DE"}, {"DE"}),
        ({"country": "NZ", "language": "en"}, {"NZ"}),
    ],
)
def test_feeds_are_chosen_by_country(preference: dict[str, Any], wanted: set[str]) -> None:
    chosen = choose_feeds(SearchQuery(text="x", **preference), ())

    assert {feed.country for feed in chosen} == wanted


def test_feeds_are_chosen_by_language_or_that_of_the_query() -> None:
    german = SearchQuery(text="Was ist mit dem Haushalt und der Wahl in der Stadt")

    assert {feed.language for feed in choose_feeds(SearchQuery(text="x", language="fr"), ())} == {
        "fr"
    }
    assert {feed.language for feed in choose_feeds(SearchQuery(text="x"), ())} == {"en"}
    assert {feed.language for feed in choose_feeds(german, ())} == {"en", "de"}


def test_a_source_chooses_its_own_feeds() -> None:
    chosen = choose_feeds(SearchQuery(text="x", sites=("bbc.co.uk",), language="en"), ())

    assert chosen
    assert {feed.publisher for feed in chosen} == {"BBC News"}


def test_no_feed_of_a_source_is_told() -> None:
    found = Publishers({}, own=None).search(text="x", sites=("nowhere.example",))

    assert found.hits == ()
    assert "NEWS_FEEDS" in found.notes[0]


def test_the_list_is_dated_and_well_formed() -> None:
    listed = load_feed_list()

    assert listed.as_of >= "2026-11-16"
    assert len({feed.url for feed in listed.feeds}) == len(listed.feeds) > 100
    for feed in listed.feeds:
        assert feed.url.startswith("https://")
        assert addresses.is_web_address(feed.url)
        assert feed.publisher
        assert all(addresses.parse_domain(site) == site for site in feed.site.split())
        assert places.is_language_code(feed.language)
        assert not feed.country or places.is_country_code(feed.country)
    assert len({feed.language for feed in listed.feeds}) >= 20
