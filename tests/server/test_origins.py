"""Which hosts and origins are accepted on any route, and what browsers are told."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from citewell.core import config
from citewell.core.errors import Misconfigured
from citewell.server.http.layers import BodyLimit, McpPaths, SecurityHeaders
from citewell.server.http.origins import (
    CrossOriginAccess,
    HostCheck,
    OriginCheck,
    build_allowed_origins,
)
from tests.requirements import requires


def load(**values: str) -> config.Settings:
    return config.load_settings({"CITEWELL_CONFIG": "/nonexistent"} | values)


async def greet(request: Request) -> Response:
    body = await request.body()
    return JSONResponse({"path": request.url.path, "size": len(body)})


async def own_policy(_: Request) -> Response:
    return PlainTextResponse("page", headers={"Content-Security-Policy": "default-src 'nonce-1'"})


ROUTES = Starlette(
    routes=[
        Route("/page", own_policy),
        Route("/{rest:path}", greet, methods=["GET", "POST"]),
    ]
)


def ask(app: Any, method: str = "GET", path: str = "/", **how: Any) -> httpx2.Response:
    async def run() -> httpx2.Response:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, **how)

    return asyncio.run(run())


def check_origins(**values: str) -> HostCheck:
    allowed = build_allowed_origins(load(**values))
    return HostCheck(OriginCheck(ROUTES, allowed), allowed)


@requires("http.host_and_origin", "http.host_everywhere")
@pytest.mark.parametrize("path", ["/mcp", "/health/live", "/metrics", "/", "/.well-known/x"])
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8000", 200),
        ("localhost.", 200),
        ("localhost.:80", 200),
        ("127.0.0.1:65535", 200),
        ("[::1]:8000", 200),
        ("[0:0:0:0:0:0:0:1]", 200),
        ("localhost:x.evil.com", 421),
        ("localhost:80.evil.com", 421),
        ("localhost:", 421),
        ("localhost:99999", 421),
        ("localhost:8٠", 421),
        ("localhost.evil.com", 421),
        ("localhost@evil.com", 421),
        ("evil.com#localhost", 421),
        ("localhost..", 421),
        ("127.1", 421),
        ("2130706433", 421),
        ("0.0.0.0", 421),
        ("::1", 421),
        ("[::1", 421),
        ("[::1%25lo]", 421),
        ("", 421),
    ],
)
def test_only_hosts_of_this_server_are_answered_for(host: str, status: int, path: str) -> None:
    response = ask(check_origins(), path=path, headers=[(b"host", host.encode("utf-8"))])

    assert response.status_code == status


@requires("http.host_and_origin")
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("https://LOCALHOST", 200),
        ("http://[::1]:5173", 200),
        ("https://app.example.org", 200),
        ("https://app.example.org:443", 200),
        ("https://research.example.org", 200),
        ("vscode-webview://abc", 200),
        ("http://app.example.org", 403),
        ("https://app.example.org:444", 403),
        ("https://app.example.org.evil.com", 403),
        ("http://127.0.0.1:1.evil.com", 403),
        ("http://localhost:80@evil.com", 403),
        ("http://localhost:80/evil.com", 403),
        ("http://localhost\\@evil.com", 403),
        ("ftp://localhost", 403),
        ("localhost", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_only_pages_of_allowed_origins_may_call(origin: str, status: int) -> None:
    check = check_origins(
        ALLOWED_ORIGINS="https://App.example.org/, vscode-webview://abc",
        CITEWELL_PUBLIC_URL="https://research.example.org/tools",
    )

    response = ask(check, headers={"origin": origin})

    assert response.status_code == status


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("Research.example.org", 200),
        ("research.example.org:8443", 200),
        ("inner.example.org:8000", 200),
        ("inner.example.org:8001", 421),
        ("inner.example.org", 421),
        ("a.b.example.net", 200),
        ("example.net", 421),
        ("notexample.net", 421),
        ("10.0.0.7", 200),
        ("[2001:db8::1]:8000", 200),
        ("public.example.com", 200),
        ("evil.example.com", 421),
    ],
)
def test_hosts_named_in_the_settings_are_accepted(host: str, status: int) -> None:
    check = check_origins(
        CITEWELL_ALLOWED_HOSTS="research.example.org, inner.example.org:8000, *.example.net, [2001:DB8:0::1]",
        CITEWELL_PUBLIC_URL="https://public.example.com:8443",
        CITEWELL_HOST="10.0.0.7",
    )

    response = ask(check, headers={"host": host})

    assert response.status_code == status


def test_a_page_of_the_server_itself_may_call() -> None:
    check = check_origins(CITEWELL_ALLOWED_HOSTS="research.example.org")
    host = {"host": "research.example.org:8443"}

    own = ask(check, headers=host | {"origin": "https://research.example.org:8443"})
    other = ask(check, headers=host | {"origin": "https://research.example.org:9000"})

    assert (own.status_code, other.status_code) == (200, 403)


def test_the_address_a_connection_came_in_on_is_accepted_as_host() -> None:
    def run(host: bytes) -> int:
        sent: list[Any] = []
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "server": ("10.1.2.3", 8000),
            "headers": [(b"host", host)],
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(check_origins()(scope, receive, send))
        return int(sent[0]["status"])

    assert run(b"10.1.2.3:8000") == 200
    assert run(b"10.1.2.4:8000") == 421


def test_two_origins_are_refused() -> None:
    headers = [
        ("host", "localhost"),
        ("origin", "http://localhost"),
        ("origin", "http://localhost"),
    ]

    assert ask(check_origins(), headers=headers).status_code == 403


@pytest.mark.parametrize(
    "values",
    [
        {"ALLOWED_ORIGINS": "*"},
        {"ALLOWED_ORIGINS": "https://*.example.org"},
        {"ALLOWED_ORIGINS": "app.example.org"},
        {"ALLOWED_ORIGINS": "https://app.example.org/path"},
        {"CITEWELL_ALLOWED_HOSTS": "https://research.example.org"},
        {"CITEWELL_ALLOWED_HOSTS": "*"},
        {"CITEWELL_ALLOWED_HOSTS": "*.org"},
        {"CITEWELL_ALLOWED_HOSTS": "*.example.org:80"},
        {"CITEWELL_PUBLIC_URL": "research.example.org"},
        {"CITEWELL_PUBLIC_URL": "ftp://research.example.org"},
        {"CITEWELL_PUBLIC_URL": "https://user@research.example.org"},
        {"CITEWELL_PUBLIC_URL": "https://research.example.org/?x"},
    ],
)
def test_a_setting_that_is_no_host_or_origin_is_named(values: dict[str, str]) -> None:
    with pytest.raises(Misconfigured, match=next(iter(values))):
        build_allowed_origins(load(**values))


@requires("http.cors")
@pytest.mark.parametrize(
    ("settings", "origin", "allowed"),
    [
        ({}, "http://localhost:3000", None),
        ({"CORS_STRICT": "false"}, "http://localhost:3000", "http://localhost:3000"),
        ({"CORS_STRICT": "false"}, "http://localhost:3000.evil.com", None),
        ({"ALLOWED_ORIGINS": "https://app.example.org"}, "https://app.example.org", "https://app.example.org"),
        ({"ALLOWED_ORIGINS": "HTTPS://App.Example.org:443/"}, "https://app.example.org", "https://app.example.org"),
        ({"ALLOWED_ORIGINS": "https://app.example.org"}, "https://other.example.org", None),
    ],
)  # fmt: skip
def test_answers_are_shared_with_named_origins_only(
    settings: dict[str, str], origin: str, allowed: str | None
) -> None:
    response = ask(CrossOriginAccess(ROUTES, load(**settings)), headers={"origin": origin})

    assert response.headers.get("access-control-allow-origin") == allowed
    assert "access-control-allow-credentials" not in response.headers


@requires("http.cors")
def test_a_preflight_request_is_answered_for_every_header() -> None:
    app = CrossOriginAccess(ROUTES, load(ALLOWED_ORIGINS="https://app.example.org"))
    asked = "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-param-query"

    response = ask(
        app,
        "OPTIONS",
        "/mcp",
        headers={
            "origin": "https://app.example.org",
            "access-control-request-method": "POST",
            "access-control-request-headers": asked,
        },
    )

    assert response.status_code == 200
    assert response.headers["access-control-allow-headers"] == asked
    assert "POST" in response.headers["access-control-allow-methods"]


@requires("http.cors")
def test_a_browser_may_read_the_headers_a_client_needs() -> None:
    app = CrossOriginAccess(ROUTES, load(ALLOWED_ORIGINS="https://app.example.org"))

    response = ask(app, headers={"origin": "https://app.example.org"})

    exposed = response.headers["access-control-expose-headers"]
    assert {"Mcp-Session-Id", "WWW-Authenticate", "RateLimit"} <= set(exposed.split(", "))


@requires("http.security_headers")
def test_responses_carry_security_headers() -> None:
    response = ask(SecurityHeaders(ROUTES, load()))

    assert response.headers["x-content-type-options"] == "nosniff"
    assert (
        response.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    )
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["permissions-policy"] == "geolocation=(), camera=(), microphone=()"
    assert "strict-transport-security" not in response.headers


@requires("http.security_headers")
def test_a_page_keeps_its_own_policy_and_https_is_remembered() -> None:
    app = SecurityHeaders(ROUTES, load(CITEWELL_PUBLIC_URL="https://research.example.org"))

    response = ask(app, path="/page")

    assert response.headers["content-security-policy"] == "default-src 'nonce-1'"
    assert response.headers["strict-transport-security"] == "max-age=31536000"


@requires("http.body_limit")
@pytest.mark.parametrize(("size", "status"), [(1000, 200), (1001, 413)])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_is_counted_on_every_route(size: int, status: int, is_chunked: bool) -> None:
    async def pieces() -> Any:
        for _ in range(size):
            yield b"x"

    content = pieces() if is_chunked else b"x" * size

    response = ask(BodyLimit(ROUTES, 1000), "POST", "/admin/data", content=content)

    assert response.status_code == status


@requires("http.toolset_query")
@pytest.mark.parametrize(
    ("path", "served"),
    [
        ("/mcp", "/mcp"),
        ("/mcp/", "/mcp"),
        ("/mcp/core/", "/mcp/core"),
        ("/mcp?toolsets=core", "/mcp/core"),
        ("/mcp/?x=1&toolsets=core", "/mcp/core"),
        ("/mcp?toolset=core", "/mcp"),
        ("/health/live/", "/health/live/"),
    ],
)
def test_a_toolset_can_be_named_in_the_query(path: str, served: str) -> None:
    response = ask(McpPaths(ROUTES, ["/mcp", "/mcp/core", "/mcp/all"]), path=path)

    assert response.json()["path"] == served


@requires("http.toolset_query")
@pytest.mark.parametrize(
    "query", ["nope", "", "core,all", "core&toolsets=all", "../admin", "a" * 9000]
)
def test_an_unknown_toolset_in_the_query_is_a_clear_error(query: str) -> None:
    app = McpPaths(ROUTES, ["/mcp", "/mcp/core", "/mcp/all"])

    response = ask(app, path=f"/mcp?toolsets={query}")

    assert response.status_code == 400
    assert "Name one of all, core" in response.json()["message"]
    assert len(response.content) < 500
