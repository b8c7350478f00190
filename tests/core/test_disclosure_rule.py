"""What outside services are told: addresses of public pages, and never one of a private host."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import RefusedByPolicy
from citewell.net.address_guard import DisclosureRule, GuardRules, is_private_service
from tests.net.loopback import Names
from tests.requirements import requires

NAMES = Names(
    {
        "wiki.example.org": ["10.1.2.3"],
        "half.example.org": ["93.184.216.34", "192.168.0.9"],
        "gone.example.org": [],
    },
    default=["93.184.216.34"],
)
ALLOWED: list[dict[str, Any]] = [
    {},
    {"allow_private_ips": True},
    {
        "allow_private_hosts": (
            "wiki.example.org",
            "half.example.org:80",
            "127.0.0.1:8080",
            "localhost",
            "[::1]:80",
            "10.0.0.7",
        )
    },
]
PRIVATE = [
    "http://127.0.0.1:8080/report",
    "http://localhost/report",
    "http://[::1]/report",
    "http://10.0.0.7/report",
    "http://169.254.169.254/latest",
    "http://wiki.example.org/report",
    "http://half.example.org/report",
    "http://intranet/report",
    "http://wiki.internal/report",
    "https://user:secret@example.org/report",
    "https://token@example.org/report",
    "file:///etc/passwd",
    "/documents/report.pdf",
    "C:\\report.pdf",
    "ftp://example.org/report",
    "",
]


def check(url: str, *, lookup: bool = False, **fields: Any) -> str:
    rule = DisclosureRule(GuardRules.from_settings(Settings(**fields)), resolver=NAMES)
    return asyncio.run(rule.check_disclosable(url, is_public_lookup=lookup)).url


@requires("sealed.every_tool")
@pytest.mark.parametrize("lookup", [False, True])
def test_where_queries_are_sealed_no_address_is_told_to_anybody(lookup: bool) -> None:
    rule = DisclosureRule(GuardRules(), resolver=NAMES, is_sealed=True)

    with pytest.raises(RefusedByPolicy, match="limits who may see queries"):
        asyncio.run(rule.check_disclosable("https://example.org/report", is_public_lookup=lookup))


@requires("scrape_page.hidden_from_exa")
@pytest.mark.parametrize("lookup", [False, True])
@pytest.mark.parametrize("fields", ALLOWED, ids=["nothing", "all", "hosts"])
@pytest.mark.parametrize("url", PRIVATE)
def test_a_private_address_is_told_to_nobody(
    url: str, fields: dict[str, Any], lookup: bool
) -> None:
    with pytest.raises(RefusedByPolicy) as caught:
        check(url, lookup=lookup, **fields)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("fields", ALLOWED, ids=["nothing", "all", "hosts"])
def test_a_public_address_may_be_told(fields: dict[str, Any]) -> None:
    assert check("https://www.example.org/a?b=1#c", **fields) == "https://www.example.org/a?b=1"


@pytest.mark.parametrize("url", ["https://news.example.org/a", "https://news.example.org:8443/a"])
def test_a_host_that_the_operator_named_stays_private_though_its_address_is_public(
    url: str,
) -> None:
    with pytest.raises(RefusedByPolicy):
        check(url, allow_private_hosts=("news.example.org:8080",))


def test_a_name_that_is_gone_may_be_looked_up_in_an_archive_only() -> None:
    assert check("http://gone.example.org/", lookup=True) == "http://gone.example.org/"

    with pytest.raises(RefusedByPolicy):
        check("http://gone.example.org/")


def test_a_name_that_is_gone_may_be_a_private_one_where_those_are_allowed() -> None:
    with pytest.raises(RefusedByPolicy):
        check("http://gone.example.org/", lookup=True, allow_private_ips=True)


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://127.0.0.1:8000/wayback", True),
        ("http://10.0.0.4/", True),
        ("https://archive.org/wayback/available", False),
        ("https://93.184.216.34/", False),
    ],
)
def test_a_service_at_a_private_address_is_in_the_network(url: str, private: bool) -> None:
    assert is_private_service(url) is private
