"""Parses Host headers and origins exactly: what is not plainly a name or address with a port is nothing."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

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
    host = _normalize_ipv6(found["ipv6"]) if found["ipv6"] else _normalize_name(found["name"])
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


def _normalize_ipv6(text: str) -> str | None:
    try:
        return ipaddress.IPv6Address(text).compressed
    except ValueError:
        return None


def _normalize_name(text: str) -> str | None:
    name = text.removesuffix(".").lower()
    is_valid = len(name) <= MAX_NAME_CHARS and all(map(_LABEL.fullmatch, name.split(".")))
    return name if is_valid else None
