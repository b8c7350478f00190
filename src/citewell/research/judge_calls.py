"""The calls by which a model judges claims: paid for as any other, within a job or by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.values.research import RESEARCH_TIERS, ProviderReport, WritingRequest
from citewell.evidence.judging.claim_judge import choose_judging_provider, read_judge_choice
from citewell.jobs.job_engine import WorkflowRun
from citewell.research.planning.provider_choice import ProviderChoice
from citewell.research.single_calls import (
    CallOrder,
    CallResult,
    SingleCalls,
    WritingCall,
    estimate_writing_cost,
    perform_call,
)
from citewell.routing.ports import DeepResearch, Offer, ReportWriter
from citewell.routing.provider_catalogue import ProviderCatalogue

JUDGING_TIER = RESEARCH_TIERS["XXS"]  # by which the cost of a call is estimated
_ORDER_QUERY = "Judging claims against their sources"


def estimate_judging_cost(provider: object) -> int:
    """The probable cost of one call of a model that judges, in ticks."""
    return (
        estimate_writing_cost(provider, JUDGING_TIER) if isinstance(provider, DeepResearch) else 0
    )


class JudgingModels:
    """The models that can judge claims, and calls of them that a tool makes outside of jobs."""

    def __init__(
        self,
        catalogue: ProviderCatalogue,
        choice: ProviderChoice,
        single_calls: Callable[[], SingleCalls],
        *,
        named: str,
    ) -> None:
        """`named` is the provider that the settings name; empty if any will do."""
        self._catalogue = catalogue
        self._choice = choice
        self._single_calls = single_calls
        self._named = named

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.catalogue,
            kit.require_service(ProviderChoice),
            lambda: kit.require_service(SingleCalls),
            named=read_judge_choice(kit.settings).provider,
        )

    def find_provider(self) -> str:
        """The provider whose model judges; raises Misconfigured if there is none."""
        catalogue = self._catalogue
        return choose_judging_provider(
            self._named,
            catalogue.list_offering(Offer.WRITING),
            lambda name: estimate_judging_cost(catalogue.connect_provider(name)),
            known=(
                name
                for name in catalogue.list_provider_names()
                if Offer.WRITING in catalogue.find_spec(name).offers
            ),
        )

    def open_caller(self, name: str, *, owner: str) -> SingleJudgeCaller:
        return SingleJudgeCaller(name, self._choice, self._single_calls, owner=owner)


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
        if estimate > 0 and not self._owner:
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
        return str((await perform_call(self._single_calls, self._owner, order)).value)


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
