"""Records a session step and adds source coverage, suggested queries and, if thorough, their results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from citewell.errors import CitewellError
from citewell.model.counted_words import pluralize
from citewell.model.research_session import CallOutcome, ResearchSession, SessionSource, SessionStep
from citewell.model.routing_trace import RoutingTrace
from citewell.services.sessions import session_views
from citewell.services.sessions.session_coverage import (
    measure_session_coverage,
    suggest_refinements,
)
from citewell.services.sessions.session_tracking import SessionTracker
from citewell.services.web.search_service import SearchRequest, WebSearchService

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
