"""Write the files that are generated from the code.

They are the manifest, the providers' specs, the reference pages, golden schemas, .env.example and
server.json.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import anyio
import mcp_types as types
import typer
from mcp.shared.message import SessionMessage
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
)

from citewell import providers
from citewell.cli import exit_codes, screen
from citewell.core import tooling as tools
from citewell.core.config import Settings, list_settings
from citewell.routing.ports import ProviderSpec, encode_spec
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.search.lenses import LensCatalogue
from citewell.server import reference
from citewell.server.capabilities.tool_schema import build_tool_wire
from citewell.server.capabilities.tool_selection import list_required_settings

_CLIENT_INFO = {"name": "bake", "version": "0"}

MANIFEST_PATH = "src/citewell/server/manifest.json"
SPECS_PATH = "src/citewell/providers/specs.json"


def command(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is out of date.")
    ] = False,
    root: Annotated[
        Path, typer.Option(help="The root of the repository.", file_okay=False, exists=True)
    ] = Path(),
) -> int:
    wanted = build_derived_files(root)
    if not check:
        for path in reference.write_outdated_files(root, wanted):
            screen.print_text(f"wrote {path}")
        return exit_codes.OK
    stale = reference.find_outdated_files(root, wanted)
    for path in stale:
        sys.stderr.write(f"{path} is out of date; run: make reference\n")
    return exit_codes.NOTHING_FOUND if stale else exit_codes.OK


def build_derived_files(root: Path) -> dict[str, str]:
    """The text of every generated file, by its path in the repository at `root`."""
    version = reference.read_project_version(root)
    settings = Settings()  # the defaults, so that the environment does not affect the pages
    catalogue = ProviderCatalogue(
        settings, connect=_refuse_connection, load_spec=lambda name: providers.load(name).SPEC
    )
    pages = reference.build_reference_files(
        catalogue, LensCatalogue(), build_manifest_entries(), version=version
    )
    return pages | {MANIFEST_PATH: render_manifest(), SPECS_PATH: render_specs()}


def render_specs() -> str:
    """The text of specs.json: what every provider's SPEC says, one provider a line."""
    rows = (
        f"{json.dumps(name)}: {json.dumps(encode_spec(providers.load(name).SPEC), ensure_ascii=False)}"
        for name in providers.NAMES
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _refuse_connection(spec: ProviderSpec, options: object) -> object:
    raise NotImplementedError("The reference is generated without connecting to providers")


# Builds the manifest: every tool's wire form, and the SDK's replies to a client's first requests.


def build_manifest_entries() -> list[dict[str, Any]]:
    """One entry per tool, in the order of `tools/list`: default tools first, then by name."""
    found = tools.load_all_tools()
    return [
        {
            "name": name,
            "toolset": tool.toolset,
            "default": tool.in_default_profile,
            "requiredSetting": tool.required_setting,
            "readOnly": tool.read_only,
            "links": not tool.is_always_inline,
            "wire": build_tool_wire(name, tool),
        }
        for name, tool in sorted(
            found.items(), key=lambda item: (not item[1].in_default_profile, item[0])
        )
    ]


def render_manifest() -> str:
    """The text of manifest.json for the current code."""
    entries = build_manifest_entries()
    replies, wires = asyncio.run(_collect_sdk_replies(entries))
    # The SDK's form is stored, so that the instant start answers exactly as the SDK would.
    tools_ = [{**entry, "wire": wires[entry["name"]]} for entry in entries]
    return json.dumps({"tools": tools_, "replies": replies}, ensure_ascii=False, indent=1) + "\n"


async def _collect_sdk_replies(
    found: list[dict[str, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The SDK's replies to `initialize`, `server/discover` and `tools/list`, and each tool's wire form."""
    initialize = {
        version: (await _ask_handshake_era(found, version))[0]
        for version in HANDSHAKE_PROTOCOL_VERSIONS
    }
    legacy = (await _ask_handshake_era(found, LATEST_HANDSHAKE_VERSION))[1]
    discover, modern = await _ask_modern_era(found)
    replies = {
        "latest": LATEST_HANDSHAKE_VERSION,
        "initialize": initialize,
        "discover": discover,
        # The instant start fills in the chosen tools.
        "list": {"legacy": {**legacy, "tools": []}, "modern": {**modern, "tools": []}},
    }
    return replies, {wire["name"]: wire for wire in legacy["tools"]}


async def _ask_handshake_era(found: list[dict[str, Any]], version: str) -> list[dict[str, Any]]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT_INFO}
    opened = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return await _ask_sdk_server(
        found,
        [
            _build_jsonrpc_request(1, "initialize", params),
            opened,
            _build_jsonrpc_request(2, "tools/list"),
        ],
    )


async def _ask_modern_era(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    prefix = "io.modelcontextprotocol/"
    envelope = {
        prefix + "protocolVersion": LATEST_MODERN_VERSION,
        prefix + "clientInfo": _CLIENT_INFO,
        prefix + "clientCapabilities": {},
    }
    params = {"_meta": envelope}
    return await _ask_sdk_server(
        found,
        [
            _build_jsonrpc_request(1, "server/discover", params),
            _build_jsonrpc_request(2, "tools/list", params),
        ],
    )


def _build_jsonrpc_request(
    number: int, method: str, params: dict[str, Any] | None = None
) -> dict[str, Any]:
    request: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
    return request | ({"params": params} if params else {})


async def _ask_sdk_server(
    found: list[dict[str, Any]], messages: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The SDK's results for these messages, in the order of their ids."""
    from citewell.server.app import App
    from citewell.server.protocol.sdk_server import build_sdk_server

    settings = Settings(profile="all", cache_enabled=False, audit_enabled=False)
    # Every setting that a tool requires is on, because the wire form of each tool is asked for.
    required = list_required_settings(found)
    switches = {setting.field: True for setting in list_settings() if setting.name in required}
    app = App(settings.replace(**switches), entries=found)
    server = build_sdk_server(app)
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
