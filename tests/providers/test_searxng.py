"""What one instance answers, and what comes of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from citewell.core.errors import InvalidInput, Misconfigured, RateLimited, UpstreamUnavailable
from citewell.core.values.search_queries import ImageQuery, SearchHits, SearchQuery
from citewell.providers.searxng import Provider
from tests.internet.apis import searxng as double
from tests.internet.faults import Fault
from tests.internet.world import World
from tests.providers.searxng_bench import WORD, Bench, bench, failure, world
from tests.requirements import requires

__all__ = ["bench", "world"]


def test_an_own_instance_answers_with_results(bench: Bench) -> None:
    found = bench.web(bench.own(), count=5)

    assert len(found.hits) == 5
    assert found.instance == bench.url()
    assert found.hits[0].title.startswith("Quokka notes")
    assert found.hits[0].published == datetime(2026, 3, 14, tzinfo=UTC)
    assert found.hits[0].published_basis == "provider"


@requires("searxng.scores")
def test_scores_are_between_0_and_1_and_fall(bench: Bench) -> None:
    hits = bench.web(bench.own(), count=10).hits
    scores = [hit.score for hit in hits if hit.score is not None]

    assert len(scores) == len(hits)
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_the_engines_are_named(bench: Bench) -> None:
    found = bench.web(bench.own())

    assert found.engines == ("alpha", "beta")
    assert found.hits[0].engine == "alpha"


@requires("searxng.many_results")
def test_fifty_results_come_from_five_pages(bench: Bench) -> None:
    found = bench.web(bench.own(), count=50)

    assert len({hit.url for hit in found.hits}) == 50
    assert [request.params["pageno"] for request in bench.asked()] == ["1", "2", "3", "4", "5"]


@requires("searxng.few_calls")
@pytest.mark.parametrize("public", [False, True])
def test_a_page_that_is_not_full_is_the_last_one_asked_for(bench: Bench, public: bool) -> None:
    options = bench.several("a") if public else bench.own()

    found = bench.web(options, text="nightingale", count=10)

    assert len(found.hits) == 3
    searches = [request for request in bench.asked("a" if public else "") if request.params["q"]]
    assert [request.params["pageno"] for request in searches] == ["1"]


@requires("searxng.few_calls")
def test_no_second_page_is_asked_for_where_the_first_has_enough(bench: Bench) -> None:
    found = bench.web(bench.own(), count=10)

    assert len(found.hits) == 10
    assert len(bench.asked()) == 1


def test_a_later_page_that_fails_keeps_the_earlier_ones(bench: Bench, world: World) -> None:
    world.fail("searxng", Fault(), times=1)
    world.fail("searxng", Fault(status=429), times=1)

    found = bench.web(bench.own(), count=30)

    assert len(found.hits) == 10
    assert len(found.notes) == 1
    assert "Page 2" in found.notes[0]


def test_a_limit_met_on_a_later_page_is_respected_by_the_next_search(
    bench: Bench, world: World
) -> None:
    async def twice(provider: Provider) -> None:
        await provider.search_web(SearchQuery(text=WORD, count=30))
        with pytest.raises(RateLimited):
            await provider.search_web(SearchQuery(text=WORD))

    world.fail("searxng", Fault(), times=1)
    world.fail("searxng", Fault(status=429), times=1)
    bench.run(bench.own(), twice)

    assert len(bench.asked()) == 2


def test_a_page_past_the_end_is_nofailure(bench: Bench) -> None:
    found = bench.web(bench.own(), text="nosuchwordanywhere")

    assert found.hits == ()
    assert found.unresponsive == ()


@requires("searxng.total_results")
@pytest.mark.parametrize(("sent", "total"), [(None, None), (0, None), (8450, 8450)])
def test_the_total_is_given_only_where_the_instance_knows_one(
    bench: Bench, world: World, sent: int | None, total: int | None
) -> None:
    double.behave(world, total=sent)

    assert bench.web(bench.own()).total == total


@requires("searxng.filters")
def test_filters_travel_in_searxngs_words(bench: Bench) -> None:
    bench.web(bench.own(), time_range="week", safe="high", language="de", country="AT")

    sent = bench.asked()[0].params
    assert (sent["time_range"], sent["safesearch"], sent["language"]) == ("week", "2", "de-AT")
    assert (sent["categories"], sent["format"]) == ("general", "json")


def test_an_hour_is_asked_for_as_a_day_and_said(bench: Bench) -> None:
    found = bench.web(bench.own(), time_range="hour")

    assert bench.asked()[0].params["time_range"] == "day"
    assert any("hour" in note for note in found.notes)


def test_a_script_in_a_language_code_is_left_out(bench: Bench) -> None:
    bench.web(bench.own(), language="zh-Hans-CN")

    assert bench.asked()[0].params["language"] == "zh-CN"


@requires("searxng.language")
def test_a_language_that_is_none_is_refused_before_anybody_is_asked(bench: Bench) -> None:
    assert isinstance(failure(bench, bench.own(), language="english!!"), InvalidInput)
    assert bench.asked() == []


def test_news_are_asked_for_as_news(bench: Bench) -> None:
    found = bench.run(
        bench.own(), lambda provider: provider.search_news(SearchQuery(text=WORD, count=3))
    )

    assert len(found.hits) == 3
    assert bench.asked()[0].params["categories"] == "news"
    assert found.engines == ("beta news",)


def test_pictures_have_their_page_and_size(bench: Bench) -> None:
    found = bench.run(
        bench.own(), lambda provider: provider.search_images(ImageQuery(text=WORD, count=3))
    )

    assert len(found) == 3
    assert found[0].link.endswith(".png")
    assert found[0].context.startswith("http")
    assert (found[0].width, found[0].height) == (1920, 1080)


def test_pictures_are_read_from_the_page_where_json_is_off(bench: Bench, world: World) -> None:
    double.behave(world, json=False)

    found = bench.run(
        bench.own(), lambda provider: provider.search_images(ImageQuery(text=WORD, count=3))
    )

    assert len(found) == 3
    assert found[0].link.endswith(".png")
    assert found[0].title.startswith("Quokka notes")


def test_no_pictures_because_engines_failed_is_afailure(bench: Bench, world: World) -> None:
    double.behave(world, broken=frozenset({"alpha images"}))

    with pytest.raises(UpstreamUnavailable, match="too many requests"):
        bench.run(bench.own(), lambda provider: provider.search_images(ImageQuery(text=WORD)))


@requires("searxng.unresponsive")
def test_engines_that_failed_are_the_reason_of_an_empty_answer(bench: Bench, world: World) -> None:
    double.behave(world, broken=frozenset({"alpha", "beta"}))

    found = bench.web(bench.own())

    assert found.hits == ()
    assert found.unresponsive == (("alpha", "too many requests"), ("beta", "too many requests"))


@requires("searxng.unresponsive")
def test_one_failed_engine_among_several_is_reported_with_the_results(
    bench: Bench, world: World
) -> None:
    double.behave(world, broken=frozenset({"alpha"}))

    found = bench.web(bench.own())

    assert found.hits
    assert found.unresponsive == (("alpha", "too many requests"),)


def test_failed_engines_on_one_instance_send_the_query_to_the_next(
    bench: Bench, world: World
) -> None:
    double.behave(world, "a", broken=frozenset({"alpha", "beta"}))

    found = bench.web(bench.own("a") | bench.several("b"))

    assert found.instance == bench.url("b")
    assert found.hits


def test_a_category_without_engines_gives_a_note_and_no_general_results(bench: Bench) -> None:
    found = bench.web(bench.own(), category="music")

    assert found.hits == ()
    assert "no engines for the category music" in found.notes[0]
    assert bench.asked() == []


def test_without_config_general_results_do_not_pass_for_another_category(
    bench: Bench, world: World
) -> None:
    double.behave(world, config=False)

    found = bench.web(bench.own(), category="music")

    assert found.hits == ()
    assert "category music" in found.notes[0]


def test_an_engine_of_two_categories_counts_for_both(bench: Bench) -> None:
    found = bench.web(bench.own(), category="science")

    assert found.hits
    assert found.engines == ("gamma",)


def test_config_is_asked_once(bench: Bench) -> None:
    async def twice(provider: Provider) -> None:
        await provider.search_web(SearchQuery(text=WORD, category="it"))
        await provider.search_web(SearchQuery(text=WORD, category="science"))

    bench.run(bench.own(), twice)

    assert len(bench.asked(path="/config")) == 1


def test_a_public_instances_config_is_kept_across_restarts(bench: Bench) -> None:
    bench.web(bench.several("a"), category="it")
    bench.web(bench.several("a"), category="it")

    assert len(bench.asked("a", "/config")) == 1


def test_a_language_no_engine_lists_is_said(bench: Bench) -> None:
    assert any("sw" in note for note in bench.web(bench.own(), language="sw").notes)
    assert bench.web(bench.own(), language="de-CH").notes == ()


def test_an_unknown_category_is_refused(bench: Bench) -> None:
    assert isinstance(failure(bench, bench.own(), category="gossip"), InvalidInput)


@requires("searxng.json_disabled")
def test_where_json_is_off_the_page_is_read(bench: Bench, world: World) -> None:
    double.behave(world, json=False)

    found = bench.web(bench.own(), count=3)

    assert found.hits[0].title.startswith("Quokka notes")
    assert found.hits[0].snippet.startswith("The quokka is")
    assert found.hits[0].published == datetime(2026, 3, 14, tzinfo=UTC)
    assert found.engines == ("alpha", "beta")
    assert any("search: formats: [html, json]" in note for note in found.notes)


def test_engines_that_failed_are_read_from_the_page_too(bench: Bench, world: World) -> None:
    double.behave(world, json=False, broken=frozenset({"alpha", "beta"}))

    found = bench.web(bench.own())

    assert found.hits == ()
    assert found.unresponsive == (("alpha", "too many requests"), ("beta", "too many requests"))


@requires("searxng.json_disabled")
def test_with_neither_json_nor_a_page_the_error_names_the_line_to_change(
    bench: Bench, world: World
) -> None:
    double.behave(world, json=False, page=False)

    error = failure(bench, bench.own())

    assert isinstance(error, Misconfigured)
    assert "search: formats: [html, json]" in error.message
    assert error.extra["reason"] == "json_disabled"


def test_a_healthy_healthz_does_not_make_up_for_json(bench: Bench, world: World) -> None:
    double.behave(world, "a", json=False)

    found = bench.web(bench.several("a", "b"))

    assert found.instance == bench.url("b")
    assert bench.asked("a", "/healthz") == []


def test_json_off_is_remembered_for_days(bench: Bench, world: World) -> None:
    double.behave(world, "a", json=False)
    bench.web(bench.several("a"))
    bench.now += 4 * 86400

    bench.web(bench.several("a"))

    formats = [request.params.get("format") for request in bench.asked("a")]
    assert formats == ["json", None, None]


def test_an_owner_who_switches_json_on_is_noticed_within_minutes(
    bench: Bench, world: World
) -> None:
    async def before_and_after(provider: Provider) -> SearchHits:
        double.behave(world, json=False)
        await provider.search_web(SearchQuery(text=WORD))
        double.behave(world, json=True)
        bench.now += 301
        return await provider.search_web(SearchQuery(text=WORD))

    assert bench.run(bench.own(), before_and_after).notes == ()
