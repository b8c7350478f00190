"""Sends requests to one instance, with pauses between them, and turns statuses into our errors.

SearXNG's limiter accepts a client that names itself, provided it sends the usual Accept headers.
So we do not imitate browsers: that would gain nothing and break the operators' rules.
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
    UpstreamUnavailable,
)
from citewell.net.http.messages import HttpResponse, RedirectPolicy
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.upstream.upstream_client import Upstream
from citewell.providers.searxng.instance_health import RATE_LIMIT_REST_SECONDS
from citewell.providers.searxng.instance_settings import (
    BASIC_AUTH_SETTING,
    HEADERS_SETTING,
    SearxngInstance,
)

_CLIENT_HEADERS = {"accept": "text/html,application/json", "accept-language": "en"}
_PUBLIC_TIMEOUT_SECONDS = 6.0  # after that the next instance is tried
_GATEWAY_STATUSES = frozenset({502, 503, 504})  # for your own instance `Upstream` retries these
_ACCEPTED_STATUSES = frozenset(range(300, 600))
_LIMITER_LINE = "server: limiter: false"
_PARAMETER_PATTERN = re.compile(r"parameter (\w{1,20})")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPacing:
    """Clock, sleep and pauses for requests to public instances; tests replace them."""

    clock: Callable[[], float]  # seconds since the epoch, because rests outlast the process
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[float, float], float] = random.uniform  # noqa: S311 - politeness, not secrecy
    min_pause: float = 0.1  # pause between requests to public instances, in seconds
    max_pause: float = 0.5


class InstanceClient:
    def __init__(self, upstream: Upstream, *, manners: PublicPacing) -> None:
        self._upstream = upstream
        self._manners = manners
        self._next = 0.0  # earliest time of the next request to a public instance

    async def fetch_from_instance(
        self, instance: SearxngInstance, path: str, params: Mapping[str, str]
    ) -> HttpResponse:
        """The response, whatever its status.

        Raises for a gateway error of your own instance, after retries, and for a redirect to
        another origin, because the query was meant for this instance only.
        """
        if not instance.is_own:
            await self._wait_for_turn()
        return await self._upstream.send_get(
            path,
            params=params,
            headers=_CLIENT_HEADERS,
            secret_headers=instance.secret_headers,
            timeout=None if instance.is_own else _PUBLIC_TIMEOUT_SECONDS,
            redirects=RedirectPolicy.SAME_ORIGIN,
            base_url=instance.url,
            accept=_ACCEPTED_STATUSES - _GATEWAY_STATUSES
            if instance.is_own
            else _ACCEPTED_STATUSES,
            retry=instance.is_own,  # rather than retry a public instance, try another
        )

    def find_status_error(
        self, response: HttpResponse, instance: SearxngInstance
    ) -> CitewellError | None:
        """The error that a status other than 200 stands for; None for 200."""
        status = response.status
        if status == 200:
            return None
        if status == 429:
            delay = (
                read_retry_delay(response.headers, now=self._manners.clock)
                or RATE_LIMIT_REST_SECONDS
            )
            return _build_limiter_error(instance, delay)
        if status == 400:
            return RejectedRequest(_describe_rejection(response))
        if status == 401:
            message = f"{instance.url} requires a login. For your own instance set {BASIC_AUTH_SETTING} or {HEADERS_SETTING}."
            return AuthRequired(message, settings=(BASIC_AUTH_SETTING, HEADERS_SETTING))
        if status == 403:
            return Blocked(
                f"{instance.url} refused the request.", detail="HTTP 403", http_status=status
            )
        return UpstreamUnavailable(
            f"{instance.url} answered with an error.", detail=f"HTTP {status}", http_status=status
        )

    async def _wait_for_turn(self) -> None:
        manners = self._manners
        now = manners.clock()
        turn = max(now, self._next)
        self._next = turn + manners.jitter(manners.min_pause, manners.max_pause)
        if turn > now:
            await manners.sleep(turn - now)


def _build_limiter_error(instance: SearxngInstance, delay: float) -> RateLimited:
    said = f"{instance.url} is limiting the rate of our requests."
    if not instance.is_own:
        return RateLimited(said, retry_after=delay)
    advice = f"On your own instance set `{_LIMITER_LINE}` in settings.yml, or allow this machine in limiter.toml."
    return RateLimited(f"{said} {advice}", retry_after=delay, remedy=_LIMITER_LINE)


def _describe_rejection(response: HttpResponse) -> str:
    """Names the refused parameter but not its value, which may be the query."""
    named = _PARAMETER_PATTERN.search(response.decode_text()[:500])
    return f"SearXNG refused the parameter {named[1]}." if named else "SearXNG refused the request."
