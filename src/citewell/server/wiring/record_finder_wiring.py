"""Builds the finders that put questions to the registries of the domains."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchHit
from citewell.server.wiring.service_kit import ServiceKit
from citewell.services.domains.routing.record_finders import RecordFinder
from citewell.text.questions.question_domains import QuestionDomain


def build_record_finders(kit: ServiceKit) -> tuple[RecordFinder, ...]:
    """One finder for each domain; a domain's services are built when a question is for it."""

    async def search_trials(words: str, count: int) -> Sequence[SearchHit]:
        from citewell.services.domains.trials.trial_search import (
            TrialSearchRequest,
            TrialSearchService,
        )

        answer = await kit.require_service(TrialSearchService).search_trials(
            TrialSearchRequest(query=words, count=count), trace=RoutingTrace()
        )
        return [
            SearchHit(
                title=trial.title,
                url=trial.url,
                snippet=", ".join((*trial.conditions, *trial.interventions)),
                engine=trial.source,
            )
            for trial in answer.trials
        ]

    return (RecordFinder(QuestionDomain.TRIALS, "the registry of trials", search_trials),)
