"""Where credentials are looked for in a request, and whose word about the caller is believed."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.server.http.auth.bearer_header import find_bearer_token
from citewell.server.http.auth.proxy_identity import ProxyIdentity, TrustedProxies
from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause
from citewell.tooling import Owner
from tests.requirements import requires

Headers = list[tuple[str, str]]
USER, TENANT = "x-forwarded-user", "x-tenant"


def build_scope(
    headers: Headers | None = None, *, query: str = "", client: Any = ("10.0.0.1", 5000)
) -> dict[str, Any]:
    return {
        "type": "http",
        "query_string": query.encode(),
        "client": client,
        "headers": [(name.encode(), value.encode()) for name, value in headers or []],
    }


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("BEARER   abc", "abc"),
        ("Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="),
        ("Bearer", None),
        ("Bearer ", None),
    ],
)
def test_a_token_is_read_from_the_header(value: str, token: str | None) -> None:
    assert find_bearer_token(build_scope([("authorization", value)])) == token


def test_a_request_without_the_header_has_no_token() -> None:
    assert find_bearer_token(build_scope(query="toolsets=core&q=50%25")) is None


@requires("http.smuggled_credentials")
@pytest.mark.parametrize(
    ("headers", "query", "cause"),
    [
        ([("authorization", "Bearer a"), ("authorization", "Bearer a")], "", RefusalCause.DUPLICATE_HEADER),
        ([("authorization", "Basic a"), ("authorization", "Bearer a")], "", RefusalCause.DUPLICATE_HEADER),
        ([], "access_token=a", RefusalCause.TOKEN_IN_QUERY),
        ([], "x=1&ACCESS_TOKEN=a", RefusalCause.TOKEN_IN_QUERY),
        ([], "%61ccess%5Ftoken=a", RefusalCause.TOKEN_IN_QUERY),
        ([("authorization", "Bearer good")], "access_token=", RefusalCause.TOKEN_IN_QUERY),
        ([], "api_key=a", RefusalCause.TOKEN_IN_QUERY),
        ([("authorization", "Bearer " + "a" * 16_385)], "", RefusalCause.TOKEN_TOO_LONG),
        ([("authorization", "Basic YTpi")], "", RefusalCause.UNSUPPORTED_SCHEME),
        ([("authorization", "abc")], "", RefusalCause.UNSUPPORTED_SCHEME),
        ([("authorization", "Bearer a b")], "", RefusalCause.MALFORMED_TOKEN),
        ([("authorization", "Bearer a,b")], "", RefusalCause.MALFORMED_TOKEN),
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused(
    headers: Headers, query: str, cause: RefusalCause
) -> None:
    with pytest.raises(CredentialsRefused) as caught:
        find_bearer_token(build_scope(headers, query=query))

    assert caught.value.cause is cause


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
