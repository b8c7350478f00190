"""The provider against loopback SearXNG instances that behave as real ones do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.internet.apis import searxng as double
from tests.internet.faults import Asked, Fault
from tests.internet.serve import Internet
from tests.internet.world import Page, World

from citewell import config
from citewell.errors import (
    AuthRequired,
    BadShape,
    Blocked,
    CitewellError,
    InvalidInput,
    Misconfigured,
    RateLimited,
    RejectedRequest,
    Unavailable,
)
from citewell.model.search import Found, PictureQuery, Query
from citewell.net.network import Network
from citewell.ports import Kit
from citewell.providers.searxng import SPEC, Provider
from citewell.providers.searxng.door import Manners

NOON = 1_790_000_000.0
WORD = "quokka"

Act = Callable[[Provider], Awaitable[Any]]


class Memory:
    """Outlives a provider, as the store outlives a process."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def recall(self, key: str) -> bytes | None:
        return self.kept.get(key)

    async def remember(self, key: str, value: bytes, *, ttl: float) -> None:
        self.kept[key] = value


@dataclass
class Bench:
    """One provider's surroundings: time that stands still, memory, and the loopback instances."""

    internet: Internet
    now: float = NOON
    memory: Memory = field(default_factory=Memory)
    slept: list[float] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=lambda: {"ALLOW_PRIVATE_IPS": "true"})

    def url(self, name: str = "") -> str:
        return f"{self.internet.url}/searxng/{name}".rstrip("/")

    def own(self, name: str = "", **more: str) -> dict[str, str]:
        return {"SEARXNG_URL": self.url(name)} | more

    def several(self, *names: str) -> dict[str, str]:
        return {"CITEWELL_SEARXNG_INSTANCES": ", ".join(self.url(name) for name in names)}

    def run(self, options: dict[str, str], act: Act) -> Any:
        """A process of its own: nothing but memory is left of the one before."""
        return asyncio.run(self._run(options, act))

    def web(self, options: dict[str, str], text: str = WORD, **query: Any) -> Found:
        return self.run(options, lambda provider: provider.web(Query(text=text, **query)))

    def asked(self, name: str = "", path: str = "/search") -> list[Asked]:
        root = f"/searxng/{name}".rstrip("/")
        return [one for one in self.internet.world.requests["searxng"] if one.path == root + path]

    async def _run(self, options: dict[str, str], act: Act) -> Any:
        environ = self.settings | {"CITEWELL_CONFIG": "/no/such/file.toml"}
        network = Network(config.load(environ))
        try:
            upstream = network.upstream(SPEC.name, base_url=SPEC.base_url)
            kit = Kit(upstream=upstream, options=options, memory=self.memory)
            manners = Manners(
                clock=lambda: self.now, sleep=self._sleep, jitter=lambda low, high: high
            )
            return await act(Provider(kit, manners=manners))
        finally:
            await network.aclose()

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def bench(internet: Internet) -> Bench:
    internet.world.add(*(_page(number) for number in range(60)))
    return Bench(internet=internet)


@pytest.fixture
def world(bench: Bench) -> World:
    return bench.internet.world


def _page(number: int) -> Page:
    return Page(
        host="animals.example.org",
        path=f"quokka-{number}",
        title=f"Quokka notes {number}",
        markdown=f"The quokka is a small marsupial; this is note {number}.",
        published=datetime(2026, 3, 14, tzinfo=UTC),
        kind="news" if number % 2 else "article",
    )


def _failure(bench: Bench, options: dict[str, str], **query: Any) -> CitewellError:
    with pytest.raises(CitewellError) as raised:
        bench.web(options, **query)
    return raised.value


# What a search gives


def test_an_own_instance_answers_with_results(bench: Bench) -> None:
    found = bench.web(bench.own(), count=5)

    assert len(found.hits) == 5
    assert found.instance == bench.url()
    assert found.hits[0].title.startswith("Quokka notes")
    assert found.hits[0].published == datetime(2026, 3, 14, tzinfo=UTC)
    assert found.hits[0].published_basis == "provider"


def test_scores_are_between_0_and_1_and_fall(bench: Bench) -> None:
    scores = [hit.score for hit in bench.web(bench.own(), count=10).hits]

    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert all(score is not None and 0 <= score <= 1 for score in scores)


def test_the_engines_are_named(bench: Bench) -> None:
    found = bench.web(bench.own())

    assert found.engines == ("alpha", "beta")
    assert found.hits[0].engine == "alpha"


def test_fifty_results_come_from_five_pages(bench: Bench) -> None:
    found = bench.web(bench.own(), count=50)

    assert len({hit.url for hit in found.hits}) == 50
    assert [one.params["pageno"] for one in bench.asked()] == ["1", "2", "3", "4", "5"]


def test_a_later_page_that_fails_keeps_the_earlier_ones(bench: Bench, world: World) -> None:
    world.fail("searxng", Fault(), times=1)
    world.fail("searxng", Fault(status=429), times=1)

    found = bench.web(bench.own(), count=30)

    assert len(found.hits) == 10
    assert "Page 2" in found.notes[0]


def test_a_page_past_the_end_is_no_failure(bench: Bench) -> None:
    found = bench.web(bench.own(), text="nosuchwordanywhere")

    assert found.hits == ()
    assert found.unresponsive == ()


@pytest.mark.parametrize(("sent", "total"), [(None, None), (0, None), (8450, 8450)])
def test_the_total_is_given_only_where_the_instance_knows_one(
    bench: Bench, world: World, sent: int | None, total: int | None
) -> None:
    double.behave(world, total=sent)

    assert bench.web(bench.own()).total == total


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


def test_a_language_that_is_none_is_refused_before_anybody_is_asked(bench: Bench) -> None:
    assert isinstance(_failure(bench, bench.own(), language="english!!"), InvalidInput)
    assert bench.asked() == []


def test_news_are_asked_for_as_news(bench: Bench) -> None:
    found = bench.run(bench.own(), lambda provider: provider.news(Query(text=WORD, count=3)))

    assert len(found.hits) == 3
    assert bench.asked()[0].params["categories"] == "news"
    assert found.engines == ("beta news",)


def test_pictures_have_their_page_and_size(bench: Bench) -> None:
    found = bench.run(
        bench.own(), lambda provider: provider.images(PictureQuery(text=WORD, count=3))
    )

    assert len(found) == 3
    assert found[0].link.endswith(".png")
    assert found[0].context.startswith("http")
    assert (found[0].width, found[0].height) == (1920, 1080)


def test_no_pictures_because_engines_failed_is_a_failure(bench: Bench, world: World) -> None:
    double.behave(world, broken=frozenset({"alpha images"}))

    with pytest.raises(Unavailable, match="too many requests"):
        bench.run(bench.own(), lambda provider: provider.images(PictureQuery(text=WORD)))


# Why nothing came


def test_engines_that_failed_are_the_reason_of_an_empty_answer(bench: Bench, world: World) -> None:
    double.behave(world, broken=frozenset({"alpha", "beta"}))

    found = bench.web(bench.own())

    assert found.hits == ()
    assert found.unresponsive == (("alpha", "too many requests"), ("beta", "too many requests"))


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
        await provider.web(Query(text=WORD, category="it"))
        await provider.web(Query(text=WORD, category="science"))

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
    assert isinstance(_failure(bench, bench.own(), category="gossip"), InvalidInput)


# JSON off


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


def test_with_neither_json_nor_a_page_the_error_names_the_line_to_change(
    bench: Bench, world: World
) -> None:
    double.behave(world, json=False, page=False)

    error = _failure(bench, bench.own())

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

    formats = [one.params.get("format") for one in bench.asked("a")]
    assert formats == ["json", None, None]


def test_an_owner_who_switches_json_on_is_noticed_within_minutes(
    bench: Bench, world: World
) -> None:
    async def before_and_after(provider: Provider) -> Found:
        double.behave(world, json=False)
        await provider.web(Query(text=WORD))
        double.behave(world, json=True)
        bench.now += 301
        return await provider.web(Query(text=WORD))

    assert bench.run(bench.own(), before_and_after).notes == ()


# The probe


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

    assert [one.params["q"] for one in bench.asked("a")] == [""]


def test_a_probe_is_not_repeated_after_a_restart(bench: Bench) -> None:
    bench.web(bench.several("a"))
    bench.web(bench.several("a"))

    assert [one.params["q"] for one in bench.asked("a")] == ["", WORD, WORD]


def test_nobody_is_probed_while_the_own_instance_answers(bench: Bench) -> None:
    bench.web(bench.own() | bench.several("a"))

    assert bench.asked("a") == []


def test_the_own_instance_is_not_probed(bench: Bench) -> None:
    bench.web(bench.own())

    assert len(bench.asked()) == 1


# Order, health and rests


def test_instances_of_one_grade_take_turns(bench: Bench) -> None:
    async def six(provider: Provider) -> list[str]:
        return [(await provider.web(Query(text=WORD))).instance for _ in range(6)]

    used = bench.run(bench.several("a", "b", "c"), six)

    assert sorted(used[:3]) == [bench.url("a"), bench.url("b"), bench.url("c")]
    assert used[:3] == used[3:]


def test_turns_go_on_after_a_restart(bench: Bench) -> None:
    used = [bench.web(bench.several("a", "b")).instance for _ in range(4)]

    assert used == [bench.url("a"), bench.url("b")] * 2


def test_the_best_grade_goes_first_and_the_rest_are_in_reserve(bench: Bench, world: World) -> None:
    double.listed(
        world,
        {
            bench.url("b"): _entry("B"),
            bench.url("a"): _entry("A"),
            bench.url("plus"): _entry("A+"),
        },
    )
    options = {"CITEWELL_SEARXNG_DISCOVERY": f"{bench.url()}/space/instances.json"}

    first = bench.web(options).instance
    double.behave(world, "plus", status=502)
    second = bench.web(options).instance
    double.behave(world, "a", status=502)
    third = bench.web(options).instance

    assert [first, second, third] == [bench.url("plus"), bench.url("a"), bench.url("b")]


def test_discovery_reads_a_file(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "instances.json"
    path.write_text(json.dumps({"instances": {bench.url("a"): _entry("A+")}}), encoding="utf-8")

    found = bench.web({"CITEWELL_SEARXNG_DISCOVERY": str(path)})

    assert found.instance == bench.url("a")


def test_a_discovered_list_is_kept_while_its_source_is_down(bench: Bench, world: World) -> None:
    double.listed(world, {bench.url("a"): _entry("A+")})
    options = {"CITEWELL_SEARXNG_DISCOVERY": f"{bench.url()}/space/instances.json"}
    bench.web(options)
    world.fail("/searxng/space/instances.json", Fault(status=500), times=5)
    bench.now += 7 * 3600

    assert bench.web(options).instance == bench.url("a")


def test_a_missing_discovery_file_is_named_by_its_setting(bench: Bench) -> None:
    error = _failure(bench, {"CITEWELL_SEARXNG_DISCOVERY": "/no/such/list.json"})

    assert isinstance(error, Misconfigured)
    assert "CITEWELL_SEARXNG_DISCOVERY" in error.message


def test_discovery_that_fails_does_not_stop_a_configured_instance(bench: Bench) -> None:
    options = bench.several("a") | {"CITEWELL_SEARXNG_DISCOVERY": "/no/such/list.json"}

    assert bench.web(options).hits


def test_the_own_instance_goes_before_the_list_and_the_list_before_discovery(
    bench: Bench, world: World
) -> None:
    double.listed(world, {bench.url("found"): _entry("A+")})
    options = bench.own("own") | bench.several("listed")
    options["CITEWELL_SEARXNG_DISCOVERY"] = f"{bench.url()}/space/instances.json"

    used = [bench.web(options).instance]
    double.behave(world, "own", status=500)
    used.append(bench.web(options).instance)
    double.behave(world, "listed", status=500)
    used.append(bench.web(options).instance)

    assert used == [bench.url("own"), bench.url("listed"), bench.url("found")]


def test_a_failed_instance_rests_for_a_minute_then_two_then_is_suspended(
    bench: Bench, world: World
) -> None:
    options = bench.several("a")
    bench.web(options)
    double.behave(world, "a", status=500)

    waits = []
    for _ in range(4):
        waits.append(_failure(bench, options).retry_after)
        bench.now += waits[-1]

    assert waits == [60, 120, 3600, 7200]


def test_a_resting_instance_is_not_asked_even_by_the_next_process(
    bench: Bench, world: World
) -> None:
    options = bench.several("a")
    bench.web(options)
    double.behave(world, "a", status=500)
    _failure(bench, options)
    before = len(bench.asked("a"))

    error = _failure(bench, options)

    assert len(bench.asked("a")) == before
    assert error.extra["attempted_instances"] == [bench.url("a")]


def test_an_answer_ends_the_count_of_failures(bench: Bench, world: World) -> None:
    options = bench.several("a")
    bench.web(options)
    for _ in range(3):
        double.behave(world, "a", status=500)
        assert _failure(bench, options).retry_after == 60
        bench.now += 61
        double.behave(world, "a", status=None)
        bench.web(options)


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


def test_a_429_with_a_delay_rests_just_that_long(bench: Bench, world: World) -> None:
    world.fail("searxng", Fault(status=429, headers={"Retry-After": "17"}))

    error = _failure(bench, bench.own())

    assert isinstance(error, RateLimited)
    assert error.retry_after == 17


def test_an_own_instance_that_limits_us_says_how_to_stop_it(bench: Bench, world: World) -> None:
    world.fail("searxng", Fault(status=429))

    error = _failure(bench, bench.own())

    assert isinstance(error, RateLimited)
    assert error.retry_after == 3600
    assert "limiter" in error.message


def test_a_limited_own_instance_is_left_alone_until_a_restart(bench: Bench, world: World) -> None:
    async def twice(provider: Provider) -> None:
        for _ in range(2):
            with pytest.raises(RateLimited):
                await provider.web(Query(text=WORD))

    world.fail("searxng", Fault(status=429))
    bench.run(bench.own(), twice)

    assert len(bench.asked()) == 1
    assert bench.web(bench.own()).hits


def test_an_own_instance_is_tried_again_at_once_after_a_single_failure(
    bench: Bench, world: World
) -> None:
    async def twice(provider: Provider) -> Found:
        with pytest.raises(Unavailable):
            await provider.web(Query(text=WORD))
        return await provider.web(Query(text=WORD))

    world.fail("searxng", Fault(status=500))

    assert bench.run(bench.own(), twice).hits


def test_an_own_instance_rests_after_three_failures(bench: Bench, world: World) -> None:
    async def four(provider: Provider) -> None:
        for _ in range(4):
            with pytest.raises(Unavailable):
                await provider.web(Query(text=WORD))

    double.behave(world, status=500)
    bench.run(bench.own(), four)

    assert len(bench.asked()) == 3


def test_memory_that_holds_nonsense_is_started_afresh(bench: Bench) -> None:
    bench.memory.kept = {"health": b"[1, 2", "directory": b"null"}

    assert bench.web(bench.several("a")).hits


# Manners


def test_public_instances_are_asked_with_a_pause_between(bench: Bench) -> None:
    bench.web(bench.several("a"))

    assert bench.slept == [0.5]


def test_the_own_instance_is_asked_without_a_pause(bench: Bench) -> None:
    bench.web(bench.own(), count=30)

    assert bench.slept == []


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

    async def five(provider: Provider) -> list[str]:
        return [(await provider.web(Query(text=WORD))).instance for _ in range(5)]

    assert bench.run(options, five) == [bench.url("a")] * 4 + [bench.url("b")]


def test_a_public_instance_is_asked_for_two_pages_at_most(bench: Bench) -> None:
    found = bench.web(bench.several("a"), count=50)

    assert len(found.hits) == 20
    assert any("20 of 50" in note for note in found.notes)


def test_a_bot_check_is_a_wall_and_not_an_empty_answer(bench: Bench, world: World) -> None:
    double.behave(world, link_token=True)

    assert isinstance(_failure(bench, bench.own()), Blocked)


# Secrets


def test_account_and_headers_go_to_the_own_instance_alone(bench: Bench, world: World) -> None:
    double.behave(
        world,
        "own",
        account="reader:pass",
        header=("x-gate", "open"),
        broken=frozenset({"alpha", "beta"}),
    )
    options = bench.own(
        "own", SEARXNG_BASIC_AUTH="reader:pass", SEARXNG_HEADERS="X-Gate: open, X-Other: a, b"
    )

    bench.web(options | bench.several("b"))

    own, other = bench.asked("own")[0].headers, bench.asked("b")[-1].headers
    assert (own["x-gate"], own["x-other"]) == ("open", "a, b")
    assert own["authorization"].startswith("Basic ")
    assert not {"authorization", "x-gate", "x-other"} & other.keys()


def test_an_account_in_the_address_is_used_and_not_shown(bench: Bench, world: World) -> None:
    double.behave(world, "own", account="reader:p@ss")
    address = bench.url("own").replace("http://", "http://reader:p%40ss@")

    found = bench.web({"SEARXNG_URL": address})

    assert found.hits
    assert found.instance == bench.url("own")


def test_a_wanted_login_is_named(bench: Bench, world: World) -> None:
    double.behave(world, account="reader:pass")

    error = _failure(bench, bench.own())

    assert isinstance(error, AuthRequired)
    assert "SEARXNG_BASIC_AUTH" in error.message


@pytest.mark.parametrize(
    "options",
    [
        {"SEARXNG_URL": "not an address"},
        {"SEARXNG_URL": "https://a.example.org", "SEARXNG_BASIC_AUTH": "hunter2"},
        {"SEARXNG_URL": "https://a.example.org", "SEARXNG_HEADERS": "hunter2"},
        {"CITEWELL_SEARXNG_INSTANCES": "https://u:hunter2@a.example.org"},
    ],
)
def test_a_setting_that_cannot_be_used_is_named_without_its_value(
    bench: Bench, options: dict[str, str]
) -> None:
    error = _failure(bench, options)

    assert isinstance(error, Misconfigured)
    assert "SEARXNG" in error.message
    assert "hunter2" not in error.message


# Private queries stay private


@pytest.mark.parametrize(
    "query", ["!!g secret", "secret !!g", "secret\u2003!!g", '"a !!g b"', "!! secret"]
)
def test_a_bang_goes_nowhere(bench: Bench, query: str) -> None:
    bench.web(bench.own(), text=f"{query} {WORD}")

    sent = double.parse(bench.asked()[0].params["q"])
    assert (sent.external, sent.lucky, sent.engines) == (None, False, [])
    assert WORD in sent.words


def test_an_instance_that_sends_us_elsewhere_is_refused(bench: Bench, world: World) -> None:
    world.fail(
        "searxng", Fault(status=302, headers={"Location": "https://www.example.com/search?q=x"})
    )

    error = _failure(bench, bench.own())

    assert isinstance(error, Unavailable)
    assert "another site" in str(error.extra["error_details"])


def test_the_query_is_in_no_error(bench: Bench, world: World) -> None:
    double.behave(world, status=500)

    error = _failure(bench, bench.own() | bench.several("a"), text="verysecretword")

    assert "verysecretword" not in json.dumps(error.block()) + error.message


# Errors


def test_when_nobody_answers_the_error_is_the_specifications(bench: Bench, world: World) -> None:
    for name in ("a", "b"):
        double.behave(world, name, status=503)

    error = _failure(bench, bench.several("a", "b"))

    assert isinstance(error, Unavailable)
    assert error.message == "Search failed: No available SearXNG instances"
    assert error.extra["error_type"] == "no_instances_available"
    assert error.extra["attempted_instances"] == [bench.url("a"), bench.url("b")]
    assert error.extra["retry_after"] == 60
    assert "unavailable or rate limited" in str(error.extra["error_details"])
    assert error.provider == "searxng"


def test_an_own_instance_that_is_not_there_is_named(bench: Bench) -> None:
    error = _failure(bench, {"SEARXNG_URL": "http://127.0.0.1:9"})

    assert isinstance(error, CitewellError)
    assert "127.0.0.1:9" in json.dumps(error.block()) + error.message


def test_a_private_address_names_the_setting_that_allows_it(bench: Bench) -> None:
    bench.settings = {}

    error = _failure(bench, bench.own())

    assert isinstance(error, Misconfigured)
    assert "CITEWELL_ALLOW_PRIVATE_HOSTS" in error.message
    assert f"127.0.0.1:{bench.internet.port}" in error.message


@pytest.mark.parametrize(
    "body", ["<html><p>hello</p></html>", '{"results": 3}', "[]", "", '{"results": null}']
)
def test_an_answer_of_another_shape_is_no_empty_answer(
    bench: Bench, world: World, body: str
) -> None:
    kind = "text/html" if body.startswith("<") else "application/json"
    world.fail("searxng", Fault(body=body, headers={"Content-Type": kind}))

    assert isinstance(_failure(bench, bench.own()), BadShape)


def test_a_refused_parameter_is_named_and_counts_against_nobody(bench: Bench, world: World) -> None:
    refusal = {"error": "Invalid value x for parameter language"}
    world.fail("searxng", Fault(status=400, body=refusal), times=3)

    async def thrice(provider: Provider) -> list[str]:
        said = []
        for _ in range(3):
            with pytest.raises(RejectedRequest) as raised:
                await provider.web(Query(text=WORD))
            said.append(raised.value.message)
        assert (await provider.web(Query(text=WORD))).hits
        return said

    assert bench.run(bench.own(), thrice) == ["SearXNG refused the parameter language."] * 3


def test_without_any_setting_the_error_names_them_all(bench: Bench) -> None:
    error = _failure(bench, {})

    assert isinstance(error, Misconfigured)
    assert all(name in error.message for name in SPEC.requires_any)


def test_a_cancelled_search_counts_against_nobody(bench: Bench, world: World) -> None:
    async def cancelled(provider: Provider) -> Found:
        world.fail("searxng", Fault(delay=30))
        task = asyncio.create_task(provider.web(Query(text=WORD)))
        async with asyncio.timeout(5):
            while not bench.asked():  # noqa: ASYNC110 - the request arrives in another thread
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await provider.web(Query(text=WORD))

    assert bench.run(bench.own(), cancelled).hits


def _entry(grade: str) -> dict[str, Any]:
    return {
        "network_type": "normal",
        "http": {"status_code": 200, "grade": grade},
        "tls": {"grade": grade},
        "uptime": {"uptimeMonth": 99.0},
        "timing": {"search": {"all": {"median": 0.5}}},
        "version": "2026.8.22+9fea412",
        "error": None,
    }
