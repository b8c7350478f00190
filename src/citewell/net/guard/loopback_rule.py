"""Decides whether an address that a setting names is a server on this machine."""

from __future__ import annotations

from citewell.errors import RefusedByPolicy
from citewell.net.guard.ip_addresses import parse_ip_address
from citewell.net.guard.url_grammar import parse_url

_LOOPBACK_NAME = "localhost"


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
