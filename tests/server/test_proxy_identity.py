"""Whose word about the caller is believed."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.tooling import Owner
from citewell.server.http.auth.caller import (
    CredentialsRefused,
    ProxyIdentity,
    RefusalCause,
    TrustedProxies,
)
from tests.requirements import requires
from tests.server.credential_requests import Headers, build_scope

USER, TENANT = "x-forwarded-user", "x-tenant"


def identify(
    headers: Headers, *, proxies: str = "10.0.0.0/8", client: Any = ("10.0.0.1", 1)
) -> Any:
    identity = ProxyIdentity(
        TrustedProxies.from_names(proxies.split(",")),
        user_header="X-Forwarded-User",
        tenant_header="X-Tenant",
    )
    return identity.identify_caller(build_scope(headers, client=client))


@requires("http.proxy_header")
@pytest.mark.parametrize(
    ("proxies", "peer"),
    [
        ("10.0.0.0/8", "10.255.0.1"),
        ("10.0.0.1", "10.0.0.1"),
        ("10.0.0.1", "::ffff:10.0.0.1"),
        ("::1,10.0.0.1", "::1"),
        ("[::1]", "::1"),
        ("fe80::/10", "fe80::1%eth0"),
        ("10.0.0.9/8", "10.1.2.3"),
    ],
)
def test_a_proxy_on_the_list_is_believed(proxies: str, peer: str) -> None:
    caller = identify([(USER, "alice"), (TENANT, "acme")], proxies=proxies, client=(peer, 1))

    assert caller.owner == Owner(tenant="acme", user="alice")


@requires("http.proxy_header")
@pytest.mark.parametrize(
    "client", [("192.168.0.1", 1), ("11.0.0.1", 1), ("::1", 1), ("nonsense", 1), ("", 1), None]
)
@pytest.mark.parametrize(
    "headers",
    [
        [(USER, "alice")],
        [(TENANT, "acme")],
        [(USER, "alice"), ("x-forwarded-for", "10.0.0.1")],
        [(USER, "alice"), ("forwarded", "for=10.0.0.1"), ("x-real-ip", "10.0.0.1")],
    ],
)
def test_anyone_else_who_sends_the_header_is_refused(headers: Headers, client: Any) -> None:
    with pytest.raises(CredentialsRefused) as caught:
        identify(headers, client=client)

    assert (caught.value.cause, caught.value.status) == (RefusalCause.UNTRUSTED_PROXY, 403)


def test_without_the_header_a_proxy_says_nothing() -> None:
    assert identify([]) is None
    assert identify([(USER, "")]) is None


@pytest.mark.parametrize(
    ("headers", "cause"),
    [
        ([(USER, "alice"), (USER, "bob")], RefusalCause.DUPLICATE_HEADER),
        ([(TENANT, "acme")], RefusalCause.IDENTITY),
        ([(USER, "anonymous")], RefusalCause.IDENTITY),
        ([(USER, "a" * 300)], RefusalCause.IDENTITY),
    ],
)
def test_a_proxy_that_names_nobody_is_refused(headers: Headers, cause: RefusalCause) -> None:
    with pytest.raises(CredentialsRefused) as caught:
        identify(headers)

    assert caught.value.cause is cause


def test_bytes_that_are_no_text_are_refused() -> None:
    identity = ProxyIdentity(
        TrustedProxies.from_names(["10.0.0.1"]), user_header="X-Forwarded-User"
    )
    scope = build_scope()
    scope["headers"] = [(USER.encode(), b"\xff\xfe")]

    with pytest.raises(CredentialsRefused):
        identity.identify_caller(scope)
