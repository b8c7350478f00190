"""Deep research as an MCP client meets it, over every transport."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.clients import TRANSPORTS, connected
from tests.e2e.deep import KEYS, QUESTION, ask, deep, ended, refusal, researched
from tests.internet.researchers import bench

ALL = ["openai", "perplexity", "anthropic", "local"]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_tool_answers_with_the_keys_of_the_spec(transport, environ, world):
    async def main():
        async with connected(transport, deep(environ, **KEYS)) as client:
            begun = await ask(client, "research", query=QUESTION, budgetTier="L", providers=ALL)
            status = await ended(client, begun["jobId"])
            results = await ask(
                client,
                "get_results",
                jobId=begun["jobId"],
                includeProviderReports=True,
                includeClaimsJson=True,
            )
            claim = results["claims"][0]["id"]
            told = {
                "research": begun,
                "research_status": status,
                "get_results": results,
                "get_claim_evidence": await ask(
                    client, "get_claim_evidence", claimId=claim, includeHistory=True
                ),
                "search_claims": await ask(client, "search_claims", jobId=begun["jobId"]),
                "list_threads": await ask(client, "list_threads"),
                "get_thread": await ask(client, "get_thread", threadId=begun["threadId"]),
                "balance": await ask(client, "balance", includeTransactions=True),
                "usage": await ask(client, "usage", period="7d"),
                "list_providers": await ask(client, "list_providers"),
                "follow_up": await ask(client, "follow_up", jobId=begun["jobId"]),
            }
            told["research_cancel"] = await ask(
                client, "research_cancel", jobId=told["follow_up"]["jobId"]
            )
            return told

    told = asyncio.run(main())
    import json;print(json.dumps(told,indent=1)[:12000])
    for tool in told: print(tool, sorted(told[tool]))
