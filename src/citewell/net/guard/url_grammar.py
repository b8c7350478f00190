"""The strict URL grammar; an address that it rejects is never requested."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from citewell.errors import MalformedAddress
from citewell.net.guard.ip_addresses import IpAddress, parse_ip_address

_MAX_URL_CHARS = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}
_URL_PATTERN = re.compile(
    r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL
)
_AUTHORITY_PATTERN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::([1-9][0-9]{0,4}))?")
_FORBIDDEN_CHARS_PATTERN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_HOST_LABEL_PATTERN = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_OCTET_PATTERN = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_DOTTED_QUAD_PATTERN = re.compile(rf"{_OCTET_PATTERN}(?:\.{_OCTET_PATTERN}){{3}}")
_NUMERIC_LABEL_PATTERN = re.compile(r"[0-9]+|0x[0-9a-f]*")
_UNQUOTED_PATH_CHARS = "%/:?@!$&'()*+,;=~[]"

_ParsedHost = tuple[str, IpAddress | None]  # the host as text, and the IP address if it is one


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTarget:
    """A parsed URL in normal form, which every program interprets in the same way."""

    scheme: str
    host: str  # lower case ASCII; an IPv6 address without its brackets
    port: int
    path: str  # with its query, escaped for the request line
    ip_literal: IpAddress | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def non_default_port(self) -> int | None:
        """The port, or None if it is the scheme's default."""
        return None if self.port == _DEFAULT_PORTS[self.scheme] else self.port

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.non_default_port else host

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_url(url: str) -> RequestTarget:
    """Parse an http(s) URL. Raises RefusedByPolicy, without quoting the URL, for anything else."""
    if len(url) > _MAX_URL_CHARS:
        raise MalformedAddress(f"The address is longer than {_MAX_URL_CHARS} characters.")
    if _FORBIDDEN_CHARS_PATTERN.search(url):
        raise MalformedAddress("The address contains spaces, control characters or backslashes.")
    parts = _URL_PATTERN.fullmatch(url)
    if parts is None:
        raise MalformedAddress("Only http:// and https:// addresses can be read.")
    scheme = parts[1].lower()
    (host, literal), port = _parse_authority(parts[2], _DEFAULT_PORTS[scheme])
    path = quote(parts[3] or "/", safe=_UNQUOTED_PATH_CHARS) + quote(
        parts[4] or "", safe=_UNQUOTED_PATH_CHARS
    )
    return RequestTarget(scheme=scheme, host=host, port=port, path=path, ip_literal=literal)


def _parse_authority(authority: str, default_port: int) -> tuple[_ParsedHost, int]:
    if "@" in authority:
        raise MalformedAddress("Addresses with a user name or password are not read.")
    parts = _AUTHORITY_PATTERN.fullmatch(authority)
    if parts is None:
        raise MalformedAddress("The address names no host, or its port is not a number.")
    port = int(parts[2] or default_port)
    if port > 65535:
        raise MalformedAddress("The address has a port above 65535.")
    if parts[1].startswith("["):
        return _parse_bracketed_host(parts[1][1:-1]), port
    return _parse_host_name(parts[1]), port


def _parse_bracketed_host(text: str) -> _ParsedHost:
    literal = parse_ip_address(text)
    if literal is None or literal.version != 6:
        raise MalformedAddress("The address in brackets is not an IPv6 address.")
    return str(literal), literal


def _parse_host_name(text: str) -> _ParsedHost:
    name = (text if text.isascii() else encode_idna_name(text)).lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_HOST_LABEL_PATTERN.fullmatch(label) for label in labels):
        raise MalformedAddress("The host name of the address is not valid.")
    if not _NUMERIC_LABEL_PATTERN.fullmatch(labels[-1]):
        return name, None
    # Programs disagree on the meaning of short, octal, hexadecimal and decimal forms.
    if not _DOTTED_QUAD_PATTERN.fullmatch(name):
        raise MalformedAddress("Write an IPv4 address as four decimal numbers.")
    return name, parse_ip_address(name)


def encode_idna_name(text: str) -> str:
    """The ASCII (IDNA) form of a host name, which is then checked like any other name."""
    import idna

    try:
        return idna.encode(text, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise MalformedAddress("The host name of the address is not valid.") from None
