"""The calls by which a model judges claims: paid for as any other, within a job or by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from citewell.errors import FailureReason, InvalidInput, NetworkFailed
from citewell.model.counted_words import pluralize
from citewell.model.research import RESEARCH_TIERS, ProviderReport, WritingRequest
from citewell.ports import DeepResearch, ReportWriter
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.services.research.planning.provider_choice import ProviderChoice
from citewell.services.research.provider_calls import WritingCall, estimate_writing_cost
from citewell.services.research.single_calls import CallOrder, CallResult, SingleCalls

JUDGING_TIER = RESEARCH_TIERS["XXS"]  # by which the cost of a call is estimated
_ORDER_QUERY = "Judging claims against their sources"


def estimate_judging_cost(provider: object) -> int:
    """The probable cost of one call of a model that judges, in ticks."""
    return (
        estimate_writing_cost(provider, JUDGING_TIER) if isinstance(provider, DeepResearch) else 0
    )


class SingleJudgeCaller:
    """Asks a model for a tool; a call that costs something is a small job of the owner."""

    def __init__(
        self,
        name: str,
        choice: ProviderChoice,
        single_calls: Callable[[], SingleCalls],
        *,
        owner: str,
    ) -> None:
        """`single_calls` is asked for when something is paid for the first time."""
        self.provider = name
        self.is_local = choice.is_on_this_machine(name)
        self._choice = choice
        self._single_calls = single_calls
        self._owner = owner

    async def ask_model(
        self, build: Callable[[str], WritingRequest], *, part: int, seconds: float
    ) -> str:
        writer = self._choice.require_research_provider(self.provider)
        if not isinstance(writer, ReportWriter):
            raise InvalidInput(f"{self.provider} cannot judge: it writes no text.")
        estimate = estimate_judging_cost(writer)
        if estimate <= 0:
            return (await _send_free_call(writer, build(""), seconds, self.provider)).text
        if not self._owner:
            raise InvalidInput("Nobody is named who pays for the model's judgement.")

        async def send_claims(tag: str) -> CallResult:
            report = await writer.write_report(build(tag))
            return CallResult(value=report.text, cost_ticks=report.cost_ticks)

        order = CallOrder(
            tool="judge",
            query=f"{_ORDER_QUERY}, part {part}",
            provider=self.provider,
            estimate_ticks=estimate,
            seconds=seconds,
            send=send_claims,
        )
        return str((await self._single_calls().pay_call(self._owner, order)).value)


class WorkflowJudgeCaller:
    """Asks a model within a research job, whose budget pays; each call is stored under its part."""

    def __init__(
        self,
        name: str,
        choice: ProviderChoice,
        run: WorkflowRun,
        *,
        may_read: bool,
        step: str = "judge",
    ) -> None:
        """`may_read` says that the owner allowed this job to give it text of the library.

        `step` begins the names under which the calls are stored.
        """
        self.provider = name
        self.is_local = choice.is_on_this_machine(name) or may_read
        self._choice = choice
        self._run = run
        self._step = step

    async def ask_model(
        self, build: Callable[[str], WritingRequest], *, part: int, seconds: float
    ) -> str:
        call = WritingCall.build_for_provider(self.provider, self._choice, build, tier=JUDGING_TIER)
        kept = await self._run.run_paid_call(f"{self._step}:{part}", call, seconds=seconds)
        return ProviderReport.model_validate(kept).text


async def _send_free_call(
    writer: ReportWriter, writing: WritingRequest, seconds: float, provider: str
) -> ProviderReport:
    try:
        async with asyncio.timeout(seconds):
            return await writer.write_report(writing)
    except TimeoutError:
        raise NetworkFailed(
            f"It did not answer within {seconds:g} {pluralize(seconds, 'second')}.",
            provider=provider,
            reason=FailureReason.TIMEOUT,
        ) from None
