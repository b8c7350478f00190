from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from citewell.core.tooling import Owner
from citewell.net.http.rate_limit_headers import StatedLimits, read_retry_delay, read_stated_limits
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller, attach_caller
from citewell.server.http.limits import CallLimitLayer
from tests.requirements import requires
from tests.server.limited_calls import ALICE, BOB, CAROL, OFF, build_limits


def now() -> float:
    return 1_700_000_000.0


BRAVE = {
    "x-ratelimit-limit": "1, 15000",
    "x-ratelimit-policy": "1;w=1, 15000;w=2592000",
    "x-ratelimit-remaining": "0, 14523",
    "x-ratelimit-reset": "1, 1234567",
}


@pytest.mark.parametrize(
    ("headers", "limits"),
    [
        ({}, StatedLimits()),
        (BRAVE, StatedLimits(per_second=1.0, burst=1, pause_seconds=1.0)),
        (
            BRAVE | {"x-ratelimit-remaining": "1, 0"},
            StatedLimits(per_second=1.0, burst=1, pause_seconds=1234567.0),
        ),
        (
            {"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"},
            StatedLimits(per_second=50.0, burst=50),
        ),
        (
            {"x-rate-limit-limit": "10", "x-rate-limit-interval": "1m"},
            StatedLimits(per_second=10 / 60, burst=10),
        ),
        (
            {
                "ratelimit-policy": '"burst";q=100;w=60,"day";q=1000;w=86400',
                "ratelimit": '"burst";r=50;t=30',
            },
            StatedLimits(per_second=100 / 60, burst=100),
        ),
        ({"ratelimit": '"default";r=0;t=7'}, StatedLimits(pause_seconds=7.0)),
        (
            {"ratelimit-limit": "10, 10;w=1", "ratelimit-remaining": "0", "ratelimit-reset": "3"},
            StatedLimits(per_second=10.0, burst=10, pause_seconds=3.0),
        ),
        (
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000042"},
            StatedLimits(pause_seconds=42.0),
        ),
        ({"retry-after": "120"}, StatedLimits(pause_seconds=120.0)),
        ({"retry-after": "Tue, 14 Nov 2023 22:14:20 GMT"}, StatedLimits(pause_seconds=60.0)),
        ({"retry-after": "Tue, 14 Nov 2020 22:14:20 GMT"}, StatedLimits(pause_seconds=0.0)),
        ({"x-ratelimit-limit": "60", "x-ratelimit-remaining": "59"}, StatedLimits()),
    ],
)
def test_limits_are_read_from_the_headers_upstreams_send(headers: Any, limits: Any) -> None:
    assert read_stated_limits(headers, now=now) == limits


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "soon"},
        {"retry-after": "-5"},
        {"retry-after": "Tue, 99 Nov 2023 22:14:20 GMT"},
        {"x-ratelimit-policy": "0;w=1, 1;w=0, x;w=y, 5;w=", "x-ratelimit-remaining": "none"},
        {"x-rate-limit-limit": "lots", "x-rate-limit-interval": "1 fortnight"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "2023-11-14T22:14:20Z"},
        {"ratelimit": "r=0", "ratelimit-policy": "🙂"},
    ],
)
def test_nonsense_in_the_headers_is_skipped(headers: Any) -> None:
    assert read_stated_limits(headers, now=now) == StatedLimits()


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({}, None),
        ({"retry-after": "7", "x-ratelimit-reset": "99"}, 7.0),
        (BRAVE, 1.0),
        ({"x-ratelimit-reset": "9, 1000"}, 9.0),
        ({"retry-after": "99999999999"}, 31 * 86400.0),
    ],
)
def test_the_delay_of_a_refusal_is_what_the_upstream_states(
    headers: Any, delay: float | None
) -> None:
    assert read_retry_delay(headers, now=now) == delay


# The layers for limits around a plain application: several users, tenants and addresses.


TOOLS = frozenset({"web_search"})
Answer = tuple[int, dict[str, str], Any]


async def answer_empty(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


async def fail_always(scope: Scope, receive: Receive, send: Send) -> None:
    raise ConnectionError


async def post_call(
    app: Any,
    owner: Owner = ALICE,
    *,
    peer: str = "192.0.2.1",
    path: str = "/mcp",
    tool: str = "web_search",
    number: Any = 5,
) -> Answer:
    params = {"name": tool, "arguments": {}}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    waiting = [{"type": "http.request", "body": json.dumps(message).encode()}]
    sent: list[Message] = []
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [],
        "client": (peer, 1),
    }
    attach_caller(scope, VerifiedCaller(owner=owner, proof=CallerProof.PROXY))

    async def receive() -> Message:
        return waiting.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, json.loads(sent[1]["body"])


def wrap_callers(inner: Any = answer_empty, **limits: Any) -> CallLimitLayer:
    return CallLimitLayer(inner, build_limits(**OFF | limits), TOOLS, max_bytes=10_000)


@requires("limits.tenant", "limits.refusal")
def test_one_user_over_the_limit_leaves_the_others_alone() -> None:
    app = wrap_callers(rate_limit_per_user=1)

    async def scenario() -> list[Answer]:
        return [await post_call(app, owner) for owner in (ALICE, ALICE, BOB, CAROL)]

    answers = asyncio.run(scenario())

    assert [status for status, _, _ in answers] == [200, 429, 200, 200]
    _, headers, body = answers[1]
    assert headers["retry-after"] == "60"
    assert headers["ratelimit"] == '"user";r=0;t=60'
    assert body["error"]["data"]["limit"] == "user"


@requires("limits.resource")
def test_nothing_is_told_of_what_others_use() -> None:
    app = wrap_callers(rate_limit_global=2, rate_limit_per_user=10, max_calls_per_day=1000)

    async def scenario() -> list[Answer]:
        return [await post_call(app, owner) for owner in (ALICE, BOB, CAROL)]

    answers = asyncio.run(scenario())

    assert [status for status, _, _ in answers] == [200, 200, 429]
    assert all("server" not in headers["ratelimit"] for _, headers, _ in answers)
    assert answers[2][1]["ratelimit"] == '"user";r=10;t=0'


@pytest.mark.parametrize("number", [0, "a", "", -1])
def test_the_id_of_a_refused_request_comes_back(number: Any) -> None:
    app = wrap_callers(rate_limit_per_user=1)

    async def scenario() -> list[Answer]:
        return [await post_call(app, number=number) for _ in range(2)]

    assert asyncio.run(scenario())[1][2]["id"] == number


@pytest.mark.parametrize(
    "how", [{"tool": "no_such_tool"}, {"path": "/admin/consent"}, {"path": "/mcpx"}]
)
def test_what_runs_no_tool_is_free(how: dict[str, Any]) -> None:
    app = wrap_callers(rate_limit_per_user=1)

    async def scenario() -> list[Answer]:
        return [await post_call(app, **how) for _ in range(5)]

    assert {(status, tuple(headers)) for status, headers, _ in asyncio.run(scenario())} == {
        (200, ())
    }


def test_a_call_that_breaks_off_gives_its_slot_back() -> None:
    app = wrap_callers(fail_always, max_concurrent_per_user=1)

    async def scenario() -> None:
        for _ in range(3):
            with pytest.raises(ConnectionError):
                await post_call(app)

    asyncio.run(scenario())


def test_calls_at_the_same_time_over_the_cap_are_refused() -> None:
    release = asyncio.Event()
    running = asyncio.Event()

    async def answer_late(scope: Scope, receive: Receive, send: Send) -> None:
        running.set()
        await release.wait()
        await answer_empty(scope, receive, send)

    app = wrap_callers(answer_late, max_concurrent_per_user=1)

    async def scenario() -> list[int]:
        first = asyncio.create_task(post_call(app))
        await running.wait()
        refused = await post_call(app)
        other = asyncio.create_task(post_call(app, BOB))
        release.set()
        done = [await first, refused, await other, await post_call(app)]
        return [status for status, _, _ in done]

    assert asyncio.run(scenario()) == [200, 429, 200, 200]


@requires("limits.tenant")
def test_an_address_is_limited_whoever_calls_from_it() -> None:
    limits = build_limits(**OFF | {"rate_limit_per_ip": 1})
    app = CallLimitLayer(answer_empty, limits, TOOLS, max_bytes=10_000, by_address=True)
    calls = [(ALICE, "2001:db8::1"), (BOB, "2001:db8::2"), (ALICE, "2001:db8:0:1::1")]

    async def scenario() -> list[Answer]:
        return [await post_call(app, owner, peer=peer) for owner, peer in calls]

    answers = asyncio.run(scenario())

    assert [status for status, _, _ in answers] == [200, 429, 200]
    assert answers[1][2]["error"]["data"]["limit"] == "address"
    assert answers[0][1]["ratelimit-policy"] == '"address";q=1;w=60'
