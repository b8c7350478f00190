"""News of scripted providers: filters they lack, order, dates, each story once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from citewell.core.errors import CitewellError, InvalidInput, UpstreamUnavailable
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchFilter, SearchHit, SearchHits, SearchQuery
from citewell.routing.ports import Offer
from citewell.search.lenses import LensCatalogue
from citewell.search.news import NewsAnswer, NewsQuery, NewsSearchService
from tests.requirements import requires
from tests.search.doubles import NOW, Shop, hit, spec

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass
class Newsroom:
    answer: tuple[SearchHit, ...] | CitewellError | Callable[[SearchQuery], Any] = ()
    asked: list[SearchQuery] = field(default_factory=list)

    async def search_news(self, query: SearchQuery) -> SearchHits:
        self.asked.append(query)
        found = self.answer(query) if callable(self.answer) else self.answer
        if isinstance(found, CitewellError):
            raise found
        return SearchHits(hits=tuple(found))


def paper(name: str, **changes: Any) -> Any:
    return spec(name, offers=frozenset({Offer.NEWS}), **changes)


def search(*stock: tuple[Any, Newsroom], **request: Any) -> NewsAnswer:
    shop = Shop(*stock)
    service = NewsSearchService(
        settings=shop.settings,
        catalogue=shop.catalogue,
        lenses=LensCatalogue(),
        find_pause=lambda _name: None,
        now=lambda: NOW,
    )
    query = NewsQuery(**({"query": "heat pump"} | request))
    return asyncio.run(service.search_news(query, trace=RoutingTrace()))


def story(path: str, *, hours: float | None = 1.0, **changes: Any) -> SearchHit:
    moment = None if hours is None else NOW - timedelta(hours=hours)
    return hit(path, published=moment, **changes)


def reports(answer: NewsAnswer) -> dict[str, str]:
    return {row.filter: row.by for row in answer.filters or ()}


def paths(answer: NewsAnswer) -> list[str]:
    return [article.url.rpartition("/")[2] for article in answer.articles]


NOTHING_NATIVE: dict[str, Any] = {"filters": frozenset()}


@requires("news_search.time_range", "defect.filters")
def test_a_window_that_the_provider_lacks_is_applied_afterwards_and_reported() -> None:
    room = Newsroom((story("new"), story("old", hours=200), story("undated", hours=None)))

    answer = search((paper("one", **NOTHING_NATIVE), room), time_range="week")

    assert paths(answer) == ["new", "undated"]
    assert reports(answer)["time_range"] == "afterwards"
    assert room.asked[0].time_range is None


def test_articles_outside_a_native_window_are_dropped_as_well() -> None:
    room = Newsroom((story("new", hours=0.5), story("old", hours=7), story("undated", hours=None)))

    answer = search((paper("one"), room), time_range="hour")

    assert paths(answer) == ["new", "undated"]
    assert reports(answer)["time_range"] == "one"


def test_a_bare_day_counts_to_its_end_in_a_native_window() -> None:
    today = hit("today", published=NOW.replace(hour=0, minute=0))

    assert paths(search((paper("one"), Newsroom((today,))), time_range="hour")) == ["today"]


@requires("news_search.sort_by")
@pytest.mark.parametrize("native", [True, False])
def test_newest_first_with_every_provider(native: bool) -> None:
    stock = paper("one") if native else paper("one", **NOTHING_NATIVE)
    room = Newsroom(
        (story("b", hours=5), story("none", hours=None), story("a"), story("c", hours=9))
    )

    answer = search((stock, room), sort_by="date")

    assert paths(answer) == ["a", "b", "c", "none"]
    assert reports(answer)["sort_by"] == ("one" if native else "afterwards")
    assert room.asked[0].sort_by == ("date" if native else "relevance")


@requires("news_search.news_source")
@pytest.mark.parametrize("native", [True, False])
def test_only_the_source_asked_for_remains(native: bool) -> None:
    stock = paper("one") if native else paper("one", **NOTHING_NATIVE)
    room = Newsroom((story("a"), story("b", url="https://www.reuters.com/world/b")))

    answer = search((stock, room), news_source="https://reuters.com/")

    assert [article.source for article in answer.articles] == ["reuters.com"]
    assert reports(answer)["news_source"] == ("one" if native else "afterwards")


def test_the_publisher_behind_a_redirect_is_the_source_that_is_checked() -> None:
    behind = story(
        "x", url="https://news.google.com/rss/articles/1", source_url="https://www.reuters.com"
    )

    answer = search((paper("one"), Newsroom((behind,))), news_source="reuters.com")

    assert answer.articles[0].source_url == "https://www.reuters.com"
    assert answer.articles[0].source == "reuters.com"


@requires("news_search.country")
def test_country_and_language_are_checked_where_they_can_be() -> None:
    room = Newsroom(
        (
            story(
                "a",
                url="https://www.zeitung.de/a",
                title="Die Stadt und der Haushalt sind nicht fertig",
            ),
            story(
                "b",
                url="https://www.paper.fr/b",
                title="Die Stadt und der Haushalt sind nicht fertig",
            ),
            story("c", title="The city and the budget are not what they were for the people"),
            story("d", title="Die Stadt hat das Geld nicht und der Rat ist in der Krise"),
        )
    )

    answer = search((paper("one", **NOTHING_NATIVE), room), country="de", language="de")

    assert paths(answer) == ["a", "d"]
    assert reports(answer) == {
        "country": "afterwards",
        "language": "afterwards",
        "time_range": "afterwards",
    }
    assert any("1 without a known country" in (row.note or "") for row in answer.filters or ())


def test_a_filter_that_nobody_can_apply_is_reported_as_such() -> None:
    answer = search((paper("one", **NOTHING_NATIVE), Newsroom((story("a"),))), safe="strict")

    assert reports(answer)["safe"] == "nobody"


@requires("news_search.safe")
@pytest.mark.parametrize(
    ("word", "level"), [("off", "off"), ("moderate", "medium"), ("strict", "high")]
)
def test_safe_has_its_own_words(word: str, level: str) -> None:
    room = Newsroom((story("a"),))

    search((paper("one"), room), safe=word)

    assert room.asked[0].safe == level


@requires("news_search.published_at")
@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (datetime(2026, 11, 15, 10, 0, tzinfo=UTC), "2026-11-15T10:00:00Z"),
        (datetime(2026, 11, 15, 10, 0, 0, 5, tzinfo=UTC), "2026-11-15T10:00:00Z"),
        (
            datetime(2026, 11, 15, 10, 0, tzinfo=timezone(timedelta(hours=2))),
            "2026-11-15T08:00:00Z",
        ),
        (datetime(2026, 11, 15, 0, 0, tzinfo=UTC), "2026-11-15T00:00:00Z"),
        (datetime(2026, 11, 15, 9, 0), "2026-11-15T09:00:00Z"),  # noqa: DTZ001 - as some providers send it
        (datetime(2027, 3, 1, tzinfo=UTC), None),
    ],
)
def test_dates_are_rfc_3339_in_utc_or_left_out(moment: datetime, written: str | None) -> None:
    (article,) = search((paper("one"), Newsroom((hit("a", published=moment),)))).articles

    assert article.published_at == written
    assert written is None or RFC3339.fullmatch(written)
    assert (article.published_basis is None) == (written is None)


def test_a_date_ahead_does_not_come_first() -> None:
    ahead = hit("ahead", published=NOW + timedelta(days=90))

    answer = search((paper("one"), Newsroom((ahead, story("a")))), sort_by="date")

    assert paths(answer) == ["a", "ahead"]


@requires("news_search.no_duplicates")
def test_each_story_is_listed_once() -> None:
    room = Newsroom(
        (
            story("a", url="https://example.org/a?utm_source=x", title="One"),
            story("a", url="http://example.org/a/", title="One again"),
            story("b", url="https://example.org/a-2", title=" one "),
            story("c", url="https://example.net/c", title="One"),
        )
    )

    answer = search((paper("one"), room))

    assert [article.url for article in answer.articles] == [
        "https://example.org/a",
        "https://example.net/c",
    ]


def test_a_thin_answer_is_completed_by_the_next_provider() -> None:
    first, second = Newsroom((story("a"),)), Newsroom((story("b"),))

    answer = search((paper("one", rank=1), first), (paper("two", rank=2), second))

    assert sorted(paths(answer)) == ["a", "b"]


def test_a_named_provider_answers_alone() -> None:
    first, second = Newsroom((story("a"),)), Newsroom(())

    answer = search((paper("one"), first), (paper("two"), second), provider="two")

    assert answer.articles == ()
    assert first.asked == []


@requires("news_search.hints")
def test_hints_name_the_window_and_the_source() -> None:
    answer = search((paper("one"), Newsroom()), news_source="reuters.com")

    assert answer.hints is not None
    assert answer.hints.reason == "filters_too_restrictive"
    assert answer.hints.filters_applied == ("news_source", "time_range")
    assert "Only the last week was searched" in answer.hints.details[0]


def test_all_failures_are_raised_with_what_else_there_is() -> None:
    broken = Newsroom(UpstreamUnavailable("down", provider="one"))

    with pytest.raises(CitewellError) as caught:
        search((paper("one"), broken), (paper("two"), Newsroom()), provider="one")

    assert "two" in caught.value.alternatives


def test_a_lens_restricts_to_its_domains() -> None:
    room = Newsroom((story("a"), story("b", url="https://www.reuters.com/b")))

    answer = search((paper("one"), room), lens="news")

    assert paths(answer) == ["b"]
    assert reports(answer)["lens"] == "one"


@pytest.mark.parametrize(
    ("wrong", "explanation"),
    [
        ({"news_source": "reuters.com", "lens": "news"}, "cannot be combined"),
        ({"news_source": "not a domain"}, "not a domain"),
        ({"country": "UK"}, "GB"),
        ({"language": "deutsch"}, "ISO 639-1"),
        ({"lens": "nothing"}, "There is no lens"),
        ({"query": " \u200b "}, "query is empty"),
        ({"provider": "nobody"}, "Supported: one"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_right(
    wrong: dict[str, Any], explanation: str
) -> None:
    with pytest.raises(InvalidInput, match=explanation):
        search((paper("one"), Newsroom()), **wrong)


def test_every_filter_of_the_enum_can_be_unset() -> None:
    room = Newsroom((story("a"),))

    search(
        (paper("one", **NOTHING_NATIVE), room),
        sort_by="date",
        news_source="example.org",
        country="DE",
        language="de",
        safe="strict",
    )

    assert room.asked[0].collect_filters() <= {SearchFilter.CATEGORY}
