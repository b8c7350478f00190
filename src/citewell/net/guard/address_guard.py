"""Decides which addresses a request may connect to: by URL, host name, port and every resolved IP address."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.config import Settings
from citewell.errors import FailureReason, Misconfigured, NotConnected, RefusedByPolicy
from citewell.net.guard import ip_addresses
from citewell.net.guard.internet_reach import HostResolver, InternetReach
from citewell.net.guard.url_grammar import RequestTarget, encode_idna_name, parse_url

# Top-level names that are never public: reserved by RFC, or never to be delegated.
_NON_PUBLIC_TOP_LEVEL_NAMES = frozenset({
    "alt", "arpa", "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local",
    "localdomain", "localhost", "mail", "onion", "private", "svc", "test",
})  # fmt: skip
_CLOUD_METADATA_HOSTS = frozenset(
    {"metadata.azure.com", "metadata.goog", "metadata.tencentyun.com"}
)
# Ports of other protocols that an HTTP request could be abused to talk to; the Fetch standard's list.
_BLOCKED_PORTS = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRules:
    """The private hosts that the operator allows, and the domains that pages are limited to."""

    allows_private: bool = False
    private_hosts: frozenset[str] = frozenset()  # host or host:port
    page_domains: frozenset[str] = frozenset()  # if not empty, pages are read from these only

    @classmethod
    def from_settings(cls, settings: Settings) -> GuardRules:
        return cls(
            allows_private=settings.allow_private_ips,
            private_hosts=frozenset(
                _normalize_host_setting(entry) for entry in settings.allow_private_hosts
            ),
            page_domains=frozenset(
                _normalize_host_setting(entry) for entry in settings.allowed_domains
            ),
        )

    def is_named_host(self, host: str, port: int) -> bool:
        """True if the operator named this private host."""
        bracketed = f"[{host}]" if ":" in host else host
        return not self.private_hosts.isdisjoint({host, bracketed, f"{bracketed}:{port}"})

    def is_listed_host(self, host: str) -> bool:
        """True if the operator's list of private hosts has this host, with any port."""
        return any(host == _drop_entry_port(entry) for entry in self.private_hosts)

    def is_exempt_host(self, host: str, port: int) -> bool:
        """True if the host may be private: it is named, or all private addresses are allowed."""
        return self.allows_private or self.is_named_host(host, port)


class Guard:
    """Checks every request, redirect and proxied connection, and resolves the addresses to connect to."""

    def __init__(
        self,
        rules: GuardRules,
        *,
        resolver: HostResolver | None = None,
        reach: InternetReach | None = None,
    ) -> None:
        """With `reach`, requests to public hosts fail at once while the machine is offline."""
        self._rules = rules
        self._resolver = resolver or resolve_host
        self._reach = reach
        self._trusted: set[tuple[str, int]] = set()

    def trust_service(self, url: str) -> None:
        """Allow API requests to the service at `url`, which a setting names, even if it is private.

        Pages are still refused there, so that a link cannot reach a private service.
        """
        target = parse_url(url)
        self._trusted.add((target.host, target.port))

    def check_url(self, url: str, *, page: bool = False) -> RequestTarget:
        """Parse `url` and check its host name and port, without DNS.

        Raises RefusedByPolicy. With `page`, ALLOWED_DOMAINS applies and trusted services are refused.
        """
        target = parse_url(url)
        place = (target.host, target.port)
        if not self._rules.is_exempt_host(*place):
            if page and place in self._trusted:
                raise RefusedByPolicy(f"{target.host} is a service of this server, not a page.")
            if place not in self._trusted:
                _check_public_name(target)
                _check_allowed_port(target.port)
        if page and self._rules.page_domains:
            self._check_page_domain(target.host)
        return target

    def is_operator_host(self, target: RequestTarget) -> bool:
        """True for a host that the operator named or trusts; it is connected to without the proxy."""
        place = (target.host, target.port)
        return self._rules.is_named_host(*place) or place in self._trusted

    async def check_online(self, target: RequestTarget) -> None:
        """Raise NotConnected if the machine is known to be offline and the host has no address."""
        if self._reach is not None and self._reach.is_offline:
            await self._resolve_addresses(target.host, target.port)

    async def resolve_checked(self, host: str, port: int) -> tuple[str, ...]:
        """The IP addresses to connect to.

        Raises RefusedByPolicy if any address is not public, and NotConnected if there is none.
        """
        found = await self._resolve_addresses(host, port)
        allowed = self._rules.is_exempt_host(host, port) or (host, port) in self._trusted
        if not allowed and not all(map(ip_addresses.is_public_address, found)):
            raise RefusedByPolicy(f"{host} does not lead to a public address.")
        return tuple(str(item) for item in found)

    async def _resolve_addresses(self, host: str, port: int) -> tuple[ip_addresses.IpAddress, ...]:
        if literal := ip_addresses.parse_ip_address(host):
            return (literal,)
        # A host of the operator may be reachable without internet.
        is_own = self._rules.is_named_host(host, port) or (host, port) in self._trusted
        try:
            if self._reach is None or is_own:
                answers = await self._resolver(host)
            else:
                answers = await self._reach.resolve_public(host)
        except (OSError, UnicodeError):
            raise NotConnected(
                f"The name {host} could not be resolved.", reason=FailureReason.DNS
            ) from None
        found = tuple(ip_addresses.parse_ip_address(answer) for answer in dict.fromkeys(answers))
        if not found:
            raise NotConnected(f"The name {host} has no address.", reason=FailureReason.DNS)
        known = tuple(item for item in found if item is not None)
        if len(known) < len(found):
            raise RefusedByPolicy(f"{host} does not lead to a public address.")
        return known

    def _check_page_domain(self, host: str) -> None:
        parts = host.split(".")
        parents = {".".join(parts[start:]) for start in range(len(parts))}
        if parents.isdisjoint(self._rules.page_domains):
            raise RefusedByPolicy(f"{host} is not one of the domains that pages may be read from.")


async def resolve_host(host: str) -> Sequence[str]:
    """All A and AAAA addresses from the system's resolver."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Sequence[str]] = loop.create_future()

    def settle(answers: Sequence[str], error: Exception | None) -> None:
        if not found.done():
            found.set_result(answers) if error is None else found.set_exception(error)

    def look_up() -> None:
        answers, failure = [], None
        try:
            listed = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            answers = [str(answer[4][0]) for answer in listed]
        except (OSError, UnicodeError) as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, answers, failure)

    # The loop's own threads would keep the process alive until a silent name server is given up.
    threading.Thread(target=look_up, name="name lookup", daemon=True).start()
    return await found


def _check_public_name(target: RequestTarget) -> None:
    if target.ip_literal is not None:
        if not ip_addresses.is_public_address(target.ip_literal):
            raise RefusedByPolicy(f"{target.host} is not a public address.")
        return
    name, last = target.host, target.host.rpartition(".")[2]
    if "." not in name or last in _NON_PUBLIC_TOP_LEVEL_NAMES or name in _CLOUD_METADATA_HOSTS:
        raise RefusedByPolicy(f"{name} is not a public name.")


def _check_allowed_port(port: int) -> None:
    if port in _BLOCKED_PORTS:
        raise RefusedByPolicy(f"Port {port} belongs to a protocol other than HTTP.")


def _drop_entry_port(entry: str) -> str:
    """The host of a `host`, `host:port`, `::1` or `[::1]:port` entry."""
    name, _, port = entry.rpartition(":")
    has_port = port.isdigit() and name and (":" not in name or name.endswith("]"))
    return (name if has_port else entry).strip("[]")


def _normalize_host_setting(entry: str) -> str:
    """A host or domain from a setting, in the form of `RequestTarget.host`."""
    entry = entry.strip().lower().removesuffix(".").lstrip(".*")
    try:
        return entry if entry.isascii() else encode_idna_name(entry)
    except RefusedByPolicy:
        raise Misconfigured(f"{entry} is not a host name.", action="inform_user") from None
