"""The official clients log in at a certified authorization server and call tools with what they are given."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from tests.e2e.clients import body, listening
from tests.node_packages import authorization_server, find_free_port, run_script
from tests.requirements import requires

CALLBACK = "http://127.0.0.1:1/callback"
SCOPES = ("toolset:core", "toolset:scholar", "toolset:trust")
SEARCH = {"query": "sleep and memory", "num_results": 2}
PAPERS = {"query": "sleep", "num_results": 1}


@dataclass
class LoginMemory:
    """What a client keeps between its steps."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    address: str = ""
    logins: int = 0

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def open_browser(self, address: str) -> None:
        self.address = address

    async def wait_for_callback(self) -> AuthorizationCodeResult:
        self.logins += 1
        given = parse_qs(urlsplit(await log_in(self.address, "anna")).query)
        return AuthorizationCodeResult(
            code=given["code"][0], state=given["state"][0], iss=given["iss"][0]
        )


async def log_in(address: str, user: str) -> str:
    """Follow the redirects and fill in the forms; the address to which the browser is sent back."""
    async with httpx2.AsyncClient() as browser:
        response = await browser.get(address)
        for _ in range(12):
            if location := response.headers.get("location"):
                address = urljoin(str(response.url), location)
                if urlsplit(address).path == "/callback":
                    return address
                response = await browser.get(address)
                continue
            action = re.search(r'<form[^>]*action="([^"]+)"', response.text)
            prompt = re.search(r'name="prompt" value="(\w+)"', response.text)
            assert action, response.text[:300]
            assert prompt
            form = {"prompt": prompt[1], "login": user, "password": "any"}
            response = await browser.post(urljoin(str(response.url), action[1]), data=form)
    raise AssertionError("The login did not end.")


@contextlib.asynccontextmanager
async def protected_server(environ: Mapping[str, str]) -> AsyncIterator[str]:
    """A server that accepts tokens of a real authorization server; yields its base address."""
    port = find_free_port()
    resource = f"http://127.0.0.1:{port}/mcp"
    with authorization_server(resource, SCOPES) as issuer:
        allowed = f"{environ['CITEWELL_ALLOW_PRIVATE_HOSTS']},{urlsplit(issuer).netloc}"
        guarded = {
            **environ,
            "CITEWELL_ALLOW_PRIVATE_HOSTS": allowed,
            "OAUTH_ISSUER_URL": issuer,
            "OAUTH_AUDIENCE": resource,
            "ENFORCE_SCOPES": "true",
        }
        async with listening(guarded, port=port) as base:
            yield base


@contextlib.asynccontextmanager
async def logged_in(
    address: str, memory: LoginMemory, mode: Any = "auto", *, document: str | None = None
) -> AsyncIterator[Client]:
    login = OAuthClientProvider(
        address,
        OAuthClientMetadata.model_validate(
            {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        ),
        memory,
        redirect_handler=memory.open_browser,
        callback_handler=memory.wait_for_callback,
        client_metadata_url=document,
    )
    async with (
        httpx2.AsyncClient(auth=login, timeout=30) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


@requires("http.oauth")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_python_client_logs_in_and_asks_for_more_when_a_tool_needs_it(
    environ: dict[str, str], mode: str
) -> None:
    memory = LoginMemory()

    async def use() -> tuple[Any, Any, Any]:
        async with protected_server(environ) as base:
            async with logged_in(f"{base}/mcp/core", memory, mode) as client:
                found = body(await client.call_tool("web_search", SEARCH))
                narrow = memory.tokens and memory.tokens.scope
            async with logged_in(f"{base}/mcp", memory, mode) as client:
                return found, body(await client.call_tool("academic_search", PAPERS)), narrow

    found, papers, narrow = asyncio.run(use())

    assert found["results"]
    assert papers["papers"]
    assert memory.logins == 2
    assert "toolset:scholar" not in (narrow or "")
    assert memory.tokens
    assert {"toolset:core", "toolset:scholar"} <= set((memory.tokens.scope or "").split())


def test_a_client_that_is_described_by_a_document_needs_no_registration(
    environ: dict[str, str],
) -> None:
    memory, document = LoginMemory(), "https://client.example.org/oauth/client.json"

    async def use() -> Any:
        async with (
            protected_server(environ) as base,
            logged_in(f"{base}/mcp", memory, document=document) as client,
        ):
            return body(await client.call_tool("web_search", SEARCH))

    found = asyncio.run(use())

    assert found["results"]
    assert memory.client
    assert memory.client.client_id == document


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_typescript_clients_log_in_and_ask_for_more_when_a_tool_needs_it(
    environ: dict[str, str], version: str
) -> None:
    async def use() -> Any:
        async with protected_server(environ) as base:
            return await asyncio.to_thread(run_script, "oauth_client.mjs", version, base, "anna")

    told = asyncio.run(use())

    assert told["results"] == 2
    assert told["papers"] == 1
    assert told["logins"] == 2
    assert "toolset:scholar" not in told["narrow"]
    assert "toolset:scholar" in told["scopes"]
