"""The layers for limits around a plain application: several users, tenants and addresses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from citewell.server.http.auth.caller import CallerProof, VerifiedCaller, attach_caller
from citewell.server.http.limits.address_limits import AddressLimits
from citewell.server.http.limits.caller_limits import CallerLimits
from citewell.tooling import Owner
from tests.requirements import requires
from tests.unit.services.limits.test_call_limits import ALICE, BOB, CAROL, OFF, build_limits

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


def wrap_callers(inner: Any = answer_empty, **limits: Any) -> CallerLimits:
    return CallerLimits(inner, build_limits(**OFF | limits), TOOLS, max_bytes=10_000)


@requires("limits.tenant", "limits.refusal")
def test_one_user_over_the_limit_leaves_the_others_alone() -> None:
    app = wrap_callers(rate_limit_per_user=1)

    async def scenario() -> list[Answer]:
        return [await post_call(app, owner) for owner in (ALICE, ALICE, BOB, CAROL)]

    answers = asyncio.run(scenario())

    assert [status for status, _, _ in answers] == [200, 429, 200, 200]
    _, headers, told = answers[1]
    assert headers["retry-after"] == "60"
    assert headers["ratelimit"] == '"user";r=0;t=60'
    assert told["error"]["data"]["limit"] == "user"


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
    app = AddressLimits(answer_empty, limits, TOOLS, max_bytes=10_000)
    calls = [(ALICE, "2001:db8::1"), (BOB, "2001:db8::2"), (ALICE, "2001:db8:0:1::1")]

    async def scenario() -> list[Answer]:
        return [await post_call(app, owner, peer=peer) for owner, peer in calls]

    answers = asyncio.run(scenario())

    assert [status for status, _, _ in answers] == [200, 429, 200]
    assert answers[1][2]["error"]["data"]["limit"] == "address"
    assert answers[0][1]["ratelimit-policy"] == '"address";q=1;w=60'
