"""Decides which addresses a request may connect to, and which page addresses an outside service may be told."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from citewell.core.config import Settings
from citewell.core.errors import (
    FailureReason,
    Misconfigured,
    NetworkFailed,
    NotConnected,
    RefusedByPolicy,
)
from citewell.net import url_grammar
from citewell.net.settings import NetSettings
from citewell.net.url_grammar import RequestTarget, encode_idna_name, parse_url

HostResolver = Callable[[str], Awaitable[Sequence[str]]]

OFFLINE_MESSAGE = "No network: this machine cannot reach the internet."
# Looked up to tell the two apart; the names say nothing about the caller or the request.
_KNOWN_NAMES = ("example.com", "doi.org", "wikipedia.org")
_PATIENCE_SECONDS = 0.5  # for an answer, before the known names are looked up as well
_SILENCE_SECONDS = 1.0  # without an answer about any known name, there is no network
_OFFLINE_SECONDS = 5.0  # how long a machine counts as offline before it is checked again
_ONLINE_SECONDS = 30.0  # after an answer about any host, the others are not doubted
_PROXY_VARIABLES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY")

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
        net_settings = settings[NetSettings]
        return cls(
            allows_private=net_settings.allow_private_ips,
            private_hosts=frozenset(
                _normalize_host_setting(entry) for entry in net_settings.allow_private_hosts
            ),
            page_domains=frozenset(
                _normalize_host_setting(entry) for entry in net_settings.allowed_domains
            ),
        )

    def is_named_host(self, host: str, port: int) -> bool:
        """True if the operator named this private host."""
        bracketed = f"[{host}]" if ":" in host else host
        return not self.private_hosts.isdisjoint({host, bracketed, f"{bracketed}:{port}"})

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
                if target.port in _BLOCKED_PORTS:
                    message = f"Port {target.port} belongs to a protocol other than HTTP."
                    raise RefusedByPolicy(message)
        if page and self._rules.page_domains:
            labels = target.host.split(".")
            parents = {".".join(labels[start:]) for start in range(len(labels))}
            if parents.isdisjoint(self._rules.page_domains):
                message = f"{target.host} is not one of the domains that pages may be read from."
                raise RefusedByPolicy(message)
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
        if not allowed and not all(map(url_grammar.is_public_address, found)):
            raise RefusedByPolicy(f"{host} does not lead to a public address.")
        return tuple(str(item) for item in found)

    async def _resolve_addresses(self, host: str, port: int) -> tuple[url_grammar.IpAddress, ...]:
        if literal := url_grammar.parse_ip_address(host):
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
        found = tuple(url_grammar.parse_ip_address(answer) for answer in dict.fromkeys(answers))
        if not found:
            raise NotConnected(f"The name {host} has no address.", reason=FailureReason.DNS)
        known = tuple(item for item in found if item is not None)
        if len(known) < len(found):
            raise RefusedByPolicy(f"{host} does not lead to a public address.")
        return known


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
        if not url_grammar.is_public_address(target.ip_literal):
            raise RefusedByPolicy(f"{target.host} is not a public address.")
        return
    name, last = target.host, target.host.rpartition(".")[2]
    if "." not in name or last in _NON_PUBLIC_TOP_LEVEL_NAMES or name in _CLOUD_METADATA_HOSTS:
        raise RefusedByPolicy(f"{name} is not a public name.")


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


# Tells a machine without internet from a host that has no address, so that nobody waits for nothing.


class InternetReach:
    """Looks up public hosts, and knows for a few seconds whether the machine is offline."""

    def __init__(
        self,
        resolver: HostResolver,
        *,
        clock: Callable[[], float] = time.monotonic,
        message: str = OFFLINE_MESSAGE,
    ) -> None:
        self._resolver = resolver
        self._clock = clock
        self.offline_message = message
        self._offline_until = self._online_until = float("-inf")
        self._checking = asyncio.Lock()

    @property
    def is_offline(self) -> bool:
        """Whether a check of the last seconds found that the machine is offline."""
        return self._clock() < self._offline_until

    @property
    def was_offline(self) -> bool:
        """Whether the machine was offline when this was last found out, however long ago."""
        return self._offline_until > float("-inf")

    async def resolve_public(self, host: str) -> Sequence[str]:
        """The addresses of a public host. Raises OSError if it has none, NotConnected if offline."""
        lookup = asyncio.ensure_future(self._resolver(host))
        try:
            await asyncio.wait({lookup}, timeout=_PATIENCE_SECONDS)
            is_answered = lookup.done() and lookup.exception() is None
            if not is_answered and await self.check_offline():
                raise NotConnected(
                    self.offline_message,
                    reason=FailureReason.OFFLINE,
                    detail=FailureReason.OFFLINE,
                    action="inform_user",
                )
            answers = await lookup
        finally:
            lookup.cancel()
        self._note_online()
        return answers

    async def check_offline(self) -> bool:
        """Whether the machine is offline, looked up unless that is known; takes about a second if so."""
        async with self._checking:
            now = self._clock()
            if now >= max(self._offline_until, self._online_until):
                if await self._is_any_name_known():
                    self._note_online()
                else:
                    self._offline_until = self._clock() + _OFFLINE_SECONDS
        return self.is_offline

    def _note_online(self) -> None:
        self._online_until = self._clock() + _ONLINE_SECONDS
        self._offline_until = float("-inf")

    async def _is_any_name_known(self) -> bool:
        lookups = [asyncio.ensure_future(self._is_known(name)) for name in _KNOWN_NAMES]
        try:
            for answer in asyncio.as_completed(lookups, timeout=_SILENCE_SECONDS):
                if await answer:
                    return True
        except TimeoutError:
            return False
        finally:
            for lookup in lookups:
                lookup.cancel()
        return False

    async def _is_known(self, name: str) -> bool:
        try:
            return bool(await self._resolver(name))
        except (OSError, UnicodeError):
            return False


def describe_offline(raw: Mapping[str, str]) -> str:
    """The message for a machine that is offline; it names a proxy that is set but not used."""
    name = next((name for name in _PROXY_VARIABLES if raw.get(name)), None)
    if name is None:
        return OFFLINE_MESSAGE
    return f"This machine cannot reach the internet directly; to use the proxy in {name}, set CITEWELL_PROXY=env."


# Decides which page addresses an outside service may be told, such as Exa or the Internet Archive.


class DisclosureRule:
    """Refuses addresses of private hosts, also those that the operator allows us to read ourselves."""

    def __init__(
        self,
        rules: GuardRules,
        *,
        resolver: HostResolver | None = None,
        reach: InternetReach | None = None,
        is_sealed: bool = False,
    ) -> None:
        """`is_sealed` says that no outside service may learn any address."""
        self._is_sealed = is_sealed
        self._rules = rules
        self._public = Guard(GuardRules(), resolver=resolver, reach=reach)

    async def check_disclosable(self, url: str, *, is_public_lookup: bool = False) -> RequestTarget:
        """The parsed address; raises RefusedByPolicy if an outside service must not learn it.

        A host whose name cannot be resolved is refused, unless `is_public_lookup` says that the
        service is asked about pages that are gone, whose names often are gone too.
        """
        self.check_unsealed()
        target = self._public.check_url(url)
        if any(target.host == _drop_entry_port(entry) for entry in self._rules.private_hosts):
            raise RefusedByPolicy(f"{target.host} is a private host of the operator.")
        try:
            await self._public.resolve_checked(target.host, target.port)
        except NetworkFailed:
            # Where private addresses are allowed, a name that fails now may be one of them.
            if not is_public_lookup or self._rules.allows_private:
                raise RefusedByPolicy(f"{target.host} is not known to be public.") from None
        return target

    def check_unsealed(self) -> None:
        """Raise RefusedByPolicy if this server tells addresses to nobody but their own hosts."""
        if self._is_sealed:
            raise RefusedByPolicy(
                "This server limits who may see queries, so it tells the addresses of pages to no"
                " other service."
            )


def is_private_service(base_url: str) -> bool:
    """True if a service is at a private IP address, so that what it is told stays in the network."""
    literal = parse_url(base_url).ip_literal
    return literal is not None and not url_grammar.is_public_address(literal)
