"""The hosts and origins that a server accepts, and the layers that check them: DNS rebinding, CORS."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.server.http.observing.request_records import note_refusal
from citewell.server.http.refusals import send_refusal
from citewell.server.http.request_facts import find_header_values
from citewell.server.settings import ServerSettings

PREFLIGHT_SECONDS = 600  # how long a browser may remember the answer to a preflight request
EXPOSED_HEADERS = (
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "WWW-Authenticate",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-Id",
)
_LOOPBACK_PATTERN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"

_MAX_ACCEPTED_HOSTS = 256

MAX_NAME_CHARS = 253  # longest name that DNS allows
MAX_PORT = 65535
_DEFAULT_PORTS = {"http": 80, "https": 443}

_AUTHORITY = re.compile(
    r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,254}))(?::(?P<port>[0-9]{1,5}))?"
)
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_ORIGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,31})://(?P<authority>[^/?#@\\]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A host in its normal form (lower case, no trailing dot, IPv6 shortened) and the port, if one is given."""

    host: str
    port: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebOrigin:
    """Scheme, host and port of a web page; the default port of http and https is filled in."""

    scheme: str
    host: str
    port: int | None


def parse_authority(text: str) -> Authority | None:
    """The host and port of `name`, `name:port`, `address:port` or `[IPv6]:port`; None for all else."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    host = _normalize_host(found["ipv6"], found["name"])
    port = int(found["port"]) if found["port"] else None
    if host is None or (port is not None and port > MAX_PORT):
        return None
    return Authority(host=host, port=port)


def parse_origin(text: str) -> WebOrigin | None:
    """The parts of an Origin header such as `https://app.example.org`; None for `null` and all else."""
    found = _ORIGIN.fullmatch(text)
    authority = parse_authority(found["authority"]) if found else None
    if found is None or authority is None:
        return None
    scheme = found["scheme"].lower()
    port = _DEFAULT_PORTS.get(scheme) if authority.port is None else authority.port
    return WebOrigin(scheme=scheme, host=authority.host, port=port)


def is_ip_address(host: str) -> bool:
    """Whether a host in its normal form is an address, not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _normalize_host(ipv6: str | None, name: str) -> str | None:
    if ipv6:
        try:
            return ipaddress.IPv6Address(ipv6).compressed
        except ValueError:
            return None
    name = name.removesuffix(".").lower()
    is_valid = len(name) <= MAX_NAME_CHARS and all(map(_LABEL.fullmatch, name.split(".")))
    return name if is_valid else None


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
        is_loopback = origin.scheme in {"http", "https"} and origin.host in LOOPBACK_HOSTS
        return is_loopback or origin in self.origins or _is_same_site(origin, host)


def build_allowed_origins(settings: Settings) -> AllowedOrigins:
    """Raises Misconfigured for a host, an origin or a public address that cannot be parsed."""
    server_settings = settings[ServerSettings]
    names, wildcards = _split_hosts(server_settings.allowed_hosts)
    origins = [parse_named_origin(text) for text in server_settings.allowed_origins]
    if public := find_public_origin(settings):
        origins.append(public)
        names.append(Authority(host=public.host))
    if server_settings.host not in _ALL_INTERFACES and (
        listened := parse_authority(bracket_ipv6(server_settings.host))
    ):
        names.append(listened)
    return AllowedOrigins(
        hosts=frozenset(names), parent_domains=tuple(wildcards), origins=frozenset(origins)
    )


def find_public_origin(settings: Settings) -> WebOrigin | None:
    """The origin of CITEWELL_PUBLIC_URL; raises Misconfigured if it is no http or https address."""
    server_settings = settings[ServerSettings]
    if server_settings.public_url is None:
        return None
    scheme, _, rest = server_settings.public_url.partition("://")
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


# Refuses requests whose Host or Origin is not one of this server's: protects against DNS rebinding.


class HostCheck:
    """Every route stands behind this: health, metrics, pages and administration as well as MCP."""

    def __init__(self, inner: ASGIApp, allowed: AllowedOrigins) -> None:
        self._inner = inner
        self._allowed = allowed
        self._accepted: set[tuple[tuple[bytes, ...], str | None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._accepts_host(scope):
            await self._inner(scope, receive, send)
            return
        note_refusal(scope, "host_not_allowed")
        await send_refusal(
            send,
            421,
            "host_not_allowed",
            "This server does not answer for that Host. "
            "Its operator can name the host in CITEWELL_ALLOWED_HOSTS or CITEWELL_PUBLIC_URL.",
        )

    def _accepts_host(self, scope: Scope) -> bool:
        """Accepted hosts are remembered: they are few, and what is refused could fill the memory."""
        local = (scope.get("server") or (None,))[0]
        case = (find_header_values(scope, b"host"), local)
        if case in self._accepted:
            return True
        host = _parse_host(scope)
        is_accepted = host is not None and self._allowed.accepts_host(host, local)
        if is_accepted and len(self._accepted) < _MAX_ACCEPTED_HOSTS:
            self._accepted.add(case)
        return is_accepted


class OriginCheck:
    """Stands behind `HostCheck`. What pages of any origin may read is served before it."""

    def __init__(self, inner: ASGIApp, allowed: AllowedOrigins) -> None:
        self._inner = inner
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._accepts_origin(scope):
            await self._inner(scope, receive, send)
            return
        note_refusal(scope, "origin_not_allowed")
        await send_refusal(
            send,
            403,
            "origin_not_allowed",
            "Pages of that origin may not call this server. "
            "Its operator can name the origin in ALLOWED_ORIGINS.",
        )

    def _accepts_origin(self, scope: Scope) -> bool:
        given = find_header_values(scope, b"origin")
        if not given:
            return True
        origin = parse_origin(given[0].decode("latin-1")) if len(given) == 1 else None
        host = _parse_host(scope)
        if origin is None or host is None:
            return False
        return self._allowed.accepts_origin(origin, host)


def _parse_host(scope: Scope) -> Authority | None:
    given = find_header_values(scope, b"host")
    return parse_authority(given[0].decode("latin-1")) if len(given) == 1 else None


# CORS: lets browsers on the allowed origins call the server and read its answers.


class CrossOriginAccess(CORSMiddleware):
    """Answers preflight requests itself, so that they need no credentials.

    Every request header is allowed, because clients of the newer protocol name theirs after the
    arguments of a tool. Cookies are not used, so credentials are never allowed.
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        server_settings = settings[ServerSettings]
        super().__init__(
            inner,
            allow_origins=[
                write_origin(parse_named_origin(text)) for text in server_settings.allowed_origins
            ],
            allow_origin_regex=None if server_settings.cors_strict else _LOOPBACK_PATTERN,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("*",),
            expose_headers=EXPOSED_HEADERS,
            max_age=PREFLIGHT_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and find_header_values(scope, b"origin"):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def write_origin(origin: WebOrigin) -> str:
    """The form in which browsers send this origin: the usual port is left out."""
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    is_usual = origin.port == _DEFAULT_PORTS.get(origin.scheme)
    return f"{origin.scheme}://{host}" + ("" if is_usual else f":{origin.port}")
