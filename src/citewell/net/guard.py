"""Decides where a request may go: by its address, its name, and every number the name stands for."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from citewell.config import Settings
from citewell.errors import Misconfigured, Refused, Unconnected
from citewell.net import address
from citewell.net.target import Target, map_name, read_url

Resolver = Callable[[str], Awaitable[Sequence[str]]]

# Names that never lead to a public host: reserved by RFC, or kept out of the root for good.
_SPECIAL = frozenset({
    "alt", "arpa", "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local",
    "localdomain", "localhost", "mail", "onion", "private", "svc", "test",
})  # fmt: skip
_METADATA = frozenset({"metadata.azure.com", "metadata.goog", "metadata.tencentyun.com"})
# Ports of other protocols that an HTTP request could be made to speak to: the Fetch standard's list.
_BAD_PORTS = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the operator allows beyond the public Internet, and where pages may be read."""

    private: bool = False
    private_hosts: frozenset[str] = frozenset()  # host or host:port
    domains: frozenset[str] = frozenset()  # when not empty, pages come from these alone

    @classmethod
    def of(cls, settings: Settings) -> Rules:
        return cls(
            private=settings.allow_private_ips,
            private_hosts=frozenset(_plain(entry) for entry in settings.allow_private_hosts),
            domains=frozenset(_plain(entry) for entry in settings.allowed_domains),
        )

    def names(self, host: str, port: int) -> bool:
        """True for a private host that the operator named."""
        bracketed = f"[{host}]" if ":" in host else host
        return not self.private_hosts.isdisjoint({host, bracketed, f"{bracketed}:{port}"})

    def exempt(self, host: str, port: int) -> bool:
        """True for a named host, and for all when private addresses are allowed."""
        return self.private or self.names(host, port)


class Guard:
    """Every request, redirect and proxied connection asks here, and connects to what it answers."""

    def __init__(self, rules: Rules, *, resolver: Resolver | None = None) -> None:
        self._rules = rules
        self._resolver = resolver or resolve
        self._trusted: set[tuple[str, int]] = set()

    def trust(self, url: str) -> None:
        """Let our own API requests reach the service at `url`, wherever it is: a setting names it.

        Pages are never read there, or whoever writes addresses could walk about in it.
        """
        target = read_url(url)
        self._trusted.add((target.host, target.port))

    def target(self, url: str, *, page: bool = False) -> Target:
        """Read `url` and judge its name and port; no question is asked of the network."""
        target = read_url(url)
        place = (target.host, target.port)
        if not self._rules.exempt(*place):
            if page and place in self._trusted:
                raise Refused(f"{target.host} is a service of this server's own, not a page.")
            if place not in self._trusted:
                _check_name(target)
                _check_port(target.port)
        if page and self._rules.domains:
            self._check_domain(target.host)
        return target

    def named(self, target: Target) -> bool:
        """True for a private host of the operator's own, which no proxy leads to."""
        place = (target.host, target.port)
        return self._rules.names(*place) or place in self._trusted

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses to connect to. One that is not public refuses the host as a whole."""
        found = await self._look_up(host)
        allowed = self._rules.exempt(host, port) or (host, port) in self._trusted
        if not allowed and not all(map(address.is_public, found)):
            raise Refused(f"{host} does not lead to a public address.")
        return tuple(str(item) for item in found)

    async def _look_up(self, host: str) -> tuple[address.Address, ...]:
        if literal := address.read(host):
            return (literal,)
        try:
            answers = await self._resolver(host)
        except (OSError, UnicodeError):
            raise Unconnected(f"The name {host} could not be resolved.") from None
        found = tuple(address.read(answer) for answer in dict.fromkeys(answers))
        if not found:
            raise Unconnected(f"The name {host} has no address.")
        known = tuple(item for item in found if item is not None)
        if len(known) < len(found):
            raise Refused(f"{host} does not lead to a public address.")
        return known

    def _check_domain(self, host: str) -> None:
        parts = host.split(".")
        parents = {".".join(parts[start:]) for start in range(len(parts))}
        if parents.isdisjoint(self._rules.domains):
            raise Refused(f"{host} is not among the domains that pages may be read from.")


async def resolve(host: str) -> Sequence[str]:
    """Every A and AAAA answer of the system's resolver."""
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in answers]


def _check_name(target: Target) -> None:
    if target.literal is not None:
        if not address.is_public(target.literal):
            raise Refused(f"{target.host} is not a public address.")
        return
    name, last = target.host, target.host.rpartition(".")[2]
    if "." not in name or last in _SPECIAL or name in _METADATA:
        raise Refused(f"{name} is not a public name.")


def _check_port(port: int) -> None:
    if port in _BAD_PORTS:
        raise Refused(f"Port {port} belongs to another protocol than HTTP.")


def _plain(entry: str) -> str:
    """A setting's host or domain, spelt as a target's host is."""
    entry = entry.strip().lower().removesuffix(".").lstrip(".*")
    try:
        return entry if entry.isascii() else map_name(entry)
    except Refused:
        raise Misconfigured(f"{entry} is not a host name.", action="inform_user") from None
