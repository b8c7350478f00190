"""What operators see of a server: request ids, health, metrics, logs and refusals to start."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from tests.e2e.clients import listening
from tests.requirements import requires

Environ = dict[str, str]


@requires("http.request_id")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_one_id_is_in_the_response_the_audit_line_and_the_error(
    environ: Environ, tmp_path: Path, mode: str
) -> None:
    audit = tmp_path / "audit.jsonl"
    settings = environ | {"AUDIT_ENABLED": "true", "AUDIT_OUTPUT_PATH": str(audit)}
    seen: list[str] = []

    async def note(response: httpx2.Response) -> None:
        seen.append(response.headers["x-request-id"])

    async def run() -> Any:
        async with (
            listening(settings) as base,
            Client(f"{base}/mcp/all", mode=mode) as client,
            httpx2.AsyncClient(event_hooks={"response": [note]}) as http,
        ):
            await http.get(base + "/nothing")
            return await client.call_tool("read_artifact", {"id": "0" * 64})

    result = asyncio.run(run())

    (line,) = [json.loads(text) for text in audit.read_text().splitlines()]
    assert result.is_error
    assert line["request_id"] == result.meta["requestId"]
    assert len(line["request_id"]) == 32
    assert len(seen) == 1
    assert len(seen[0]) == 32
