"""The short way for answers in memory: who may take it, and that nobody can tell."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.core.tooling import Owner
from citewell.server.call_values import ToolOutcome
from citewell.server.http.auth.caller import VerifiedCaller, attach_caller
from citewell.server.http.cached_call_shortcut import PRECEDENT_SECONDS, CachedCallShortcut
from tests.clocks import Clock
from tests.server.cached_calls import CALL

HEADERS = [(b"mcp-session-id", b"s1"), (b"mcp-protocol-version", b"2025-11-25")]


class Memory:
    """An app that has one answer in memory, or none."""

    def __init__(self, *, text: str | None = '{"a":"é"}') -> None:
        self.text = text
        self.asked = 0
        self.owners: list[Any] = []

    async def call_cached_tool(
        self,
        name: Any,
        arguments: Any,
        *,
        owner: Any = None,
        request_id: Any = "",
        origin: Any = None,
    ) -> Any:
        self.asked += 1
        self.owners.append(owner)
        return (
            None
            if self.text is None
            else ToolOutcome(body={}, text=self.text, meta={"cached": True})
        )


class Inner:
    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.bodies.append((await receive())["body"])
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": b"inner"})


def post(
    front: Any,
    *,
    headers: Any = HEADERS,
    body: Any = CALL,
    path: Any = "/mcp",
    method: Any = "POST",
    caller: VerifiedCaller | None = None,
) -> bytes:
    """The body of the answer."""
    sent = []

    async def receive() -> Any:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    if caller is not None:
        attach_caller(scope, caller)
    asyncio.run(front(scope, receive, send))
    return sent[-1]["body"]


def front(inner: Any, *, app: Any = None, clock: Any = None) -> CachedCallShortcut:
    tools = frozenset({"web_search"})
    stores: Any = app or Memory()
    return CachedCallShortcut(
        inner, stores, {"/mcp": tools, "/mcp/all": tools}, clock or Clock(now=100.0)
    )


def test_a_request_like_one_the_sdk_has_served_is_answered_from_memory() -> None:
    inner = Inner()
    shortcut = front(inner)

    first, second = post(shortcut), post(shortcut)

    assert first == b"inner"
    assert json.loads(second)["result"]["structuredContent"] == {"a": "é"}
    assert json.loads(second)["result"]["content"][0]["text"] == '{"a":"é"}'
    assert len(inner.bodies) == 1


def test_what_the_sdk_accepted_of_one_owner_is_no_precedent_for_another() -> None:
    app = Memory()
    shortcut = front(Inner(), app=app)
    anna, otto = (
        VerifiedCaller(owner=Owner(tenant="acme", user=user)) for user in ("anna", "otto")
    )
    post(shortcut, caller=anna)

    others, own = post(shortcut, caller=otto), post(shortcut, caller=anna)

    assert others == b"inner"
    assert own != b"inner"
    assert app.owners == [anna.owner]


def test_a_request_the_sdk_refused_sets_no_precedent() -> None:
    shortcut = front(Inner(status=404))

    assert [post(shortcut), post(shortcut)] == [b"inner", b"inner"]


@pytest.mark.parametrize(
    "changed",
    [
        {"headers": [*HEADERS, (b"origin", b"https://elsewhere.example")]},
        {"headers": [(b"mcp-session-id", b"s2"), HEADERS[1]]},
        {"headers": [*HEADERS, (b"authorization", b"Bearer other")]},
        {"headers": [HEADERS[0], (b"mcp-protocol-version", b"2025-03-26")]},
        {"path": "/mcp/all"},
        {"body": CALL | {"method": "tools/list"}},
        {"body": CALL | {"id": None}},
        {"body": [CALL]},
        {"body": CALL | {"params": {"name": "nope", "arguments": {}}}},
    ],
)
def test_whatever_differs_goes_to_the_sdk_whole(changed: Any) -> None:
    inner = Inner()
    shortcut = front(inner)
    post(shortcut)

    assert post(shortcut, **changed) == b"inner"
    assert json.loads(inner.bodies[-1]) == changed.get("body", CALL)


def test_consent_is_asked_again_after_its_time_and_after_the_session_ended() -> None:
    inner, clock = Inner(), Clock(now=100.0)
    shortcut = front(inner, clock=clock)
    post(shortcut)
    clock.now += PRECEDENT_SECONDS
    late = post(shortcut)
    post(shortcut, method="DELETE")

    assert late == b"inner"
    assert post(shortcut) == b"inner"


def test_a_call_that_needs_work_reaches_the_sdk_with_its_body() -> None:
    inner = Inner()
    shortcut = front(inner, app=Memory(text=None))
    post(shortcut)

    assert post(shortcut) == b"inner"
    assert json.loads(inner.bodies[-1]) == CALL
