"""Find clinical trials in the registry of the US National Library of Medicine."""

from __future__ import annotations

from citewell.model.answers.trial_results import TrialsAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.trials.trial_search import TrialSearchRequest, TrialSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, TrialSearchRequest):
    """Find registered clinical trials on ClinicalTrials.gov: status, phases, conditions, interventions, sponsor, dates, and whether results are posted. Give at least one of query, condition, intervention and sponsor. scrape_page of a trial's url reads its whole record with arms, outcomes and results."""


async def run(args: Args, call: ToolCall) -> TrialsAnswer:
    answer = await call.require_service(TrialSearchService).search_trials(
        args.build_request(TrialSearchRequest), trace=call.trace
    )
    call.report_sources(
        SessionSource(
            url=trial.url,
            title=trial.title,
            author=trial.sponsor,
            date=trial.start_date,
            basis="record",
        )
        for trial in answer.trials
    )
    return answer


TOOL = Tool(
    args=Args,
    result=TrialsAnswer,
    run=run,
    toolset="domains",
    title="Clinical trials",
    ttl_seconds=6 * 3600,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
)
