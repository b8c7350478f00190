from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from citewell.core.errors import RefusedByPolicy
from citewell.net.http.file_downloads import (
    build_contact_headers,
    build_default_headers,
    find_operator_contact,
)
from citewell.net.network import Network
from tests.net.loopback import LOOPBACK, Exchange, serve, settings

LIBRARIES = "httpx2 httpcore2 h11 brotli idna anyio"


def test_an_upstream_is_made_once() -> None:
    network = Network(settings())

    first = network.open_upstream("brave", base_url="https://api.example.com/v1")

    assert network.open_upstream("brave", base_url="https://api.example.com/v1") is first
    assert (first.name, first.base_url) == ("brave", "https://api.example.com/v1")
    assert network.open_upstream("exa", base_url="https://api.example.com") is not first


def test_health_lists_every_upstream() -> None:
    network = Network(settings())
    network.open_upstream("brave", base_url="https://api.example.com/v1")
    network.open_upstream("exa", base_url="https://api.example.org/v1")

    assert {name: snapshot.state for name, snapshot in network.collect_health().items()} == {
        "brave": "closed",
        "exa": "closed",
    }


def test_a_base_url_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(RefusedByPolicy):
        Network(settings()).open_upstream("own", base_url="localhost:8080")


def test_an_upstream_of_pages_is_bound_by_the_allowed_domains() -> None:
    async def hello(exchange: Exchange) -> None:
        await exchange.reply(200, b"hello")

    async def run() -> None:
        async with serve(hello) as server:
            network = Network(settings(allowed_domains=("other.example.org",)), resolver=LOOPBACK)
            reader = network.open_upstream("pages", base_url=server.url(), page=True)
            await reader.send_get(base_url=server.url(host="other.example.org"))
            with pytest.raises(RefusedByPolicy):
                await reader.send_get()
            await network.aclose()

    asyncio.run(run())


def test_the_agent_is_honest_unless_the_operator_names_another() -> None:
    assert build_default_headers(None)["user-agent"].endswith("(research server)")
    assert build_default_headers("mine/1")["user-agent"] == "mine/1"


def test_apis_are_told_whom_to_write_to_and_pages_are_not() -> None:
    async def hello(exchange: Exchange) -> None:
        await exchange.reply(200, b"hello")

    async def run() -> list[str]:
        async with serve(hello) as server:
            network = Network(settings(contact="ops@example.org"), resolver=LOOPBACK)
            await network.open_upstream("api", base_url=server.url()).send_get()
            await network.open_upstream("pages", base_url=server.url(), page=True).send_get()
            await network.aclose()
            return [seen.header("user-agent") or "" for seen in server.seen]

    contact, plain = asyncio.run(run())

    assert contact.endswith("(+ops@example.org)")
    assert plain.endswith("(research server)")


@pytest.mark.parametrize(
    ("host", "named"),
    [("www.sec.gov", True), ("sec.gov", True), ("notsec.gov", False), ("example.org", False)],
)
def test_only_sites_that_ask_for_a_contact_are_told_it(host: str, *, named: bool) -> None:
    assert bool(build_contact_headers(host, "ops@example.org")) is named
    assert not build_contact_headers(host, None)


def test_the_contact_given_for_one_service_serves_where_no_other_is_set() -> None:
    raw = {"OPENALEX_EMAIL": "a@example.org", "EDGAR_CONTACT_EMAIL": "b@example.org"}

    assert find_operator_contact(None, raw) == "b@example.org"
    assert find_operator_contact("https://example.org/ops", raw) == "https://example.org/ops"
    assert find_operator_contact(None, {"OPENALEX_EMAIL": "no address"}) is None


@pytest.mark.process
def test_no_http_library_is_loaded_before_the_first_request() -> None:
    code = (
        "import sys; from citewell.core.config import Settings; from citewell.net.network import Network; "
        "network = Network(Settings()); network.open_upstream('a', base_url='https://a.org'); network.collect_health(); "
        f"print([name for name in '{LIBRARIES}'.split() if name in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )

    assert done.stdout.strip() == "[]"
