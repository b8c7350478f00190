"""The front page of the HTTP server, as a browser and a program see it."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from citewell import __version__
from citewell.core import config
from citewell.server.app import App
from citewell.server.http.dashboard_routes import is_public_url
from citewell.server.http.hosting import build_layered_app
from citewell.server.pages.client_guides import ServerAddress
from citewell.server.pages.front_page import FrontPageFacts, render_front_page
from tests.requirements import requires
from tests.server.seen_pages import BROWSER, SeenPage


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


@pytest.mark.parametrize("host", ["a;rm -rf.example.org", "x'$(id)", "a/b", "<b>", "a@b", ""])
def test_a_host_that_is_no_name_is_not_repeated_in_commands(host: str, client: TestClient) -> None:
    response = client.get("/", headers={"host": host})

    assert not host or host not in SeenPage(response.text).text
    assert "/mcp" in response.text


@pytest.mark.parametrize(
    ("ways", "wanted_text"),
    [
        ({}, "nobody has to sign in"),
        ({"signs_in": True}, "opens the sign-in page by itself"),
        ({"takes_token": True}, "Ask the operator for a token"),
        ({"is_behind_gateway": True}, "gateway in front"),
    ],
)
def test_the_page_says_how_to_sign_in(ways: dict[str, bool], wanted_text: str) -> None:
    assert wanted_text in SeenPage(show(address=ways)).text


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
    ("settings", "wanted_text"),
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
    settings: dict[str, str], wanted_text: str, environ: dict[str, str]
) -> None:
    named = settings | {"CITEWELL_PUBLIC_URL": "https://research.example.org", "BRAVE_API_KEY": "k"}
    app = App(config.load_settings(environ | named))
    client = TestClient(build_layered_app(app), base_url="https://research.example.org")

    response = client.get("/", headers=BROWSER)

    assert response.status_code == 200
    assert wanted_text in SeenPage(response.text).text
    assert "https://research.example.org/mcp" in response.text
    for private in ("secret", "brave", "searxng", "openalex"):
        assert private not in response.text.lower()
