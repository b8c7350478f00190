"""Run by the code of the first release: fills a database, then records what that code says to one.

`python first_release_work.py FOLDER DATABASE_URL fill|record`. It uses only what that release had.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.jobs.run_record import EngineTiming
from citewell.jobs.step_values import ResearchQuestion
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.research import research_assembly
from citewell.research.research_service import ResearchService
from citewell.server.app import App
from citewell.server.state.state_store import StateStore
from tests.internet.serve import Internet

OWNERS = ("default/anonymous", "acme/anna")
WRITERS = tuple(f"acme/writer-{number}" for number in range(6))
QUESTION = "How do lithium-ion grid batteries age?"
CREDIT_TICKS = 500 * 10**8
PACE = EngineTiming(idle_interval=0.05, watch_interval=0.1, first_poll_delay=0.02)


def open_app(folder: Path, url: str, internet: Internet) -> App:
    environ = internet.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder),
        "CITEWELL_MASTER_KEY": "5a" * 32,
        "CITEWELL_STEALTH": "false",
        "CITEWELL_PROFILE": "all",
        "CHROME_PATH": "disabled",
        "PERPLEXITY_API_KEY": "pplx-test",
        **({"CITEWELL_DATABASE_URL": url} if url else {}),
    }
    research_assembly._build_job_pace = lambda _settings: PACE  # type: ignore[assignment]
    return App(config.load_settings(environ))


async def call(app: App, owner: str, tool: str, **arguments: Any) -> dict[str, Any]:
    tenant, user = owner.split("/")
    outcome = await app.call_tool(tool, arguments, owner=Owner(tenant=tenant, user=user))
    assert not outcome.is_error, outcome.text
    return dict(outcome.body or {})


async def fill_owner(app: App, owner: str) -> dict[str, Any]:
    """Data of every kind that the release knew; what is needed to find it again."""
    state = app.open_state()
    await state.ledger.post_credit(owner, CREDIT_TICKS, note="welcome")
    session = await write_session(app, owner)
    await write_documents(state, owner)
    begun = await call(
        app, owner, "research", query=QUESTION, budgetTier="S", providers=["perplexity", "local"]
    )
    while True:
        told = await call(app, owner, "research_status", jobId=begun["jobId"], wait_seconds=5)
        if told["status"] in {"completed", "failed", "cancelled"}:
            break
    report = await call(app, owner, "get_results", jobId=begun["jobId"])
    findings = await state.research.load_findings(owner, begun["jobId"])
    balance = await state.ledger.load_balance(owner)
    return {
        "session": session,
        "job": begun["jobId"],
        "status": told["status"],
        "claims": len(findings.claims) if findings else 0,
        "report": sorted(report),
        "settled": balance.settled,
        "credited": balance.credited,
    }


async def write_session(app: App, owner: str) -> str:
    first = await call(
        app, owner, "sequential_search",
        searchStep=f"First step of {owner}", stepNumber=1, nextStepNeeded=True, researchGoal="Ageing",
    )  # fmt: skip
    await call(
        app, owner, "sequential_search",
        searchStep="Second step", stepNumber=2, nextStepNeeded=True, sessionId=first["sessionId"],
    )  # fmt: skip
    return str(first["sessionId"])


async def write_documents(state: StateStore, owner: str) -> None:
    for number in (1, 2):
        card = DocumentCard(id=f"doc-{number}", title=f"Harbour seals {number}", tags=("sea",))
        text = f"Harbour seals of {owner} sleep on sandbanks in the afternoon."
        await state.library.store_documents(owner, [LibraryDocument(card=card, text=text)])


async def queue_job(app: App, owner: str) -> str:
    """A research job that nobody has begun."""
    research = app.resolve_service(ResearchService)  # type: ignore[attr-defined]  # its name then
    research._jobs.start_runner = lambda: None
    started = await research.start_research(
        owner, ResearchQuestion(query=QUESTION, tier="S", providers=("local",))
    )
    return str(started["jobId"])


async def write_as_writer(app: App, owner: str) -> dict[str, Any]:
    """What an instance of the release does while another one is upgraded."""
    state = app.open_state()
    session = await write_session(app, owner)
    await write_documents(state, owner)
    found = await state.library.search_library(owner, "harbour seals")
    assert found
    await state.ledger.post_credit(owner, CREDIT_TICKS)
    await state.ledger.load_balance(owner)
    job = await queue_job(app, owner)
    await state.jobs.require_job_view(owner, job)
    return {"session": session, "job": job, "credited": CREDIT_TICKS}


class Recorder:
    """Writes down every batch and query that passes to a database."""

    def __init__(self, state: StateStore) -> None:
        self.lines: list[dict[str, Any]] = []
        database = state.database
        self._execute, self._select = database.execute_batch, database.select_rows
        for name, hook in (("execute_batch", self.execute), ("select_rows", self.select)):
            object.__setattr__(database, name, hook)

    async def execute(self, batch: Sequence[Any]) -> Any:
        outcome = await self._execute(batch)
        statements = [
            {"sql": one.sql, "params": encode(one.params), "expected": one.expected_rows}
            for one in batch
        ]
        self.lines.append({"batch": statements})
        return outcome

    async def select(self, sql: str, params: Mapping[str, Any] | None = None) -> Any:
        self.lines.append({"select": {"sql": sql, "params": encode(params or {})}})
        return await self._select(sql, params)


def encode(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in params.items()
    }


async def main(folder: Path, url: str, what: str) -> dict[str, Any]:
    with Internet() as internet:
        app = open_app(folder, url, internet)
        if what == "fill":
            told: dict[str, Any] = {owner: await fill_owner(app, owner) for owner in OWNERS}
            told["queued"] = await queue_job(app, OWNERS[0])
        else:
            told = {}
            for owner in WRITERS:
                recorder = Recorder(app.open_state())
                wrote = await write_as_writer(app, owner)
                told[owner] = wrote | {"calls": list(recorder.lines)}
        await app.aclose()
        return told


if __name__ == "__main__":
    try:
        done = asyncio.run(asyncio.wait_for(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]), 120))
        sys.stdout.write(json.dumps(done))
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - told and ended, whatever it was
        traceback.print_exc()
        os._exit(1)
    os._exit(0)  # its runner may still wait for something
