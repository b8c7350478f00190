"""The address of a caller: never what the caller writes, except through a trusted proxy."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any

import pytest

from citewell.server.http.call_origins import find_call_origin
from citewell.server.http.client_address import (
    ClientAddresses,
    find_client_address,
    name_address_group,
)

TRUSTED = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))


def build_scope(peer: str | None, *forwarded: str) -> dict[str, Any]:
    headers = [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded]
    return {"type": "http", "client": (peer, 1234) if peer else None, "headers": headers}


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("192.0.2.1", (), "192.0.2.1"),
        ("192.0.2.1", ("198.51.100.7",), "192.0.2.1"),  # nobody asked for this header
        ("10.0.0.1", ("198.51.100.7",), "198.51.100.7"),
        ("10.0.0.1", ("203.0.113.9, 198.51.100.7",), "198.51.100.7"),  # the left one is a claim
        ("10.0.0.1", ("203.0.113.9, 198.51.100.7, 10.2.3.4",), "198.51.100.7"),
        ("10.0.0.1", ("203.0.113.9", "198.51.100.7"), "198.51.100.7"),
        ("10.0.0.1", ("10.9.9.9, 10.2.3.4",), "10.9.9.9"),
        ("10.0.0.1", ("198.51.100.7:8080",), "198.51.100.7"),
        ("10.0.0.1", ("[2001:db8::1]:443",), "2001:db8::1"),
        ("10.0.0.1", ("2001:db8::1",), "2001:db8::1"),
        ("fd00::1", ("2001:db8::1",), "2001:db8::1"),
        ("::ffff:10.0.0.1", ("198.51.100.7",), "198.51.100.7"),
        ("10.0.0.1", ("198.51.100.7, unknown",), "10.0.0.1"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("10.0.0.1", (",,,",), "10.0.0.1"),
        ("10.0.0.1", ("\xff\xfe",), "10.0.0.1"),
        ("10.0.0.1", ("1.2.3.4, " + "10.1.1.1, " * 50 + "10.1.1.1",), "10.1.1.1"),
        ("fe80::1%eth0", (), "fe80::1"),
        (None, ("198.51.100.7",), "None"),
    ],
)
def test_the_header_is_read_from_the_right_and_only_behind_trusted_proxies(
    peer: str | None, forwarded: tuple[str, ...], found: str
) -> None:
    assert str(find_client_address(build_scope(peer, *forwarded), TRUSTED)) == found


def test_without_trusted_proxies_the_header_means_nothing() -> None:
    assert str(find_client_address(build_scope("10.0.0.1", "198.51.100.7"))) == "10.0.0.1"


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:ffff::9", "2001:db8:0:1::/64"),
        ("2001:db8:0:2::1", "2001:db8:0:2::/64"),
    ],
)
def test_ipv6_counts_by_its_network(address: str, group: str) -> None:
    assert name_address_group(ipaddress.ip_address(address)) == group


def test_a_connection_without_an_address_has_a_name_too() -> None:
    assert name_address_group(None) == "unknown"


def test_audit_lines_name_the_caller_behind_the_proxy() -> None:
    seen: list[str | None] = []

    async def note_origin(scope: Any, receive: Any, send: Any) -> None:
        seen.append(find_call_origin(scope).source_ip)

    async def send_nothing(*_: Any) -> Any: ...

    for trusted in (TRUSTED, ()):
        layer = ClientAddresses(note_origin, trusted)
        scope = build_scope("10.0.0.1", "198.51.100.7")
        asyncio.run(layer(scope, send_nothing, send_nothing))

    assert seen == ["198.51.100.7", "10.0.0.1"]
