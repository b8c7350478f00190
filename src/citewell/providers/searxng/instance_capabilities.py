"""What an instance says it can do (/config): its engines, their categories and languages."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from citewell.core import errors
from citewell.net.http.messages import HttpResponse, RedirectPolicy
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.upstream.upstream_client import Upstream
from citewell.providers.searxng.instance_health import RATE_LIMIT_REST_SECONDS
from citewell.providers.searxng.instances import (
    BASIC_AUTH_SETTING,
    HEADERS_SETTING,
    JsonMemory,
    SearxngInstance,
)

_CLIENT_HEADERS = {"accept": "text/html,application/json", "accept-language": "en"}
_PUBLIC_TIMEOUT_SECONDS = 6.0  # after that the next instance is tried
_GATEWAY_STATUSES = frozenset({502, 503, 504})  # for your own instance `Upstream` retries these
_ACCEPTED_STATUSES = frozenset(range(300, 600))
_LIMITER_LINE = "server: limiter: false"
_PARAMETER_PATTERN = re.compile(r"parameter (\w{1,20})")

_CAPABILITIES_KEEP_SECONDS = 86400.0
_UNKNOWN_KEEP_SECONDS = 3600.0  # before an instance that did not answer is asked again


@dataclass(frozen=True, slots=True, kw_only=True)
class SearxngEngine:
    name: str
    categories: tuple[str, ...]
    languages: tuple[str, ...]  # empty if it has no language setting


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCapabilities:
    """The enabled engines of an instance."""

    engines: tuple[SearxngEngine, ...]

    @property
    def categories(self) -> frozenset[str]:
        return frozenset(name for engine in self.engines for name in engine.categories)

    def has_language(self, language: str, category: str) -> bool:
        """Whether any engine of the category lists the language; regions are ignored."""
        plain = language.partition("-")[0].lower()
        spoken = (engine.languages for engine in self.engines if category in engine.categories)
        return any(
            plain == name.replace("_", "-").partition("-")[0].lower()
            for names in spoken
            for name in names
        )


class CapabilityCache:
    """Keeps the capabilities of each instance, and asks for them at most once a day."""

    def __init__(
        self, client: InstanceClient, *, notebook: JsonMemory, clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._notebook = notebook
        self._clock = clock
        self._known: dict[
            str, tuple[float, InstanceCapabilities | None]
        ] = {}  # with the time they expire

    async def look_up_capabilities(self, instance: SearxngInstance) -> InstanceCapabilities | None:
        """The capabilities; None if the instance does not publish them."""
        until, known = self._known.get(instance.url, (0.0, None))
        if self._clock() < until:
            return known
        found = await self._recall_capabilities(instance) or await self._fetch_capabilities(
            instance
        )
        self._known[instance.url] = (
            self._clock() + (_CAPABILITIES_KEEP_SECONDS if found else _UNKNOWN_KEEP_SECONDS),
            found,
        )
        return found

    async def _fetch_capabilities(self, instance: SearxngInstance) -> InstanceCapabilities | None:
        try:
            response = await self._client.fetch_from_instance(instance, "/config", {})
            found = parse_capabilities(response.parse_json()) if response.status == 200 else None
        except (errors.UpstreamError, errors.RefusedByPolicy):
            return None
        if found and not instance.is_own:
            await self._notebook.remember_json(
                _build_config_key(instance),
                _encode_capabilities(found),
                ttl=_CAPABILITIES_KEEP_SECONDS,
            )
        return found

    async def _recall_capabilities(self, instance: SearxngInstance) -> InstanceCapabilities | None:
        """The stored capabilities; None for your own instance, whose settings may have changed."""
        return (
            None
            if instance.is_own
            else parse_capabilities(await self._notebook.recall_json(_build_config_key(instance)))
        )


def parse_capabilities(config: object) -> InstanceCapabilities | None:
    rows = config.get("engines") if isinstance(config, dict) else None
    if not isinstance(rows, list):
        return None
    engines = (
        _parse_engine(row) for row in rows if isinstance(row, dict) and row.get("enabled", True)
    )
    found = tuple(engine for engine in engines if engine.name and engine.categories)
    return InstanceCapabilities(engines=found) if found else None


def _parse_engine(row: dict[str, Any]) -> SearxngEngine:
    name = row.get("name")
    languages = (*_keep_text_names(row.get("languages")), *_keep_text_names(row.get("regions")))
    return SearxngEngine(
        name=name if isinstance(name, str) else "",
        categories=_keep_text_names(row.get("categories")),
        languages=languages if row.get("language_support", True) else (),
    )


def _keep_text_names(value: object) -> tuple[str, ...]:
    listed: Iterable[object] = value if isinstance(value, list) else ()
    return tuple(name for name in listed if isinstance(name, str) and name)


def _encode_capabilities(capabilities: InstanceCapabilities) -> dict[str, object]:
    """The capabilities in the shape of /config, so that `parse_capabilities` can read them again."""
    rows = [
        {
            "name": engine.name,
            "categories": list(engine.categories),
            "languages": list(engine.languages),
        }
        for engine in capabilities.engines
    ]
    return {"engines": rows}


def _build_config_key(instance: SearxngInstance) -> str:
    return "config-" + sha256(instance.url.encode()).hexdigest()[:24]


# Sends requests to one instance, with pauses between them, and turns statuses into our errors.


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
    ) -> errors.CitewellError | None:
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
            # The refused parameter is named, but not its value, which may be the query.
            named = _PARAMETER_PATTERN.search(response.decode_text()[:500])
            refused = f"the parameter {named[1]}" if named else "the request"
            return errors.RejectedRequest(f"SearXNG refused {refused}.")
        if status == 401:
            message = f"{instance.url} requires a login. For your own instance set {BASIC_AUTH_SETTING} or {HEADERS_SETTING}."
            return errors.AuthRequired(message, settings=(BASIC_AUTH_SETTING, HEADERS_SETTING))
        if status == 403:
            return errors.Blocked(
                f"{instance.url} refused the request.", detail="HTTP 403", http_status=status
            )
        return errors.UpstreamUnavailable(
            f"{instance.url} answered with an error.", detail=f"HTTP {status}", http_status=status
        )

    async def _wait_for_turn(self) -> None:
        manners = self._manners
        now = manners.clock()
        turn = max(now, self._next)
        self._next = turn + manners.jitter(manners.min_pause, manners.max_pause)
        if turn > now:
            await manners.sleep(turn - now)


def _build_limiter_error(instance: SearxngInstance, delay: float) -> errors.RateLimited:
    message = f"{instance.url} is limiting the rate of our requests."
    if not instance.is_own:
        return errors.RateLimited(message, retry_after=delay)
    advice = f"On your own instance set `{_LIMITER_LINE}` in settings.yml, or allow this machine in limiter.toml."
    return errors.RateLimited(f"{message} {advice}", retry_after=delay, remedy=_LIMITER_LINE)
