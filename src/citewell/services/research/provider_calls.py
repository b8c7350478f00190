"""Research and writing by paid providers, as calls of the job engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from citewell.errors import BreakerOpen, InvalidInput, NotConnected, UpstreamUnavailable
from citewell.model.research import (
    PollOutcome,
    ProviderReport,
    ResearchRequest,
    ResearchStatus,
    ResearchTier,
    SubmitOutcome,
    WritingRequest,
)
from citewell.ports import BackgroundResearch, DeepResearch, ReportWriter
from citewell.services.jobs.paid_calls import CallNotSent, CallReply
from citewell.services.research.planning.provider_choice import ProviderChoice

_WRITING_COST_DIVISOR = 4  # writing from our material costs about this fraction of research
_UNPROCESSED_STATUSES = frozenset({503, 529})  # the upstream refused without doing any work


def estimate_writing_cost(provider: DeepResearch, tier: ResearchTier) -> int:
    """The probable cost of a text written from our material, in ticks."""
    usual = ResearchRequest(query="", tier=tier, tag="")
    return provider.estimate_cost(usual) // _WRITING_COST_DIVISOR


class ResearchCall:
    """Research by one provider; `ask` builds the request from the tag of the call."""

    def __init__(
        self, name: str, provider: DeepResearch, ask: Callable[[str], ResearchRequest]
    ) -> None:
        self.provider = name
        self.estimate_cost = provider.estimate_cost(ask(""))
        self.is_idempotent = provider.is_idempotent
        self.background = isinstance(provider, BackgroundResearch)
        self._research_provider = provider
        self._build_request = ask

    async def submit_research(self, tag: str) -> CallReply:
        with convert_unsent_errors():
            return _convert_submission(
                await self._research_provider.submit_research(self._build_request(tag))
            )

    async def poll_research(self, ref: str) -> CallReply:
        return _convert_poll_outcome(await self._require_background().poll_research(ref), ref)

    async def cancel_research(self, ref: str) -> CallReply:
        running = self._require_background()
        await running.cancel_research(ref)
        return _convert_poll_outcome(await running.poll_research(ref), ref)

    def _require_background(self) -> BackgroundResearch:
        assert isinstance(self._research_provider, BackgroundResearch)  # noqa: S101 - only background calls have a reference
        return self._research_provider


class WritingCall:
    """A report written by a provider from our material, in one call without a reference."""

    background = False
    is_idempotent = False

    def __init__(
        self,
        name: str,
        writer: ReportWriter,
        writing: Callable[[str], WritingRequest],
        *,
        estimate: int,
    ) -> None:
        self.provider = name
        self.estimate_cost = estimate
        self._writer = writer
        self._writing = writing

    @classmethod
    def build_for_provider(
        cls,
        name: str,
        choice: ProviderChoice,
        writing: Callable[[str], WritingRequest],
        *,
        tier: ResearchTier,
    ) -> WritingCall:
        """The call for this provider; raises InvalidInput if the provider cannot write."""
        door = choice.require_research_provider(name)
        if not isinstance(door, ReportWriter):
            raise InvalidInput(f"{name} cannot write a report.", provider=name)
        return cls(name, door, writing, estimate=estimate_writing_cost(door, tier))

    async def submit_research(self, tag: str) -> CallReply:
        with convert_unsent_errors():
            return _build_completed_reply(await self._writer.write_report(self._writing(tag)))

    async def poll_research(self, ref: str) -> CallReply:
        raise CallNotSent(f"{self.provider} has no run {ref!r}: reports are written in one call.")

    async def cancel_research(self, ref: str) -> CallReply:
        return await self.poll_research(ref)


@contextmanager
def convert_unsent_errors() -> Iterator[None]:
    """Turn errors of calls that certainly did no work upstream into CallNotSent."""
    try:
        yield
    except (NotConnected, BreakerOpen) as error:
        raise CallNotSent(error.message, provider=error.provider) from None
    except UpstreamUnavailable as error:
        if error.http_status in _UNPROCESSED_STATUSES:
            raise CallNotSent(error.message, provider=error.provider) from None
        raise


def _convert_submission(submission: SubmitOutcome) -> CallReply:
    if submission.report is not None:
        return _build_completed_reply(submission.report)
    return CallReply(status=ResearchStatus.RUNNING, ref=submission.ref)


def _convert_poll_outcome(polled: PollOutcome, ref: str) -> CallReply:
    if polled.status is ResearchStatus.COMPLETED and polled.report is not None:
        return _build_completed_reply(polled.report)
    if not polled.status.is_final:
        return CallReply(status=ResearchStatus.RUNNING, ref=ref, note=polled.note)
    return CallReply(
        status=ResearchStatus.CANCELLED
        if polled.status is ResearchStatus.CANCELLED
        else ResearchStatus.FAILED,
        result=polled.report.model_dump(mode="json") if polled.report else None,
        cost=polled.report.cost_ticks if polled.report else 0,
        error=polled.error or "",
        error_kind=polled.error_kind or "upstream_unavailable",
    )


def _build_completed_reply(report: ProviderReport) -> CallReply:
    return CallReply(
        status=ResearchStatus.COMPLETED,
        result=report.model_dump(mode="json"),
        cost=report.cost_ticks,
    )
