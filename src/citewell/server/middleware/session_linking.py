"""Records each call that names a research session in that session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from citewell.errors import CitewellError, SessionNotFound
from citewell.model.research_session import CallOutcome, SessionSource
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome

if TYPE_CHECKING:
    from citewell.services.sessions.session_tracking import SessionTracker

# Who made a record and when, in the answers of the domain tools.
_RECORD_AUTHOR_KEYS = ("inventor", "company", "sponsor")
_RECORD_DATE_KEYS = ("publishedDate", "granted", "filed", "filingDate", "dateFiled", "startDate")
SESSION_TOOLSET = "sessions"  # tools of this toolset write to the session themselves


class SessionMiddleware:
    """Adds a call's sources and outcome to its session; `_meta.session` tells if the session was not found."""

    def __init__(self, sessions: Callable[[], SessionTracker]) -> None:
        self._sessions = sessions

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        session_id = invocation.call.session_id
        if session_id is None or invocation.tool.toolset == SESSION_TOOLSET:
            return await proceed(invocation)
        try:
            outcome = await proceed(invocation)
        except CitewellError as error:
            await self._link_to_session(
                invocation, session_id, [], self._build_failure_events(invocation, error)
            )
            raise
        linked = await self._link_to_session(
            invocation,
            session_id,
            list(collect_answer_sources(invocation, outcome.body or {})),
            self._build_success_events(invocation),
        )
        meta = (
            {"linked": linked}
            if linked
            else {"linked": False, "reason": "session not found or expired"}
        )
        return replace(outcome, meta=outcome.meta | {"session": meta})

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


def collect_answer_sources(
    invocation: ToolInvocation, body: dict[str, Any]
) -> Iterator[SessionSource]:
    """The sources in a tool's answer: the items with a URL in its lists, or else the page itself."""
    listed = [item for value in body.values() if isinstance(value, list) for item in value]
    pages = [
        item for item in listed if isinstance(item, dict) and ("url" in item or "website" in item)
    ] or [body]
    for page in pages:
        if isinstance(url := page.get("url") or page.get("website"), str) and url.startswith(
            ("http://", "https://")
        ):
            yield SessionSource(url=url, tool=invocation.name, **_collect_source_facts(page))


def _collect_source_facts(page: dict[str, Any]) -> dict[str, Any]:
    cited = (
        page.get("citation", {}).get("metadata", {})
        if isinstance(page.get("citation"), dict)
        else {}
    )
    year = page.get("year")
    facts = {
        "title": page.get("title") or cited.get("title") or _name_record(page),
        "author": cited.get("author")
        or page.get("author")
        or "; ".join(page.get("authors") or ())
        or _find_first(page, _RECORD_AUTHOR_KEYS),
        "site": cited.get("site") or page.get("journal") or page.get("displayLink"),
        "date": cited.get("date")
        or page.get("publishedAt")
        or (str(year) if year else None)
        or _find_first(page, _RECORD_DATE_KEYS),
        "doi": page.get("doi") or page.get("detectedDoi"),
    }
    return {name: value for name, value in facts.items() if isinstance(value, str) and value}


def _name_record(page: dict[str, Any]) -> str:
    """The title of a record that has none: a case by its citation, a filing by its form, a place by name."""
    cited = page.get("citation")
    if page.get("caseName"):
        return cited if isinstance(cited, str) and cited else page["caseName"]
    if form := page.get("formType"):
        period = page.get("periodOfReport")
        return f"Form {form}" + (f" for the period ended {period}" if period else "")
    return str(page.get("name") or "")


def _find_first(page: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((page[key] for key in keys if isinstance(page.get(key), str) and page[key]), None)
