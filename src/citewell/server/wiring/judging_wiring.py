"""Builds what judges claims, with the judge that the settings choose."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from citewell.ports import Offer
from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.judging.claim_judge import ClaimJudge
    from citewell.services.judging.claim_judging import ClaimJudging, JudgeContext
    from citewell.services.judging.model_judge import ModelCaller

_NLI_TIME_SHARE = 0.8  # of the judge's time; what was judged by then is kept
_ANSWER_RESERVE_SECONDS = (
    25.0  # of a tool's time: a paid call that is given up takes some to settle
)


def build_claim_judging(kit: ServiceKit) -> ClaimJudging:
    from citewell.services.judging.claim_judging import ClaimJudging
    from citewell.services.judging.judge_choice import read_judge_choice

    return ClaimJudging(
        read_judge_choice(kit.settings).kind,
        partial(_open_chosen_judge, kit),
        seconds=kit.settings.judge_timeout,
        call_seconds=kit.settings.long_tool_timeout - _ANSWER_RESERVE_SECONDS,
    )


async def _open_chosen_judge(kit: ServiceKit, context: JudgeContext, seconds: float) -> ClaimJudge:
    """The judge of the settings; raises Misconfigured if it cannot be used."""
    from citewell.services.judging.claim_judge import NLI_NAME
    from citewell.services.judging.judge_choice import read_judge_choice

    if read_judge_choice(kit.settings).kind == NLI_NAME:
        return await _open_nli_judge(kit)
    from citewell.services.judging.model_judge import ModelJudge

    name = find_judging_provider(kit)
    caller = (
        context.open_caller(name) if context.open_caller else _open_model_caller(kit, name, context)
    )
    return ModelJudge(caller, seconds=seconds, progress=context.progress)


async def _open_nli_judge(kit: ServiceKit) -> ClaimJudge:
    from citewell.services.encoding.local_encoder import open_model_workers
    from citewell.services.judging.judge_choice import require_nli_path
    from citewell.services.judging.nli_folder import open_nli_folder
    from citewell.services.judging.nli_judge import NliJudge

    folder = await asyncio.to_thread(open_nli_folder, require_nli_path(kit.settings))
    return NliJudge(
        folder,
        open_model_workers(folder.model_bytes),
        seconds=_NLI_TIME_SHARE * kit.settings.judge_timeout,
    )


def find_judging_provider(kit: ServiceKit) -> str:
    """The provider whose model judges; raises Misconfigured if there is none."""
    from citewell.services.judging.judge_choice import choose_judging_provider, read_judge_choice
    from citewell.services.research.judge_calls import estimate_judging_cost

    catalogue = kit.catalogue
    return choose_judging_provider(
        read_judge_choice(kit.settings).provider,
        catalogue.list_offering(Offer.WRITING),
        lambda name: estimate_judging_cost(catalogue.connect_provider(name)),
        known=(
            name
            for name in catalogue.list_provider_names()
            if Offer.WRITING in catalogue.find_spec(name).offers
        ),
    )


def _open_model_caller(kit: ServiceKit, name: str, context: JudgeContext) -> ModelCaller:
    from citewell.services.research.judge_calls import SingleJudgeCaller
    from citewell.services.research.planning.provider_choice import ProviderChoice
    from citewell.services.research.single_calls import SingleCalls

    return SingleJudgeCaller(
        name,
        ProviderChoice(kit.catalogue, has_proxy=bool(kit.settings.outbound_proxy)),
        lambda: kit.require_service(SingleCalls),
        owner=context.owner,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.judging.claim_judging:ClaimJudging": build_claim_judging,
}
