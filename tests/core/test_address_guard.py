"""A machine without a network is told from a host without an address, quickly and without harm."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, FailureReason, NotConnected
from citewell.net.address_guard import Guard, GuardRules, InternetReach
from citewell.net.network import Network
from citewell.net.upstream.origin_limits import BreakerState
from tests.clocks import Clock
from tests.net.loopback import serve

PROXY = "http://127.0.0.1:9"


class NameServer:
    """Knows some names, is silent about others, and writes down what it was asked."""

    def __init__(self, known: Sequence[str] = (), *, silent: bool = False) -> None:
        self.known = set(known)
        self.silent = silent
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host in self.known:
            return ["127.0.0.1"]
        if self.silent:
            await asyncio.Event().wait()
        raise OSError


def resolve(names: NameServer, *hosts: str, clock: Clock | None = None) -> list[object]:
    """What each lookup gives, one after the other: the addresses, or the error."""

    async def run() -> list[object]:
        reach = InternetReach(names, clock=clock or Clock(now=100.0))
        results: list[object] = []
        for host in hosts:
            try:
                results.append(await reach.resolve_public(host))
            except (OSError, CitewellError) as error:
                results.append(error)
        return results

    return asyncio.run(run())


@pytest.mark.parametrize("silent", [False, True])
def test_a_machine_whose_name_server_knows_nothing_is_offline(silent: bool) -> None:
    [error] = resolve(NameServer(silent=silent), "api.example.org")

    assert isinstance(error, NotConnected)
    assert error.reason is FailureReason.OFFLINE
    assert error.message == "No network: this machine cannot reach the internet."
    assert error.build_error_block()["detail"] == "offline"


def test_a_host_without_an_address_is_not_taken_for_a_missing_network() -> None:
    [error] = resolve(NameServer(["wikipedia.org"]), "gone.example.org")

    assert isinstance(error, OSError)


def test_a_working_network_costs_no_further_lookups() -> None:
    names = NameServer(["api.example.org"])

    resolve(names, "api.example.org", "gone.example.org", "api.example.org")

    assert names.asked == ["api.example.org", "gone.example.org", "api.example.org"]


def test_a_slow_answer_is_waited_for_while_other_names_are_known() -> None:
    names = NameServer(["doi.org"], silent=True)

    async def run() -> object:
        reach = InternetReach(names, clock=Clock(now=100.0))
        lookup = asyncio.ensure_future(reach.resolve_public("slow.example.org"))
        await asyncio.wait({lookup}, timeout=2.0)
        is_waiting = not lookup.done()
        lookup.cancel()
        return is_waiting

    assert asyncio.run(run())


def test_the_known_names_are_looked_up_once_for_many_hosts() -> None:
    names = NameServer()

    async def run() -> None:
        reach = InternetReach(names, clock=Clock(now=100.0))
        hosts = (reach.resolve_public(f"host{number}.example.org") for number in range(20))
        await asyncio.gather(*hosts, return_exceptions=True)

    asyncio.run(run())

    assert len([host for host in names.asked if not host.startswith("host")]) == 3


def test_a_network_that_returns_is_noticed_at_once() -> None:
    clock, names = Clock(now=100.0), NameServer()

    async def run() -> tuple[bool, bool]:
        reach = InternetReach(names, clock=clock)
        with pytest.raises(NotConnected):
            await reach.resolve_public("api.example.org")
        before = reach.is_offline
        names.known = {"api.example.org"}
        await reach.resolve_public("api.example.org")
        return before, reach.is_offline

    assert asyncio.run(run()) == (True, False)


def ask_repeatedly(network: Network, base_url: str) -> list[CitewellError]:
    async def run() -> list[CitewellError]:
        upstream = network.open_upstream("slow", base_url=base_url, per_second=0.1)
        errors: list[CitewellError] = []
        for _ in range(8):
            with pytest.raises(CitewellError) as caught:
                await upstream.send_get("x")
            errors.append(caught.value)
        await network.aclose()
        return errors

    return asyncio.run(run())


def test_offline_requests_are_neither_paced_nor_repeated_and_open_no_breaker() -> None:
    clock = Clock(now=100.0)
    network = Network(Settings(), resolver=NameServer(), clock=clock, sleep=clock.sleep)

    errors = ask_repeatedly(network, "https://api.example.org")

    assert {error.reason for error in errors} == {FailureReason.OFFLINE}
    assert clock.now == 100.0
    assert network.collect_health()["slow"].state is BreakerState.CLOSED


def test_behind_a_proxy_missing_names_do_not_mean_offline() -> None:
    clock = Clock(now=100.0)
    settings = Settings(outbound_proxy=PROXY)
    network = Network(settings, resolver=NameServer(), clock=clock, sleep=clock.sleep)

    errors = ask_repeatedly(network, "https://api.example.org")

    assert FailureReason.OFFLINE not in {error.reason for error in errors}


def test_a_proxy_that_is_set_but_not_used_is_named() -> None:
    clock = Clock(now=100.0)
    settings = Settings(raw={"HTTPS_PROXY": PROXY})
    network = Network(settings, resolver=NameServer(), clock=clock, sleep=clock.sleep)

    error = ask_repeatedly(network, "https://api.example.org")[0]

    assert (
        error.message
        == "This machine cannot reach the internet directly; to use the proxy in HTTPS_PROXY, set CITEWELL_PROXY=env."
    )


def test_a_host_of_the_operator_is_reached_without_internet() -> None:
    names = NameServer(["searx.lan"])

    async def run() -> int:
        async with serve(lambda exchange: exchange.reply(200, b"{}")) as server:
            network = Network(Settings(), resolver=names)
            own = network.open_upstream("own", base_url=f"http://searx.lan:{server.port}")
            network.guard.trust_service(own.base_url)
            other = network.open_upstream("other", base_url="https://api.example.org")
            with pytest.raises(NotConnected):
                await other.send_get("x")
            response = await own.send_get("search")
            await network.aclose()
        return response.status

    assert asyncio.run(run()) == 200


def test_an_unknown_host_of_the_operator_is_named_and_not_the_network() -> None:
    async def run() -> None:
        guard = Guard(GuardRules(), resolver=NameServer(), reach=InternetReach(NameServer()))
        guard.trust_service("http://searx.lan:8080")
        await guard.resolve_checked("searx.lan", 8080)

    with pytest.raises(NotConnected) as caught:
        asyncio.run(run())

    assert caught.value.reason is FailureReason.DNS
