"""Which IP addresses are on the public Internet, by a table of our own.

`ipaddress.is_global` follows the Python release and errs both ways; this table is the same
everywhere. Source: the IANA special-purpose registries for IPv4 and IPv6.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_NEVER_V4 = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier NAT, and a cloud's metadata at 100.100.100.200
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's host agent under a public number
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
_NEVER_V6 = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4 carries any IPv4 address
        "3ffe::/16",
        "3fff::/20",
    )
)
# The IPv4 address in the last 32 bits is the one that is reached.
_CARRIERS = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))


def is_public(address: Address) -> bool:
    """True only for an address that belongs to the public Internet."""
    if isinstance(address, IPv6Address):
        return _is_public_v6(address)
    return not any(address in block for block in _NEVER_V4)


def read(text: str) -> Address | None:
    """The address that `text` is, or None; a zone such as %eth0 makes it none."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _is_public_v6(address: IPv6Address) -> bool:
    if any(address in carrier for carrier in _CARRIERS):
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _PUBLIC_V6 and not any(address in block for block in _NEVER_V6)
