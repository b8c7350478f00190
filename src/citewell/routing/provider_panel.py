"""Asks providers the same question with a timeout, and says how each answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from citewell.core.errors import (
    CitewellError,
    FailureReason,
    NetworkFailed,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.service_kit import ServiceKit
from citewell.core.values.counted_words import pluralize
from citewell.core.values.routing_trace import RoutingTrace
from citewell.net.settings import NetSettings
from citewell.routing.ports import FindPause, Offer, ProviderPause, ProviderSpec
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_failures import name_provider_error

T = TypeVar("T")

FOUND, ABSENT, FAILED = "found", "absent", "failed"
_OFFLINE = FailureReason.OFFLINE
_PROVIDER_GRACE_SECONDS = 5.0  # beyond the search timeout, for all attempts at one provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOutcome:
    """How one provider answered; `failed` says nothing about what was asked for."""

    provider: str
    outcome: str  # found, absent or failed
    error_kind: str | None = None  # with failed; "offline" if the machine has no network
    retry_after: float | None = None  # seconds, if a provider that failed asked for a pause


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAnswer(Generic[T]):
    """The value from one provider, or its error."""

    provider: str
    value: T | None = None
    error: CitewellError | None = None

    @property
    def outcome_summary(self) -> ProviderOutcome:
        if self.error is not None:
            limited = isinstance(self.error, RateLimited)
            return ProviderOutcome(
                provider=self.provider,
                outcome=FAILED,
                error_kind=_OFFLINE if self.error.reason is _OFFLINE else self.error.kind,
                retry_after=self.error.retry_after if limited else None,
            )
        return ProviderOutcome(provider=self.provider, outcome=FOUND if self.value else ABSENT)


class ProviderPanel:
    """The providers of a catalogue; none is asked while it rests after failures."""

    def __init__(
        self,
        catalogue: ProviderCatalogue,
        *,
        find_rest: FindPause = lambda _provider: None,
        timeout_seconds: float = 15.0,
    ) -> None:
        """`patience` is the timeout of one question to one provider, in seconds."""
        self._catalogue = catalogue
        self._resting = find_rest
        self._patience = timeout_seconds

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.catalogue,
            find_rest=kit.find_pause,
            timeout_seconds=kit.settings[NetSettings].search_timeout + _PROVIDER_GRACE_SECONDS,
        )

    def list_able_providers(self, offer: Offer, order: Sequence[str] = ()) -> tuple[str, ...]:
        """The configured providers with this offer: those in `order` first, the rest by rank."""
        able = self._catalogue.list_offering(offer)
        return tuple(dict.fromkeys([name for name in order if name in able] + list(able)))

    def load_provider(self, name: str) -> object:
        return self._catalogue.connect_provider(name)

    def find_provider_spec(self, name: str) -> ProviderSpec:
        return self._catalogue.find_spec(name)

    def may_see_queries(self, name: str) -> bool:
        return self._catalogue.may_see_queries(name)

    def is_resting(self, name: str) -> bool:
        return self._resting(name) is not None

    def record_attempt(self, name: str, trace: RoutingTrace) -> None:
        """Record the attempt in the trace; a resting provider is recorded as skipped too."""
        if self._resting(name) is not None:
            trace.record_skip(name, reason="circuit_open")
        trace.record_attempt(name)

    async def ask_provider(
        self, name: str, question: Callable[[], Awaitable[T | None]]
    ) -> ProviderAnswer[T]:
        """Ask one provider; its error is returned in the answer and not raised."""
        spec = self._catalogue.find_spec(name)
        if (rest := self._resting(name)) is not None:
            return ProviderAnswer(provider=name, error=_build_resting_error(name, spec.title, rest))
        try:
            async with asyncio.timeout(self._patience):
                return ProviderAnswer(provider=name, value=await question())
        except CitewellError as error:
            return ProviderAnswer(provider=name, error=name_provider_error(error, spec))
        except TimeoutError:
            return ProviderAnswer(provider=name, error=self._build_timeout_error(name))

    async def ask_together(
        self,
        names: Iterable[str],
        question: Callable[[Any], Awaitable[T | None]],
        *,
        enough: Callable[[Sequence[ProviderAnswer[T]]], bool] | None = None,
        grace_seconds: float = 1.5,
    ) -> tuple[ProviderAnswer[T], ...]:
        """Ask all at once; the answers come in the order of `names`.

        `question` takes what a provider with the offer in question is.

        Once `enough` accepts the answers so far, the others get `grace` more seconds and are then
        cancelled.
        """

        async def ask_named(name: str) -> ProviderAnswer[T]:
            return await self.ask_provider(name, lambda: question(self.load_provider(name)))

        tasks = {name: asyncio.create_task(ask_named(name)) for name in names}
        try:
            await _wait_until_enough(list(tasks.values()), enough, grace_seconds)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return tuple(
            (
                ProviderAnswer(provider=name, error=self._build_timeout_error(name))
                if task.cancelled()
                else task.result()
            )
            for name, task in tasks.items()
        )

    def _build_timeout_error(self, name: str) -> NetworkFailed:
        title = self._catalogue.find_spec(name).title
        message = f"{title} did not answer in time."
        return NetworkFailed(message, provider=name, reason=FailureReason.TIMEOUT)


async def _wait_until_enough(
    tasks: Sequence[asyncio.Task[ProviderAnswer[T]]],
    enough: Callable[[Sequence[ProviderAnswer[T]]], bool] | None,
    grace: float,
) -> None:
    waiting = set(tasks)
    while waiting:
        _done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        landed = [task.result() for task in tasks if task.done() and not task.cancelled()]
        if waiting and enough is not None and enough(landed):
            await asyncio.wait(waiting, timeout=grace)
            return


def _build_resting_error(
    name: str, title: str, rest: ProviderPause | float
) -> RateLimited | UpstreamUnavailable:
    known = rest if isinstance(rest, ProviderPause) else ProviderPause(seconds=rest)
    kind, why = (
        (RateLimited, "asked for a pause")
        if known.asked_by_provider
        else (UpstreamUnavailable, "failed repeatedly")
    )
    message = f"{title} {why} and is not asked for {known.seconds:.0f} {pluralize(round(known.seconds), 'more second')}."
    return kind(message, provider=name, retry_after=known.seconds)
