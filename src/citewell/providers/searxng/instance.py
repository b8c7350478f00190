"""One SearXNG server, and the settings that name it."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from urllib.parse import SplitResult, unquote, urlsplit

from citewell.errors import Misconfigured
from citewell.ports import Kit

URL = "SEARXNG_URL"
BASIC_AUTH = "SEARXNG_BASIC_AUTH"
HEADERS = "SEARXNG_HEADERS"
INSTANCES = "CITEWELL_SEARXNG_INSTANCES"
DISCOVERY = "CITEWELL_SEARXNG_DISCOVERY"

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*([\x20-\x7e]+)")
_NEXT_HEADER = re.compile(r",\s*(?=[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*:)")


class Source(IntEnum):
    """Where an instance came from; the lower goes first."""

    OWN = 0
    LISTED = 1
    DISCOVERED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    url: str  # without a slash at the end, a query or credentials
    source: Source
    band: int = 0  # 0 for A+, 1 for A, 2 for B; ones the operator chose are in 0
    uptime: float | None = None  # per cent
    seconds: float | None = None  # of a search, as searx.space measured it
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def own(self) -> bool:
        return self.source is Source.OWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the operator configured."""

    chosen: tuple[Instance, ...]  # the own instance first, then the list
    discovery: str | None


def read(kit: Kit, *, unset: str) -> Plan:
    """The plan from a provider's options; an upstream address other than `unset` is an own instance."""
    base = kit.upstream.base_url
    url = kit.option(URL) or (base if base != unset else None)
    own = [_own(url, kit)] if url else []
    entries = (entry.strip() for entry in (kit.option(INSTANCES) or "").split(","))
    listed = [_listed(entry) for entry in entries if entry]
    seen = {instance.url: instance for instance in reversed([*own, *listed])}
    return Plan(chosen=tuple(reversed(seen.values())), discovery=kit.option(DISCOVERY))


def address(url: str) -> str | None:
    """The instance's root for any address of it; None for what is no web address."""
    parts = _split(url)
    if parts is None:
        return None
    authority = parts.netloc.rpartition("@")[2]
    path = re.sub(r"(?:/search)?/*$", "", parts.path)
    return f"{parts.scheme}://{authority}{path}"


def _own(url: str, kit: Kit) -> Instance:
    secret = _headers(kit.option(HEADERS) or "")
    account = kit.option(BASIC_AUTH) or _account(url)
    if account:
        secret["Authorization"] = _basic(account)
    return Instance(url=_address(url, URL), source=Source.OWN, secret_headers=secret)


def _listed(url: str) -> Instance:
    if _account(url):
        raise Misconfigured(f"{INSTANCES} may not hold credentials; they are for {URL} alone.")
    return Instance(url=_address(url, INSTANCES), source=Source.LISTED)


def _address(url: str, setting: str) -> str:
    found = address(url)
    if found is None:
        message = (
            f"{setting} needs the address of a SearXNG instance, such as https://searx.example.org"
        )
        raise Misconfigured(message, action="inform_user")
    return found


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
        _ = parts.port  # raises for one that is no number
    except ValueError:
        return None
    return parts if parts.scheme in {"http", "https"} and parts.hostname else None


def _account(url: str) -> str | None:
    parts = _split(url)
    if parts is None or parts.username is None:
        return None
    return f"{unquote(parts.username)}:{unquote(parts.password or '')}"


def _basic(account: str) -> str:
    if ":" not in account:
        raise Misconfigured(f"{BASIC_AUTH} is written user:password.", action="inform_user")
    return "Basic " + base64.b64encode(account.encode()).decode("ascii")


def _headers(text: str) -> dict[str, str]:
    found = {}
    for entry in filter(None, (part.strip() for part in _NEXT_HEADER.split(text))):
        match = _HEADER.fullmatch(entry)
        if match is None:
            raise Misconfigured(
                f'{HEADERS} is written "Name: value, Name: value".', action="inform_user"
            )
        found[match[1]] = match[2].strip()
    return found
