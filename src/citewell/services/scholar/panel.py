"""Asks several scholarly providers the same thing, within bounds, and says how each of them answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from citewell.errors import CitewellError, NetworkFailed, RateLimited, Unavailable
from citewell.model.routing import Trace
from citewell.ports import Offer, Spec
from citewell.services.catalogue import Catalogue
from citewell.services.web.failure import told
from citewell.services.web.rounds import Rest, Resting

T = TypeVar("T")

FOUND, ABSENT, FAILED = "found", "absent", "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How one provider answered; a registry that could not be asked has said nothing."""

    provider: str
    outcome: str  # found, absent or failed
    error_kind: str | None = None  # with failed
    retry_after: float | None = None  # seconds, where a failed one asked for a pause


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """What one provider answered, or its error."""

    provider: str
    value: T | None = None
    error: CitewellError | None = None

    @property
    def asked(self) -> Asked:
        if self.error is not None:
            limited = isinstance(self.error, RateLimited)
            return Asked(
                provider=self.provider,
                outcome=FAILED,
                error_kind=self.error.kind,
                retry_after=self.error.retry_after if limited else None,
            )
        return Asked(provider=self.provider, outcome=FOUND if self.value else ABSENT)


def never(_provider: str) -> Rest | None:
    return None


class Panel:
    """The scholarly providers of a catalogue, each asked with patience and never while it rests."""

    def __init__(
        self, catalogue: Catalogue, *, resting: Resting = never, patience: float = 15.0
    ) -> None:
        """`patience` is how many seconds one provider may take for one question."""
        self._catalogue = catalogue
        self._resting = resting
        self._patience = patience

    def able(self, offer: Offer, order: Sequence[str] = ()) -> tuple[str, ...]:
        """The configured providers with this offer: those in `order` first, the rest by rank."""
        able = self._catalogue.offering(offer)
        return tuple(dict.fromkeys([name for name in order if name in able] + list(able)))

    def provider(self, name: str) -> object:
        return self._catalogue.provider(name)

    def spec(self, name: str) -> Spec:
        return self._catalogue.spec(name)

    def rests(self, name: str) -> bool:
        return self._resting(name) is not None

    def note(self, name: str, trace: Trace) -> None:
        """The trace says of a resting provider that it was passed over."""
        if self._resting(name) is not None:
            trace.skipped(name, reason="circuit_open")
        trace.attempt(name)

    async def ask(self, name: str, question: Callable[[], Awaitable[T | None]]) -> Answer[T]:
        """Errors come back as values, so that one provider's failure spares the others."""
        spec = self._catalogue.spec(name)
        if (rest := self._resting(name)) is not None:
            return Answer(provider=name, error=_asleep(name, spec.title, rest))
        try:
            async with asyncio.timeout(self._patience):
                return Answer(provider=name, value=await question())
        except CitewellError as error:
            return Answer(provider=name, error=told(error, spec))
        except TimeoutError:
            return Answer(provider=name, error=self._silent(name))

    async def together(
        self,
        names: Iterable[str],
        question: Callable[[object], Awaitable[T | None]],
        *,
        enough: Callable[[Sequence[Answer[T]]], bool] | None = None,
        grace: float = 1.5,
    ) -> tuple[Answer[T], ...]:
        """Everybody at once, answers in the order of `names`.

        Once what is in hand is `enough`, the others get `grace` more seconds and are then given up.
        """

        async def one(name: str) -> Answer[T]:
            return await self.ask(name, lambda: question(self.provider(name)))

        tasks = {name: asyncio.create_task(one(name)) for name in names}
        try:
            await _until(list(tasks.values()), enough, grace)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return tuple(self._landed(name, task) for name, task in tasks.items())

    def _landed(self, name: str, task: asyncio.Task[Answer[T]]) -> Answer[T]:
        if task.cancelled():
            return Answer(provider=name, error=self._silent(name))
        return task.result()

    def _silent(self, name: str) -> NetworkFailed:
        title = self._catalogue.spec(name).title
        return NetworkFailed(f"{title} gave no answer in time.", provider=name)


async def _until(
    tasks: Sequence[asyncio.Task[Answer[T]]],
    enough: Callable[[Sequence[Answer[T]]], bool] | None,
    grace: float,
) -> None:
    waiting = set(tasks)
    while waiting:
        _done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        landed = [task.result() for task in tasks if task.done() and not task.cancelled()]
        if waiting and enough is not None and enough(landed):
            await asyncio.wait(waiting, timeout=grace)
            return


def _asleep(name: str, title: str, rest: Rest | float) -> RateLimited | Unavailable:
    known = rest if isinstance(rest, Rest) else Rest(seconds=rest)
    kind, why = (
        (RateLimited, "asked for a pause") if known.limited else (Unavailable, "failed repeatedly")
    )
    message = f"{title} {why} and is left alone for {known.seconds:.0f} more seconds."
    return kind(message, provider=name, retry_after=known.seconds)
