"""Keys never leave with an answer, and what was asked and found lies sealed on the disk."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.e2e.clients import connected
from tests.e2e.deep import KEYS, ask, deep, ended
from tests.internet.faults import Fault
from tests.internet.researchers import SCRIPT, Written
from tests.internet.world import World

ASKED, FOUND = "zebrafishquestion", "zebrafishanswer"
MARKED = {name: f"{key}-planted-secret" for name, key in KEYS.items()}
NAMES = ["openai", "perplexity", "anthropic", "grok", "gemini", "local"]
FORMATS = ("markdown", "html", "json", "bibtex")


def echoed(status: int) -> Fault:
    """A refusal that tells every key it might have been sent."""
    told = f"Incorrect API key provided: {' '.join(MARKED.values())}"
    return Fault(status=status, body={"error": {"message": told, "type": "x", "code": "y"}})


async def everything(client: Client, begun: dict[str, str]) -> list[Any]:
    """All that can be read of a job."""
    job, thread = begun["jobId"], begun["threadId"]
    told = [
        await ended(client, job),
        await ask(client, "get_results", jobId=job, includeProviderReports=True),
        await ask(client, "get_thread", threadId=thread),
        await ask(client, "usage"),
        await ask(client, "balance", includeTransactions=True),
        await ask(client, "list_providers"),
    ]
    for form in FORMATS:
        export = await client.call_tool("research_export", {"jobId": job, "format": form})
        told.append(export.model_dump(mode="json"))
    return told


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_key_that_an_upstream_repeats_reaches_nobody(
    status: int, environ: dict[str, str], world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for name in NAMES[:-1]:
        world.fail(name, echoed(status), times=50)

    async def main() -> list[Any]:
        async with connected("memory", deep(environ, **MARKED)) as client:
            begun = await ask(client, "research", query="Does sleep help memory?", providers=NAMES)
            return await everything(client, begun)

    told = asyncio.run(main())

    assert told[0]["progress"]["openai"]["status"] == "failed"
    assert "planted-secret" not in json.dumps(told)
    assert "planted-secret" not in caplog.text


def test_questions_reports_and_keys_are_unreadable_on_the_disk(
    environ: dict[str, str], world: World
) -> None:
    text = f"# Report\n\nThe {FOUND} says that batteries age with heat and with time."
    world.state[SCRIPT] = Written(text=text, marks=())

    async def main() -> list[Any]:
        async with connected("memory", deep(environ, **MARKED)) as client:
            begun = await ask(
                client,
                "research",
                query=f"How do {ASKED} batteries age?",
                providers=["openai", "local"],
            )
            return await everything(client, begun)

    told = json.dumps(asyncio.run(main()))
    files = [one for one in Path(environ["CITEWELL_DATA_DIR"]).rglob("*") if one.is_file()]
    kept = b"".join(one.read_bytes() for one in files)

    assert ASKED in told
    assert FOUND in told
    assert len(kept) > 50_000
    for secret in (ASKED, FOUND, "planted-secret"):
        assert secret.encode() not in kept
