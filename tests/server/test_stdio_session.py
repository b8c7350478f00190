from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
import pytest
from pydantic import BaseModel

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.server.app import App
from citewell.server.call_values import ToolInvocation, ToolOutcome
from citewell.server.stdio.instant_start import InstantStart
from citewell.server.stdio.stdio_session import LineExchange, MisconfiguredApp
from citewell.server.stdio.stdio_wire import StdioWire

PROBLEM = Misconfigured("CITEWELL_X is wrong.", action="inform_user")


def called(app: App) -> ToolOutcome:
    async def scenario() -> ToolOutcome:
        outcome = await app.call_tool("web_search", {"query": ""})
        await app.aclose()
        return outcome

    return asyncio.run(scenario())


def test_every_call_is_answered_with_what_is_wrong() -> None:
    outcome = called(MisconfiguredApp(PROBLEM))

    assert outcome.is_error
    assert (outcome.text or "").startswith("CITEWELL_X is wrong.\n\n")
    assert '"kind":"config"' in (outcome.text or "")


def test_the_default_tools_are_offered_unless_others_were() -> None:
    assert "web_search" in MisconfiguredApp(PROBLEM).tools
    assert [*MisconfiguredApp(PROBLEM, [{"name": "search"}]).tools] == ["search"]


# A session whose calls the test answers.


class Wire(StdioWire):
    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []

    def write_frame(self, frame: bytes) -> None:
        self.frames += map(json.loads, frame.splitlines())


class Session:
    """An open session over an app whose calls wait until the test lets them go on."""

    def __init__(self) -> None:
        self.wire, self.app = Wire(), App(Settings(cache_enabled=False, audit_enabled=False))
        self.may_answer, self.started = asyncio.Event(), asyncio.Event()
        self.answer: Callable[[], ToolOutcome] = lambda: ToolOutcome(body={"found": 1})
        self.app.wrap_calls(self._wait_for_the_test)
        front = InstantStart(
            {
                "initialize": {"2025-06-18": {"protocolVersion": "2025-06-18"}},
                "latest": "2025-06-18",
            },
            [],
            lambda _: None,
        )
        opened = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
        front.answer_line(line(id=0, method="initialize", params=opened))
        front.answer_line(line(method="notifications/initialized"))
        self.exchange = LineExchange(self.app, self.wire, front)
        self.running = asyncio.create_task(self.exchange.run())

    async def _wait_for_the_test(self, invocation: ToolInvocation, _: Any) -> ToolOutcome:
        self.started.set()
        await invocation.call.send_progress(1, 2, "reading")
        await self.may_answer.wait()
        return self.answer()

    async def call(self, number: int | str, **meta: Any) -> None:
        params = {"name": "web_search", "arguments": {"query": "x"}} | (
            {"_meta": meta} if meta else {}
        )
        self.started.clear()
        self.exchange.receive_lines([line(id=number, method="tools/call", params=params)])
        await self.started.wait()

    def tell(self, **members: Any) -> None:
        self.exchange.receive_lines([line(**members)])

    async def end(self) -> list[dict[str, Any]]:
        """What was written, after the client has disconnected."""
        self.exchange.receive_lines([None])
        await self.running
        await self.app.aclose()
        return self.wire.frames


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def test_a_plain_call_is_answered_with_its_progress() -> None:
    async def scenario() -> list[dict[str, Any]]:
        session = Session()
        await session.call(1, progressToken="t")
        session.may_answer.set()
        await session.call(2)
        return await session.end()

    told, first, second = asyncio.run(scenario())

    assert told["params"] == {
        "progressToken": "t", "progress": 1, "total": 2, "message": "reading",
    }  # fmt: skip
    assert (first["id"], second["id"]) == (1, 2)
    assert first["result"]["structuredContent"] == {"found": 1}


@pytest.mark.parametrize(("number", "named"), [(7, 7), (7, "7"), ("7", 7), ("a", "a")])
def test_a_cancelled_call_is_not_answered(number: int | str, named: int | str) -> None:
    async def scenario() -> list[dict[str, Any]]:
        session = Session()
        await session.call(number)
        session.tell(method="notifications/cancelled", params={"requestId": named})
        await session.call(8)
        session.may_answer.set()
        await session.call(9)
        return await session.end()

    assert [frame["id"] for frame in asyncio.run(scenario())] == [8, 9]


def test_a_call_that_still_runs_when_the_client_leaves_is_ended() -> None:
    async def scenario() -> list[dict[str, Any]]:
        session = Session()
        await session.call(1)
        return await session.end()

    (frame,) = asyncio.run(scenario())

    assert frame["error"]["code"] == -32000


def test_a_fault_of_ours_is_an_error_of_the_request() -> None:
    def fail() -> ToolOutcome:
        raise RuntimeError("a secret")

    async def scenario() -> list[dict[str, Any]]:
        session = Session()
        session.answer = fail
        session.may_answer.set()
        await session.call(1)
        return await session.end()

    (frame,) = asyncio.run(scenario())

    assert frame["error"]["code"] == -32603
    assert "secret" not in frame["error"]["message"]


@pytest.mark.parametrize(
    "odd",
    [b"not json", b'{"id":5,"jsonrpc":"2.0","method":"tools/call","params":NaN}', b'{"id":5,"a":"\\ud800"}', b"[" * 100_000],
)  # fmt: skip
def test_a_line_that_is_no_message_is_answered_with_an_error(odd: bytes) -> None:
    async def scenario() -> list[dict[str, Any]]:
        session = Session()
        session.exchange.receive_lines([odd])
        session.may_answer.set()
        await session.call(6)
        return await session.end()

    error, answer = asyncio.run(scenario())

    assert error["error"]["code"] in {-32700, -32600}
    assert answer["id"] == 6


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("tools/list", types.ListToolsResult),
        ("prompts/list", types.ListPromptsResult),
        ("resources/list", types.ListResourcesResult),
        ("resources/templates/list", types.ListResourceTemplatesResult),
        ("ping", types.EmptyResult),
    ],
)
def test_lists_are_answered_in_the_form_of_the_sdk(method: str, kind: type[BaseModel]) -> None:
    async def scenario() -> tuple[list[dict[str, Any]], bool]:
        session = Session()
        session.tell(id=3, method=method)
        session.tell(id=4, method=method, params={"_meta": {"progressToken": 1}})
        started = session.exchange._sdk_run is not None
        return await session.end(), started

    (first, second), has_started_sdk = asyncio.run(scenario())

    assert not has_started_sdk
    assert first["result"] == second["result"]
    typed = kind.model_validate(first["result"])
    assert typed.model_dump(mode="json", by_alias=True, exclude_unset=True) == first["result"]


def test_the_sdk_answers_what_is_no_plain_call() -> None:
    async def scenario() -> list[dict[str, Any]]:
        session = Session()
        session.tell(id=1, method="completion/complete")
        session.tell(id=2, method="tools/call", params={"name": "nothing", "arguments": {}})
        while len(session.wire.frames) < 2:  # noqa: ASYNC110 - frames are written by a thread
            await asyncio.sleep(0.01)
        return await session.end()

    frames = {frame["id"]: frame for frame in asyncio.run(scenario())}

    assert frames[1]["error"]["code"] == -32602
    assert frames[2]["error"]["message"] == "Unknown tool: nothing"


def test_the_sdk_sees_each_line_once() -> None:
    async def scenario() -> list[bytes]:
        session = Session()
        session.tell(id=1, method="prompts/get", params={"name": "none"})
        session.tell(method="notifications/initialized")
        waiting = [*session.exchange._for_sdk]
        await session.end()
        return waiting

    waiting = asyncio.run(scenario())

    assert [json.loads(each)["method"] for each in waiting] == [
        "initialize", "notifications/initialized", "prompts/get", "notifications/initialized",
    ]  # fmt: skip
