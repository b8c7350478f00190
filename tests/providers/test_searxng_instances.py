"""Which instance is asked, when, and how politely."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from citewell.core.errors import Blocked, Misconfigured, RateLimited, UpstreamUnavailable
from citewell.core.values.search_queries import SearchHits, SearchQuery
from citewell.providers.searxng import Provider
from tests.internet.apis import searxng as double
from tests.internet.faults import Fault
from tests.internet.world import World
from tests.providers.searxng_bench import WORD, Bench, Memory, bench, entry, failure, world
from tests.requirements import requires

__all__ = ["bench", "world"]


@requires("searxng.probe")
def test_a_stranger_is_probed_without_words_before_it_sees_the_query(bench: Bench) -> None:
    bench.web(bench.several("a"))

    probe, search = bench.asked("a")
    assert (probe.params["q"], probe.params["format"]) == ("", "json")
    assert search.params["q"] == WORD


def test_a_stranger_without_json_never_sees_the_query_while_another_has_it(
    bench: Bench, world: World
) -> None:
    double.behave(world, "a", json=False)

    bench.web(bench.several("a", "b"))

    assert [request.params["q"] for request in bench.asked("a")] == [""]


def test_a_probe_is_not_repeated_after_a_restart(bench: Bench) -> None:
    bench.web(bench.several("a"))
    bench.web(bench.several("a"))

    assert [request.params["q"] for request in bench.asked("a")] == ["", WORD, WORD]


def test_nobody_is_probed_while_the_own_instance_answers(bench: Bench) -> None:
    bench.web(bench.own() | bench.several("a"))

    assert bench.asked("a") == []


def test_the_own_instance_is_not_probed(bench: Bench) -> None:
    bench.web(bench.own())

    assert len(bench.asked()) == 1


@requires("searxng.take_turns")
def test_instances_of_one_grade_take_turns(bench: Bench) -> None:
    async def six(provider: Provider) -> list[str | None]:
        return [(await provider.search_web(SearchQuery(text=WORD))).instance for _ in range(6)]

    used = bench.run(bench.several("a", "b", "c"), six)

    assert sorted(used[:3]) == [bench.url("a"), bench.url("b"), bench.url("c")]
    assert used[:3] == used[3:]


@requires("searxng.take_turns")
def test_turns_go_on_after_a_restart(bench: Bench) -> None:
    used = [bench.web(bench.several("a", "b")).instance for _ in range(4)]

    assert used == [bench.url("a"), bench.url("b")] * 2


@requires("searxng.grades", "searxng.failover")
def test_the_best_grade_goes_first_and_the_rest_are_in_reserve(bench: Bench, world: World) -> None:
    double.listed(
        world,
        {
            bench.url("b"): entry("B"),
            bench.url("a"): entry("A"),
            bench.url("plus"): entry("A+"),
        },
    )
    options = {"CITEWELL_SEARXNG_DISCOVERY": f"{bench.url()}/space/instances.json"}

    first = bench.web(options).instance
    double.behave(world, "plus", status=502)
    second = bench.web(options).instance
    double.behave(world, "a", status=502)
    third = bench.web(options).instance

    assert [first, second, third] == [bench.url("plus"), bench.url("a"), bench.url("b")]


@requires("searxng.discovery")
def test_discovery_reads_a_file(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "instances.json"
    path.write_text(json.dumps({"instances": {bench.url("a"): entry("A+")}}), encoding="utf-8")

    found = bench.web({"CITEWELL_SEARXNG_DISCOVERY": str(path)})

    assert found.instance == bench.url("a")


def test_a_discovered_list_is_kept_while_its_source_is_down(bench: Bench, world: World) -> None:
    double.listed(world, {bench.url("a"): entry("A+")})
    options = {"CITEWELL_SEARXNG_DISCOVERY": f"{bench.url()}/space/instances.json"}
    bench.web(options)
    world.fail("/searxng/space/instances.json", Fault(status=500), times=5)
    bench.now += 7 * 3600

    assert bench.web(options).instance == bench.url("a")


@pytest.mark.parametrize("remembers", [True, False])
@pytest.mark.parametrize("broken", [None, "not JSON", "{}"])
def test_a_discovered_list_is_kept_when_its_file_becomes_unreadable(
    bench: Bench, tmp_path: Path, broken: str | None, *, remembers: bool
) -> None:
    path = tmp_path / "instances.json"
    path.write_text(json.dumps({"instances": {bench.url("a"): entry("A+")}}), encoding="utf-8")

    async def later(provider: Provider) -> SearchHits:
        await provider.search_web(SearchQuery(text=WORD))
        path.unlink() if broken is None else path.write_text(broken, encoding="utf-8")
        if not remembers:
            bench.memory.kept.clear()
        bench.now += 7 * 3600
        return await provider.search_web(SearchQuery(text=WORD))

    found = bench.run({"CITEWELL_SEARXNG_DISCOVERY": str(path)}, later)

    assert found.instance == bench.url("a")


def test_a_missing_discovery_file_is_named_by_its_setting(bench: Bench) -> None:
    error = failure(bench, {"CITEWELL_SEARXNG_DISCOVERY": "/no/such/list.json"})

    assert isinstance(error, Misconfigured)
    assert "CITEWELL_SEARXNG_DISCOVERY" in error.message


def test_discovery_that_fails_does_not_stop_a_configured_instance(bench: Bench) -> None:
    options = bench.several("a") | {"CITEWELL_SEARXNG_DISCOVERY": "/no/such/list.json"}

    assert bench.web(options).hits


@requires("searxng.own_instance")
def test_the_own_instance_goes_before_the_list_and_the_list_before_discovery(
    bench: Bench, world: World
) -> None:
    double.listed(world, {bench.url("found"): entry("A+")})
    options = bench.own("own") | bench.several("listed")
    options["CITEWELL_SEARXNG_DISCOVERY"] = f"{bench.url()}/space/instances.json"

    used = [bench.web(options).instance]
    double.behave(world, "own", status=500)
    used.append(bench.web(options).instance)
    double.behave(world, "listed", status=500)
    used.append(bench.web(options).instance)

    assert used == [bench.url("own"), bench.url("listed"), bench.url("found")]


@requires("searxng.backoff")
def test_a_failed_instance_rests_for_a_minute_then_two_then_is_suspended(
    bench: Bench, world: World
) -> None:
    options = bench.several("a")
    bench.web(options)
    double.behave(world, "a", status=500)

    waits = []
    for _ in range(4):
        waits.append(failure(bench, options).retry_after)
        bench.now += waits[-1] or 0

    assert waits == [60, 120, 3600, 7200]


@requires("searxng.options")
def test_settings_choose_when_an_instance_rests_and_for_how_long(
    bench: Bench, world: World
) -> None:
    options = bench.several("a") | {
        "CITEWELL_SEARXNG_MAX_FAILURES": "2",
        "CITEWELL_SEARXNG_BACKOFF": "90",
    }
    bench.web(options)
    double.behave(world, "a", status=500)

    waits = []
    for _ in range(3):
        waits.append(failure(bench, options).retry_after)
        bench.now += waits[-1] or 0

    assert waits == [90, 3600, 7200]


@requires("searxng.options")
@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("CITEWELL_SEARXNG_MAX_FAILURES", "0"),
        ("CITEWELL_SEARXNG_BACKOFF", "long"),
        ("CITEWELL_SEARXNG_PAUSE", "500-100"),
        ("CITEWELL_SEARXNG_PAUSE", "100"),
        ("CITEWELL_SEARXNG_RANDOM", "perhaps"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_named(bench: Bench, setting: str, value: str) -> None:
    with pytest.raises(Misconfigured, match=setting):
        bench.web(bench.several("a") | {setting: value})


@requires("searxng.options")
def test_instances_can_be_asked_in_random_order(bench: Bench) -> None:
    drawn = iter([0.5] * 6 + [0.9, 0.1] * 20)
    options = bench.several("a", "b") | {"CITEWELL_SEARXNG_RANDOM": "true"}
    bench.draw = lambda: next(drawn)
    bench.web(options)
    bench.web(options)
    bench.web(options)

    words = {
        name: [request.params["q"] for request in bench.asked(name)].count(WORD) for name in "ab"
    }
    assert words != {"a": 2, "b": 1}
    assert sum(words.values()) == 3


@requires("searxng.rest_shared")
def test_a_resting_instance_is_not_asked_even_by_the_next_process(
    bench: Bench, world: World
) -> None:
    options = bench.several("a")
    bench.web(options)
    double.behave(world, "a", status=500)
    failure(bench, options)
    before = len(bench.asked("a"))

    error = failure(bench, options)

    assert len(bench.asked("a")) == before
    assert error.extra["attempted_instances"] == [bench.url("a")]


def test_an_answer_ends_the_count_of_failures(bench: Bench, world: World) -> None:
    options = bench.several("a")
    bench.web(options)
    for _ in range(3):
        double.behave(world, "a", status=500)
        assert failure(bench, options).retry_after == 60
        bench.now += 61
        double.behave(world, "a", status=None)
        bench.web(options)


@requires("searxng.rate_limit")
def test_a_429_without_a_delay_rests_an_hour(bench: Bench, world: World) -> None:
    options = bench.several("a", "b")
    bench.web(options)
    bench.web(options)
    world.fail("/searxng/a/search", Fault(status=429), times=1)

    used = [bench.web(options).instance for _ in range(3)]
    bench.now += 3601
    later = {bench.web(options).instance for _ in range(2)}

    assert used == [bench.url("b")] * 3
    assert later == {bench.url("a"), bench.url("b")}


@requires("searxng.rate_limit")
def test_a_429_with_a_delay_rests_just_that_long(bench: Bench, world: World) -> None:
    world.fail("searxng", Fault(status=429, headers={"Retry-After": "17"}))

    error = failure(bench, bench.own())

    assert isinstance(error, RateLimited)
    assert error.retry_after == 17
    assert error.extra["retry_after"] == 17
    assert error.extra["error_type"] == "no_instances_available"


def test_an_own_instance_that_limits_us_says_how_to_stop_it(bench: Bench, world: World) -> None:
    world.fail("searxng", Fault(status=429))

    error = failure(bench, bench.own())

    assert isinstance(error, RateLimited)
    assert error.retry_after == 3600
    assert "limiter" in error.message


def test_a_limited_own_instance_is_left_alone_until_a_restart(bench: Bench, world: World) -> None:
    async def twice(provider: Provider) -> None:
        for _ in range(2):
            with pytest.raises(RateLimited) as caught:
                await provider.search_web(SearchQuery(text=WORD))
            assert caught.value.extra["retry_after"] == 3600

    world.fail("searxng", Fault(status=429))
    bench.run(bench.own(), twice)

    assert len(bench.asked()) == 1
    assert bench.web(bench.own()).hits


def test_an_own_instance_is_tried_again_at_once_after_a_singlefailure(
    bench: Bench, world: World
) -> None:
    async def twice(provider: Provider) -> SearchHits:
        with pytest.raises(UpstreamUnavailable):
            await provider.search_web(SearchQuery(text=WORD))
        return await provider.search_web(SearchQuery(text=WORD))

    world.fail("searxng", Fault(status=500))

    assert bench.run(bench.own(), twice).hits


def test_an_own_instance_rests_after_three_failures(bench: Bench, world: World) -> None:
    async def four(provider: Provider) -> None:
        for _ in range(4):
            with pytest.raises(UpstreamUnavailable):
                await provider.search_web(SearchQuery(text=WORD))

    double.behave(world, status=500)
    bench.run(bench.own(), four)

    assert len(bench.asked()) == 3


def test_what_two_processes_learn_at_once_is_kept_for_the_third(bench: Bench, world: World) -> None:
    """The first loads its notes before the second learns of a 429, and saves them after it."""
    both = bench.several("a", "b")
    for _ in range(2):
        bench.web(both)

    async def first(provider: Provider) -> None:
        await provider.search_web(SearchQuery(text=WORD))
        world.fail("/searxng/a/search", Fault(status=429), times=1)
        await asyncio.to_thread(failure, bench, bench.several("a"))
        bench.now += 1
        await provider.search_web(SearchQuery(text=WORD))

    bench.run(both, first)
    before = len(bench.asked("a"))

    error = failure(bench, bench.several("a"))

    assert isinstance(error, RateLimited)
    assert error.retry_after == 3599
    assert len(bench.asked("a")) == before


@pytest.mark.parametrize(
    "kept", [b"[1, 2", b"null", b"[]", b'{"x": 1}', b'{"x": {"failures": "y"}}']
)
def test_memory_that_holds_nonsense_is_started_afresh(bench: Bench, kept: bytes) -> None:
    bench.memory.kept = {"health": kept, "directory": kept}

    assert bench.web(bench.several("a")).hits


def test_memory_that_fails_costs_no_answer(bench: Bench) -> None:
    class Full(Memory):
        async def recall_fact(self, key: str) -> bytes | None:
            raise Misconfigured("The disk is full.")

        async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
            raise Misconfigured("The disk is full.")

    bench.memory = Full()

    assert bench.web(bench.several("a"), category="it").hits


@requires("searxng.pause")
def test_public_instances_are_asked_with_a_pause_between(bench: Bench) -> None:
    bench.web(bench.several("a"))

    assert bench.slept == [0.5]


@requires("searxng.options")
def test_settings_choose_the_pause(bench: Bench) -> None:
    bench.web(bench.several("a") | {"CITEWELL_SEARXNG_PAUSE": "200-900"})

    assert bench.slept == [pytest.approx(0.9)]


def test_the_own_instance_is_asked_without_a_pause(bench: Bench) -> None:
    bench.web(bench.own(), count=30)

    assert bench.slept == []


@requires("searxng.honest_headers")
def test_the_limiter_lets_our_honest_headers_through(bench: Bench, world: World) -> None:
    double.behave(world, limiter=True)

    found = bench.web(bench.own())

    sent = bench.asked()[0].headers
    assert found.hits
    assert sent["user-agent"].startswith("citewell/")
    assert sent["accept"] == "text/html,application/json"
    assert sent["accept-language"] == "en"
    assert "gzip" in sent["accept-encoding"]


def test_the_fifth_api_call_of_the_hour_turns_to_another_instance(
    bench: Bench, world: World
) -> None:
    double.behave(world, "a", limiter=True)
    options = bench.own("a") | bench.several("b")

    async def five(provider: Provider) -> list[str | None]:
        return [(await provider.search_web(SearchQuery(text=WORD))).instance for _ in range(5)]

    assert bench.run(options, five) == [bench.url("a")] * 4 + [bench.url("b")]


def test_a_public_instance_is_asked_for_two_pages_at_most(bench: Bench) -> None:
    found = bench.web(bench.several("a"), count=50)

    assert len(found.hits) == 20
    assert any("20 of 50" in note for note in found.notes)


def test_a_bot_check_is_a_wall_and_not_an_empty_answer(bench: Bench, world: World) -> None:
    double.behave(world, link_token=True)

    assert isinstance(failure(bench, bench.own()), Blocked)
