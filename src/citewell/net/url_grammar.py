"""The strict URL grammar, and which IP addresses are public or on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote

from citewell.core.errors import MalformedAddress, RefusedByPolicy

_LOOPBACK_NAME = "localhost"

IpAddress = IPv4Address | IPv6Address

_PRIVATE_V4_NETWORKS = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier NAT, and Alibaba Cloud metadata at 100.100.100.200
        "127.0.0.0/8",
        "168.63.129.16/32",  # the Azure host agent, although the address is public
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_PUBLIC_V6_NETWORK = IPv6Network("2000::/3")
_PRIVATE_V6_NETWORKS = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4 can contain any IPv4 address
        "3ffe::/16",
        "3fff::/20",
    )
)
# In these networks the connection goes to the IPv4 address in the last 32 bits.
_V4_IN_V6_NETWORKS = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))

_MAX_URL_CHARS = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}
_URL_PATTERN = re.compile(
    r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL
)
_AUTHORITY_PATTERN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::([1-9][0-9]{0,4}))?")
_FORBIDDEN_CHARS_PATTERN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_HOST_LABEL_PATTERN = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST_NAME_PATTERN = re.compile(rf"{_HOST_LABEL_PATTERN}(?:\.{_HOST_LABEL_PATTERN})*")
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
    if "@" in parts[2]:
        raise MalformedAddress("Addresses with a user name or password are not read.")
    authority = _AUTHORITY_PATTERN.fullmatch(parts[2])
    if authority is None:
        raise MalformedAddress("The address names no host, or its port is not a number.")
    port = int(authority[2] or _DEFAULT_PORTS[scheme])
    if port > 65535:
        raise MalformedAddress("The address has a port above 65535.")
    is_bracketed = authority[1].startswith("[")
    parse_host = _parse_bracketed_host if is_bracketed else _parse_host_name
    host, literal = parse_host(authority[1])
    path = quote(parts[3] or "/", safe=_UNQUOTED_PATH_CHARS) + quote(
        parts[4] or "", safe=_UNQUOTED_PATH_CHARS
    )
    return RequestTarget(scheme=scheme, host=host, port=port, path=path, ip_literal=literal)


def _parse_bracketed_host(text: str) -> _ParsedHost:
    literal = parse_ip_address(text[1:-1])
    if literal is None or literal.version != 6:
        raise MalformedAddress("The address in brackets is not an IPv6 address.")
    return str(literal), literal


def _parse_host_name(text: str) -> _ParsedHost:
    name = (text if text.isascii() else encode_idna_name(text)).lower().removesuffix(".")
    if len(name) > 253 or not _HOST_NAME_PATTERN.fullmatch(name):
        raise MalformedAddress("The host name of the address is not valid.")
    if not _NUMERIC_LABEL_PATTERN.fullmatch(name.rpartition(".")[2]):
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


# Decides which IP addresses are on the public Internet, by a table of our own.


def is_public_address(address: IpAddress) -> bool:
    """True only for an address that belongs to the public Internet."""
    if isinstance(address, IPv6Address):
        return _is_public_v6(address)
    return not any(address in block for block in _PRIVATE_V4_NETWORKS)


def parse_ip_address(text: str) -> IpAddress | None:
    """`text` as an IP address; None if it is not one or has a zone such as %eth0."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _is_public_v6(address: IPv6Address) -> bool:
    if any(address in carrier for carrier in _V4_IN_V6_NETWORKS):
        return is_public_address(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _PUBLIC_V6_NETWORK and not any(
        address in block for block in _PRIVATE_V6_NETWORKS
    )


# Decides whether an address that a setting names is a server on this machine.


def is_loopback_address(url: str) -> bool:
    """True for 127.0.0.0/8, ::1 and localhost as written; other names are not looked up.

    A name can lead elsewhere tomorrow, and a private network is not this machine.
    """
    try:
        host = parse_url(url).host
    except RefusedByPolicy:
        return False
    literal = parse_ip_address(host)
    return host == _LOOPBACK_NAME if literal is None else literal.is_loopback
