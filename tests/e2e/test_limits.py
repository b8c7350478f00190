"""Limits on callers through real clients: what is refused and how, what is free, what is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from citewell.core import config
from citewell.core.errors import Misconfigured
from citewell.server.http.limits import list_trusted_networks
from tests.e2e.clients import body, connected, listening
from tests.requirements import requires

Environ = dict[str, str]
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "probe", "version": "1"},
}
SEARCH: dict[str, Any] = {"name": "web_search", "arguments": {"query": "http caching"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Probe:
    """A client of the handshake era that shows the HTTP responses."""

    def __init__(self, http: httpx2.AsyncClient, address: str, **headers: str) -> None:
        self._http = http
        self._address = address
        self._headers = ACCEPT | headers

    async def shake_hands(self) -> None:
        opened = await self.post("initialize", INITIALIZE)
        self._headers |= {
            "mcp-session-id": opened.headers["mcp-session-id"],
            "mcp-protocol-version": "2025-11-25",
        }

    async def post(self, method: str, params: Any, *, number: int | str = 7) -> httpx2.Response:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return await self._http.post(self._address, json=message, headers=self._headers)


async def post_modern_call(http: httpx2.AsyncClient, address: str) -> httpx2.Response:
    params = SEARCH | {"_meta": MODERN}
    headers = ACCEPT | {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "web_search",
    }
    message = {"jsonrpc": "2.0", "id": "m-1", "method": "tools/call", "params": params}
    return await http.post(address, json=message, headers=headers)


def list_responses(environ: Environ, *calls: tuple[str, Any]) -> list[httpx2.Response]:
    """The responses to requests that follow a handshake."""

    async def talk() -> list[httpx2.Response]:
        async with listening(environ) as base, httpx2.AsyncClient(timeout=30) as http:
            probe = Probe(http, base + "/mcp")
            await probe.shake_hands()
            return [await probe.post(*call) for call in calls]

    return asyncio.run(talk())


@requires("limits.refusal", "limits.tenant")
def test_a_call_over_the_limit_is_refused_with_advice_in_headers_and_json(
    environ: Environ,
) -> None:
    limited = environ | {"RATE_LIMIT_PER_TENANT": "2"}

    *allowed, refused = list_responses(limited, *[("tools/call", SEARCH)] * 3)

    assert [one.status_code for one in allowed] == [200, 200]
    assert [one.headers["ratelimit-policy"] for one in allowed] == ['"tenant";q=2;w=60'] * 2
    assert allowed[0].headers["ratelimit"].startswith('"tenant";r=1;t=')
    assert refused.status_code == 429
    assert refused.headers["ratelimit"].startswith('"tenant";r=0;t=')
    told = refused.json()
    assert (told["jsonrpc"], told["id"], told["error"]["code"]) == ("2.0", 7, -32010)
    assert told["error"]["data"]["kind"] == "rate_limited"
    assert told["error"]["data"]["limit"] == "tenant"
    assert 0 < told["error"]["data"]["retryAfterSeconds"] <= 30
    assert refused.headers["retry-after"] == str(told["error"]["data"]["retryAfterSeconds"])


@requires("limits.refusal")
def test_both_eras_are_limited_alike_and_share_their_limit(environ: Environ) -> None:
    limited = environ | {"RATE_LIMIT_PER_TENANT": "2"}

    async def talk() -> list[httpx2.Response]:
        async with listening(limited) as base, httpx2.AsyncClient(timeout=30) as http:
            probe = Probe(http, base + "/mcp")
            await probe.shake_hands()
            return [
                await post_modern_call(http, base + "/mcp"),
                await probe.post("tools/call", SEARCH),
                await post_modern_call(http, base + "/mcp/all"),
            ]

    modern, old, refused = asyncio.run(talk())

    assert (modern.status_code, old.status_code, refused.status_code) == (200, 200, 429)
    assert modern.headers["ratelimit"].startswith('"tenant";r=1;')
    assert refused.json()["id"] == "m-1"


@requires("limits.free")
def test_only_calls_of_known_tools_consume(environ: Environ) -> None:
    limited = environ | {"RATE_LIMIT_PER_TENANT": "1", "DAILY_QUOTA_PER_TENANT": "1"}
    free: list[tuple[str, Any]] = [
        ("ping", {}),
        ("tools/list", {}),
        ("resources/list", {}),
        ("resources/read", {"uri": "stats://rate-limits"}),
        ("prompts/list", {}),
        ("tools/call", {"name": "no_such_tool", "arguments": {}}),
        ("tools/call", "not an object"),
    ]

    *untouched, call, refused = list_responses(limited, *free * 3, *[("tools/call", SEARCH)] * 2)

    assert {one.status_code for one in untouched} <= {200, 400}
    assert not any("ratelimit" in one.headers for one in untouched)
    assert (call.status_code, refused.status_code) == (200, 429)


@requires("limits.daily")
def test_cached_and_invalid_calls_do_not_count_for_the_day(environ: Environ) -> None:
    limited = environ | {"DAILY_QUOTA_PER_TENANT": "2"}
    invalid = {"name": "web_search", "arguments": {"query": "x", "num_results": 1000}}
    other = {"name": "web_search", "arguments": {"query": "water"}}
    calls = [SEARCH, SEARCH, SEARCH, invalid, invalid, other, SEARCH]

    responses = list_responses(limited, *(("tools/call", one) for one in calls))

    assert [one.status_code for one in responses] == [200] * 6 + [429]
    refused = responses[-1]
    assert refused.json()["error"]["data"]["limit"] == "tenant-day"
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    assert '"tenant-day";r=0;t=' in refused.headers["ratelimit"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_official_client_sees_the_advice(mode: str, environ: Environ) -> None:
    limited = environ | {"RATE_LIMIT_PER_TENANT": "1"}

    async def talk() -> Any:
        async with connected("http", limited, mode=mode) as client:
            body(await client.call_tool("web_search", SEARCH["arguments"]))
            with pytest.raises(MCPError) as raised:
                await client.call_tool("web_search", SEARCH["arguments"])
            return raised.value.error.data

    assert asyncio.run(talk())["suggestedAction"] == "retry_after_delay"


@requires("limits.resource")
def test_the_resource_shows_what_is_left(environ: Environ) -> None:
    limited = environ | {
        "RATE_LIMIT_PER_TENANT": "5",
        "DAILY_QUOTA_PER_TENANT": "10",
        "CITEWELL_MAX_CONCURRENT_CALLS_PER_USER": "3",
        "CITEWELL_RESEARCH_BUDGET_PER_TENANT_CENTS": "250",
    }

    async def talk() -> dict[str, Any]:
        async with connected("http", limited) as client:
            await client.call_tool("web_search", SEARCH["arguments"])
            return await read_limits(client)

    shown = asyncio.run(talk())

    assert shown["tenant"]["rate"]["remaining"] == 4
    assert 0 < shown["tenant"]["rate"].pop("resetSeconds") <= 12
    assert 0 < shown["tenant"]["day"].pop("resetSeconds") <= 86_400
    assert shown["tenant"] == {
        "limited": True,
        "rate": {"limit": 5, "windowSeconds": 60, "remaining": 4},
        "day": {"limit": 10, "windowSeconds": 86_400, "remaining": 9},
        "research": {"budgetCents": 250, "remainingCents": 250},
    }
    assert shown["user"] == {"limited": True, "concurrent": {"limit": 3, "remaining": 3}}
    assert shown["global"] == {"limited": False}
    assert shown["resting"] == {}


async def read_limits(client: Client) -> dict[str, Any]:
    read: Any = (await client.read_resource("stats://rate-limits")).contents[0]
    shown: dict[str, Any] = json.loads(read.text)
    return shown


@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_without_http_the_calls_of_a_day_are_refused_by_an_error_and_cached_ones_pass(
    transport: str, environ: Environ
) -> None:
    limited = environ | {"MAX_CALLS_PER_DAY": "1"}

    async def talk() -> tuple[Any, ...]:
        async with connected(transport, limited) as client:
            answers = [
                await client.call_tool("web_search", {"query": query})
                for query in ("water", "water", "http caching")
            ]
            return *answers, await read_limits(client)

    first, again, refused, shown = asyncio.run(talk())

    assert body(first)["results"] == body(again)["results"]
    assert refused.is_error
    assert '"limit":"server-day"' in refused.content[0].text.replace(" ", "")
    assert shown["global"]["day"]["remaining"] == 0


def test_over_http_the_calls_of_a_day_are_refused_with_429(environ: Environ) -> None:
    limited = environ | {"MAX_CALLS_PER_DAY": "1"}

    first, refused = list_responses(limited, *[("tools/call", SEARCH)] * 2)

    assert (first.status_code, refused.status_code) == (200, 429)
    assert refused.json()["error"]["data"]["limit"] == "server-day"
    assert "ratelimit" not in refused.headers


@requires("limits.tenant")
def test_an_address_over_its_limit_is_refused_and_may_still_shake_hands(environ: Environ) -> None:
    limited = environ | {"RATE_LIMIT_PER_IP": "1"}

    call, refused, listed = list_responses(
        limited, *[("tools/call", SEARCH)] * 2, ("tools/list", {})
    )

    assert (call.status_code, refused.status_code, listed.status_code) == (200, 429, 200)
    assert refused.json()["error"]["data"]["limit"] == "address"


def test_a_batch_is_refused_and_costs_nothing(environ: Environ) -> None:
    limited = environ | {"RATE_LIMIT_PER_TENANT": "1"}
    one = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SEARCH}

    async def talk() -> tuple[httpx2.Response, ...]:
        async with listening(limited) as base, httpx2.AsyncClient(timeout=30) as http:
            probe = Probe(http, base + "/mcp")
            await probe.shake_hands()
            batch = await http.post(base + "/mcp", json=[one] * 3, headers=ACCEPT)
            return batch, await probe.post("tools/call", SEARCH)

    batch, call = asyncio.run(talk())

    assert batch.status_code == 400
    assert call.status_code == 200


def test_a_wrong_limits_file_is_told_at_the_start(environ: Environ, tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text("[tenants.acme]\nrate_per_minute = -5\n")

    async def talk() -> Any:
        wrong = environ | {"CITEWELL_LIMITS_FILE": str(file)}
        async with connected("stdio", wrong) as client:
            return await client.call_tool("web_search", {"query": "water"})

    answer = asyncio.run(talk())

    assert answer.is_error
    assert "line 2 of" in answer.content[0].text


@requires("limits.tenant", "limits.resource")
def test_verified_users_have_limits_by_default_and_see_their_own_alone(environ: Environ) -> None:
    served = environ | {
        "CITEWELL_PROXY_USER_HEADER": "X-User",
        "CITEWELL_PROXY_TENANT_HEADER": "X-Tenant",
        "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
        "CITEWELL_RATE_LIMIT_PER_USER": "1",
    }
    read = ("resources/read", {"uri": "stats://rate-limits"})

    async def talk() -> tuple[Any, ...]:
        async with listening(served) as base, httpx2.AsyncClient(timeout=30) as http:
            people = {"alice": "acme", "bob": "acme", "carol": "globex"}
            probes = {
                user: Probe(http, base + "/mcp", **{"x-user": user, "x-tenant": tenant})
                for user, tenant in people.items()
            }
            for probe in probes.values():
                await probe.shake_hands()
            calls = [
                await probes[user].post("tools/call", SEARCH) for user in ("alice", "alice", "bob")
            ]
            return calls, [await probes[user].post(*read) for user in ("bob", "carol")]

    calls, views = asyncio.run(talk())
    bob, carol = (read_view(one.text) for one in views)

    assert [one.status_code for one in calls] == [200, 429, 200]
    assert calls[1].json()["error"]["data"]["limit"] == "user"
    assert (bob["tenant"]["rate"]["remaining"] < 120, bob["user"]["rate"]["remaining"]) == (True, 0)
    assert (carol["tenant"]["rate"]["remaining"], carol["user"]["rate"]["remaining"]) == (120, 1)
    assert "remaining" not in carol["global"]["rate"]


def read_view(stream: str) -> dict[str, Any]:
    """The resource in an SSE response."""
    frame = next(line[5:] for line in stream.splitlines() if line.startswith("data:"))
    shown: dict[str, Any] = json.loads(json.loads(frame)["result"]["contents"][0]["text"])
    return shown


@requires("limits.tenant")
def test_behind_a_trusted_proxy_the_address_is_the_one_it_names(environ: Environ) -> None:
    limited = environ | {
        "RATE_LIMIT_PER_IP": "1",
        "TRUST_PROXY": "true",
        "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
    }
    addresses = ("198.51.100.7", "203.0.113.9, 198.51.100.7", "203.0.113.9")

    async def talk() -> list[int]:
        async with listening(limited) as base, httpx2.AsyncClient(timeout=30) as http:
            statuses = []
            for address in addresses:
                probe = Probe(http, base + "/mcp", **{"x-forwarded-for": address})
                await probe.shake_hands()
                statuses.append((await probe.post("tools/call", SEARCH)).status_code)
            return statuses

    assert asyncio.run(talk()) == [200, 429, 200]


def test_trusting_proxies_without_naming_them_is_refused_at_the_start(environ: Environ) -> None:
    settings = config.load_settings(environ | {"TRUST_PROXY": "true"})

    with pytest.raises(Misconfigured, match="CITEWELL_TRUSTED_PROXIES"):
        list_trusted_networks(settings)
