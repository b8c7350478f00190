"""Research that a process left unfinished goes on when a server starts again, and is paid for once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.server.app import App
from citewell.server.http.hosting import build_asgi_app
from citewell.server.startup import resume_jobs
from tests.conditions import until
from tests.e2e.clients import connected
from tests.e2e.deep import QUESTION, ask, deep, ended
from tests.e2e.test_stdio import legacy, request, start
from tests.internet.researchers import bench
from tests.internet.world import World
from tests.requirements import requires

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills processes")


@pytest.fixture
def env(environ: dict[str, str]) -> dict[str, Any]:
    """A lease that nobody would wait for, so that only an orderly end hands a job over."""
    return deep(environ, OPENAI_API_KEY="sk-test", CITEWELL_RESEARCH_WRITER="extractive")


def begun(env: dict[str, Any], world: World) -> tuple[subprocess.Popen[bytes], str]:
    """A server with a job that waits for its provider: the process and the job's id."""
    bench(world).polls = 1_000_000
    process = start(env)
    call = request(
        2,
        "tools/call",
        {"name": "research", "arguments": {"query": QUESTION, "providers": ["openai"]}},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in legacy(call):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    told = json.loads(process.stdout.readline())["result"]["structuredContent"]
    asyncio.run(polled(world))
    return process, told["jobId"]


async def polled(world: World) -> None:
    """Until the reference is kept for sure: it was asked after."""
    await until(lambda: world.calls["openai"] >= 2)


def let_finish(world: World) -> None:
    for run in bench(world).runs.values():
        run.polls = 0


async def finished(transport: str, env: dict[str, Any], job: str) -> dict[str, Any]:
    async with connected(transport, env) as client:
        return await ended(client, job)


@pytest.mark.parametrize("how", ["closed", "terminated"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_job_put_down_in_good_order_is_taken_up_at_once(
    how: str, transport: str, env: dict[str, Any], world: World
) -> None:
    process, job = begun(env | {"CITEWELL_RESEARCH_LEASE": "600"}, world)

    if how == "terminated":
        process.send_signal(signal.SIGTERM)
        process.wait(20)  # with stdin still open
    _, errors = process.communicate(timeout=20)
    let_finish(world)
    status = asyncio.run(finished(transport, env, job))

    assert (process.returncode, errors) == (0, b"")
    assert status["status"] == "completed"
    assert sum(bench(world).charged.values()) == 1


@requires("deep.restart")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_job_of_a_killed_server_goes_on_where_it_was(
    transport: str, env: dict[str, Any], world: World
) -> None:
    env |= {"CITEWELL_RESEARCH_LEASE": "1"}
    process, job = begun(env, world)

    process.kill()
    process.communicate()
    let_finish(world)
    status = asyncio.run(finished(transport, env, job))

    assert status["status"] == "completed"
    assert sum(bench(world).charged.values()) == 1
    assert len(bench(world).runs) == 1


def test_an_http_server_stopped_in_good_order_lets_another_go_on(
    env: dict[str, Any], world: World
) -> None:
    env |= {"CITEWELL_RESEARCH_LEASE": "600"}
    bench(world).polls = 1_000_000

    async def first() -> str:
        async with connected("http", env) as client:
            told = await ask(client, "research", query=QUESTION, providers=["openai"])
            await polled(world)
            return told["jobId"]

    job = asyncio.run(first())
    let_finish(world)
    status = asyncio.run(finished("stdio", env, job))

    assert status["status"] == "completed"
    assert sum(bench(world).charged.values()) == 1


@pytest.mark.parametrize("serving", [False, True])
def test_a_first_start_makes_no_store(serving: bool, env: dict[str, Any], tmp_path: Path) -> None:
    async def main() -> None:
        app = App(config.load_settings(env))
        async with resume_jobs(app, keep_serving=serving):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await app.aclose()

    asyncio.run(main())

    assert not (tmp_path / "data" / "state.db").exists()


def test_a_store_that_cannot_be_opened_costs_nothing_but_a_line(
    env: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "state.db").write_bytes(b"this is no database" * 1000)

    async def main() -> None:
        app = App(config.load_settings(env))
        async with build_asgi_app(app).router.lifespan_context(app):
            await until(lambda: "cannot be" in caplog.text)

    asyncio.run(main())
