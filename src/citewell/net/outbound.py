"""The way out where the operator asked for one: an HTTP proxy, and authorities to trust."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.net.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A forward proxy; its address is the operator's choice and not judged by the guard."""

    scheme: str
    host: str
    port: int
    credentials: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbound:
    proxies: Mapping[str, Proxy] = field(default_factory=dict)  # by the target's scheme
    direct: tuple[str, ...] = ()  # NO_PROXY
    ca_file: Path | None = None

    @classmethod
    def of(cls, settings: Settings) -> Outbound:
        """What the settings ask for; the environment's proxies only when they say `env`."""
        ca_file = settings.ca_file
        if settings.outbound_proxy == "env":
            proxies, direct = _from_environment(settings.raw)
            return cls(proxies=proxies, direct=direct, ca_file=ca_file)
        if settings.outbound_proxy:
            proxy = read_proxy(settings.outbound_proxy, "CITEWELL_PROXY")
            return cls(proxies={"http": proxy, "https": proxy}, ca_file=ca_file)
        return cls(ca_file=ca_file)

    def proxy(self, target: Target) -> Proxy | None:
        """The proxy for `target`, None for the direct way."""
        if any(_matches(entry, target) for entry in self.direct):
            return None
        return self.proxies.get(target.scheme)

    def trust(self, context: ssl.SSLContext) -> ssl.SSLContext:
        """`context`, with our own authorities besides the usual ones."""
        if self.ca_file is not None:
            try:
                context.load_verify_locations(cafile=self.ca_file)
            except (OSError, ssl.SSLError):
                message = "CITEWELL_CA_FILE: the file cannot be read as PEM certificates."
                raise Misconfigured(message, action="inform_user") from None
        return context


def read_proxy(url: str, setting: str) -> Proxy:
    """A proxy's address; Misconfigured names the setting and never the address, for its password."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError:
        raise _bad(setting) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _bad(setting)
    credentials = (
        (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    )
    default = 443 if parts.scheme == "https" else 80
    return Proxy(
        scheme=parts.scheme, host=parts.hostname, port=port or default, credentials=credentials
    )


def _bad(setting: str) -> Misconfigured:
    message = f"{setting}: write an HTTP proxy such as http://proxy.example.org:3128."
    return Misconfigured(message, action="inform_user")


def _from_environment(raw: Mapping[str, str]) -> tuple[dict[str, Proxy], tuple[str, ...]]:
    proxies = {}
    for scheme in ("http", "https"):
        # Lower case first: a CGI server sets HTTP_PROXY from a request's Proxy header.
        names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
        if name := next((name for name in names if raw.get(name)), None):
            proxies[scheme] = read_proxy(raw[name], name)
    listed = raw.get("no_proxy") or raw.get("NO_PROXY") or ""
    return proxies, tuple(entry.strip().lower() for entry in listed.split(",") if entry.strip())


def _matches(entry: str, target: Target) -> bool:
    """A NO_PROXY entry: *, a domain with its subdomains, an address, a block, each with or without port."""
    if entry == "*":
        return True
    name, _, port = (
        entry.rpartition(":")
        if entry.rpartition(":")[2].isdigit() and entry.count(":") == 1
        else (entry, "", "")
    )
    if port and int(port) != target.port:
        return False
    if target.literal is not None:
        return _in_block(name, target)
    domain = name.lstrip("*").lstrip(".")
    return target.host == domain or target.host.endswith(f".{domain}")


def _in_block(name: str, target: Target) -> bool:
    try:
        return target.literal in ipaddress.ip_network(name.strip("[]"), strict=False)
    except ValueError:
        return False
