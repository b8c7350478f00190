"""What breaks on the way to a server is told apart by its reason, on every path to it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import (
    CitewellError,
    FailureReason,
    NetworkFailed,
    NotConnected,
    RefusedByPolicy,
    UpstreamUnavailable,
)
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser import guarded_proxy
from citewell.net.browser.guarded_proxy import ProxyRejection
from citewell.net.browser.stealth_client import StealthClient
from citewell.net.http.messages import HttpRequest
from citewell.net.network import GuardedClient
from tests.net.loopback import LOOPBACK, Exchange, Names, serve, settings

UNKNOWN = Names({"unknown.example.org": ()}, default=["127.0.0.1"])


async def site(exchange: Exchange) -> None:
    """A site that is silent, cuts its answers short, or redirects for ever."""
    if exchange.path == "/silent":
        await asyncio.Event().wait()
    elif exchange.path == "/cut":
        await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
    elif exchange.path == "/garbage":
        await exchange.raw(b"SSH-2.0-Server\r\n\r\n")
    elif exchange.path == "/circle":
        await exchange.reply(302, b"", {"Location": "/circle"})
    else:
        await exchange.reply(302, b"", {"Location": exchange.path + "x"})
    exchange.writer.close()


def fail(kind: type[Any], url: str, **options: Any) -> CitewellError:
    """The error for this address; `{port}` in it is the port of the site."""

    async def run() -> None:
        guard = Guard(GuardRules.from_settings(settings()), resolver=UNKNOWN)
        client = kind(guard)
        async with serve(site) as server:
            try:
                address = url.replace("{port}", str(server.port))
                await client.send_request(HttpRequest(url=address, **options))
            finally:
                await client.aclose()

    with pytest.raises(CitewellError) as caught:
        asyncio.run(run())
    return caught.value


@pytest.mark.parametrize("kind", [GuardedClient, StealthClient])
@pytest.mark.parametrize(
    ("url", "error", "reason"),
    [
        ("http://unknown.example.org/", NotConnected, FailureReason.DNS),
        ("http://site.example.org:1/", NetworkFailed, FailureReason.CONNECT),
        ("http://site.example.org:{port}/silent", NetworkFailed, FailureReason.TIMEOUT),
        ("http://site.example.org:{port}/cut", NetworkFailed, FailureReason.RESET),
        (
            "http://site.example.org:{port}/circle",
            UpstreamUnavailable,
            FailureReason.TOO_MANY_REDIRECTS,
        ),
        (
            "http://site.example.org:{port}/x",
            UpstreamUnavailable,
            FailureReason.TOO_MANY_REDIRECTS,
        ),
    ],
)
def test_a_client_gives_the_reason(
    kind: type[Any], url: str, error: type[CitewellError], reason: FailureReason
) -> None:
    if kind is StealthClient:
        pytest.importorskip("wreq")

    found = fail(kind, url, timeout=0.5 if "silent" in url else 5.0)

    assert isinstance(found, error)
    assert found.reason is reason


def test_an_answer_that_is_not_http_counts_as_a_broken_connection() -> None:
    found = fail(GuardedClient, "http://site.example.org:{port}/garbage")

    assert (type(found), found.reason) == (NetworkFailed, FailureReason.RESET)


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (NotConnected("x", reason=FailureReason.DNS), FailureReason.DNS),
        (TimeoutError(), FailureReason.TIMEOUT),
        (NetworkFailed("x", reason=FailureReason.CONNECT), FailureReason.CONNECT),
        (NetworkFailed("x"), FailureReason.CONNECT),
    ],
)
def test_the_reason_passes_through_our_proxy(
    cause: CitewellError | TimeoutError, reason: FailureReason
) -> None:
    answer = ProxyRejection(502, guarded_proxy.choose_error_type(cause)).encode_response()
    headers = {"proxy-status": answer.decode().partition("Proxy-Status: ")[2].partition("\r\n")[0]}

    with pytest.raises(NetworkFailed) as caught:
        guarded_proxy.check_proxy_status("a.org", headers)

    assert caught.value.reason is reason


def test_a_refusal_passes_through_our_proxy_and_a_sites_own_header_means_nothing() -> None:
    refused = f"citewell; error={guarded_proxy.PROHIBITED_ERROR_TYPE}"

    guarded_proxy.check_proxy_status("a.org", {"proxy-status": "cdn; error=dns_error"})
    with pytest.raises(RefusedByPolicy):
        guarded_proxy.check_proxy_status("a.org", {"proxy-status": refused})


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("net::ERR_NAME_NOT_RESOLVED at https://a.org/", FailureReason.DNS),
        ("net::ERR_SSL_PROTOCOL_ERROR at https://a.org/", FailureReason.TLS),
        ("net::ERR_CERT_AUTHORITY_INVALID at https://a.org/", FailureReason.TLS),
        ("net::ERR_TOO_MANY_REDIRECTS at https://a.org/", FailureReason.TOO_MANY_REDIRECTS),
        ("net::ERR_CONNECTION_TIMED_OUT at https://a.org/", FailureReason.TIMEOUT),
        ("net::ERR_CONNECTION_RESET at https://a.org/", FailureReason.RESET),
        ("net::ERR_EMPTY_RESPONSE at https://a.org/", FailureReason.RESET),
        ("net::ERR_TUNNEL_CONNECTION_FAILED at https://a.org/", FailureReason.CONNECT),
        ("Page.goto: Timeout 5000ms exceeded.", FailureReason.TIMEOUT),
    ],
)
def test_the_browsers_codes_are_read_as_reasons(message: str, reason: FailureReason) -> None:
    playwright = pytest.importorskip("playwright.async_api")
    from citewell.net.browser import page_visit

    guard = Guard(GuardRules.from_settings(settings()), resolver=LOOPBACK)
    explain = page_visit._explain_navigation_error
    error = asyncio.run(explain(playwright.Error(message), "https://site.example.org/", guard))

    assert isinstance(error, NetworkFailed)
    assert error.reason is reason
