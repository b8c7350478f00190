from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured, NetworkFailed, RefusedByPolicy
from citewell.net.http.messages import HttpRequest
from citewell.net.http.outbound_route import OutboundRoute
from citewell.net.network import Network
from citewell.net.url_grammar import parse_url
from tests.net.loopback import Exchange, Names, serve, settings

PUBLIC = Names({"inside.example.org": ["10.0.0.1"]}, default=["93.184.216.34"])
ENVIRONMENT = {
    "HTTP_PROXY": "http://upper.example.org:1",
    "http_proxy": "http://lower.example.org:2",
    "HTTPS_PROXY": "secure.example.org:3",
    "NO_PROXY": "localhost, .corp.example.org,*.lab.example.org,10.0.0.0/8,[2606:4700::1], host.example.org:8080",
}


def way(url: Any, **fields: Any) -> Any:
    proxy = OutboundRoute.from_settings(Settings(**fields)).choose_proxy(parse_url(url))
    return proxy and (proxy.host, proxy.port)


def test_no_proxy_is_used_unless_asked_for() -> None:
    assert way("http://a.org/", raw=ENVIRONMENT) is None


def test_a_configured_proxy_takes_everything() -> None:
    for url in ("http://a.org/", "https://a.org/"):
        assert way(url, outbound_proxy="http://proxy.example.org:3128") == (
            "proxy.example.org",
            3128,
        )


def test_the_environments_proxies_are_taken_when_asked_for() -> None:
    assert way("http://a.org/", outbound_proxy="env", raw=ENVIRONMENT) == ("lower.example.org", 2)
    assert way("https://a.org/", outbound_proxy="env", raw=ENVIRONMENT) == ("secure.example.org", 3)
    assert way("https://a.org/", outbound_proxy="env", raw={}) is None
    every = {"ALL_PROXY": "http://all.example.org"}
    assert way("https://a.org/", outbound_proxy="env", raw=every) == ("all.example.org", 80)


@pytest.mark.parametrize(
    ("url", "direct"),
    [("http://corp.example.org/", True), ("http://a.corp.example.org/", True), ("http://xcorp.example.org/", False),
     ("http://a.lab.example.org/", True), ("http://10.1.2.3/", True), ("http://11.1.2.3/", False),
     ("http://[2606:4700::1]/", True), ("http://host.example.org:8080/", True), ("http://host.example.org/", False)],
)  # fmt: skip
def test_no_proxy_entries_go_the_direct_way(url: str, direct: bool) -> None:
    assert (way(url, outbound_proxy="env", raw=ENVIRONMENT) is None) == direct


def test_a_star_turns_the_proxy_off() -> None:
    assert way("http://a.org/", outbound_proxy="env", raw=ENVIRONMENT | {"no_proxy": "*"}) is None


@pytest.mark.parametrize(
    "url", ["socks5://user:w0rd@a.org", "http://user:w0rd@", "http://user:w0rd@a.org:x"]
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(url: str) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_PROXY") as caught:
        OutboundRoute.from_settings(Settings(outbound_proxy=url))

    assert "w0rd" not in str(caught.value)
    assert "w0rd" not in repr(
        OutboundRoute.from_settings(Settings(outbound_proxy="http://user:w0rd@a.org"))
    )


async def answer_as_proxy(exchange: Exchange) -> None:
    if exchange.method == "CONNECT":
        await exchange.reply(403)
    else:
        await exchange.reply(200, b"by proxy")


def through_proxy(url: Any, **fields: Any) -> Any:
    async def run() -> Any:
        async with serve(answer_as_proxy) as server:
            proxy = f"http://user:word@127.0.0.1:{server.port}"
            network = Network(settings(outbound_proxy=proxy, **fields), resolver=PUBLIC)
            try:
                return await network.client.send_request(HttpRequest(url=url)), server
            except (RefusedByPolicy, NetworkFailed) as error:
                return error, server
            finally:
                await network.aclose()

    return asyncio.run(run())


def test_a_request_goes_through_the_proxy_with_its_credentials() -> None:
    response, server = through_proxy("http://far.example.org/a")

    assert response.body == b"by proxy"
    assert server.seen[0].path == "http://far.example.org/a"
    assert server.seen[0].header("proxy-authorization") == "Basic dXNlcjp3b3Jk"


@pytest.mark.parametrize(
    "url", ["http://inside.example.org/", "http://127.0.0.1/", "https://inside.example.org/"]
)
def test_the_guard_judges_before_the_proxy_hears_of_it(url: str) -> None:
    error, server = through_proxy(url)

    assert isinstance(error, RefusedByPolicy)
    assert server.seen == []


def test_a_proxy_that_refuses_is_no_answer() -> None:
    error, server = through_proxy("https://far.example.org/")

    assert isinstance(error, NetworkFailed)
    assert server.seen[0].path == "far.example.org:443"


def test_a_private_host_that_was_named_is_reached_directly() -> None:
    async def run() -> Any:
        async with serve(answer_as_proxy) as proxy, serve(answer_as_proxy) as own:
            fields = {"outbound_proxy": f"http://127.0.0.1:{proxy.port}"}
            network = Network(settings(**fields), resolver=Names({}, default=["127.0.0.1"]))
            await network.client.send_request(HttpRequest(url=own.url()))
            await network.aclose()
            return len(proxy.seen), len(own.seen)

    assert asyncio.run(run()) == (0, 1)


def test_a_proxy_is_used_although_private_addresses_are_allowed() -> None:
    response, _ = through_proxy("http://far.example.org/", allow_private_ips=True)

    assert response.body == b"by proxy"


def test_a_ca_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("not a certificate", encoding="utf-8")

    async def run(path: Any) -> None:
        network = Network(settings(ca_file=path), resolver=PUBLIC)
        await network.client.send_request(HttpRequest(url="https://far.example.org/"))

    for path in (tmp_path / "ca.pem", tmp_path / "missing.pem"):
        with pytest.raises(Misconfigured, match="CITEWELL_CA_FILE"):
            asyncio.run(run(path))
