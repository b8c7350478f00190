"""How each kind of client is told to connect."""

from __future__ import annotations

import json

from citewell.server.pages.client_guides import ServerAddress, list_client_guides


def test_commands_and_files_carry_the_servers_own_address() -> None:
    address = ServerAddress(base_url="https://research.example.org", is_public=True)

    guides = {guide.key: guide for guide in list_client_guides(address)}

    assert guides["claude-code"].snippets[0].text == (
        "claude mcp add --transport http citewell https://research.example.org/mcp"
    )
    cursor = json.loads(guides["cursor"].snippets[0].text)
    assert cursor["mcpServers"]["citewell"] == {"url": "https://research.example.org/mcp"}
    vscode = json.loads(guides["vscode"].snippets[0].text)
    assert vscode["servers"]["citewell"]["type"] == "http"
    assert guides["chatgpt"].snippets[0].text == "https://research.example.org/mcp/connector"
    assert guides["claude"].snippets[0].text == "https://research.example.org/mcp"


def test_a_token_is_asked_for_where_clients_do_not_sign_in_by_themselves() -> None:
    address = ServerAddress(base_url="https://r.example.org", is_public=True, takes_token=True)

    guides = {guide.key: guide for guide in list_client_guides(address)}

    assert "Authorization: Bearer YOUR_TOKEN" in guides["claude-code"].snippets[0].text
    assert guides["chatgpt"].snippets == ()
    assert "OAuth" in (guides["chatgpt"].note or "")
    assert "bearer_token_env_var" in guides["codex"].snippets[0].text


def test_what_runs_elsewhere_is_told_that_it_cannot_reach_loopback() -> None:
    guides = list_client_guides(ServerAddress(base_url="http://127.0.0.1:8000", is_public=False))

    notes = {guide.key: guide.note or "" for guide in guides}
    assert "public https address" in notes["chatgpt"]
    assert "public https address" in notes["claude"]
