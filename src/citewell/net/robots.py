"""Asks a site's robots.txt before one of its pages is read (RFC 9309)."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, unquote

from citewell.errors import Refused, TooLarge, Unavailable
from citewell.net.agent import PRODUCT
from citewell.net.message import Redirects, Request, Response
from citewell.net.target import read_url

_KEPT = 86400.0  # the RFC's limit
_UNSURE = 600.0  # how long a site that cannot tell us counts as closed
_SITES = 256
_BYTES = 1 << 20
_RULES = 5000  # lines looked at; the RFC asks for 500 KiB, which is fewer than this in practice


class Sender(Protocol):
    async def send(self, request: Request) -> Response: ...


@dataclass(frozen=True, slots=True)
class Rule:
    allow: bool
    pattern: str


ALL: tuple[Rule, ...] = ()
NOTHING: tuple[Rule, ...] = (Rule(allow=False, pattern="/"),)


@dataclass(slots=True)
class _Site:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    rules: tuple[Rule, ...] = ALL
    until: float = float("-inf")


class Robots:
    """What each site lets us read, remembered for a day, for a bounded number of sites."""

    def __init__(
        self,
        sender: Sender,
        *,
        clock: Callable[[], float] = time.monotonic,
        timeout: float = 5.0,
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._timeout = timeout
        self._sites: OrderedDict[str, _Site] = OrderedDict()

    async def check(self, url: str) -> None:
        """Raise Refused when the site asks us not to read `url`.

        NetworkFailed when the site does not answer at all: its page would not either.
        """
        target = read_url(url)
        site = self._site(f"{target.scheme}://{target.authority}")
        async with site.lock:  # parallel pages of a site ask it once
            if self._clock() >= site.until:
                origin = f"{target.scheme}://{target.authority}"
                site.rules, kept = await self._fetch(origin)
                site.until = self._clock() + kept
        if not allows(site.rules, target.path):
            raise Refused(f"{target.host} asks programs not to read this page (robots.txt).")

    def _site(self, origin: str) -> _Site:
        site = self._sites.setdefault(origin, _Site())
        self._sites.move_to_end(origin)
        while len(self._sites) > _SITES:
            self._sites.popitem(last=False)
        return site

    async def _fetch(self, origin: str) -> tuple[tuple[Rule, ...], float]:
        request = Request(
            url=f"{origin}/robots.txt",
            headers={"accept": "text/plain, */*;q=0.1"},
            timeout=self._timeout,
            max_bytes=_BYTES,
            redirects=Redirects.FOLLOW,
            page=True,
        )
        try:
            response = await self._sender.send(request)
        except (TooLarge, Unavailable):
            return NOTHING, _UNSURE
        if 200 <= response.status < 300:
            return read_rules(response.text()), _KEPT
        return (ALL, _KEPT) if 300 <= response.status < 500 else (NOTHING, _UNSURE)


def allows(rules: Iterable[Rule], path: str) -> bool:
    """The longest matching pattern decides, and permission wins a tie."""
    path = _plain(path)
    if path == "/robots.txt":
        return True
    matching = [rule for rule in rules if _matches(rule.pattern, path)]
    return (
        max(matching, key=lambda rule: (len(rule.pattern), rule.allow)).allow if matching else True
    )


def read_rules(text: str, *, product: str = PRODUCT) -> tuple[Rule, ...]:
    """The rules for `product`, all its groups together; without one, those for everybody."""
    groups: dict[str, list[Rule]] = {}
    agents: list[str] = []
    naming = False
    for key, value in _lines(text):
        if key == "user-agent":
            agents = [*agents, _token(value)] if naming else [_token(value)]
            for agent in agents:
                groups.setdefault(agent, [])
        elif key in {"allow", "disallow"} and value:
            for agent in agents:
                groups[agent].append(Rule(allow=key == "allow", pattern=_plain(value)))
        naming = key == "user-agent"
    return tuple(groups.get(product, groups.get("*", [])))


def _lines(text: str) -> Iterable[tuple[str, str]]:
    lines = text.removeprefix("\ufeff").splitlines()
    for line in lines[:_RULES]:
        key, colon, value = line.partition("#")[0].partition(":")
        name = key.strip().lower()
        if colon and name in {"user-agent", "allow", "disallow"}:
            yield name, value.strip()


def _token(value: str) -> str:
    match = re.match(r"[a-z_-]+", value.lower())
    return match[0] if match else value


def _plain(path: str) -> str:
    """One spelling for paths that mean the same: escapes undone where that is safe, then redone."""
    kept = re.sub(r"%(2[Ff]|24|2[Aa]|3[Ff])", lambda escape: "%25" + escape[1].upper(), path)
    return quote(unquote(kept), safe="/?&=*$:;,+@!'()~%[]")


def _matches(pattern: str, path: str) -> bool:
    """`*` stands for anything, a final `$` for the end; linear in the path for every pattern."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    for part in rest[:-1]:
        place = path.find(part, place)
        if place < 0:
            return False
        place += len(part)
    if not rest:
        return not anchored or place == len(path)
    if anchored:
        return path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= place
    return path.find(rest[-1], place) >= 0
