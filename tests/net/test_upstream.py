from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import BaseModel

from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    NetworkFailed,
    NotFound,
    OutOfCredit,
    RateLimited,
    RefusedByPolicy,
    RejectedRequest,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.net.http.file_downloads import GatewayOverloaded
from citewell.net.http.messages import HttpRequest, HttpResponse, RedirectPolicy
from citewell.net.network import Network
from citewell.net.upstream.origin_limits import (
    CircuitBreaker,
    OriginLimits,
    OriginLimitsTable,
    RequestPace,
)
from citewell.net.upstream.upstream_client import RetryPolicy, Upstream, parse_json_response
from citewell.net.url_grammar import parse_url
from tests.clocks import Clock
from tests.net.loopback import LOOPBACK, Exchange, Server, serve, settings

KEY = "k3y-of-the-account"


def replies(*statuses: Any, headers: Any = None, body: Any = b"{}") -> Any:
    """A handler that answers with one status after another, the last one for ever."""
    left = list(statuses)

    async def handle(exchange: Exchange) -> None:
        await exchange.reply(left.pop(0) if len(left) > 1 else left[0], body, headers)

    return handle


def use(
    handler: Any, act: Callable[[Upstream, Server, Clock], Awaitable[Any]], **options: Any
) -> Any:
    """Run `act(upstream, server, clock)` against a loopback server with this handler."""

    async def run() -> Any:
        clock = Clock(now=1000.0)
        async with serve(handler) as server:
            network = Network(settings(), resolver=LOOPBACK, clock=clock, sleep=clock.sleep)
            defaults = {"base_url": server.url("/api"), "secret_headers": {"X-Key": KEY}}
            upstream = network.open_upstream("brave", **{**defaults, **options})
            try:
                return await act(upstream, server, clock)
            finally:
                await network.aclose()

    return asyncio.run(run())


def failure(handler: Any, **call: Any) -> tuple[CitewellError, Server, Clock]:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        with pytest.raises(CitewellError) as caught:
            await upstream.send_get("/find", **call)
        return caught.value, server, clock

    error, server, clock = use(handler, act)
    return error, server, clock


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, RejectedRequest), (401, AuthRequired), (402, OutOfCredit), (403, AuthRequired), (404, NotFound),
     (410, NotFound), (418, RejectedRequest), (422, RejectedRequest), (429, RateLimited),
     (500, UpstreamUnavailable), (501, UpstreamUnavailable), (502, UpstreamUnavailable), (503, UpstreamUnavailable), (504, UpstreamUnavailable),
     (304, UpstreamUnavailable), (301, UpstreamUnavailable), (599, UpstreamUnavailable)],
)  # fmt: skip
def test_a_status_becomes_the_error_it_means(status: int, kind: Any) -> None:
    error, _, _ = failure(replies(status, body=b"the body holds " + KEY.encode()))

    assert isinstance(error, kind)
    assert error.provider == "brave"
    assert KEY not in repr(error) + str(error.build_error_block())


def test_an_accepted_status_is_handed_back() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        return await upstream.send_get(accept={404}), upstream.collect_health()["brave"].failures

    response, failures = use(replies(404), act)

    assert (response.status, response.provider, failures) == (404, "brave", 0)


@pytest.mark.parametrize(
    ("headers", "delay"),
    [({"Retry-After": "7"}, 7.0), ({}, 4.0), ({"X-RateLimit-Remaining": "0, 9", "X-RateLimit-Reset": "3, 99"}, 3.0)],
)  # fmt: skip
def test_a_429_is_reported_with_its_delay_and_not_repeated(headers: Any, delay: float) -> None:
    error, server, _ = failure(replies(429, headers=headers))

    assert error.retry_after == delay
    assert len(server.seen) == 1


def test_after_a_429_the_upstream_is_left_alone_for_its_delay() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        for _ in range(3):
            with pytest.raises(RateLimited):
                await upstream.send_get()
        clock.now += 7.0
        await upstream.send_get()
        return server

    assert len(use(replies(429, 200, headers={"Retry-After": "7"}), act).seen) == 2


def test_a_gateway_failure_is_asked_again_and_a_plain_500_is_not() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        return await upstream.send_get(), server, clock

    response, server, clock = use(replies(503, 502, 200), act)
    assert (response.status, len(server.seen)) == (200, 3)
    assert len(clock.slept) == 2

    _, server, _ = failure(replies(500))
    assert len(server.seen) == 1


def test_a_short_retry_after_is_kept_and_a_long_one_ends_the_attempts() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        await upstream.send_get()
        return clock

    assert use(replies(503, 200, headers={"Retry-After": "2"}), act).slept[0] == 2.0
    _, server, _ = failure(replies(503, headers={"Retry-After": "30"}))
    assert len(server.seen) == 1


def test_no_answer_is_asked_again_within_the_one_deadline() -> None:
    async def hang_up(exchange: Exchange) -> None:
        exchange.writer.close()

    error, server, _ = failure(hang_up)
    assert isinstance(error, NetworkFailed)
    assert len(server.seen) == 3

    error, server, _ = failure(hang_up, timeout=0.2)
    assert isinstance(error, NetworkFailed)
    assert len(server.seen) <= 1  # a busy machine may not even get the first one across in time


def test_what_is_not_idempotent_is_sent_once() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        with pytest.raises(UpstreamUnavailable):
            await upstream.send_post("/pay", json={"q": 1}, idempotent=False)
        with pytest.raises(UpstreamUnavailable):
            await upstream.send_post("/ask", form={"q": "1"})
        return [exchange.path for exchange in server.seen]

    assert use(replies(503), act) == ["/api/pay", *["/api/ask"] * 3]


def test_five_failures_close_the_door_and_health_says_so() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        for _ in range(9):
            with pytest.raises(UpstreamUnavailable):
                await upstream.send_get()
        return server, upstream.collect_health()["brave"].state

    server, state = use(replies(500), act)

    assert len(server.seen) == 5
    assert state == "open"


def test_our_own_mistakes_do_not_close_the_door() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        for _ in range(9):
            with pytest.raises(RejectedRequest):
                await upstream.send_get()
        return upstream.collect_health()["brave"].state

    assert use(replies(400), act) == "closed"


def test_parallel_calls_are_paced() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        await asyncio.gather(*(upstream.send_get() for _ in range(4)))
        return clock

    assert use(replies(200), act, per_second=2.0).now == pytest.approx(1001.5)


def test_the_pace_of_the_headers_is_learnt() -> None:
    headers = {
        "X-RateLimit-Policy": "1;w=1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "1",
    }

    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        for _ in range(3):
            await upstream.send_get()
        return clock

    assert use(replies(200, headers=headers), act).now == pytest.approx(1002.0)


def test_addresses_headers_and_keys_are_put_together() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        await upstream.send_get("find", params={"q": "a"}, headers={"Accept": "application/json"})
        await upstream.send_get()
        return server.seen

    found, bare = use(replies(200), act, headers={"X-Version": "2"})

    assert (found.path, bare.path) == ("/api/find?q=a", "/api")
    assert found.header("x-version") == "2"
    assert found.header("accept") == "application/json"
    assert found.header("x-key") == KEY


def test_another_base_url_gets_no_key_and_a_breaker_of_its_own() -> None:
    async def handle(exchange: Exchange) -> None:
        ours = (exchange.header("host") or "").startswith("site.")
        await exchange.reply(200 if ours else 500, b"{}")

    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        other = server.url("/", host="other.example.org")
        for _ in range(6):
            with pytest.raises(UpstreamUnavailable):
                await upstream.send_get(base_url=other)
        await upstream.send_get()
        return server.seen, upstream.collect_health()

    seen, health = use(handle, act)

    assert [exchange.header("x-key") for exchange in seen] == [None] * 5 + [KEY]
    assert [snapshot.state for snapshot in health.values()] == ["closed", "open"]


def test_a_key_given_with_the_call_goes_where_the_call_goes() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        await upstream.send_get(
            base_url=server.url(host="other.example.org"),
            secret_headers={"Authorization": "Basic x"},
        )
        return server.seen[0].header("authorization")

    assert use(replies(200), act) == "Basic x"


def test_an_off_origin_redirect_is_the_upstreams_failure() -> None:
    error, server, _ = failure(replies(302, headers={"Location": "http://other.example.org/"}))

    assert isinstance(error, UpstreamUnavailable)
    assert len(server.seen) == 1


def test_a_redirect_left_over_is_the_upstreams_failure() -> None:
    error, _, _ = failure(replies(302, headers={"Location": "/b"}), redirects=RedirectPolicy.NONE)

    assert isinstance(error, UpstreamUnavailable)


def test_policy_and_size_errors_name_the_upstream_and_are_not_repeated() -> None:
    async def act(upstream: Upstream, server: Server, clock: Clock) -> Any:
        with pytest.raises(TooLarge) as large:
            await upstream.send_get(max_bytes=10)
        with pytest.raises(RefusedByPolicy) as refused:
            await upstream.send_request(HttpRequest(url="http://10.0.0.1/"))
        return large.value.provider, refused.value.provider, len(server.seen)

    assert use(replies(200, body=bytes(100)), act) == ("brave", "brave", 1)


def test_keys_stay_out_of_the_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    failure(replies(503))
    failure(replies(200), max_bytes=1)

    assert KEY not in caplog.text
    assert KEY not in repr(
        HttpRequest(url="http://a.org/", secret_headers={"x": KEY}, params={"key": KEY})
    )


class _Item(BaseModel):
    name: str


class _Answer(BaseModel):
    items: list[_Item]
    extra: dict[str, int] = {}


def answer(body: Any, content_type: Any = "application/json") -> HttpResponse:
    headers = {"content-type": content_type}
    return HttpResponse(
        status=200, url="http://a.org/", headers=headers, body=body, provider="brave"
    )


def test_a_good_answer_is_parsed() -> None:
    assert (
        parse_json_response(_Answer, answer(b'{"items": [{"name": "a"}], "more": 1}')).items[0].name
        == "a"
    )


@pytest.mark.parametrize(
    "body",
    [b"<!doctype html><p>secret text", b"", b'"secret text"', b'{"items": [{"name": {"secret text": 1}}]}',
     b'{"items": [], "extra": {"secret text": "x"}}', b"[" * 100_000, b"\xff\xfe", b'{"items": null}',
     b'{"items": [' + b"9" * 5000 + b"]}"],
)  # fmt: skip
def test_a_bad_answer_is_a_bad_shape_without_its_text(body: bytes) -> None:
    with pytest.raises(MalformedResponse) as caught:
        parse_json_response(_Answer, answer(body))

    assert "secret text" not in str(caught.value)
    assert caught.value.provider == "brave"
    assert caught.value.__suppress_context__


def test_a_bad_answer_names_the_field_that_is_wrong() -> None:
    with pytest.raises(MalformedResponse, match=r"items\.0\.name is missing"):
        parse_json_response(_Answer, answer(b'{"items": [{}]}'))


def test_html_for_json_says_so() -> None:
    with pytest.raises(MalformedResponse, match="text/html"):
        parse_json_response(_Answer, answer(b"<html>", "text/html; charset=utf-8"))


@pytest.mark.parametrize(
    ("error", "attempt", "delay"),
    [
        (NetworkFailed("x"), 1, 0.4),
        (NetworkFailed("x"), 2, 0.8),
        (NetworkFailed("x"), 3, None),
        (GatewayOverloaded("x", retry_after=3.0), 1, 3.0),
        (GatewayOverloaded("x", retry_after=0.1), 1, 0.4),
        (GatewayOverloaded("x", retry_after=60.0), 1, None),
        (GatewayOverloaded("x"), 1, 0.4),
        (UpstreamUnavailable("x"), 1, None),
        (MalformedResponse("x"), 1, None),
        (RateLimited("x", retry_after=1.0), 1, None),
        (RefusedByPolicy("x"), 1, None),
        (NotFound("x"), 1, None),
    ],
)
def test_only_what_may_work_the_next_time_is_retried(
    error: Any, attempt: int, delay: float | None
) -> None:
    assert RetryPolicy(random_fraction=lambda: 1.0).choose_delay(error, attempt=attempt) == delay


def test_only_so_many_origins_are_remembered() -> None:
    made = []

    def make(name: Any) -> Any:
        made.append(OriginLimits(pace=RequestPace(), breaker=CircuitBreaker(name)))
        return made[-1]

    lanes = OriginLimitsTable("pages", base_url="https://home.example.org", build_limits=make)
    for number in [*range(300), 0, 299]:
        lanes.choose_limits(parse_url(f"https://a{number}.example.org/"))

    assert lanes.choose_limits(parse_url("https://home.example.org/x")) is made[0]
    assert len(made) == 1 + 300 + 1
    assert list(lanes.collect_health()) == ["pages"]
