"""MCP's tasks extension over research jobs: for clients that declare it, and for nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import httpx2
import pytest

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.protocol.tasks_extension import ServerTasks
from tests.conditions import until
from tests.e2e.clients import connected, listening
from tests.e2e.deep import PATIENCE, QUESTION, deep
from tests.e2e.test_stdio import CLIENT, META, start
from tests.internet.faults import ALWAYS, Fault
from tests.internet.researchers import bench
from tests.internet.world import World
from tests.requirements import requires

EXTENSION = "io.modelcontextprotocol/tasks"
KNOWS_TASKS: dict[str, Any] = {"extensions": {EXTENSION: {}}}
TASK = {"taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"}
CALL: dict[str, Any] = {"name": "research", "arguments": {"query": QUESTION, "budgetTier": "XXS"}}


def envelope(capabilities: dict[str, Any]) -> dict[str, Any]:
    return {
        META + "protocolVersion": "2026-07-28",
        META + "clientInfo": CLIENT,
        META + "clientCapabilities": capabilities,
    }


class Http:
    """Bare requests of the 2026 era over HTTP."""

    def __init__(self, base: str) -> None:
        self._base = base

    async def ask(self, method: str, params: Any, capabilities: Any, **headers: str) -> Any:
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": params | {"_meta": envelope(capabilities)},
        }
        name = params.get("name") or params.get("taskId")
        sent = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
        } | ({"Mcp-Name": name} if name else {})
        async with httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.post(f"{self._base}/mcp", json=body, headers=sent | headers)
        text = answer.text
        if "text/event-stream" in answer.headers["content-type"]:
            text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
        return json.loads(text)


class Stdio:
    """The same over the pipes of a process."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self._id = 0

    async def ask(self, method: str, params: Any, capabilities: Any) -> Any:
        self._id += 1
        body = {
            "jsonrpc": "2.0",
            "id": self._id,
            "method": method,
            "params": params | {"_meta": envelope(capabilities)},
        }
        self._process.stdin.write(json.dumps(body).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(await asyncio.to_thread(self._process.stdout.readline))


@contextlib.asynccontextmanager
async def spoken(transport: str, environ: dict[str, str]) -> Any:
    if transport == "http":
        async with listening(environ) as base:
            yield Http(base)
        return
    process = start(environ)
    try:
        yield Stdio(process)
    finally:
        await asyncio.to_thread(process.communicate)


async def finished(client: Http | Stdio, task: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        while True:
            told = await client.ask("tasks/get", {"taskId": task}, KNOWS_TASKS)
            if told["result"]["status"] != "working":
                return told["result"]


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_client_that_knows_tasks_gets_a_handle_and_then_the_report(
    transport: str, environ: dict[str, str]
) -> None:
    async def main() -> tuple[Any, ...]:
        async with spoken(transport, deep(environ)) as client:
            discovered = await client.ask("server/discover", {}, KNOWS_TASKS)
            begun = (await client.ask("tools/call", CALL, KNOWS_TASKS))["result"]
            task = await finished(client, begun["taskId"])
            again = await client.ask("tasks/cancel", {"taskId": begun["taskId"]}, KNOWS_TASKS)
            follow = {"name": "follow_up", "arguments": {"jobId": begun["taskId"]}}
            child = (await client.ask("tools/call", follow, KNOWS_TASKS))["result"]
            return discovered, begun, task, again, child

    discovered, begun, task, again, child = asyncio.run(main())

    assert discovered["result"]["capabilities"]["extensions"] == {EXTENSION: {}}
    assert begun["resultType"] == "task"
    assert set(begun) >= TASK
    assert "result" not in begun
    assert (task["resultType"], task["status"], task["ttlMs"]) == ("complete", "completed", None)
    report = task["result"]["structuredContent"]
    assert task["result"]["isError"] is False
    assert report["jobId"] == begun["taskId"]
    assert "Answer" in report["synthesis"]
    assert {name: value for name, value in again["result"].items() if name != "_meta"} == {
        "resultType": "complete"
    }
    assert child["resultType"] == "task"


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_task_is_cancelled_at_its_provider(
    transport: str, environ: dict[str, str], world: World
) -> None:
    bench(world).polls = 1_000_000
    env = deep(environ, OPENAI_API_KEY="sk-test")
    call = {"name": "research", "arguments": {"query": QUESTION, "providers": ["openai"]}}

    async def main() -> tuple[Any, ...]:
        async with spoken(transport, env) as client:
            begun = (await client.ask("tools/call", call, KNOWS_TASKS))["result"]
            await until(lambda: bool(bench(world).runs))
            task = {"taskId": begun["taskId"]}
            update = await client.ask("tasks/update", task | {"inputResponses": {}}, KNOWS_TASKS)
            ack = await client.ask("tasks/cancel", task, KNOWS_TASKS)
            return begun, update, ack, await finished(client, begun["taskId"])

    begun, update, ack, task = asyncio.run(main())

    assert begun["status"] == "working"
    assert update["result"]["resultType"] == ack["result"]["resultType"] == "complete"
    assert task["status"] == "cancelled"
    assert "result" not in task
    assert all(run.cancelled for run in bench(world).runs.values())


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_an_unknown_task_and_an_undeclared_client_are_told_apart(
    method: str, environ: dict[str, str]
) -> None:
    params = {"taskId": "nobody", "inputResponses": {}}

    async def main() -> tuple[Any, ...]:
        async with spoken("http", deep(environ)) as client:
            return (
                await client.ask(method, params, KNOWS_TASKS),
                await client.ask(method, params, {}),
                await client.ask(method, params, KNOWS_TASKS, **{"Mcp-Name": "another"}),
            )

    unknown, undeclared, misrouted = asyncio.run(main())

    assert unknown["error"]["code"] == -32602
    assert undeclared["error"]["code"] == -32021
    assert undeclared["error"]["data"]["requiredCapabilities"] == KNOWS_TASKS
    assert misrouted["error"]["code"] == -32020


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_everybody_else_gets_the_plain_answer(transport: str, environ: dict[str, str]) -> None:
    quick = {"name": "list_providers", "arguments": {}}
    wrong = {"name": "research", "arguments": {"query": ""}}

    async def main() -> tuple[Any, ...]:
        async with spoken(transport, deep(environ)) as client:
            return (
                await client.ask("tools/call", CALL, {}),
                await client.ask("tools/call", quick, KNOWS_TASKS),
                await client.ask("tools/call", wrong, KNOWS_TASKS),
                await client.ask("tasks/list", {}, KNOWS_TASKS),
            )

    plain, other, refused, listed = asyncio.run(main())

    assert plain["result"]["resultType"] == "complete"
    assert plain["result"]["structuredContent"]["status"] == "dispatched"
    assert other["result"]["resultType"] == "complete"
    assert (refused["result"]["resultType"], refused["result"]["isError"]) == ("complete", True)
    assert listed["error"]["code"] == -32601


def test_a_job_that_failed_is_a_completed_task_with_a_tools_error(
    environ: dict[str, str], world: World
) -> None:
    world.fail("grok", Fault(status=401), times=ALWAYS)
    call = {"name": "research", "arguments": {"query": QUESTION, "providers": ["grok"]}}

    async def main() -> dict[str, Any]:
        async with spoken("http", deep(environ, XAI_API_KEY="xai-test")) as client:
            begun = (await client.ask("tools/call", call, KNOWS_TASKS))["result"]
            return await finished(client, begun["taskId"])

    task = asyncio.run(main())

    told = json.loads(task["result"]["content"][0]["text"])
    assert (task["status"], task["result"]["isError"]) == ("completed", True)
    assert (told["error"], told["status"]) == ("JOB_NOT_COMPLETE", "failed")


def test_a_client_of_the_handshake_era_knows_no_tasks(environ: dict[str, str]) -> None:
    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ), mode="legacy") as client:
            result = await client.call_tool("research", CALL["arguments"])
            assert result.structured_content is not None
            return result.structured_content

    assert asyncio.run(main())["status"] == "dispatched"


def test_a_task_is_known_to_its_owner_alone(environ: dict[str, str]) -> None:
    ann, ben = Owner(user="ann"), Owner(user="ben")

    async def main() -> tuple[Any, ...]:
        app = App(config.load_settings(deep(environ)))
        handles = ServerTasks(app, lambda outcome: outcome.body or {})
        begun = await app.call_tool("research", CALL["arguments"], owner=ann)
        assert begun.body is not None
        job = begun.body["jobId"]
        theirs = (
            await handles.look_up_task(ben, job),
            await handles.cancel_task(ben, job),
            await handles.receive_responses(ben, job, {}),
        )
        mine = await handles.look_up_task(ann, job)
        await app.aclose()
        return theirs, mine

    theirs, mine = asyncio.run(main())

    assert theirs == (None, False, False)
    assert mine["status"] in {"working", "completed"}


def test_what_is_kept_for_a_time_says_until_when(environ: dict[str, str]) -> None:
    async def main() -> dict[str, Any]:
        async with spoken("http", deep(environ, CITEWELL_RESEARCH_RETENTION="60")) as client:
            return (await client.ask("tools/call", CALL, KNOWS_TASKS))["result"]

    told = asyncio.run(main())

    assert 60_000 <= told["ttlMs"] < 90_000


@requires("check_draft.task")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_check_of_a_draft_is_a_task_for_clients_that_know_tasks(
    transport: str, environ: dict[str, str]
) -> None:
    text = {"text": "It is well known [1]. Nothing else is.", "focus": "existence"}
    wanted = environ | {"CITEWELL_PROFILE": "all"}

    async def main() -> tuple[Any, ...]:
        async with spoken(transport, wanted) as client:
            call = {"name": "check_draft", "arguments": text}
            begun = (await client.ask("tools/call", call, KNOWS_TASKS))["result"]
            task = await finished(client, begun["taskId"])
            empty = {"name": "check_draft", "arguments": {}}
            refused = (await client.ask("tools/call", empty, KNOWS_TASKS))["result"]
            unknown = await client.ask("tasks/get", {"taskId": "check-none"}, KNOWS_TASKS)
            research = {"taskId": begun["taskId"].removeprefix("check-")}
            other = await client.ask("tasks/get", research, KNOWS_TASKS)
            return begun, task, refused, unknown, other

    begun, task, refused, unknown, other = asyncio.run(main())

    assert begun["resultType"] == "task"
    assert set(begun) >= TASK
    assert task["status"] == "completed"
    found = task["result"]["structuredContent"]["summary"]["verdicts"]
    assert found == {"no_reference": 1}
    assert (refused["resultType"], refused["isError"]) == ("complete", True)  # known at once
    assert "error" in unknown
    assert other["result"]["result"]["isError"] is True  # a check has no report of research
