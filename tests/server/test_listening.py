from __future__ import annotations

import pytest

from citewell.core import config
from citewell.server.http.listening import describe_start

LOOPBACK = [("127.0.0.1", 8000)]
KEY = "0123456789abcdef"


def describe(addresses: list[tuple[str, int]], **settings: str) -> str:
    return describe_start(
        config.load_settings({"CITEWELL_CONFIG": "/nonexistent"} | settings), addresses
    )


def test_the_message_says_where_how_who_and_what_is_off() -> None:
    assert describe(LOOPBACK).splitlines() == [
        "citewell serves MCP at http://127.0.0.1:8000/mcp",
        "  Connect a client:  http://127.0.0.1:8000/ shows how",
        "  Who may call:      anyone on this machine, without signing in",
        "  Dashboard:         off; set ADMIN_API_KEY to switch it on",
    ]


def test_the_dashboard_has_its_address_and_never_its_key() -> None:
    text = describe(LOOPBACK, ADMIN_API_KEY=KEY)

    assert "http://127.0.0.1:8000/dashboard (log in with ADMIN_API_KEY)" in text
    assert KEY not in text


@pytest.mark.parametrize(
    ("settings", "wanted_text"),
    [
        ({"CITEWELL_HOST": "0.0.0.0"}, "ANYONE who can reach this address"),
        ({"CITEWELL_API_TOKENS": "true"}, "citewell users token create"),
        (
            {"OAUTH_ISSUER_URL": "https://id.example.org", "OAUTH_AUDIENCE": "a"},
            "your identity provider",
        ),
        (
            {"CITEWELL_PROXY_USER_HEADER": "x-user", "CITEWELL_TRUSTED_PROXIES": "127.0.0.1"},
            "your proxy has logged in",
        ),
    ],
)
def test_who_may_call_is_said_for_every_way(settings: dict[str, str], wanted_text: str) -> None:
    assert wanted_text in describe(LOOPBACK, **settings)


@pytest.mark.parametrize(
    ("address", "settings", "url"),
    [
        (("0.0.0.0", 8000), {}, "http://127.0.0.1:8000/"),
        (("::", 8000), {}, "http://[::1]:8000/"),
        (
            ("0.0.0.0", 8000),
            {"CITEWELL_PUBLIC_URL": "https://r.example.org/"},
            "https://r.example.org/",
        ),
    ],
)
def test_the_page_has_an_address_that_a_browser_can_open(
    address: tuple[str, int], settings: dict[str, str], url: str
) -> None:
    assert f"Connect a client:  {url} shows how" in describe([address], **settings)
