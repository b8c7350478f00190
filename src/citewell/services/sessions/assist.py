"""What a step brings besides being recorded: coverage, suggestions, and for thorough work a few searches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from citewell.errors import CitewellError
from citewell.model.routing import Trace
from citewell.model.session import Event, Session, Source, Step
from citewell.services.sessions import views
from citewell.services.sessions.coverage import coverage, refinements
from citewell.services.sessions.tracking import Sessions
from citewell.services.web.search import Ask, Web

RUN = 3  # suggested searches run for thorough work
RESULTS = 5

TOOL = "sequential_search"


class Assist:
    def __init__(
        self, sessions: Sessions, web: Callable[[], Web], source_type: Callable[[str], str]
    ) -> None:
        self._sessions = sessions
        self._web = web
        self._source_type = source_type

    async def take(
        self,
        owner: str,
        step: Step,
        *,
        session_id: str | None,
        mode: str = "auto",
        depth: str = "quick",
    ) -> dict[str, Any]:
        """Record the step, then look at the whole; the server describes and searches, it never answers."""
        taken = await self._sessions.take(owner, step, session_id=session_id)
        session = taken.session
        extra: dict[str, Any] = {}
        if depth != "quick":
            extra = self._described(session, depth)
        if depth == "thorough":
            extra |= await self._searched(owner, session, step.number, extra["refinementQueries"])
            session = await self._sessions.find(owner, session.id)
        return (
            views.progress(session, current=step.number, mode=mode, warning=taken.warning) | extra
        )

    def _described(self, session: Session, depth: str) -> dict[str, Any]:
        shown = coverage(session, self._source_type)
        return {
            "depth": depth,
            "coverage": shown,
            "refinementQueries": refinements(session, shown),
        }

    async def _searched(
        self, owner: str, session: Session, number: int, queries: list[str]
    ) -> dict[str, Any]:
        chosen = queries[:RUN]
        runs = await asyncio.gather(*[self._run(query, number) for query in chosen])
        await self._sessions.link(
            owner,
            session.id,
            sources=[source for _, sources, _ in runs for source in sources],
            events=[event for _, _, events in runs for event in events],
        )
        extra: dict[str, Any] = {"refinementResults": [shown for shown, _, _ in runs]}
        if len(queries) > RUN:
            extra["refinementNote"] = (
                f"{len(queries)} searches were suggested; the first {RUN} were run."
            )
        return extra

    async def _run(
        self, query: str, number: int
    ) -> tuple[dict[str, Any], list[Source], list[Event]]:
        trace, at = Trace(), self._sessions.stamp()
        try:
            answer = await self._web().search(Ask(query=query, count=RESULTS), trace=trace)
        except CitewellError as error:
            events = [Event(at=at, kind=error.kind, provider=error.provider)]
            return {"query": query, "error": error.message}, [], events
        rows = [
            {"title": hit.title, "url": hit.url, "snippet": hit.snippet} for hit in answer.results
        ]
        sources = [
            Source(url=hit.url, title=hit.title, tool=TOOL, found_in=number)
            for hit in answer.results
        ]
        events = [Event(at=at, provider=name) for name in trace.used]
        return {"query": query, "resultCount": len(rows), "results": rows}, sources, events
