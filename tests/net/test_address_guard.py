from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any

import httpcore2
import pytest

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured, NetworkFailed, RefusedByPolicy
from citewell.net.address_guard import Guard, GuardRules, resolve_host
from citewell.net.http.connection_pools import GuardedSocketBackend, ProxySocketBackend
from citewell.net.http.outbound_route import ForwardProxy
from citewell.net.url_grammar import is_public_address, parse_url
from tests.net.loopback import Names

PUBLIC = "93.184.216.34"


@pytest.mark.parametrize(
    "text",
    [PUBLIC, "1.1.1.1", "100.63.255.255", "172.32.0.1", "192.0.1.1", "2606:4700::1111",
     "2a00:1450:4001::1", "64:ff9b::101:101", "::ffff:1.1.1.1"],
)  # fmt: skip
def test_an_address_of_the_internet_is_public(text: Any) -> None:
    assert is_public_address(ip_address(text))


@pytest.mark.parametrize(
    "text",
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
     "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
     "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1",
     "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:1::1",
     "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:101:101::1",
     "3ffe::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1",
     "ff02::1"],
)  # fmt: skip
def test_an_address_that_is_not_of_the_internet_is_not_public(text: str) -> None:
    assert not is_public_address(ip_address(text))


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("http://example.com", "example.com", 80, "/"),
        ("HTTPS://EXAMPLE.com./a?b=c#d", "example.com", 443, "/a?b=c"),
        ("https://example.com:8443?q", "example.com", 8443, "/?q"),
        ("https://bücher.example.com/ü", "xn--bcher-kva.example.com", 443, "/%C3%BC"),
        ("https://例え。jp/", "xn--r8jz45g.jp", 443, "/"),
        ("http://[2606:4700::1111]:8080/", "2606:4700::1111", 8080, "/"),
        ("https://my_blog.example.com/%7Ea/%2F|", "my_blog.example.com", 443, "/%7Ea/%2F%7C"),
    ],
)
def test_an_address_is_read_one_way(url: str, host: str, port: int, path: str) -> None:
    target = parse_url(url)

    assert (target.host, target.port, target.path) == (host, port, path)


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "//example.com", "ftp://example.com/", "file:///etc/passwd", "gopher://x.org/",
     "javascript:alert(1)", "http://", "http:///a", "http://user@example.com/",
     "http://user:word@example.com/", "http://example.com\\@other.org/", "http://exa mple.com/",
     "http://example.com/a b", "http://example.com/\r\nX: y", "http://example.com:0/",
     "http://example.com:080/", "http://example.com:65536/", "http://example.com:8o/",
     "http://example.com:/", "http://exa%6dple.com/", "http://-a.com/", "http://a..com/", "http://.com/",
     "http://" + "a" * 64 + ".com/", "http://[::1/", "http://[::1%25eth0]/", "http://[127.0.0.1]/",
     "http://[example.com]/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
     "http://127.1/", "http://127.0.1/", "http://0x7f.0.0.1/", "http://1.2.3.256/", "http://1.2.3.4.5/",
     "http://\u0378.com/", "http://example.0x1/", "http://example.1/", "http://０x7f.1/", "http://example.com/" + "a" * 8200],
)  # fmt: skip
def test_an_address_outside_the_grammar_is_refused(url: str) -> None:
    with pytest.raises(RefusedByPolicy):
        parse_url(url)


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "http://a.localhost/", "http://LOCALHOST./", "http://printer.local/",
     "http://db.internal/", "http://metadata.google.internal/", "http://metadata.azure.com/",
     "http://metadata.goog/", "http://instance-data/", "http://kubernetes.default.svc/",
     "http://a.svc.cluster.local/", "http://abc.onion/", "http://a.test/", "http://a.example/",
     "http://router.lan/", "http://1.0.0.127.in-addr.arpa/", "http://intranet/", "http://127.0.0.1/",
     "http://１２７.0.0.1/", "http://127。0。0。1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
     "http://169.254.169.254/latest", "http://example.com:22/", "http://example.com:6667/",
     "https://example.com:25/"],
)  # fmt: skip
def test_a_name_number_or_port_that_is_not_the_web_is_refused(url: str) -> None:
    with pytest.raises(RefusedByPolicy):
        Guard(GuardRules()).check_url(url)


@pytest.mark.parametrize(
    "host", ["www.example.com", PUBLIC, "[2606:4700::1111]", "example.org:8443"]
)
def test_a_public_name_or_number_is_let_through(host: Any) -> None:
    assert Guard(GuardRules()).check_url(f"https://{host}/").authority == host


@pytest.mark.parametrize(
    "answers",
    [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["2606:4700::1111", "::1"], [PUBLIC, "fe80::1%eth0"],
     [PUBLIC, "not an address"], ["::ffff:192.168.0.1"]],
)  # fmt: skip
def test_one_answer_that_is_not_public_refuses_the_whole_name(answers: Any) -> None:
    guard = Guard(GuardRules(), resolver=Names({"example.org": answers}))

    with pytest.raises(RefusedByPolicy):
        asyncio.run(guard.resolve_checked("example.org", 443))


def test_all_public_answers_are_given_without_repeats() -> None:
    guard = Guard(
        GuardRules(), resolver=Names({"example.org": [PUBLIC, "2606:4700::1111", PUBLIC]})
    )

    assert asyncio.run(guard.resolve_checked("example.org", 443)) == (PUBLIC, "2606:4700::1111")


def test_a_name_without_an_answer_is_a_network_failure() -> None:
    async def broken(host: str) -> Sequence[str]:
        raise OSError

    resolvers: tuple[Callable[[str], Awaitable[Sequence[str]]], ...] = (Names({}), broken)
    for resolver in resolvers:
        with pytest.raises(NetworkFailed):
            asyncio.run(Guard(GuardRules(), resolver=resolver).resolve_checked("example.org", 443))


def test_a_named_private_host_is_let_through_on_its_port_only() -> None:
    settings = Settings(
        allow_private_hosts=("searx:8080", "127.0.0.1:9000", "[::1]:9000", "nas.lan")
    )
    guard = Guard(GuardRules.from_settings(settings), resolver=Names({}, default=["10.0.0.5"]))

    for url in (
        "http://searx:8080/",
        "http://127.0.0.1:9000/",
        "http://[::1]:9000/",
        "http://nas.lan:22/",
    ):
        target = guard.check_url(url)
        assert asyncio.run(guard.resolve_checked(target.host, target.port))
    for url in ("http://searx/", "http://127.0.0.1/", "http://[::1]/", "http://other.lan/"):
        with pytest.raises(RefusedByPolicy):
            guard.check_url(url)
    with pytest.raises(RefusedByPolicy):
        asyncio.run(guard.resolve_checked("searx", 80))


def test_private_addresses_are_open_when_the_operator_says_so() -> None:
    guard = Guard(
        GuardRules.from_settings(Settings(allow_private_ips=True)),
        resolver=Names({}, default=["10.0.0.5"]),
    )

    assert guard.check_url("http://localhost:8080/").port == 8080
    assert asyncio.run(guard.resolve_checked("intranet", 80)) == ("10.0.0.5",)
    with pytest.raises(RefusedByPolicy):
        guard.check_url("http://0x7f000001/")


def test_allowed_domains_bind_pages_and_not_apis() -> None:
    guard = Guard(GuardRules.from_settings(Settings(allowed_domains=("example.com", ".bücher.de"))))

    for url in (
        "https://example.com/",
        "https://a.b.example.com/",
        "https://www.xn--bcher-kva.de/",
    ):
        guard.check_url(url, page=True)
    for url in ("https://badexample.com/", "https://example.com.evil.org/", "https://example.org/"):
        guard.check_url(url)
        with pytest.raises(RefusedByPolicy):
            guard.check_url(url, page=True)


def test_a_domain_setting_that_is_none_is_named() -> None:
    with pytest.raises(Misconfigured, match="ü"):
        GuardRules.from_settings(Settings(allowed_domains=("ü..de",)))


def test_the_systems_resolver_gives_plain_addresses() -> None:
    assert set(asyncio.run(resolve_host("localhost"))) <= {"127.0.0.1", "::1"}


def test_a_proxied_connection_opens_to_the_proxy_alone() -> None:
    backend = ProxySocketBackend(ForwardProxy(scheme="http", host="127.0.0.1", port=3128))

    with pytest.raises(RefusedByPolicy):
        asyncio.run(backend.connect_tcp("example.org", 443))


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, peer: tuple[Any, ...]) -> None:
        self.peer = peer
        self.closed = False

    def get_extra_info(self, info: str) -> tuple[Any, ...] | None:
        return self.peer if info == "server_addr" else None

    async def aclose(self) -> None:
        self.closed = True


class _Sockets(httpcore2.AsyncNetworkBackend):
    def __init__(self, *, peer: tuple[Any, ...] | None = None, dead: tuple[Any, ...] = ()) -> None:
        self.peer, self.dead = peer, dead
        self.tried: list[tuple[str, int]] = []
        self.opened: list[_Stream] = []

    async def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> _Stream:
        self.tried.append((host, port))
        if host in self.dead:
            raise httpcore2.ConnectError
        self.opened.append(_Stream(self.peer or (host, port)))
        return self.opened[-1]


def test_a_rebinding_name_is_asked_once_and_connected_where_it_was_checked() -> None:
    names = Names({"example.org": [[PUBLIC], ["127.0.0.1"]]})
    sockets = _Sockets()
    backend = GuardedSocketBackend(Guard(GuardRules(), resolver=names), sockets=sockets)

    asyncio.run(backend.connect_tcp("example.org", 443))

    assert sockets.tried == [(PUBLIC, 443)]
    assert names.asked == ["example.org"]
    with pytest.raises(RefusedByPolicy):
        asyncio.run(backend.connect_tcp("example.org", 443))
    assert sockets.tried == [(PUBLIC, 443)]


def test_a_peer_that_is_not_the_checked_address_is_hung_up_on() -> None:
    sockets = _Sockets(peer=("10.0.0.1", 443))
    guard = Guard(GuardRules(), resolver=Names({"example.org": [PUBLIC]}))

    with pytest.raises(RefusedByPolicy):
        asyncio.run(GuardedSocketBackend(guard, sockets=sockets).connect_tcp("example.org", 443))

    assert sockets.opened[0].closed


def test_a_dead_address_gives_way_to_the_next() -> None:
    sockets = _Sockets(dead=("2606:4700::1111",))
    guard = Guard(GuardRules(), resolver=Names({"example.org": ["2606:4700::1111", PUBLIC]}))

    asyncio.run(GuardedSocketBackend(guard, sockets=sockets).connect_tcp("example.org", 443))

    assert sockets.tried == [("2606:4700::1111", 443), (PUBLIC, 443)]


def test_a_service_of_the_operators_own_is_for_our_requests_and_never_a_page() -> None:
    guard = Guard(GuardRules(), resolver=None)
    guard.trust_service("http://127.0.0.1:8888/searx")

    assert guard.check_url("http://127.0.0.1:8888/search").port == 8888
    assert asyncio.run(guard.resolve_checked("127.0.0.1", 8888)) == ("127.0.0.1",)
    for page in ("http://127.0.0.1:8888/config", "http://127.0.0.1:8889/"):
        with pytest.raises(RefusedByPolicy):
            guard.check_url(page, page=True)
    with pytest.raises(RefusedByPolicy):
        guard.check_url("http://127.0.0.1:8889/")
