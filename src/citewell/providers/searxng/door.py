"""Asks one instance: our honest headers, a polite pause, and its answer in our errors.

The limiter lets an honest agent through, provided it sends the headers of any well-behaved
client, so nothing is disguised: random agents would gain nothing and break operators' rules.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from citewell.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    RateLimited,
    RejectedRequest,
    Unavailable,
)
from citewell.net.limits import read_delay
from citewell.net.message import Redirects, Response
from citewell.net.upstream import Upstream
from citewell.providers.searxng.health import LIMITED
from citewell.providers.searxng.instance import BASIC_AUTH, HEADERS, Instance

_HEADERS = {"accept": "text/html,application/json", "accept-language": "en"}
_PUBLIC_TIMEOUT = 6.0  # a slower stranger is passed over for the next one
_GATEWAY = frozenset({502, 503, 504})  # worth asking one's own instance again, which upstream does
_JUDGED_HERE = frozenset(range(300, 600))
_PARAMETER = re.compile(r"parameter (\w{1,20})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """What the outside world supplies, so that tests can supply it instead."""

    clock: Callable[[], float]  # seconds since the epoch: rests outlive the process
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[float, float], float] = random.uniform  # noqa: S311 - politeness, not secrecy
    shortest: float = 0.1  # pause between requests to public instances, in seconds
    longest: float = 0.5


class Door:
    def __init__(self, upstream: Upstream, *, manners: Manners) -> None:
        self._upstream = upstream
        self._manners = manners
        self._next = 0.0  # when the next request to a public instance may leave

    async def ask(self, instance: Instance, path: str, params: Mapping[str, str]) -> Response:
        """The answer whatever its status, save a gateway's failure of the own instance.

        A redirect to another origin is refused: the query was meant for this instance alone.
        """
        if not instance.own:
            await self._wait()
        return await self._upstream.get(
            path,
            params=params,
            headers=_HEADERS,
            secret_headers=instance.secret_headers,
            timeout=None if instance.own else _PUBLIC_TIMEOUT,
            redirects=Redirects.SAME_ORIGIN,
            base_url=instance.url,
            accept=_JUDGED_HERE - _GATEWAY if instance.own else _JUDGED_HERE,
            retry=instance.own,  # another public instance is a better second try than the same one
        )

    def complaint(self, response: Response, instance: Instance) -> CitewellError | None:
        """What a status other than 200 means; None for 200."""
        status = response.status
        if status == 200:
            return None
        if status == 429:
            delay = read_delay(response.headers, now=self._manners.clock) or LIMITED
            return RateLimited(_limiter(instance), retry_after=delay)
        if status == 400:
            return RejectedRequest(_rejection(response))
        if status == 401:
            message = f"{instance.url} wants a login; set {BASIC_AUTH} or {HEADERS} for your own instance."
            return AuthRequired(message)
        if status == 403:
            return Blocked(f"{instance.url} refused the request.", detail="HTTP 403")
        return Unavailable(f"{instance.url} failed.", detail=f"HTTP {status}")

    async def _wait(self) -> None:
        manners = self._manners
        now = manners.clock()
        turn = max(now, self._next)
        self._next = turn + manners.jitter(manners.shortest, manners.longest)
        if turn > now:
            await manners.sleep(turn - now)


def _limiter(instance: Instance) -> str:
    said = f"{instance.url} limits how often it may be asked."
    if not instance.own:
        return said
    return f"{said} On your own instance set `server: limiter: false` in settings.yml, or let this machine pass in limiter.toml."


def _rejection(response: Response) -> str:
    """Name the parameter, not its value: that may be the query."""
    named = _PARAMETER.search(response.text()[:500])
    return f"SearXNG refused the parameter {named[1]}." if named else "SearXNG refused the request."
