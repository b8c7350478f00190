"""How each client is connected to this server: what to type, paste or click, with its own address."""

from __future__ import annotations

import base64
import json
import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

CONNECTOR_PATH, DEFAULT_PATH = "/mcp/connector", "/mcp"
SERVER_NAME = "citewell"
TOKEN_PLACEHOLDER = "YOUR_TOKEN"  # noqa: S105 - stands where a person puts a token


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where clients reach this server, and what they must send to be let in."""

    base_url: str
    is_public: bool  # assistants that run on other machines can reach it
    takes_token: bool = False  # a token is sent as `Authorization: Bearer`
    signs_in: bool = False  # clients open a sign-in page by themselves
    is_behind_gateway: bool = False  # a proxy in front says who is calling

    @property
    def url(self) -> str:
        return self.base_url + DEFAULT_PATH

    @property
    def connector_url(self) -> str:
        return self.base_url + CONNECTOR_PATH

    @property
    def headers(self) -> dict[str, str]:
        """What a client must be configured to send; nothing if it signs in by itself."""
        if self.signs_in or not self.takes_token:
            return {}
        return {"Authorization": f"Bearer {TOKEN_PLACEHOLDER}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSnippet:
    """A text to copy, and where it belongs."""

    place: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientGuide:
    key: str
    name: str
    steps: tuple[str, ...]
    snippets: tuple[ClientSnippet, ...] = ()
    install_url: str | None = None  # opens the client, which asks whether to add the server
    note: str | None = None


def list_client_guides(address: ServerAddress) -> tuple[ClientGuide, ...]:
    return (
        _guide_claude_code(address),
        _guide_claude_apps(address),
        _guide_chatgpt(address),
        _guide_cursor(address),
        _guide_vscode(address),
        _guide_codex(address),
        _guide_gemini(address),
        _guide_other_clients(address),
    )


def _guide_claude_code(address: ServerAddress) -> ClientGuide:
    words = ["claude", "mcp", "add", "--transport", "http", SERVER_NAME, address.url]
    words += [part for pair in address.headers.items() for part in ("--header", ": ".join(pair))]
    steps = ["Run this in a terminal."]
    if address.signs_in:
        steps.append("Then type /mcp in Claude Code, choose citewell and sign in.")
    return ClientGuide(
        key="claude-code",
        name="Claude Code",
        steps=tuple(steps),
        snippets=(ClientSnippet(place="Terminal", text=shlex.join(words)),),
    )


def _guide_claude_apps(address: ServerAddress) -> ClientGuide:
    if address.is_public and not address.headers:
        return ClientGuide(
            key="claude",
            name="Claude Desktop and claude.ai",
            steps=(
                "Open Settings, then Connectors, and choose “Add custom connector”.",
                "Name it Citewell and paste this address.",
                *(("Choose Connect and sign in.",) if address.signs_in else ()),
            ),
            snippets=(ClientSnippet(place="Address", text=address.url),),
        )
    bridge = ["-y", "mcp-remote", address.url]
    bridge += [part for pair in address.headers.items() for part in ("--header", ": ".join(pair))]
    return ClientGuide(
        key="claude",
        name="Claude Desktop",
        steps=(
            "Open Settings, then Developer, and choose “Edit Config”.",
            "Add this to the file and start Claude Desktop again. It needs Node.js.",
        ),
        snippets=(
            ClientSnippet(
                place="claude_desktop_config.json",
                text=_format_json(
                    {"mcpServers": {SERVER_NAME: {"command": "npx", "args": bridge}}}
                ),
            ),
        ),
        note=_describe_hindrance(address, "claude.ai"),
    )


def _guide_chatgpt(address: ServerAddress) -> ClientGuide:
    if hindrance := _describe_hindrance(address, "ChatGPT"):
        return ClientGuide(key="chatgpt", name="ChatGPT", steps=(), note=hindrance)
    signing = "OAuth" if address.signs_in else "No authentication"
    return ClientGuide(
        key="chatgpt",
        name="ChatGPT",
        steps=(
            "Open Settings, then Apps and Connectors, and switch on Developer mode under Advanced.",
            f"Choose Create, name it Citewell, paste this address, and choose “{signing}”.",
            "It offers search and fetch, which deep research asks for; /mcp has the other tools.",
        ),
        snippets=(ClientSnippet(place="Address", text=address.connector_url),),
    )


def _guide_cursor(address: ServerAddress) -> ClientGuide:
    entry = _build_entry(address)
    packed = base64.b64encode(json.dumps(entry).encode()).decode()
    return ClientGuide(
        key="cursor",
        name="Cursor",
        steps=("Use the button, or add this to the file.",),
        snippets=(
            ClientSnippet(
                place="~/.cursor/mcp.json",
                text=_format_json({"mcpServers": {SERVER_NAME: entry}}),
            ),
        ),
        install_url="cursor://anysphere.cursor-deeplink/mcp/install"
        f"?name={SERVER_NAME}&config={quote(packed, safe='')}",
    )


def _guide_vscode(address: ServerAddress) -> ClientGuide:
    entry = {"type": "http"} | _build_entry(address)
    named = json.dumps({"name": SERVER_NAME} | entry, separators=(",", ":"))
    return ClientGuide(
        key="vscode",
        name="VS Code",
        steps=("Use the button, or add this to the file.",),
        snippets=(
            ClientSnippet(
                place=".vscode/mcp.json", text=_format_json({"servers": {SERVER_NAME: entry}})
            ),
        ),
        install_url=f"vscode:mcp/install?{quote(named, safe='')}",
    )


def _guide_codex(address: ServerAddress) -> ClientGuide:
    lines = [f"[mcp_servers.{SERVER_NAME}]", f"url = {json.dumps(address.url)}"]
    if address.headers:
        lines.append('bearer_token_env_var = "RESEARCH_TOKEN"')
    steps = ["Add this to the file."]
    if address.headers:
        steps.append("Put your token into the environment variable RESEARCH_TOKEN.")
    if address.signs_in:
        steps.append("Then run codex mcp login citewell.")
    return ClientGuide(
        key="codex",
        name="Codex",
        steps=tuple(steps),
        snippets=(ClientSnippet(place="~/.codex/config.toml", text="\n".join(lines)),),
    )


def _guide_gemini(address: ServerAddress) -> ClientGuide:
    words = ["gemini", "mcp", "add", "--transport", "http", SERVER_NAME, address.url]
    words += [part for pair in address.headers.items() for part in ("--header", ": ".join(pair))]
    return ClientGuide(
        key="gemini",
        name="Gemini CLI",
        steps=(
            "Run this in a terminal.",
            *(("Then type /mcp auth citewell in Gemini CLI.",) if address.signs_in else ()),
        ),
        snippets=(ClientSnippet(place="Terminal", text=shlex.join(words)),),
    )


def _guide_other_clients(address: ServerAddress) -> ClientGuide:
    sent = "\n".join(f"{name}: {value}" for name, value in address.headers.items())
    return ClientGuide(
        key="other",
        name="Other clients",
        steps=(
            "Choose “Streamable HTTP” (some call it HTTP or remote) and paste this address.",
            *(("Add this header.",) if sent else ()),
        ),
        snippets=(
            ClientSnippet(place="Address", text=address.url),
            *((ClientSnippet(place="Header", text=sent),) if sent else ()),
        ),
    )


def _build_entry(address: ServerAddress) -> dict[str, Any]:
    return {"url": address.url} | ({"headers": address.headers} if address.headers else {})


def _describe_hindrance(address: ServerAddress, client: str) -> str | None:
    """Why this client may be unable to connect; None if it can."""
    if not address.is_public:
        return (
            f"{client} runs on other machines and cannot reach this address. "
            "It needs a public https address."
        )
    if address.headers:
        return f"{client} takes no pasted token; it needs a server that signs people in by OAuth."
    return None


def _format_json(value: object) -> str:
    return json.dumps(value, indent=2)
