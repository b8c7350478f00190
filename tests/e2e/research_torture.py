"""Kills processes in the midst of whole research jobs with metered doubles, and adds up the charges.

Run as a program: one process forks the loopback web and the workers. A worker kills itself at a
random point (before or after a commit, before or after a request), or is killed at a random time.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
import urllib.request
from typing import Any

from citewell.core import config
from citewell.core.config import Settings
from citewell.jobs.run_record import EngineTiming
from citewell.jobs.step_values import ResearchQuestion
from citewell.net.upstream.upstream_client import Upstream
from citewell.research import research_assembly
from citewell.research.research_service import ResearchService
from citewell.routing.ports import ProviderSpec
from citewell.server.app import App
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from tests.e2e.job_torture import OWNER, Fuse, Herd, forked, fused, heard, waited
from tests.internet.serve import Internet
from tests.internet.world import World

PROVIDERS = ("openai", "perplexity", "grok", "local")  # two in the background, one blocking
TIER, CENTS = "S", 500
QUESTIONS = ("How do lithium-ion grid batteries age?", "How does HTTP caching work?")
BATCH = 6
LIVELY = 150  # points that a worker passes in one job, about
PACE = EngineTiming(
    lease_seconds=1.0,
    idle_interval=0.05,
    watch_interval=0.1,
    wait_interval=0.05,
    first_poll_delay=0.02,
    max_poll_delay=0.05,
    max_attempts=1000,
    heartbeat_seconds=1.0,
    queue_interval=0.02,
    check_interval=1.0,
    launch_retry_delay=0.1,
)


def web(seed: int) -> tuple[int, dict[str, str]]:
    """The loopback web with its doubles in a process of its own; that process, and how to reach it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            dice = random.Random(seed)
            internet = Internet(World(latency=lambda _name: dice.uniform(0, 0.01)))
            internet.start()
            with os.fdopen(writing, "w") as told:
                json.dump(internet.env() | {"URL": internet.url}, told)
            internet.wait()
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as told:
        environ: dict[str, str] = json.load(told)
    return child, environ


def chosen(folder: str, url: str, environ: dict[str, str]) -> Settings:
    environ = (
        environ
        | {
            "CITEWELL_CONFIG": f"{folder}/none.toml",
            "CITEWELL_DATA_DIR": folder,
            "CITEWELL_CACHE": "false",  # what a killed process was fetching for all is waited for a while
            "CITEWELL_STEALTH": "false",
            "CHROME_PATH": "disabled",
            "OPENAI_API_KEY": "sk-test",
            "PERPLEXITY_API_KEY": "pplx-test",
            "XAI_API_KEY": "xai-test",
        }
    )
    return config.load_settings(environ | ({"CITEWELL_DATABASE_URL": url} if url else {}))


def opened(settings: Settings, state: StateStore) -> App:
    research_assembly._build_job_pace = lambda _settings: PACE  # type: ignore[assignment]
    ProviderSpec.choose_pace = lambda _self, _options: None  # type: ignore[method-assign,assignment]
    return App(settings, state=state)


async def order(settings: Settings, state: StateStore) -> None:
    """Queue jobs and leave before any of them is begun."""
    await state.ledger.post_credit(OWNER, BATCH * CENTS * 10**8)
    research = opened(settings, state).require_service(ResearchService)
    research._jobs.start_runner = lambda: None  # type: ignore[method-assign]
    for number in range(BATCH):
        query = QUESTIONS[number % len(QUESTIONS)]
        await research.start_research(
            OWNER, ResearchQuestion(query=query, tier=TIER, providers=PROVIDERS)
        )


async def work(settings: Settings, state: StateStore, points: int | None) -> None:
    """Carry out jobs until there are none left, or until this process is killed."""
    fuse = Fuse(points)
    fused(state, fuse)
    _fused_requests(fuse)
    app = opened(settings, state)
    app.require_service(ResearchService).start_serving()
    while await state.jobs.has_unfinished_jobs():  # noqa: ASYNC110 - other processes end jobs too
        await asyncio.sleep(0.02)
    await app.aclose()


def _fused_requests(fuse: Fuse) -> None:
    """Every request to a provider is a point before it and a point after it."""
    send = Upstream.send_request

    async def passing(self: Upstream, *args: Any, **more: Any) -> Any:
        fuse.point()
        answer = await send(self, *args, **more)
        fuse.point()
        return answer

    Upstream.send_request = passing  # type: ignore[method-assign]


async def look(state: StateStore, pipe: int) -> None:
    """What the engine's own torture tells, and what was found and said beside it."""
    listed = await state.jobs.list_owner_jobs(OWNER, limit=10_000)
    found = {}
    for view in listed:
        findings = await state.research.load_findings(OWNER, view.job.id)
        messages = await state.threads.list_messages(OWNER, view.job.thread or "")
        found[view.job.id] = {
            "claims": len(findings.claims) if findings else 0,
            "notes": findings.notes if findings else (),
            "messages": [message.role for message in messages],
        }
    with os.fdopen(pipe, "w", closefd=False) as told:
        json.dump(found, told)


class Pack(Herd):
    """Workers that carry out whole research jobs."""

    def add(self) -> None:
        at_point = self.dice.random() < 0.7
        points = self.dice.randint(1, LIVELY) if at_point else None
        late = (
            10.0
            if at_point
            else self.dice.uniform(0.05, 4.0 if self.chosen[StoreSettings].database_url else 1.5)
        )
        child = forked(self.chosen, lambda state: work(self.chosen, state, points))
        self.alive[child] = time.monotonic() + late


def torture(folder: str, url: str, kills: int, seed: int, workers: int) -> dict[str, Any]:
    double, environ = web(seed)
    try:
        settings = chosen(folder, url, environ)
        herd = Pack(settings, 0, random.Random(seed))
        done = True
        while herd.killed < kills:
            if done:
                waited(forked(settings, lambda state: order(settings, state)))
            while len(herd.alive) < workers:
                herd.add()
            done = herd.reap()
        while herd.alive:
            herd.reap()
        waited(forked(settings, lambda state: work(settings, state, None)))
        told = heard(settings) | {"found": heard(settings, look)}
        with urllib.request.urlopen(f"{environ['URL']}/meter") as answer:
            charges = json.load(answer)
    finally:
        os.kill(double, signal.SIGKILL)
        os.waitpid(double, 0)
    return told | {"charges": charges, "kills": herd.killed}


def main() -> None:
    folder, url, kills, seed, workers = sys.argv[1:]
    import cryptography.hazmat.primitives.ciphers.aead  # noqa: F401 - loaded before the forks

    if url:
        import asyncpg  # noqa: F401 - loaded before the forks
        import dbos  # noqa: F401 - loaded before the forks
    import sqlite3  # noqa: F401 - loaded before the forks

    told = torture(folder, url, int(kills), int(seed), int(workers))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
