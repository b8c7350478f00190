"""The hosts and origins that a server with these settings accepts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.http.origins.authority import (
    Authority,
    WebOrigin,
    is_ip_address,
    parse_authority,
    parse_origin,
)

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_ALL_INTERFACES = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
_WILDCARD = "*."  # before a domain: accepts every name below it, but not the domain itself


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedOrigins:
    """Decides on Host and Origin headers; built once from the settings."""

    hosts: frozenset[Authority]
    parent_domains: tuple[str, ...]  # each with a leading dot
    origins: frozenset[WebOrigin]

    def accepts_host(self, host: Authority, local_address: str | None = None) -> bool:
        """Whether a request may name this host.

        The address that the connection came in on is accepted too: probes and scrapers use it, and
        a page that rebinds its own name to this machine cannot send it.
        """
        return (
            host.host in LOOPBACK_HOSTS
            or host in self.hosts
            or Authority(host=host.host) in self.hosts
            or host.host.endswith(self.parent_domains)
            or (is_ip_address(host.host) and host.host == local_address)
        )

    def accepts_origin(self, origin: WebOrigin, host: Authority) -> bool:
        """Whether pages of this origin may call: loopback, named ones, and the server's own pages."""
        return is_loopback_origin(origin) or origin in self.origins or _is_same_site(origin, host)


def is_loopback_origin(origin: WebOrigin) -> bool:
    return origin.scheme in {"http", "https"} and origin.host in LOOPBACK_HOSTS


def build_allowed_origins(settings: Settings) -> AllowedOrigins:
    """Raises Misconfigured for a host, an origin or a public address that cannot be parsed."""
    names, wildcards = _split_hosts(settings.allowed_hosts)
    origins = [parse_named_origin(text) for text in settings.allowed_origins]
    if public := find_public_origin(settings):
        origins.append(public)
        names.append(Authority(host=public.host))
    if settings.host not in _ALL_INTERFACES and (
        listened := parse_authority(bracket_ipv6(settings.host))
    ):
        names.append(listened)
    return AllowedOrigins(
        hosts=frozenset(names), parent_domains=tuple(wildcards), origins=frozenset(origins)
    )


def find_public_origin(settings: Settings) -> WebOrigin | None:
    """The origin of CITEWELL_PUBLIC_URL; raises Misconfigured if it is no http or https address."""
    if settings.public_url is None:
        return None
    scheme, _, rest = settings.public_url.partition("://")
    origin = parse_origin(f"{scheme}://{rest.partition('/')[0]}")
    if origin is None or origin.scheme not in {"http", "https"} or {"?", "#"} & set(rest):
        raise Misconfigured(
            "CITEWELL_PUBLIC_URL must be the address at which clients reach this server, such as "
            "https://research.example.org, without user, query or fragment.",
            action="inform_user",
        )
    return origin


def parse_named_origin(text: str) -> WebOrigin:
    """An entry of ALLOWED_ORIGINS; raises Misconfigured for a wildcard and for what is no origin."""
    if "*" in text:
        raise Misconfigured(
            "ALLOWED_ORIGINS cannot contain a wildcard, because requests carry credentials: any "
            "page could use them. Name each origin, such as https://app.example.org.",
            action="inform_user",
        )
    origin = parse_origin(text.removesuffix("/"))
    if origin is None:
        raise Misconfigured(
            f"ALLOWED_ORIGINS has an entry that is not an origin: {text!r}. Write scheme, host and "
            "port if it is not the usual one, such as https://app.example.org.",
            action="inform_user",
        )
    return origin


def bracket_ipv6(host: str) -> str:
    """The form of a listening address that stands in a URL."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _split_hosts(entries: Iterable[str]) -> tuple[list[Authority], list[str]]:
    """The exact names of CITEWELL_ALLOWED_HOSTS, and the parent domains of its wildcards."""
    names, wildcards = [], []
    for entry in entries:
        bare = entry.removeprefix(_WILDCARD)
        name = parse_authority(bare)
        is_wildcard = bare != entry
        if name is None or (is_wildcard and (name.port or "." not in name.host)):
            raise Misconfigured(
                f"CITEWELL_ALLOWED_HOSTS has an entry that is not a host: {entry!r}. Write a name or "
                "an address, with a port to accept only that one, or *.example.org for all names "
                "below a domain.",
                action="inform_user",
            )
        if is_wildcard:
            wildcards.append(f".{name.host}")
        else:
            names.append(name)
    return names, wildcards


def _is_same_site(origin: WebOrigin, host: Authority) -> bool:
    """Whether the page comes from this server. Behind a proxy the scheme cannot be compared."""
    if origin.scheme not in {"http", "https"} or origin.host != host.host:
        return False
    return host.port in {None, origin.port}
