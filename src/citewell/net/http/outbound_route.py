"""The configured route for outbound requests: HTTP proxies and extra certificate authorities."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.net.settings import NetSettings
from citewell.net.url_grammar import RequestTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardProxy:
    """A forward proxy; the operator chose its address, so the guard does not check it."""

    scheme: str
    host: str
    port: int
    credentials: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundRoute:
    proxies: Mapping[str, ForwardProxy] = field(default_factory=dict)  # by the target's scheme
    no_proxy_entries: tuple[str, ...] = ()  # NO_PROXY
    ca_file: Path | None = None

    @classmethod
    def from_settings(cls, settings: Settings) -> OutboundRoute:
        """The route from the settings; proxies from the environment only if CITEWELL_PROXY is `env`."""
        net_settings = settings[NetSettings]
        ca_file = net_settings.ca_file
        if net_settings.outbound_proxy == "env":
            proxies, direct = _read_proxy_environment(settings.raw)
            return cls(proxies=proxies, no_proxy_entries=direct, ca_file=ca_file)
        if net_settings.outbound_proxy:
            proxy = parse_proxy_url(net_settings.outbound_proxy, "CITEWELL_PROXY")
            return cls(proxies={"http": proxy, "https": proxy}, ca_file=ca_file)
        return cls(ca_file=ca_file)

    def choose_proxy(self, target: RequestTarget) -> ForwardProxy | None:
        """The proxy for `target`; None to connect directly."""
        if any(_matches_no_proxy(entry, target) for entry in self.no_proxy_entries):
            return None
        return self.proxies.get(target.scheme)

    def load_authorities(self, context: ssl.SSLContext) -> ssl.SSLContext:
        """Add the authorities of CITEWELL_CA_FILE to `context`, and return it."""
        if self.ca_file is not None:
            try:
                context.load_verify_locations(cafile=self.ca_file)
            except (OSError, ssl.SSLError):
                message = "CITEWELL_CA_FILE: the file cannot be read as PEM certificates."
                raise Misconfigured(message, action="inform_user") from None
        return context


def parse_proxy_url(url: str, setting: str) -> ForwardProxy:
    """Parse a proxy address. Misconfigured names the setting, not the address, which may hold a password."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError:
        raise _build_proxy_error(setting) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _build_proxy_error(setting)
    credentials = (
        (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    )
    default = 443 if parts.scheme == "https" else 80
    return ForwardProxy(
        scheme=parts.scheme, host=parts.hostname, port=port or default, credentials=credentials
    )


def _build_proxy_error(setting: str) -> Misconfigured:
    message = f"{setting}: write an HTTP proxy such as http://proxy.example.org:3128."
    return Misconfigured(message, action="inform_user")


def _read_proxy_environment(
    raw: Mapping[str, str],
) -> tuple[dict[str, ForwardProxy], tuple[str, ...]]:
    proxies = {}
    for scheme in ("http", "https"):
        # Lower case first: under CGI, HTTP_PROXY could be set by a request's Proxy header.
        names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
        if name := next((name for name in names if raw.get(name)), None):
            proxies[scheme] = parse_proxy_url(raw[name], name)
    listed = raw.get("no_proxy") or raw.get("NO_PROXY") or ""
    return proxies, tuple(entry.strip().lower() for entry in listed.split(",") if entry.strip())


def _matches_no_proxy(entry: str, target: RequestTarget) -> bool:
    """Whether a NO_PROXY entry matches: *, a domain and its subdomains, an address or a network, with optional port."""
    if entry == "*":
        return True
    name, _, port = (
        entry.rpartition(":")
        if entry.rpartition(":")[2].isdigit() and entry.count(":") == 1
        else (entry, "", "")
    )
    if port and int(port) != target.port:
        return False
    if target.ip_literal is not None:
        return _is_in_network(name, target)
    domain = name.lstrip("*").lstrip(".")
    return target.host == domain or target.host.endswith(f".{domain}")


def _is_in_network(name: str, target: RequestTarget) -> bool:
    try:
        return target.ip_literal in ipaddress.ip_network(name.strip("[]"), strict=False)
    except ValueError:
        return False
