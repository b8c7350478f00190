"""Bakes the manifest: every tool's wire form, and the SDK's own opening replies."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
)

from citewell import tools
from citewell.config import Settings
from citewell.server import manifest
from citewell.server.schema import wire_tool

_CLIENT = {"name": "bake", "version": "0"}


def entries() -> list[dict[str, Any]]:
    """One entry a tool, in the order `tools/list` shows them."""
    found = tools.discover()
    return [
        {
            "name": name,
            "toolset": tool.toolset,
            "default": tool.default,
            "readOnly": tool.read_only,
            "wire": wire_tool(name, tool),
        }
        for name, tool in sorted(found.items(), key=lambda item: (not item[1].default, item[0]))
    ]


def baked() -> str:
    """The manifest as the code would have it now."""
    found = entries()
    replies, wires = asyncio.run(_replies(found))
    # The SDK's own form is kept, so that what the front says is what the SDK would have said.
    tools_ = [{**entry, "wire": wires[entry["name"]]} for entry in found]
    return json.dumps({"tools": tools_, "replies": replies}, ensure_ascii=False, indent=1) + "\n"


def bake(path: Path = manifest.PATH) -> None:
    path.write_text(baked(), encoding="utf-8")


async def _replies(found: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the SDK itself answers, so that the front's words are the SDK's by construction."""
    initialize = {
        version: (await _legacy(found, version))[0] for version in HANDSHAKE_PROTOCOL_VERSIONS
    }
    legacy = (await _legacy(found, LATEST_HANDSHAKE_VERSION))[1]
    discover, modern = await _modern(found)
    replies = {
        "latest": LATEST_HANDSHAKE_VERSION,
        "initialize": initialize,
        "discover": discover,
        "list": {"legacy": _without_tools(legacy), "modern": _without_tools(modern)},
    }
    return replies, {wire["name"]: wire for wire in legacy["tools"]}


def _without_tools(reply: dict[str, Any]) -> dict[str, Any]:
    return {**reply, "tools": []}  # the place is kept: the front fills in the chosen ones


async def _legacy(found: list[dict[str, Any]], version: str) -> list[dict[str, Any]]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT}
    opened = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return await _ask(found, [_request(1, "initialize", params), opened, _request(2, "tools/list")])


async def _modern(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    prefix = "io.modelcontextprotocol/"
    envelope = {
        prefix + "protocolVersion": LATEST_MODERN_VERSION,
        prefix + "clientInfo": _CLIENT,
        prefix + "clientCapabilities": {},
    }
    params = {"_meta": envelope}
    return await _ask(
        found, [_request(1, "server/discover", params), _request(2, "tools/list", params)]
    )


def _request(number: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    request: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
    return request | ({"params": params} if params else {})


async def _ask(found: list[dict[str, Any]], messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The SDK's results for these messages, in the order of their ids."""
    from citewell.server.app import App
    from citewell.server.protocol import build

    app = App(Settings(profile="all", cache_enabled=False, audit_enabled=False), entries=found)
    server = build(app)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](16)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](16)
    for message in messages:
        to_server.send_nowait(
            SessionMessage(types.jsonrpc_message_adapter.validate_python(message))
        )
    running = asyncio.create_task(
        server.run(incoming, outgoing, server.create_initialization_options())
    )
    replies: dict[Any, dict[str, Any]] = {}
    wanted = sum("id" in message for message in messages)
    async for reply in from_server:
        frame = json.loads(reply.message.model_dump_json(by_alias=True, exclude_unset=True))
        replies[frame["id"]] = frame["result"]
        if len(replies) == wanted:
            break
    to_server.close()
    from_server.close()
    await running
    await app.aclose()
    return [replies[number] for number in sorted(replies)]
