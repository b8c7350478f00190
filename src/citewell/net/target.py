"""The one grammar of a web address: what it does not accept is never asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from citewell.errors import Refused
from citewell.net.address import Address, read

_LONGEST = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::([1-9][0-9]{0,4}))?")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_QUAD = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_SAFE = "%/:?@!$&'()*+,;=~[]"

_Host = tuple[str, Address | None]  # how it is written, and the number where it is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An address that reads one way only: every program that is given it goes to the same place."""

    scheme: str
    host: str  # lower case ASCII; an IPv6 address without its brackets
    port: int
    path: str  # with its query, ready for the request line
    literal: Address | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def odd_port(self) -> int | None:
        """The port where it is not the scheme's own, else None."""
        return None if self.port == _DEFAULT_PORTS[self.scheme] else self.port

    @property
    def authority(self) -> str:
        """The Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.odd_port else host

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def read_url(url: str) -> Target:
    """The parts of an http or https address; Refused, without the address, for anything else."""
    if len(url) > _LONGEST:
        raise Refused(f"The address is longer than {_LONGEST} characters.")
    if _FORBIDDEN.search(url):
        raise Refused("The address holds spaces, control characters or backslashes.")
    parts = _URL.fullmatch(url)
    if parts is None:
        raise Refused("Only http:// and https:// addresses can be read.")
    scheme = parts[1].lower()
    (host, literal), port = _read_authority(parts[2], _DEFAULT_PORTS[scheme])
    path = quote(parts[3] or "/", safe=_SAFE) + quote(parts[4] or "", safe=_SAFE)
    return Target(scheme=scheme, host=host, port=port, path=path, literal=literal)


def _read_authority(authority: str, default_port: int) -> tuple[_Host, int]:
    if "@" in authority:
        raise Refused("An address with a user name or password in it is not read.")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        raise Refused("The address names no host, or its port is not a number.")
    port = int(parts[2] or default_port)
    if port > 65535:
        raise Refused("The address has a port above 65535.")
    if parts[1].startswith("["):
        return _read_bracketed(parts[1][1:-1]), port
    return _read_name(parts[1]), port


def _read_bracketed(text: str) -> _Host:
    literal = read(text)
    if literal is None or literal.version != 6:
        raise Refused("The address in brackets is not an IPv6 address.")
    return str(literal), literal


def _read_name(text: str) -> _Host:
    name = (text if text.isascii() else map_name(text)).lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise Refused("The host name of the address is not a valid one.")
    if not _NUMBER.fullmatch(labels[-1]):
        return name, None
    # Short, octal, hexadecimal and decimal forms mean different hosts to different programs.
    if not _QUAD.fullmatch(name):
        raise Refused("Write an IPv4 address as four decimal numbers.")
    return name, read(name)


def map_name(text: str) -> str:
    """The name as the resolver will see it; what it maps to is judged like any other."""
    import idna

    try:
        return idna.encode(text, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise Refused("The host name of the address is not a valid one.") from None
