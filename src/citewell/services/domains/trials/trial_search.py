"""Searches the registries of clinical trials."""

from __future__ import annotations

from dataclasses import asdict

from citewell.domain_ports import TrialSearch
from citewell.errors import InternalError
from citewell.model.answers.trial_results import TrialResult, TrialsAnswer
from citewell.model.domains.clinical_trial import ClinicalTrial, TrialHits
from citewell.model.routing_trace import RoutingTrace
from citewell.ports import Offer
from citewell.services.domains.routing.domain_search import DomainHarvest, DomainSearch
from citewell.services.domains.trials.trial_request import (
    TrialSearchRequest,
    build_trial_query,
    check_trial_request,
)

__all__ = ["TrialSearchRequest", "TrialSearchService"]

TRIAL_PROVIDER_ORDER = ("clinicaltrials",)


class TrialSearchService:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def search_trials(self, ask: TrialSearchRequest, *, trace: RoutingTrace) -> TrialsAnswer:
        """Trials of the named or first provider, or hints why there are none; raises its error."""
        asked = check_trial_request(ask)
        query = build_trial_query(asked)
        names = self._search.choose_providers(
            Offer.TRIALS, named=asked.provider, order=TRIAL_PROVIDER_ORDER
        )

        async def ask_trial_registry(provider: object) -> TrialHits:
            if not isinstance(provider, TrialSearch):
                raise InternalError(f"{names[0]} declares trials but cannot search them.")
            return await provider.search_trials(query)

        name, hits = await self._search.ask_first_provider(names, ask_trial_registry, trace=trace)
        hints = None
        if not hits.trials:
            hints = self._search.explain_missing_records(
                DomainHarvest(replies={name: hits}),
                filters=asked.list_constraints(),
                offer=Offer.TRIALS,
            )
        return TrialsAnswer(
            trials=tuple(map(_build_trial_result, hits.trials)),
            query=_describe_request(asked),
            result_count=len(hits.trials),
            provider=name,
            total_results=hits.total,
            next_page_token=hits.next_page_token,
            hints=hints,
        )


def _build_trial_result(trial: ClinicalTrial) -> TrialResult:
    return TrialResult(**asdict(trial))


def _describe_request(ask: TrialSearchRequest) -> str:
    """The query, or what was asked for in its place."""
    parts = (ask.query, ask.condition, ask.intervention, ask.sponsor)
    return ", ".join(part for part in parts if part)
