"""Deep research through an MCP client: calls, refusals, and waiting for a job's end."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp import Client

from tests.e2e.clients import body

QUESTION = "How do lithium-ion grid batteries age?"
KEYS = {
    "PERPLEXITY_API_KEY": "pplx-test",
    "OPENAI_API_KEY": "sk-test",
    "ANTHROPIC_API_KEY": "sk-ant-test",
    "XAI_API_KEY": "xai-test",
    "GEMINI_API_KEY": "gem-test",
}
PATIENCE = 40  # seconds for a whole job


def deep(environ: dict[str, str], **more: str) -> dict[str, str]:
    """Every tool offered, nothing audited, and background runs asked after at once."""
    return environ | {
        "CITEWELL_PROFILE": "all",
        "AUDIT_ENABLED": "false",
        "CITEWELL_RESEARCH_POLL": "0.05",
        **more,
    }


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return body(await client.call_tool(tool, arguments))


async def refusal(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The object that a failed call carries: spec 2's own under its code, else the error block."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    assert result.structured_content is None
    (shown, *_) = result.content
    assert shown.type == "text"
    text = shown.text
    sentence, _, block = text.rpartition("\n\n")
    told: dict[str, Any] = json.loads(block)
    return told | {"message": sentence} if sentence else told


async def ended(client: Client, job: str) -> dict[str, Any]:
    """The job's status once it is final."""
    async with asyncio.timeout(PATIENCE):
        while True:
            told = await ask(client, "research_status", jobId=job, wait_seconds=10)
            if told["status"] in {"completed", "failed", "cancelled"}:
                return told


async def researched(client: Client, query: str = QUESTION, **arguments: Any) -> dict[str, Any]:
    """A job from its question to its end; what `research` answered."""
    begun = await ask(client, "research", query=query, **arguments)
    told = await ended(client, begun["jobId"])
    assert told["status"] == "completed", told
    return begun
