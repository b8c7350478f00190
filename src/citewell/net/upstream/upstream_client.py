"""Sends requests to one upstream API, with its headers, pace, breaker, retries and errors."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from citewell.core import errors
from citewell.core.values.routing_trace import record_receiver
from citewell.net.http.file_downloads import GatewayOverloaded, check_status
from citewell.net.http.messages import (
    HttpRequest,
    HttpResponse,
    QueryPairs,
    RedirectPolicy,
    RequestSender,
    RequestWatch,
)
from citewell.net.upstream import origin_limits
from citewell.net.url_grammar import RequestTarget, parse_url

M = TypeVar("M", bound=BaseModel)

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Upstream:
    """Sends requests to one upstream; every error names it.

    A status outside 2xx that is not in `accept` is raised: 401 and 403 as AuthRequired, 402 as
    OutOfCredit, 404 and 410 as NotFound, 429 as RateLimited, any other 4xx as RejectedRequest, the
    rest as UpstreamUnavailable. Without a response NetworkFailed is raised, for a body over its
    limit TooLarge, for a forbidden address RefusedByPolicy.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        sender: RequestSender,
        lanes: origin_limits.OriginLimitsTable,
        defaults: HttpRequest,
        retry: RetryPolicy | None = None,
        timing: origin_limits.TimeSource | None = None,
        watching: RequestWatch | None = None,
        check_online: Callable[[RequestTarget], Awaitable[None]] | None = None,
    ) -> None:
        """`defaults` has the headers, limits and page flag that every request of this upstream gets.

        `check_online` raises NotConnected if it is already known that a request would fail.
        """
        self.name = name
        self.base_url = base_url
        self._sender = sender
        self._lanes = lanes
        self._defaults = defaults
        self._retry = retry or RetryPolicy()
        self._timing = timing or origin_limits.TimeSource()
        self._watching = watching or RequestWatch()
        self._check_online = check_online
        self.outcomes: Counter[str] = Counter()  # requests by `ok` or the kind of their error
        self.is_provider = False  # the routing of a call then names it

    def send_get(
        self,
        path: str = "",
        *,
        params: QueryPairs = _NO_HEADERS,
        headers: Mapping[str, str] = _NO_HEADERS,
        secret_headers: Mapping[str, str] = _NO_HEADERS,
        timeout: float | None = None,
        max_bytes: int | None = None,
        redirects: RedirectPolicy = RedirectPolicy.SAME_ORIGIN,
        base_url: str | None = None,
        accept: Collection[int] = (),
        retry: bool = True,
    ) -> Coroutine[Any, Any, HttpResponse]:
        """Send a GET to `base_url` + `path`; another origin has its own pace and breaker."""
        request = HttpRequest(
            url=_join_url_path(base_url or self.base_url, path),
            params=params,
            headers=headers,
            secret_headers=secret_headers,
            timeout=timeout or self._defaults.timeout,
            max_bytes=max_bytes or self._defaults.max_bytes,
            redirects=redirects,
        )
        return self.send_request(request, accept=accept, retry=retry)

    def send_post(
        self,
        path: str = "",
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        idempotent: bool = True,
        params: QueryPairs = _NO_HEADERS,
        headers: Mapping[str, str] = _NO_HEADERS,
        secret_headers: Mapping[str, str] = _NO_HEADERS,
        timeout: float | None = None,
        max_bytes: int | None = None,
        redirects: RedirectPolicy = RedirectPolicy.SAME_ORIGIN,
        base_url: str | None = None,
        accept: Collection[int] = (),
    ) -> Coroutine[Any, Any, HttpResponse]:
        """Send a POST with JSON or a form; with `idempotent=False` it is never retried."""
        request = HttpRequest(
            url=_join_url_path(base_url or self.base_url, path),
            method="POST",
            params=params,
            headers=headers,
            secret_headers=secret_headers,
            json=json,
            form=form,
            timeout=timeout or self._defaults.timeout,
            max_bytes=max_bytes or self._defaults.max_bytes,
            redirects=redirects,
        )
        return self.send_request(request, accept=accept, retry=idempotent)

    async def send_request(
        self, request: HttpRequest, *, accept: Collection[int] = (), retry: bool = True
    ) -> HttpResponse:
        """Send any request with this upstream's headers, pace, breaker and retries.

        The wait for a turn takes at most the request's timeout; all attempts together share it again.
        """
        with self._count_outcome(), self._watching.watch(self.name, request):
            target = parse_url(request.url)
            lane, request = self._lanes.choose_limits(target), self._add_defaults(request, target)
            if self._check_online is not None:
                await self._check_online(target)
            await lane.wait_for_turn(max_wait=request.timeout)
            deadline = self._timing.clock() + request.timeout
            attempt = 1
            while True:
                try:
                    return await self._send_once(lane, request, accept=accept)
                except errors.CitewellError as error:
                    delay = self._retry.choose_delay(error, attempt=attempt) if retry else None
                    if delay is None or self._timing.clock() + delay >= deadline:
                        raise
                    await self._timing.sleep(delay)
                    try:
                        await lane.wait_for_turn(max_wait=deadline - self._timing.clock())
                    except errors.RateLimited:  # no turn in time: the failure itself says more
                        raise error from None
                request = replace(request, timeout=deadline - self._timing.clock())
                attempt += 1

    def limit_concurrency(self, max_running: int) -> None:
        """Allow this many requests at a time, until a response states another limit."""
        self._lanes.choose_limits(parse_url(self.base_url)).concurrency.set_limit(max_running)

    def pause_requests(self, seconds: float) -> None:
        """Send nothing for `seconds`; for a rate limit that is stated in a body instead of a status."""
        self._lanes.choose_limits(parse_url(self.base_url)).breaker.open_for_seconds(seconds)

    def adopt_pause(self, seconds: float, *, is_limited: bool) -> None:
        """Send nothing to its home for `seconds`, because another process has stopped asking it."""
        breaker = self._lanes.choose_limits(parse_url(self.base_url)).breaker
        breaker.adopt_pause(seconds, is_limited=is_limited)

    def collect_health(self) -> Mapping[str, origin_limits.BreakerSnapshot]:
        """The breaker state of its home origin, and of other origins whose breaker is not closed."""
        return self._lanes.collect_health()

    @contextmanager
    def _count_outcome(self) -> Iterator[None]:
        """Count how a request ended; its error names this upstream."""
        try:
            yield
        except errors.CitewellError as error:
            error.provider = error.provider or self.name
            self.outcomes[error.kind] += 1
            raise
        self.outcomes["ok"] += 1

    async def _send_once(
        self, lane: origin_limits.OriginLimits, request: HttpRequest, *, accept: Collection[int]
    ) -> HttpResponse:
        async with lane.concurrency.hold_slot(max_wait=request.timeout):
            with lane.breaker.watch_attempt():
                if self.is_provider:
                    record_receiver(self.name)
                response = await self._sender.send_request(request)
                lane.pace.learn_stated_pace(response.headers)
                lane.concurrency.learn_stated_limit(response.headers)
                check_status(response, provider=self.name, accept=accept, now=self._timing.now)
        return replace(response, provider=self.name)

    def _add_defaults(self, request: HttpRequest, target: RequestTarget) -> HttpRequest:
        """Add the default headers to a request; secret ones only if it goes to the home origin."""
        own = self._defaults.secret_headers if self._lanes.is_home_origin(target) else _NO_HEADERS
        return replace(
            request,
            headers={**self._defaults.headers, **request.headers},
            secret_headers={**own, **request.secret_headers},
            page=request.page or self._defaults.page,
        )


def parse_json_response(model: type[M], response: HttpResponse) -> M:
    """The body as `model`; MalformedResponse names the invalid field but not its value."""
    try:
        return model.model_validate(response.parse_json())
    except ValidationError as error:
        raise errors.MalformedResponse(
            _describe_shape_error(model, error), provider=response.provider
        ) from None


def _join_url_path(base: str, path: str) -> str:
    return base.rstrip("/") + "/" + path.lstrip("/") if path else base


def _describe_shape_error(model: type[BaseModel], error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    ours = _list_field_names(model)
    place = ".".join(
        str(part) if isinstance(part, int) or part in ours else "*" for part in first["loc"]
    )
    fault = "is missing" if first["type"] == "missing" else "is of another kind"
    return f"The response does not have the documented form: {place or 'the whole'} {fault}."


@cache
def _list_field_names(model: type[BaseModel]) -> frozenset[str]:
    """The field names of our models; any other key of a response is outside text."""
    schema = model.model_json_schema()
    parts = (schema, *schema.get("$defs", {}).values())
    return frozenset(name for part in parts for name in part.get("properties", {}))


# Which failed requests are retried, and after what delay.


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """At most `max_attempts`, with delays that double from `first_delay` to `max_delay`, with jitter."""

    max_attempts: int = 3
    first_delay: float = 0.4
    max_delay: float = 4.0
    random_fraction: Callable[[], float] = random.random  # noqa: S311 - spreads load, no security purpose

    def choose_delay(self, error: errors.CitewellError, *, attempt: int) -> float | None:
        """Seconds before the next attempt; None if the request should not be retried."""
        if attempt >= self.max_attempts or not isinstance(
            error, errors.NetworkFailed | GatewayOverloaded
        ):
            return None
        if error.reason is errors.FailureReason.OFFLINE:
            return None
        pause: float = min(self.max_delay, self.first_delay * 2 ** (attempt - 1)) * (
            0.5 + self.random_fraction() / 2
        )
        if not isinstance(error, GatewayOverloaded) or error.retry_after is None:
            return pause
        # If the upstream asks for a long wait, the caller should not be kept waiting.
        return max(pause, error.retry_after) if error.retry_after <= self.max_delay else None
