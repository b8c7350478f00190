"""Decides which IP addresses are on the public Internet, by a table of our own.

`ipaddress.is_global` differs between Python releases and is wrong in both directions; this table
is the same everywhere. Source: the IANA special-purpose registries for IPv4 and IPv6.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

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
