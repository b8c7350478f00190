"""What the tests of the domain tools share: a call over a transport, its error, and faults."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.e2e.clients import connected
from tests.internet.faults import Fault

Environ = dict[str, str]
TRANSPORTS = ("memory", "http", "stdio")
MISBEHAVIOUR = {
    "rate limited": Fault(status=429, headers={"retry-after": "30"}, body={"message": "slow down"}),
    "failing": Fault(status=500, body="oops"),
    "html": Fault(status=200, headers={"content-type": "text/html"}, body="<html>Sorry</html>"),
    "nothing": Fault(cut=0),
    "empty": Fault(status=200, body=""),
    "a list": Fault(status=200, headers={"content-type": "application/json"}, body=[]),
}


def call(environ: Environ, tool: str, arguments: dict[str, Any], transport: str = "memory") -> Any:
    """The result of one call, over a server that offers the toolset of the domains."""
    offered = environ | {"CITEWELL_TOOLSETS": "domains,sessions,core"}

    async def talk() -> Any:
        async with connected(transport, offered) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(talk())


def error_of(result: Any) -> dict[str, Any]:
    """The error block; the sentence before it is in `result.content[0].text`."""
    assert result.is_error
    block: dict[str, Any] = json.loads(result.content[0].text.rpartition("\n\n")[2])["error"]
    return block
