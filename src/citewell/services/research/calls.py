"""Research providers as calls that the job engine may pay for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from citewell.errors import InvalidInput, LeftAlone, Unavailable, Unconnected
from citewell.model.research import (
    Polled,
    ProviderReport,
    ResearchAsk,
    Status,
    Submission,
    Tier,
    Writing,
)
from citewell.ports import BackgroundResearch, DeepResearch, Writer
from citewell.services.jobs.paid import NotSent, Reply
from citewell.services.research.choosing import Choice

_SHARE = 4  # a text from material of ours costs about this part of a research run
_SHUT = frozenset({"HTTP 503", "HTTP 529"})  # turned away at the door


class Asking:
    """One provider's research; `ask` is given the tag that every attempt carries."""

    def __init__(
        self, name: str, provider: DeepResearch, ask: Callable[[str], ResearchAsk]
    ) -> None:
        self.provider = name
        self.estimate = provider.estimate(ask(""))
        self.idempotent = provider.idempotent
        self.background = isinstance(provider, BackgroundResearch)
        self._door = provider
        self._ask = ask

    async def submit(self, tag: str) -> Reply:
        with _turned_away():
            return _submitted(await self._door.submit(self._ask(tag)))

    async def poll(self, ref: str) -> Reply:
        return _polled(await self._running().poll(ref), ref)

    async def cancel(self, ref: str) -> Reply:
        running = self._running()
        await running.cancel(ref)
        return _polled(await running.poll(ref), ref)

    def _running(self) -> BackgroundResearch:
        assert isinstance(self._door, BackgroundResearch)  # noqa: S101 - only such calls have a reference
        return self._door


class Composing:
    """A text written from our material."""

    background = False
    idempotent = False

    def __init__(
        self, name: str, writer: Writer, writing: Callable[[str], Writing], *, estimate: int
    ) -> None:
        self.provider = name
        self.estimate = estimate
        self._writer = writer
        self._writing = writing

    @classmethod
    def of(
        cls, name: str, choice: Choice, writing: Callable[[str], Writing], *, tier: Tier
    ) -> Composing:
        """By a provider that can write; a text costs less than the smallest research."""
        door = choice.provider(name)
        if not isinstance(door, Writer):
            raise InvalidInput(f"{name} cannot write a report.", provider=name)
        estimate = door.estimate(ResearchAsk(query="", tier=tier, tag="")) // _SHARE
        return cls(name, door, writing, estimate=estimate)

    async def submit(self, tag: str) -> Reply:
        with _turned_away():
            return _done(await self._writer.write(self._writing(tag)))

    async def poll(self, ref: str) -> Reply:
        raise NotSent(f"{self.provider} has no run {ref!r}: texts are written in one call.")

    async def cancel(self, ref: str) -> Reply:
        return await self.poll(ref)


@contextmanager
def _turned_away() -> Iterator[None]:
    """What surely did nothing upstream costs nothing."""
    try:
        yield
    except (Unconnected, LeftAlone) as error:
        raise NotSent(error.message, provider=error.provider) from None
    except Unavailable as error:
        if error.detail in _SHUT:
            raise NotSent(error.message, provider=error.provider) from None
        raise


def _submitted(submission: Submission) -> Reply:
    if submission.report is not None:
        return _done(submission.report)
    return Reply(status=Status.RUNNING, ref=submission.ref)


def _polled(polled: Polled, ref: str) -> Reply:
    if polled.status is Status.COMPLETED and polled.report is not None:
        return _done(polled.report)
    if not polled.status.final:
        return Reply(status=Status.RUNNING, ref=ref, note=polled.note)
    return Reply(
        status=Status.CANCELLED if polled.status is Status.CANCELLED else Status.FAILED,
        result=polled.report.model_dump(mode="json") if polled.report else None,
        cost=polled.report.cost_ticks if polled.report else 0,
        error=polled.error or "",
        error_kind=polled.error_kind or "upstream_unavailable",
    )


def _done(report: ProviderReport) -> Reply:
    return Reply(
        status=Status.COMPLETED, result=report.model_dump(mode="json"), cost=report.cost_ticks
    )
