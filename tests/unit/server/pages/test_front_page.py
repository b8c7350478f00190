"""The front page and the errors of the HTTP server, as a browser and a program see them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from citewell import __version__, config
from citewell.server.app import App
from citewell.server.http.hosting import build_asgi_app, build_layered_app
from citewell.server.http.page_routing.own_address import is_public_url
from citewell.server.pages.client_guides import ServerAddress, list_client_guides
from citewell.server.pages.error_pages import ERROR_HANDLERS
from citewell.server.pages.front_page import FrontPageFacts, render_front_page
from citewell.server.pages.html_elements import SafeMarkup, build_element, join_markup
from tests.requirements import requires
from tests.unit.server.pages.seen_pages import SeenPage

HOSTILE = "<script>alert(1)</script>\" onload='x"
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def client(environ: dict[str, str]) -> TestClient:
    app = App(config.load_settings(environ))
    return TestClient(build_asgi_app(app), base_url="http://127.0.0.1:8000")


def show(**changes: Any) -> str:
    address = ServerAddress(
        base_url="https://research.example.org", is_public=True, **changes.pop("address", {})
    )
    facts: dict[str, Any] = {"version": "1.2.3", "is_ready": True, "toolsets": ("core",)}
    return render_front_page(FrontPageFacts(address=address, **(facts | changes)))


@requires("http.front_page")
def test_the_front_page_says_what_this_is_whether_it_is_well_and_how_to_connect(
    client: TestClient,
) -> None:
    response = client.get("/", headers=BROWSER)

    page = SeenPage(response.text)
    assert response.status_code == 200
    assert f"Version {__version__}" in page.text
    assert "This server is ready" in page.text
    assert "http://127.0.0.1:8000/mcp" in page.text
    for name in ("Claude Code", "Claude Desktop", "ChatGPT", "Cursor", "VS Code", "Codex"):
        assert name in page.text
    assert "clients.md" in page.text


def test_the_page_says_that_the_server_is_not_ready() -> None:
    page = SeenPage(show(is_ready=False))

    assert "not ready" in page.text
    assert "is ready" not in page.text


@requires("http.pages_closed")
def test_a_page_lets_nothing_run_but_its_own_style_and_script(client: TestClient) -> None:
    first, second = client.get("/"), client.get("/")

    policy = first.headers["content-security-policy"]
    page = SeenPage(first.text)
    nonces = set(page.list_values("nonce"))
    assert len(nonces) == 1
    assert f"script-src 'nonce-{nonces.pop()}'" in policy
    assert policy != second.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.list_values("style") == []
    assert [name for _, name, _ in page.attributes if name.startswith("on")] == []
    assert page.list_values("src") == []
    assert first.headers["cache-control"] == "no-store"
    assert first.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("host", ["a;rm -rf.example.org", "x'$(id)", "a/b", "<b>", "a@b", ""])
def test_a_host_that_is_no_name_is_not_repeated_in_commands(host: str, client: TestClient) -> None:
    response = client.get("/", headers={"host": host})

    assert not host or host not in SeenPage(response.text).text
    assert "/mcp" in response.text


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


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        ({}, "nobody has to sign in"),
        ({"signs_in": True}, "opens the sign-in page by itself"),
        ({"takes_token": True}, "Ask the operator for a token"),
        ({"is_behind_gateway": True}, "gateway in front"),
    ],
)
def test_the_page_says_how_to_sign_in(ways: dict[str, bool], told: str) -> None:
    assert told in SeenPage(show(address=ways)).text


def test_what_runs_elsewhere_is_told_that_it_cannot_reach_loopback() -> None:
    guides = list_client_guides(ServerAddress(base_url="http://127.0.0.1:8000", is_public=False))

    notes = {guide.key: guide.note or "" for guide in guides}
    assert "public https address" in notes["chatgpt"]
    assert "public https address" in notes["claude"]


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://research.example.org", True),
        ("https://research.example.org:8443", True),
        ("http://research.example.org", False),
        ("https://localhost:8000", False),
        ("https://[::1]:8000", False),
        ("https://[2001:db8::1]", True),
        ("https://127.0.0.1", False),
    ],
)
def test_public_is_https_on_another_machine(url: str, public: bool) -> None:
    assert is_public_url(url) is public


def test_everything_put_into_an_element_is_escaped() -> None:
    made = build_element("p", HOSTILE, build_element("b", HOSTILE), title=HOSTILE, hidden=True)

    page = SeenPage(made)
    assert page.tags == ["p", "b"]
    assert page.text == HOSTILE * 2
    assert page.list_values("title") == [HOSTILE]
    assert join_markup(("<", SafeMarkup("<br>"), None)) == "&lt;<br>"


@requires("http.error_pages")
@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/nothing", 404, "not_found"), ("POST", "/", 405, "method_not_allowed")],
)
def test_errors_are_pages_for_browsers_and_json_for_programs(
    method: str, path: str, status: int, code: str, client: TestClient
) -> None:
    seen = client.request(method, path, headers=BROWSER)
    read = client.request(method, path, headers={"accept": "application/json"})

    assert (seen.status_code, read.status_code) == (status, status)
    assert seen.headers["content-type"].startswith("text/html")
    assert "/" in SeenPage(seen.text).list_values("href")
    assert read.json()["error"]["code"] == code
    if status == 405:
        assert "GET" in seen.headers["allow"]


@requires("http.error_pages")
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_what_went_wrong_inside_stays_in_the_log(
    accept: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_: Request) -> Response:
        raise RuntimeError("the secret " + HOSTILE)

    app = Starlette(routes=[Route("/", fail)], exception_handlers=dict(ERROR_HANDLERS))

    response = TestClient(app, raise_server_exceptions=False).get("/", headers={"accept": accept})

    assert response.status_code == 500
    assert "secret" not in response.text
    assert "the secret" in caplog.text


@requires("http.error_pages")
@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/all", "/mcp?toolsets=core"])
def test_the_address_of_a_client_is_explained_to_a_browser(
    path: str, environ: dict[str, str]
) -> None:
    app = App(config.load_settings(environ))
    client = TestClient(build_layered_app(app), base_url="http://127.0.0.1:8000")

    page = client.get(path, headers=BROWSER)

    assert page.status_code == 406
    assert "This address is for AI assistants" in SeenPage(page.text).text
    assert "nonce-" in page.headers["content-security-policy"]


@requires("http.front_page")
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {
                "OAUTH_ISSUER_URL": "https://login.secret-issuer.example.org",
                "OAUTH_AUDIENCE": "https://research.example.org/mcp",
            },
            "opens the sign-in page by itself",
        ),
        ({"CITEWELL_API_TOKENS": "true"}, "Ask the operator for a token"),
        (
            {
                "CITEWELL_PROXY_USER_HEADER": "x-secret-header",
                "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
            },
            "gateway in front",
        ),
    ],
)
def test_with_authentication_the_page_says_how_to_sign_in_and_nothing_of_the_settings(
    settings: dict[str, str], told: str, environ: dict[str, str]
) -> None:
    named = settings | {"CITEWELL_PUBLIC_URL": "https://research.example.org", "BRAVE_API_KEY": "k"}
    app = App(config.load_settings(environ | named))
    client = TestClient(build_layered_app(app), base_url="https://research.example.org")

    response = client.get("/", headers=BROWSER)

    assert response.status_code == 200
    assert told in SeenPage(response.text).text
    assert "https://research.example.org/mcp" in response.text
    for private in ("secret", "brave", "searxng", "openalex"):
        assert private not in response.text.lower()
