"""Record the steps of a longer investigation."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research_session import (
    CallOutcome,
    ResearchSession,
    SessionSource,
    SessionStep,
)
from citewell.core.values.routing_trace import RoutingTrace
from citewell.search.search_service import SearchRequest, WebSearchService
from citewell.sessions import session_views
from citewell.sessions.session_tracking import SessionTracker
from citewell.sessions.session_views import SessionProgress
from citewell.text import addresses
from citewell.text.questions import MAX_QUERY_WORDS, build_search_query

StepText = Annotated[str | None, Field(default=None, max_length=5000)]


class Args(ToolArguments):
    """Record one step of a longer investigation; step 1 opens a session and returns its sessionId. Give that to other tools: the session keeps what they list and read, with your goal, branches, revisions and gaps, across restarts."""

    search_step: Annotated[
        str,
        Field(
            min_length=1,
            max_length=5000,
            validation_alias="searchStep",
        ),
    ]
    step_number: Annotated[int, Field(ge=1, validation_alias="stepNumber")]
    next_step_needed: Annotated[bool, Field(validation_alias="nextStepNeeded")]
    session_id: Annotated[
        str | None,
        Field(
            default=None,
            validation_alias="sessionId",
            description="From step 1; required after it.",
        ),
    ]
    research_goal: Annotated[StepText, Field(validation_alias="researchGoal")]
    reasoning: StepText
    confidence: Annotated[Literal["high", "medium", "low"] | None, Field(default=None)]
    rejected_approaches: Annotated[
        tuple[str, ...], Field(default=(), max_length=50, validation_alias="rejectedApproaches")
    ]
    session_summary: Annotated[StepText, Field(validation_alias="sessionSummary")]
    response_mode: Annotated[
        Literal["auto", "full", "summary"], Field(default="auto", validation_alias="responseMode")
    ]
    total_steps_estimate: Annotated[
        int | None, Field(default=None, ge=1, le=1000, validation_alias="totalStepsEstimate")
    ]
    is_revision: Annotated[bool, Field(default=False, validation_alias="isRevision")]
    revises_step: Annotated[int | None, Field(default=None, ge=1, validation_alias="revisesStep")]
    branch_from_step: Annotated[
        int | None, Field(default=None, ge=1, validation_alias="branchFromStep")
    ]
    branch_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="branchId")
    ]
    knowledge_gap: Annotated[StepText, Field(validation_alias="knowledgeGap")]
    closes_gap: Annotated[
        StepText,
        Field(
            validation_alias="closesGap",
            description="Words of an earlier gap that this step closes.",
        ),
    ]
    depth: Annotated[
        Literal["quick", "standard", "thorough"],
        Field(
            default="quick",
            description="standard adds coverage and suggestions, thorough also runs three searches.",
        ),
    ]


async def run(args: Args, call: ToolCall) -> SessionProgress:
    if args.is_revision and args.revises_step is None:
        raise InvalidInput("A revision needs the number of the step it corrects: give revisesStep.")
    step = SessionStep(
        number=args.step_number,
        text=args.search_step,
        at="",
        next_needed=args.next_step_needed,
        goal=args.research_goal,
        reasoning=args.reasoning,
        confidence=args.confidence,
        rejected=args.rejected_approaches,
        summary=args.session_summary,
        estimate=args.total_steps_estimate,
        revises=args.revises_step,
        branch_from=args.branch_from_step,
        branch_id=args.branch_id,
        gap=args.knowledge_gap,
        closes_gap=args.closes_gap,
    )
    shown = await call.require_service(StepAssistant).take_assisted_step(
        str(call.owner), step, session_id=args.session_id, mode=args.response_mode, depth=args.depth
    )
    return SessionProgress.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=SessionProgress,
    run=run,
    toolset="sessions",
    in_default_profile=True,
    idempotent=False,
    open_world=False,
    has_long_timeout=True,
)


# Records a session step and adds source coverage, suggested queries and, if thorough, their results.


DOMINANT_DOMAIN_SHARE = 0.6  # with a larger share of one domain the sources count as concentrated
MIN_SOURCES = 3
_SUBJECT_WORDS = MAX_QUERY_WORDS - 3  # an addition has up to three words
_OTHER_SOURCE_QUERIES = {
    "news_publication": "research study",
    "peer_reviewed": "independent analysis",
    "blog": "official documentation",
    "unknown": "peer reviewed study",
}

MAX_REFINEMENT_SEARCHES = 3  # suggested searches that are run at depth "thorough"
RESULTS_PER_REFINEMENT = 5

REFINEMENT_TOOL = "sequential_search"


class StepAssistant:
    def __init__(
        self,
        sessions: SessionTracker,
        web: Callable[[], WebSearchService],
        source_type: Callable[[str], str],
    ) -> None:
        self._sessions = sessions
        self._web = web
        self._source_type = source_type

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.reading.source_classification import classify_source

        return cls(
            kit.require_service(SessionTracker),
            lambda: kit.require_service(WebSearchService),
            lambda url: classify_source(url).source_type,
        )

    async def take_assisted_step(
        self,
        owner: str,
        step: SessionStep,
        *,
        session_id: str | None,
        mode: str = "auto",
        depth: str = "quick",
    ) -> dict[str, Any]:
        """Record the step; the answer describes the session and, by depth, its coverage and more results."""
        taken = await self._sessions.record_step(owner, step, session_id=session_id)
        session = taken.session
        extra: dict[str, Any] = {}
        if depth != "quick":
            extra = self._describe_coverage(session, depth)
        if depth == "thorough":
            extra |= await self._run_refinements(
                owner, session, step.number, extra["refinementQueries"]
            )
            session = await self._sessions.find_session(owner, session.id)
        return (
            session_views.build_progress_view(
                session, current=step.number, mode=mode, warning=taken.warning
            )
            | extra
        )

    def _describe_coverage(self, session: ResearchSession, depth: str) -> dict[str, Any]:
        shown = measure_session_coverage(session, self._source_type)
        return {
            "depth": depth,
            "coverage": shown,
            "refinementQueries": suggest_refinements(session, shown),
        }

    async def _run_refinements(
        self, owner: str, session: ResearchSession, number: int, queries: list[str]
    ) -> dict[str, Any]:
        chosen = queries[:MAX_REFINEMENT_SEARCHES]
        runs = await asyncio.gather(*[self._run_refinement(query, number) for query in chosen])
        await self._sessions.link_findings(
            owner,
            session.id,
            sources=[source for _, sources, _ in runs for source in sources],
            events=[event for _, _, events in runs for event in events],
        )
        extra: dict[str, Any] = {"refinementResults": [shown for shown, _, _ in runs]}
        if len(queries) > MAX_REFINEMENT_SEARCHES:
            extra["refinementNote"] = (
                f"{len(queries)} {pluralize(len(queries), 'search was', 'searches were')} suggested; the first {MAX_REFINEMENT_SEARCHES} were run."
            )
        return extra

    async def _run_refinement(
        self, query: str, number: int
    ) -> tuple[dict[str, Any], list[SessionSource], list[CallOutcome]]:
        trace, at = RoutingTrace(), self._sessions.format_now()
        try:
            answer = await self._web().search_web_pages(
                SearchRequest(query=query, count=RESULTS_PER_REFINEMENT), trace=trace
            )
        except CitewellError as error:
            events = [CallOutcome(at=at, kind=error.kind, provider=error.provider)]
            return {"query": query, "error": error.message}, [], events
        rows = [
            {"title": hit.title, "url": hit.url, "snippet": hit.snippet} for hit in answer.results
        ]
        sources = [
            replace(hit.to_source(), tool=REFINEMENT_TOOL, found_in=number)
            for hit in answer.results
        ]
        events = [CallOutcome(at=at, provider=name) for name in trace.used]
        return {"query": query, "resultCount": len(rows), "results": rows}, sources, events


# Measures how varied a session's sources are, and suggests what to search next.


def measure_session_coverage(
    session: ResearchSession, source_type: Callable[[str], str]
) -> dict[str, Any]:
    """Domains, source types and gaps of the session's recorded sources."""
    domains = Counter(
        addresses.extract_host(source.url).removeprefix("www.") for source in session.sources
    )
    types = Counter(source_type(source.url) for source in session.sources)
    total = len(session.sources)
    shown: dict[str, Any] = {
        "sourceCount": total,
        "uniqueDomains": len(domains),
        "domainSpread": round(len(domains) / total, 2) if total else 0.0,
        "sourceTypes": dict(sorted(types.items())),
        "gaps": [],
    }
    leader, count = domains.most_common(1)[0] if domains else ("", 0)
    if total and count / total > DOMINANT_DOMAIN_SHARE and len(domains) < total:
        shown["dominantDomain"] = leader
    shown["gaps"] = _describe_thin_coverage(shown)
    return shown


def _describe_thin_coverage(shown: dict[str, Any]) -> list[str]:
    total = shown["sourceCount"]
    if not total:
        return ["no sources recorded yet"]
    spots = []
    if total < MIN_SOURCES:
        spots.append(f"fewer than {MIN_SOURCES} sources")
    if "dominantDomain" in shown:
        spots.append(f"concentrated on {shown['dominantDomain']}")
    if total > 1 and len(shown["sourceTypes"]) == 1:
        spots.append(f"only one kind of source: {next(iter(shown['sourceTypes']))}")
    return spots


def suggest_refinements(session: ResearchSession, shown: dict[str, Any]) -> list[str]:
    """Suggested queries, from open gaps first, then from thin coverage."""
    queries = [build_search_query(session.goal, gap.text) for gap in session.list_open_gaps()]
    queries += [
        f"{subject} {addition}".strip()
        for addition in _list_query_additions(shown)
        if (subject := build_search_query(session.goal, max_words=_SUBJECT_WORDS))
    ]
    return [query for query in dict.fromkeys(queries) if query]


def _list_query_additions(shown: dict[str, Any]) -> Iterator[str]:
    """What to add to the subject of the session so that other sources are found."""
    if not shown["sourceCount"]:
        yield ""
    if leader := shown.get("dominantDomain"):
        yield f"-site:{leader}"
    kinds = list(shown["sourceTypes"])
    if len(kinds) == 1 and shown["sourceCount"] > 1:
        yield _OTHER_SOURCE_QUERIES.get(kinds[0], "primary source")
    if 0 < shown["sourceCount"] < MIN_SOURCES:
        yield "overview"
