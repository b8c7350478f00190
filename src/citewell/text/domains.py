"""Whose a host is, by the public suffix list: the part that somebody registered."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from citewell.text import urls

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def registrable(host: str) -> str:
    """`bbc.co.uk` of `news.bbc.co.uk`; the host itself when it is a number or a bare suffix."""
    if not host or urls.numeric(host):
        return host
    return _list().privatesuffix(host) or host


def suffix(host: str) -> str:
    """`co.uk` of `news.bbc.co.uk`; empty for a number."""
    if not host or urls.numeric(host):
        return ""
    return _list().publicsuffix(host) or ""


@cache
def _list() -> PublicSuffixList:
    """Read on first use from the copy inside the package: 35 ms, no network."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
