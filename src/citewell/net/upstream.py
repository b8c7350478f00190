"""One provider's door: its address, headers, pace, breaker, retries, and errors in our words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from citewell.errors import BadShape, CitewellError, RateLimited
from citewell.net.breaker import BreakerSnapshot
from citewell.net.lane import Lane, Lanes
from citewell.net.message import Pairs, Redirects, Request, Response
from citewell.net.retry import Retry
from citewell.net.target import Target, read_url
from citewell.net.timing import Timing
from citewell.net.verdict import judge

M = TypeVar("M", bound=BaseModel)

_NONE: Mapping[str, str] = MappingProxyType({})


class Sender(Protocol):
    """Whoever carries a request: the client, or a fake in tests."""

    async def send(self, request: Request) -> Response: ...


class Upstream:
    """Asks one upstream politely and answers in our errors, each naming the upstream.

    Any status outside 2xx that the caller does not list in `accept` is raised: 401 and 403 as
    AuthRequired, 402 OutOfCredit, 404 and 410 NotFound, 429 RateLimited, another 4xx
    RejectedRequest, the rest Unavailable. No answer is NetworkFailed, a body over its cap
    TooLarge, an address our policy forbids Refused.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        sender: Sender,
        lanes: Lanes,
        defaults: Request,
        retry: Retry | None = None,
        timing: Timing | None = None,
    ) -> None:
        """`defaults` holds the headers, limits and page flag of every request of this upstream."""
        self.name = name
        self.base_url = base_url
        self._sender = sender
        self._lanes = lanes
        self._defaults = defaults
        self._retry = retry or Retry()
        self._timing = timing or Timing()

    async def get(
        self,
        path: str = "",
        *,
        params: Pairs = _NONE,
        headers: Mapping[str, str] = _NONE,
        secret_headers: Mapping[str, str] = _NONE,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline, handed to the exchange
        max_bytes: int | None = None,
        redirects: Redirects = Redirects.SAME_ORIGIN,
        base_url: str | None = None,
        accept: Collection[int] = (),
        retry: bool = True,
    ) -> Response:
        """GET `base_url` + `path`; another `base_url` has a pace and breaker of its own."""
        request = Request(
            url=_join(base_url or self.base_url, path),
            params=params,
            headers=headers,
            secret_headers=secret_headers,
            timeout=timeout or self._defaults.timeout,
            max_bytes=max_bytes or self._defaults.max_bytes,
            redirects=redirects,
        )
        return await self.send(request, accept=accept, retry=retry)

    async def post(
        self,
        path: str = "",
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        idempotent: bool = True,
        params: Pairs = _NONE,
        headers: Mapping[str, str] = _NONE,
        secret_headers: Mapping[str, str] = _NONE,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline, handed to the exchange
        max_bytes: int | None = None,
        redirects: Redirects = Redirects.SAME_ORIGIN,
        base_url: str | None = None,
        accept: Collection[int] = (),
    ) -> Response:
        """POST JSON or a form; `idempotent=False` is sent once and never again."""
        request = Request(
            url=_join(base_url or self.base_url, path),
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
        return await self.send(request, accept=accept, retry=idempotent)

    async def send(
        self, request: Request, *, accept: Collection[int] = (), retry: bool = True
    ) -> Response:
        """Carry any request with this upstream's headers, pace, breaker and retries.

        The wait for a turn is bounded by the request's timeout; attempts share that timeout once.
        """
        try:
            return await self._attempts(request, accept=accept, retry=retry)
        except CitewellError as error:
            error.provider = error.provider or self.name
            raise

    def at_once(self, most: int) -> None:
        """No more requests at the same time than this, until an answer states another number."""
        self._lanes.of(read_url(self.base_url)).abreast.limit(most)

    def rest(self, seconds: float) -> None:
        """Leave it alone for a while: it refused us in a body, where no status says so."""
        self._lanes.of(read_url(self.base_url)).breaker.rest(seconds)

    def health(self) -> Mapping[str, BreakerSnapshot]:
        """How its origins are doing: the own one always, others while they are in trouble."""
        return self._lanes.health()

    async def _attempts(
        self, request: Request, *, accept: Collection[int], retry: bool
    ) -> Response:
        target = read_url(request.url)
        lane, request = self._lanes.of(target), self._complete(request, target)
        await lane.enter(longest=request.timeout)
        deadline = self._timing.clock() + request.timeout
        attempt = 1
        while True:
            try:
                return await self._once(lane, request, accept=accept)
            except CitewellError as error:
                delay = self._retry.delay(error, attempt=attempt) if retry else None
                if delay is None or self._timing.clock() + delay >= deadline:
                    raise
                await self._timing.sleep(delay)
                await _another_turn(lane, deadline - self._timing.clock(), otherwise=error)
            request = replace(request, timeout=deadline - self._timing.clock())
            attempt += 1

    async def _once(self, lane: Lane, request: Request, *, accept: Collection[int]) -> Response:
        async with lane.abreast.place(longest=request.timeout):
            with lane.breaker.watch():
                response = await self._sender.send(request)
                lane.pace.learn(response.headers)
                lane.abreast.learn(response.headers)
                judge(response, provider=self.name, accept=accept, now=self._timing.now)
        return replace(response, provider=self.name)

    def _complete(self, request: Request, target: Target) -> Request:
        """Add what every request of this upstream carries; its keys go to its own origin only."""
        own = self._defaults.secret_headers if self._lanes.at_home(target) else _NONE
        return replace(
            request,
            headers={**self._defaults.headers, **request.headers},
            secret_headers={**own, **request.secret_headers},
            page=request.page or self._defaults.page,
        )


async def _another_turn(lane: Lane, longest: float, *, otherwise: CitewellError) -> None:
    """Wait for the pace; when there is no turn in time, the failure that led here is the news."""
    try:
        await lane.enter(longest=longest)
    except RateLimited:
        raise otherwise from None


def parse(model: type[M], response: Response) -> M:
    """The body as `model`; BadShape says which field is wrong and never what it held."""
    try:
        return model.model_validate(response.parsed())
    except ValidationError as error:
        raise BadShape(_complaint(model, error), provider=response.provider) from None


def _join(base: str, path: str) -> str:
    return base.rstrip("/") + "/" + path.lstrip("/") if path else base


def _complaint(model: type[BaseModel], error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    ours = _field_names(model)
    place = ".".join(
        str(part) if isinstance(part, int) or part in ours else "*" for part in first["loc"]
    )
    return (
        f"The answer does not have the documented shape: {place or 'the whole'} is {first['type']}."
    )


def _field_names(model: type[BaseModel]) -> frozenset[str]:
    """Names we wrote ourselves; any other key of the answer is the upstream's text."""
    schema = model.model_json_schema()
    parts = (schema, *schema.get("$defs", {}).values())
    return frozenset(name for part in parts for name in part.get("properties", {}))
