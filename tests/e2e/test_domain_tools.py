"""Every tool of the domains: answers without a key over each transport, and stops when it is cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.e2e.domains import Environ
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

CONTACT = {
    "EDGAR_CONTACT_EMAIL": "ops@example.org"
}  # no key: the SEC wants to know whom to write to
# Tool, arguments, and the upstream that is asked first on a fresh machine.
QUESTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "answer": ({"query": "how does sleep help memory"}, "searxng"),
    "clinical_search": ({"condition": "insomnia"}, "clinicaltrials"),
    "econ_search": ({"query": "gdp"}, "worldbank"),
    "filing_search": ({"ticker": "AAPL"}, "edgar"),
    "image_search": ({"query": "street trees"}, "searxng"),
    "legal_search": ({"query": "Miranda v. Arizona"}, "courtlistener"),
    "local_search": ({"query": "cafes in Lyon"}, "photon"),
    "news_search": ({"query": "heat wave"}, "searxng"),
    "patent_search": ({"query": "US10165245B2"}, "googlepatents"),
    "structured_search": ({"query": "sleep and memory"}, "searxng"),
}
TOOLS = list(QUESTIONS)


@requires("domains.keyless")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_every_tool_answers_without_a_key(transport: str, environ: Environ) -> None:
    offered = environ | CONTACT | {"CITEWELL_TOOLSETS": "domains,sessions,core"}

    async def talk() -> dict[str, Any]:
        async with connected(transport, offered) as client:
            return {
                tool: await client.call_tool(tool, arguments)
                for tool, (arguments, _) in QUESTIONS.items()
            }

    results = asyncio.run(talk())

    failed = {tool: one.content[0].text for tool, one in results.items() if one.is_error}
    assert not failed
    trusts = {tool: one.structured_content["trust"] for tool, one in results.items()}
    assert trusts == dict.fromkeys(TOOLS, "untrusted-external-content")


@requires("domains.cancelled")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_cancelled_call_asks_nobody_further(tool: str, environ: Environ, world: World) -> None:
    arguments, upstream = QUESTIONS[tool]
    world.fail(upstream, Fault(delay=20.0), times=ALWAYS)
    offered = environ | CONTACT | {"CITEWELL_TOOLSETS": "domains"}

    async def talk() -> int:
        async with connected("http", offered) as client:
            running = asyncio.create_task(client.call_tool(tool, arguments))
            async with asyncio.timeout(60):
                while not world.calls[upstream]:  # noqa: ASYNC110 - it runs in another thread
                    await asyncio.sleep(0.01)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await client.list_tools()  # the server goes on, and knows of the cancellation by now
            return world.calls.total()

    asked = asyncio.run(talk())

    assert world.calls.total() == asked
