"""Checks a site's robots.txt before a page is read (RFC 9309)."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, unquote

from citewell.core.errors import RefusedByRobots, TooLarge, UpstreamUnavailable
from citewell.net.http.file_downloads import USER_AGENT_PRODUCT
from citewell.net.http.messages import HttpRequest, RedirectPolicy, RequestSender
from citewell.net.url_grammar import parse_url

_RULES_TTL_SECONDS = 86400.0  # seconds; the maximum in the RFC
_UNKNOWN_TTL_SECONDS = (
    600.0  # seconds; how long a site with an unreadable robots.txt counts as disallowed
)
_MAX_SITES = 256
_MAX_ROBOTS_BYTES = 1 << 20
_MAX_ROBOTS_LINES = 5000  # lines parsed; in practice more than the 500 KiB that the RFC requires


class RobotsPolicy(Protocol):
    """Decides whether a site lets us read an address: a RobotsChecker, or a fake in tests."""

    async def check_robots(self, url: str) -> None: ...


@dataclass(frozen=True, slots=True)
class RobotsRule:
    is_allowed: bool
    pattern: str


ALLOW_ALL_RULES: tuple[RobotsRule, ...] = ()
ALLOW_NOTHING_RULES: tuple[RobotsRule, ...] = (RobotsRule(is_allowed=False, pattern="/"),)


@dataclass(slots=True)
class _SiteRules:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    rules: tuple[RobotsRule, ...] = ALLOW_ALL_RULES
    valid_until: float = float("-inf")


class RobotsChecker:
    """Checks addresses against robots.txt; rules are cached for a day, for a limited number of sites."""

    def __init__(
        self,
        sender: RequestSender,
        *,
        clock: Callable[[], float] = time.monotonic,
        timeout: float = 5.0,
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._timeout = timeout
        self._sites: OrderedDict[str, _SiteRules] = OrderedDict()

    async def check_robots(self, url: str) -> None:
        """Raise RefusedByRobots if robots.txt disallows `url`.

        Raises NetworkFailed if the site does not answer, because the page would fail too.
        """
        target = parse_url(url)
        site = self._remember_site(f"{target.scheme}://{target.authority}")
        async with site.lock:  # concurrent checks of a site fetch its robots.txt once
            if self._clock() >= site.valid_until:
                origin = f"{target.scheme}://{target.authority}"
                site.rules, kept = await self._fetch_rules(origin)
                site.valid_until = self._clock() + kept
        if not is_path_allowed(site.rules, target.path):
            raise RefusedByRobots(
                f"{target.host} asks programs not to read this page (robots.txt)."
            )

    def _remember_site(self, origin: str) -> _SiteRules:
        site = self._sites.setdefault(origin, _SiteRules())
        self._sites.move_to_end(origin)
        while len(self._sites) > _MAX_SITES:
            self._sites.popitem(last=False)
        return site

    async def _fetch_rules(self, origin: str) -> tuple[tuple[RobotsRule, ...], float]:
        request = HttpRequest(
            url=f"{origin}/robots.txt",
            headers={"accept": "text/plain, */*;q=0.1"},
            timeout=self._timeout,
            max_bytes=_MAX_ROBOTS_BYTES,
            redirects=RedirectPolicy.FOLLOW,
            page=True,
        )
        try:
            response = await self._sender.send_request(request)
        except (TooLarge, UpstreamUnavailable):
            return ALLOW_NOTHING_RULES, _UNKNOWN_TTL_SECONDS
        if 200 <= response.status < 300:
            return parse_robots_rules(response.decode_text()), _RULES_TTL_SECONDS
        return (
            (ALLOW_ALL_RULES, _RULES_TTL_SECONDS)
            if 300 <= response.status < 500
            else (ALLOW_NOTHING_RULES, _UNKNOWN_TTL_SECONDS)
        )


def is_path_allowed(rules: Iterable[RobotsRule], path: str) -> bool:
    """True if `path` may be read: the longest matching pattern decides; in a tie, allow wins."""
    path = _normalize_path_escapes(path)
    if path == "/robots.txt":
        return True
    matching = [rule for rule in rules if _matches_path_pattern(rule.pattern, path)]
    return (
        max(matching, key=lambda rule: (len(rule.pattern), rule.is_allowed)).is_allowed
        if matching
        else True
    )


def parse_robots_rules(text: str, *, product: str = USER_AGENT_PRODUCT) -> tuple[RobotsRule, ...]:
    """The rules of all groups for `product`, or of the `*` groups if it has none."""
    groups: dict[str, list[RobotsRule]] = {}
    agents: list[str] = []
    naming = False
    for key, value in _parse_robots_lines(text):
        if key == "user-agent":
            agents = [*agents, _parse_agent_token(value)] if naming else [_parse_agent_token(value)]
            for agent in agents:
                groups.setdefault(agent, [])
        elif key in {"allow", "disallow"} and value:
            for agent in agents:
                groups[agent].append(
                    RobotsRule(is_allowed=key == "allow", pattern=_normalize_path_escapes(value))
                )
        naming = key == "user-agent"
    return tuple(groups.get(product, groups.get("*", [])))


def _parse_robots_lines(text: str) -> Iterable[tuple[str, str]]:
    lines = text.removeprefix("\ufeff").splitlines()
    for line in lines[:_MAX_ROBOTS_LINES]:
        key, colon, value = line.partition("#")[0].partition(":")
        name = key.strip().lower()
        if colon and name in {"user-agent", "allow", "disallow"}:
            yield name, value.strip()


def _parse_agent_token(value: str) -> str:
    match = re.match(r"[a-z_-]+", value.lower())
    return match[0] if match else value


def _normalize_path_escapes(path: str) -> str:
    """A path with normalized percent-escapes, so that equal paths compare equal."""
    kept = re.sub(r"%(2[Ff]|24|2[Aa]|3[Ff])", lambda escape: "%25" + escape[1].upper(), path)
    return quote(unquote(kept), safe="/?&=*$:;,+@!'()~%[]")


def _matches_path_pattern(pattern: str, path: str) -> bool:
    """Whether a pattern matches: `*` is any text, a final `$` the end. Takes linear time."""
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
