"""Clinical trials in the registry of the US National Library of Medicine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Protocol, Self, runtime_checkable

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import (
    Card,
    CommandOption,
    Filter,
    RequireService,
    SearchCommand,
    SessionId,
    Tool,
    ToolArguments,
    ToolCall,
)
from citewell.core.values.argument_types import OptionalName, OptionalQuery
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchHit
from citewell.core.values.search_results import EmptySearchHints
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, WireValue
from citewell.routing.ports import Offer, ToolProviders
from citewell.search.search_request import clean_query_text, normalize_provider_name

TRIAL_PROVIDER_ORDER = ("clinicaltrials",)
TrialStatus = Literal[
    "RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING",
    "COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN", "UNKNOWN", "AVAILABLE",
    "NO_LONGER_AVAILABLE", "TEMPORARILY_NOT_AVAILABLE", "APPROVED_FOR_MARKETING", "WITHHELD",
]  # fmt: skip
TrialPhase = Literal["EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4"]

_SUBJECTS = ("query", "condition", "intervention", "sponsor")  # what a trial may be about


class TrialQuery(ToolArguments):
    """Find registered clinical trials on ClinicalTrials.gov: status, phases, conditions, interventions, sponsor, dates, and whether results are posted. Give at least one of query, condition, intervention and sponsor. scrape_page of a trial's url reads its whole record with arms, outcomes and results."""

    query: Annotated[OptionalQuery, CommandOption("Words from any part of a record.")] = None
    condition: Annotated[OptionalQuery, Filter(6), CommandOption("The disease or condition.")] = (
        None
    )
    intervention: Annotated[
        OptionalQuery, Filter(5), CommandOption("The drug, device or treatment.")
    ] = None
    sponsor: Annotated[OptionalQuery, Filter(4), CommandOption("The lead sponsor.")] = None
    status: Annotated[
        TrialStatus | None,
        Filter(3),
        CommandOption("RECRUITING, COMPLETED, TERMINATED and others.", fold=str.upper),
    ] = None
    phase: Annotated[
        TrialPhase | None,
        Filter(2),
        CommandOption("EARLY_PHASE1 or PHASE1 to PHASE4.", fold=str.upper),
    ] = None
    with_results: Annotated[
        bool, Field(description="Only trials with posted results."), Filter(1), CommandOption()
    ] = False
    count: Annotated[
        int,
        Field(ge=1, le=100, validation_alias="num_results"),
        CommandOption("How many trials."),
    ] = 10
    page_token: Annotated[
        OptionalName,
        Field(description="nextPageToken of the last answer."),
        CommandOption("The next page; the token of the last answer."),
    ] = None
    provider: Annotated[OptionalName, CommandOption("Use only this registry.")] = None
    session_id: SessionId = None

    def list_words(self) -> tuple[str, ...]:
        """What the trials must be about."""
        return tuple(words for name in _SUBJECTS if (words := getattr(self, name)))

    def clean_texts(self) -> Self:
        """The query with its texts as single lines; raises InvalidInput if nothing is asked for."""
        if not self.list_words():
            raise InvalidInput(
                f"Give at least one of {', '.join(_SUBJECTS[:-1])} and {_SUBJECTS[-1]}."
            )
        texts = {
            name: clean_query_text(words, argument=name)
            for name in _SUBJECTS
            if (words := getattr(self, name))
        }
        return self.with_changes(**texts, provider=normalize_provider_name(self.provider))


class Trial(WireValue):
    """One trial; fields that the registry does not state are absent."""

    nct_id: str
    title: str
    url: str  # the study page; scrape_page reads the whole record
    source: str  # the provider's name
    status: str | None = None
    phases: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    sponsor: str | None = None
    start_date: str | None = None  # YYYY-MM-DD or YYYY-MM
    completion_date: str | None = None  # of the primary outcome
    enrollment: int | None = None
    has_results: bool = False


class TrialHits(WireValue):
    """What a registry found."""

    trials: tuple[Trial, ...] = ()
    total: int | None = None
    next_page_token: str | None = None


class TrialsAnswer(WireValue):
    """What clinical_search returns."""

    trials: Body[tuple[Trial, ...]]
    query: str
    result_count: int
    provider: str
    total_results: int | None = None
    next_page_token: str | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


@runtime_checkable
class TrialSearch(Protocol):
    """What a provider with the offer `trials` can do."""

    async def search_trials(self, query: TrialQuery) -> TrialHits: ...


async def search_trials(
    query: TrialQuery, require_service: RequireService, *, trace: RoutingTrace
) -> TrialsAnswer:
    """Trials of the named or first provider, or hints why there are none; raises its error."""
    from citewell.search.domain_search import DomainSearch

    search = require_service(DomainSearch)
    query = query.clean_texts()
    names = search.choose_providers(Offer.TRIALS, named=query.provider, order=TRIAL_PROVIDER_ORDER)
    name, hits = await search.ask_first_provider(
        names, TrialSearch, lambda registry: registry.search_trials(query), trace=trace
    )
    hints = None
    if not hits.trials:
        hints = search.explain_missing_records(
            (name,), filters=query.list_set_filters(), offer=Offer.TRIALS
        )
    return TrialsAnswer(
        trials=hits.trials,
        query=", ".join(query.list_words()),
        result_count=len(hits.trials),
        provider=name,
        total_results=hits.total,
        next_page_token=hits.next_page_token,
        hints=hints,
    )


async def search_trial_records(
    require_service: RequireService, words: str, count: int
) -> list[SearchHit]:
    query = TrialQuery(query=words, count=count)
    answer = await search_trials(query, require_service, trace=RoutingTrace())
    return [
        SearchHit(
            title=trial.title,
            url=trial.url,
            snippet=", ".join((*trial.conditions, *trial.interventions)),
            engine=trial.source,
        )
        for trial in answer.trials
    ]


async def run(query: TrialQuery, call: ToolCall) -> TrialsAnswer:
    answer = await search_trials(query, call.require_service, trace=call.trace)
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
    args=TrialQuery,
    result=TrialsAnswer,
    run=run,
    toolset="domains",
    title="Clinical trials",
    ttl_seconds=6 * 3600,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
    served_by=ToolProviders(offer=Offer.TRIALS, filters=TrialQuery.list_filters()[::-1]),
)


def show_trials(body: Mapping[str, Any]) -> Iterator[Card]:
    for trial in body["trials"]:
        phases = (_word_code(phase) for phase in trial.get("phases", ()) if phase != "NA")
        enrolled = trial.get("enrollment")
        yield Card(
            title=trial["title"],
            url=trial["url"],
            facts=(
                trial["nctId"],
                _word_code(trial.get("status")),
                "/".join(phases),
                f"start {trial['startDate']}" if trial.get("startDate") else "",
                f"{enrolled} {pluralize(enrolled, 'participant')}" if enrolled else "",
                "results posted" if trial["hasResults"] else "",
            ),
            lines=(
                f"Conditions: {', '.join(names)}" if (names := trial.get("conditions")) else "",
                f"Interventions: {', '.join(names)}"
                if (names := trial.get("interventions"))
                else "",
                f"Sponsor: {trial['sponsor']}" if trial.get("sponsor") else "",
            ),
        )


def _word_code(code: str | None) -> str:
    """A code of the registry in words: ACTIVE_NOT_RECRUITING as "active not recruiting"."""
    return (code or "").replace("_", " ").lower().replace("phase", "phase ")


COMMAND = SearchCommand(
    name="trials",
    tool="clinical_search",
    help="""Search registered clinical trials.

They are what an assistant would get from clinical_search.""",
    show_answer=show_trials,
)
