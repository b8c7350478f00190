"""Records each call that names a research session in that session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from citewell.errors import CitewellError, SessionNotFound
from citewell.model.research_session import CallOutcome, SessionSource
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome

if TYPE_CHECKING:
    from citewell.services.sessions.session_tracking import SessionTracker

SESSION_TOOLSET = "sessions"  # tools of this toolset write to the session themselves
SESSION_LOST_WARNING = (
    "This sessionId is unknown or has expired, so nothing of this answer was recorded. "
    "Open a session with sequential_search, stepNumber 1, and pass the sessionId that it returns."
)


class SessionMiddleware:
    """Adds the sources that a tool reported, and the outcome of the call, to its session.

    If there is no such session, the answer itself says so, because models do not see `_meta`.
    """

    def __init__(self, sessions: Callable[[], SessionTracker]) -> None:
        self._sessions = sessions

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        session_id = invocation.call.session_id
        if session_id is None or invocation.tool.toolset == SESSION_TOOLSET:
            return await proceed(invocation)
        try:
            outcome = await proceed(invocation)
        except CitewellError as error:
            linked = await self._link_to_session(
                invocation, session_id, [], self._build_failure_events(invocation, error)
            )
            if linked or isinstance(error, SessionNotFound):
                raise
            warned = error.copy_with_message(error.message)
            warned.extra["sessionWarning"] = SESSION_LOST_WARNING
            raise warned from None
        linked = await self._link_to_session(
            invocation,
            session_id,
            [replace(source, tool=invocation.name) for source in outcome.sources],
            self._build_success_events(invocation),
        )
        if linked:
            return replace(outcome, meta=outcome.meta | {"session": {"linked": True}})
        meta = {"linked": False, "reason": "session not found or expired"}
        return replace(
            outcome,
            body={"sessionWarning": SESSION_LOST_WARNING} | (outcome.body or {}),
            text=None,  # of the answer without the warning
            meta=outcome.meta | {"session": meta},
        )

    async def _link_to_session(
        self,
        invocation: ToolInvocation,
        session_id: str,
        sources: list[SessionSource],
        events: list[CallOutcome],
    ) -> bool:
        try:
            await self._sessions().link_findings(
                str(invocation.call.owner), session_id, sources=sources, events=events
            )
        except SessionNotFound:
            return False
        return True

    def _build_success_events(self, invocation: ToolInvocation) -> list[CallOutcome]:
        at = self._sessions().format_now()
        trace = invocation.call.trace
        missed = [name for name in trace.attempted if name not in trace.used]
        return [
            *[CallOutcome(at=at, provider=name) for name in trace.used],
            *[CallOutcome(at=at, provider=name, kind="upstream_unavailable") for name in missed],
        ]

    def _build_failure_events(
        self, invocation: ToolInvocation, error: CitewellError
    ) -> list[CallOutcome]:
        url = invocation.raw_arguments.get("url")
        return [
            CallOutcome(
                at=self._sessions().format_now(),
                kind=error.kind,
                url=url if isinstance(url, str) else None,
                provider=error.provider,
            )
        ]
