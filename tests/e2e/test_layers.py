"""The HTTP surface around the protocol: who may call, how much, and what operators see."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest

from citewell.core import config
from citewell.core.errors import Misconfigured
from citewell.server.http.listening import check_listen_address
from tests.e2e.clients import connected, listening
from tests.requirements import requires

Environ = dict[str, str]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def exchange(environ: Environ, method: str, path: str, **how: Any) -> httpx2.Response:
    async def run() -> httpx2.Response:
        async with listening(environ) as base, httpx2.AsyncClient() as client:
            return await client.request(method, base + path, **how)

    return asyncio.run(run())


@requires("http.host_and_origin", "defect.http_open")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "https://evil.example.org"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example.org"}, 421),
        ({"host": "127.0.0.1.evil.example.org"}, 421),
    ],
)
def test_host_and_origin_decide_who_may_call(
    headers: dict[str, str], status: int, environ: Environ
) -> None:
    response = exchange(environ, "POST", "/mcp", json=INITIALIZE, headers=ACCEPT | headers)

    assert response.status_code == status


@requires("http.host_and_origin")
def test_an_origin_named_in_the_settings_may_call(environ: Environ) -> None:
    allowed = environ | {"ALLOWED_ORIGINS": "https://app.example.org"}

    response = exchange(
        allowed,
        "POST",
        "/mcp",
        json=INITIALIZE,
        headers=ACCEPT | {"origin": "https://app.example.org"},
    )

    assert response.status_code == 200


@requires("http.body_limit")
def test_a_body_over_the_limit_is_refused(environ: Environ) -> None:
    small = environ | {"MAX_REQUEST_BODY_BYTES": "1000"}

    response = exchange(small, "POST", "/mcp", content=b" " * 1001, headers=ACCEPT)

    assert response.status_code == 413


@requires("http.host_everywhere")
@pytest.mark.parametrize("has_oauth", [False, True])
def test_every_route_refuses_a_foreign_host(has_oauth: bool, environ: Environ) -> None:
    if has_oauth:
        environ |= {
            "OAUTH_ISSUER_URL": "https://login.example.org",
            "CITEWELL_PUBLIC_URL": "https://research.example.org",
        }
    paths = [
        "/",
        "/mcp",
        "/mcp/",
        "/mcp/all",
        "/health/live",
        "/health/ready",
        "/metrics",
        "/dashboard",
        "/admin/consent",
        "/.well-known/oauth-protected-resource",
        "/none",
    ]

    async def run() -> list[int]:
        headers = {"host": "localhost:x.evil.example.org"}
        async with listening(environ) as base, httpx2.AsyncClient() as client:
            asked = [await client.get(base + path, headers=headers) for path in paths]
        return [response.status_code for response in asked]

    assert asyncio.run(run()) == [421] * len(paths)


@requires("http.cors", "http.security_headers")
def test_a_preflight_request_for_mcp_is_answered(environ: Environ) -> None:
    allowed = environ | {"ALLOWED_ORIGINS": "https://app.example.org"}
    headers = {"origin": "https://app.example.org", "access-control-request-method": "POST"}

    response = exchange(allowed, "OPTIONS", "/mcp", headers=headers)

    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "https://app.example.org"
    assert response.headers["x-content-type-options"] == "nosniff"


@requires("http.toolset_query")
@pytest.mark.parametrize("path", ["/mcp/", "/mcp/core/", "/mcp?toolsets=core"])
def test_an_mcp_path_is_served_in_its_other_spellings(path: str, environ: Environ) -> None:
    response = exchange(environ, "POST", path, json=INITIALIZE, headers=ACCEPT)

    assert response.status_code == 200
    assert "location" not in response.headers


@pytest.mark.parametrize("content", [b"", b"not json", b"[]", b'{"jsonrpc":"2.0"}', b"\xff\xfe"])
def test_junk_is_a_client_error_and_never_a_crash(content: bytes, environ: Environ) -> None:
    response = exchange(environ, "POST", "/mcp", content=content, headers=ACCEPT)

    assert 400 <= response.status_code < 500


@requires("http.health")
def test_the_server_says_that_it_lives_and_that_it_is_ready(environ: Environ) -> None:
    live = exchange(environ, "GET", "/health/live")
    ready = exchange(environ, "GET", "/health/ready")

    assert (live.status_code, live.json()) == (200, {"status": "ok"})
    assert ready.status_code == 200


@requires("http.metrics", "defect.metrics_open")
@pytest.mark.parametrize(
    ("settings", "headers", "status"),
    [
        ({}, {}, 401),
        ({"ADMIN_API_KEY": "0123456789abcdef"}, {"x-admin-key": "wrong"}, 401),
        ({"ADMIN_API_KEY": "0123456789abcdef"}, {"x-admin-key": "0123456789abcdef"}, 200),
        ({"CITEWELL_OPEN_METRICS": "true"}, {}, 200),
    ],
)
def test_the_numbers_are_for_operators(
    settings: dict[str, str], headers: dict[str, str], status: int, environ: Environ
) -> None:
    response = exchange(environ | settings, "GET", "/metrics", headers=headers)

    assert response.status_code == status


def test_calls_show_up_in_the_numbers(environ: Environ) -> None:
    async def run() -> str:
        from mcp import Client

        async with listening(environ | {"CITEWELL_OPEN_METRICS": "true"}) as base:
            async with Client(base + "/mcp") as client:
                await client.call_tool("web_search", {"query": "http caching"})
            async with httpx2.AsyncClient() as http:
                return (await http.get(base + "/metrics")).text

    assert 'mcp_tool_calls_total{outcome="ok",tool="web_search"} 1.0' in asyncio.run(run())


@requires("http.toolset_paths")
@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/mcp", {"web_search", "read_artifact"}),
        ("/mcp/connector", {"search", "fetch"}),
        ("/mcp/core", {"web_search", "read_artifact"}),
    ],
)
def test_each_path_has_its_own_tools(path: str, names: set[str], environ: Environ) -> None:
    async def run() -> set[str]:
        async with connected("http", environ, path=path) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(run()) >= names


@requires("http.loopback", "defect.http_open")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "research.example.org"])
def test_a_public_interface_needs_insistence(host: str) -> None:
    settings = config.load_settings({"CITEWELL_HOST": host, "CITEWELL_CONFIG": "/nonexistent"})

    with pytest.raises(Misconfigured, match="--insecure"):
        check_listen_address(settings, insecure=False)
    check_listen_address(settings, insecure=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_needs_none(host: str) -> None:
    check_listen_address(
        config.load_settings({"CITEWELL_HOST": host, "CITEWELL_CONFIG": "/nonexistent"}),
        insecure=False,
    )


def test_progress_of_a_slow_call_arrives_over_http(environ: Environ) -> None:
    async def run() -> list[float]:
        heard: list[float] = []

        async def listen(progress: float, total: float | None, message: str | None) -> None:
            heard.append(progress)

        async with connected("http", environ) as client:
            await client.call_tool(
                "web_search",
                {"query": "http caching", "fetch_content": True, "num_results": 2},
                progress_callback=listen,
            )
        return heard

    assert asyncio.run(run())


def test_errors_are_readable_json(environ: Environ) -> None:
    response = exchange(environ, "POST", "/mcp", content=b"not json", headers=ACCEPT)

    assert json.loads(response.text)["error"]["code"] == -32700
