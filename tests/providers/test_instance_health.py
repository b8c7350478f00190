"""Secrets, private queries, and errors that say what to do."""

from __future__ import annotations

import asyncio
import json

import pytest

from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    Misconfigured,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.search_queries import SearchHits, SearchQuery
from citewell.providers.searxng import SPEC, Provider
from tests.internet.apis import searxng as double
from tests.internet.faults import Fault
from tests.internet.world import World
from tests.providers.searxng_bench import WORD, Bench, bench, failure, world
from tests.requirements import requires

__all__ = ["bench", "world"]


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

    error = failure(bench, bench.own())

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
    error = failure(bench, options)

    assert isinstance(error, Misconfigured)
    assert "SEARXNG" in error.message
    assert "hunter2" not in error.message


@pytest.mark.parametrize(
    "query", ["!!g secret", "secret !!g", "secret\u2003!!g", '"a !!g b"', "!! secret"]
)
def test_a_bang_goes_nowhere(bench: Bench, query: str) -> None:
    bench.web(bench.own(), text=f"{query} {WORD}")

    sent = double.parse(bench.asked()[0].params["q"])
    assert (sent.external, sent.lucky, sent.engines) == (None, False, [])
    assert WORD in sent.words


@requires("searxng.redirect")
def test_an_instance_that_sends_us_elsewhere_is_refused(bench: Bench, world: World) -> None:
    world.fail(
        "searxng", Fault(status=302, headers={"Location": "https://www.example.com/search?q=x"})
    )

    error = failure(bench, bench.own())

    assert isinstance(error, UpstreamUnavailable)
    assert "another site" in str(error.extra["error_details"])


@requires("searxng.private_query")
def test_the_query_is_in_no_error(bench: Bench, world: World) -> None:
    double.behave(world, status=500)
    double.behave(world, "a", status=500)

    error = failure(bench, bench.own() | bench.several("a"), text="verysecretword")

    assert "verysecretword" not in json.dumps(error.build_error_block()) + error.message


@requires("searxng.no_instances")
def test_when_nobody_answers_the_error_is_the_specifications(bench: Bench, world: World) -> None:
    for name in ("a", "b"):
        double.behave(world, name, status=503)

    error = failure(bench, bench.several("a", "b"))

    assert isinstance(error, UpstreamUnavailable)
    assert error.message == "Search failed: No available SearXNG instances"
    assert error.extra["error_type"] == "no_instances_available"
    assert error.extra["attempted_instances"] == [bench.url("a"), bench.url("b")]
    assert error.extra["retry_after"] == 60
    assert "unavailable or rate limited" in str(error.extra["error_details"])
    assert error.provider == "searxng"


def test_an_own_instance_that_is_not_there_is_named(bench: Bench) -> None:
    error = failure(bench, {"SEARXNG_URL": "http://127.0.0.1:9"})

    assert isinstance(error, CitewellError)
    assert "127.0.0.1:9" in json.dumps(error.build_error_block()) + error.message


def test_a_private_address_names_the_setting_that_allows_it(bench: Bench) -> None:
    bench.settings = {}

    error = failure(bench, bench.own())

    assert isinstance(error, Misconfigured)
    assert "CITEWELL_ALLOW_PRIVATE_HOSTS" in error.message
    assert f"127.0.0.1:{bench.internet.port}" in error.message


@requires("searxng.bad_answer")
@pytest.mark.parametrize(
    "body", ["<html><p>hello</p></html>", '{"results": 3}', "[]", "", '{"results": null}']
)
def test_an_answer_of_another_shape_is_no_empty_answer(
    bench: Bench, world: World, body: str
) -> None:
    kind = "text/html" if body.startswith("<") else "application/json"
    world.fail("searxng", Fault(body=body, headers={"Content-Type": kind}))

    assert isinstance(failure(bench, bench.own()), MalformedResponse)


def test_a_refused_parameter_is_named_and_counts_against_nobody(bench: Bench, world: World) -> None:
    refusal = {"error": "Invalid value x for parameter language"}
    world.fail("searxng", Fault(status=400, body=refusal), times=3)

    async def thrice(provider: Provider) -> list[str]:
        messages = []
        for _ in range(3):
            with pytest.raises(RejectedRequest) as raised:
                await provider.search_web(SearchQuery(text=WORD))
            messages.append(raised.value.message)
        assert (await provider.search_web(SearchQuery(text=WORD))).hits
        return messages

    assert bench.run(bench.own(), thrice) == ["SearXNG refused the parameter language."] * 3


def test_without_any_setting_the_error_names_them_all(bench: Bench) -> None:
    error = failure(bench, {})

    assert isinstance(error, Misconfigured)
    assert all(name in error.message for name in SPEC.requires_any)


def test_a_cancelled_search_counts_against_nobody(bench: Bench, world: World) -> None:
    async def cancelled(provider: Provider) -> SearchHits:
        world.fail("searxng", Fault(delay=30))
        task = asyncio.create_task(provider.search_web(SearchQuery(text=WORD)))
        async with asyncio.timeout(60):
            while not bench.asked():  # noqa: ASYNC110 - the request arrives in another thread
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await provider.search_web(SearchQuery(text=WORD))

    assert bench.run(bench.own(), cancelled).hits


@requires("searxng.failover")
def test_four_instances_are_asked_at_most(bench: Bench, world: World) -> None:
    names = ("a", "b", "c", "d", "e", "f")
    bench.run(bench.several(*names), lambda provider: provider.search_web(SearchQuery(text=WORD)))
    for name in names:
        double.behave(world, name, status=500)
    world.requests["searxng"].clear()

    failure(bench, bench.several(*names))

    assert len(world.requests["searxng"]) == 4


def test_a_stranger_that_hangs_up_or_limits_the_probe_is_passed_over(
    bench: Bench, world: World
) -> None:
    double.behave(world, "a", limiter=True)
    world.fail("/searxng/a/search", Fault(status=429), times=1)
    options = {
        "CITEWELL_SEARXNG_INSTANCES": f"http://127.0.0.1:9, {bench.url('a')}, {bench.url('b')}"
    }

    assert bench.web(options).instance == bench.url("b")


def test_a_listed_instance_in_private_space_is_not_asked(bench: Bench) -> None:
    bench.settings = {}

    error = failure(bench, bench.several("a"))

    assert isinstance(error, UpstreamUnavailable)
    assert error.extra["attempted_instances"] == [bench.url("a")]
    assert bench.asked("a") == []


def test_a_list_without_a_usable_instance_says_that_nobody_is_there(bench: Bench) -> None:
    error = failure(bench, {"CITEWELL_SEARXNG_DISCOVERY": f"{bench.url()}/space/instances.json"})

    assert error.extra["error_type"] == "no_instances_available"
    assert error.extra["attempted_instances"] == []


def test_a_list_that_cannot_be_fetched_is_reported_as_that(bench: Bench, world: World) -> None:
    world.fail("/searxng/space/instances.json", Fault(status=500), times=5)

    error = failure(bench, {"CITEWELL_SEARXNG_DISCOVERY": f"{bench.url()}/space/instances.json"})

    assert isinstance(error, UpstreamUnavailable)
    assert "error_type" not in error.extra


def test_when_all_are_rate_limited_the_reason_is_that(bench: Bench, world: World) -> None:
    for name in ("a", "b"):
        world.fail(f"/searxng/{name}/search", Fault(status=429), times=1)

    error = failure(bench, bench.several("a", "b"))

    assert error.extra["reason"] == "rate_limited"
    assert error.extra["retry_after"] == 3600
