"""Every call that names a session is recorded in it, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from citewell.errors import CitewellError, SessionNotFound
from citewell.model.session import Event, Source
from citewell.server.pipeline import Invocation, Outcome, Proceed
from citewell.services.sessions.tracking import Sessions

OWN = "sessions"  # the toolset whose tools keep their sessions themselves


class SessionLink:
    """Links what a call found and how it went. A session that is gone costs no result: `_meta` says so."""

    def __init__(self, sessions: Callable[[], Sessions]) -> None:
        self._sessions = sessions

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        session_id = invocation.call.session_id
        if session_id is None or invocation.tool.toolset == OWN:
            return await proceed(invocation)
        try:
            outcome = await proceed(invocation)
        except CitewellError as error:
            await self._link(invocation, session_id, [], self._failure(invocation, error))
            raise
        linked = await self._link(
            invocation,
            session_id,
            list(found(invocation, outcome.body or {})),
            self._success(invocation),
        )
        meta = (
            {"linked": linked}
            if linked
            else {"linked": False, "reason": "session not found or expired"}
        )
        return replace(outcome, meta=outcome.meta | {"session": meta})

    async def _link(
        self, invocation: Invocation, session_id: str, sources: list[Source], events: list[Event]
    ) -> bool:
        try:
            await self._sessions().link(
                str(invocation.call.owner), session_id, sources=sources, events=events
            )
        except SessionNotFound:
            return False
        return True

    def _success(self, invocation: Invocation) -> list[Event]:
        at = self._sessions().stamp()
        trace = invocation.call.trace
        missed = [name for name in trace.attempted if name not in trace.used]
        return [
            *[Event(at=at, provider=name) for name in trace.used],
            *[Event(at=at, provider=name, kind="upstream_unavailable") for name in missed],
        ]

    def _failure(self, invocation: Invocation, error: CitewellError) -> list[Event]:
        url = invocation.raw.get("url")
        return [
            Event(
                at=self._sessions().stamp(),
                kind=error.kind,
                url=url if isinstance(url, str) else None,
                provider=error.provider,
            )
        ]


def found(invocation: Invocation, body: dict[str, Any]) -> Iterator[Source]:
    """The sources in any tool's answer: its lists of things with an address, or the one page it read."""
    listed = [item for value in body.values() if isinstance(value, list) for item in value]
    pages = [item for item in listed if isinstance(item, dict) and "url" in item] or [body]
    for page in pages:
        if isinstance(url := page.get("url"), str) and url.startswith(("http://", "https://")):
            yield Source(url=url, tool=invocation.name, **_facts(page))


def _facts(page: dict[str, Any]) -> dict[str, Any]:
    cited = (
        page.get("citation", {}).get("metadata", {})
        if isinstance(page.get("citation"), dict)
        else {}
    )
    year = page.get("year")
    facts = {
        "title": page.get("title") or cited.get("title"),
        "author": cited.get("author") or page.get("author") or "; ".join(page.get("authors") or ()),
        "site": cited.get("site") or page.get("journal") or page.get("displayLink"),
        "date": cited.get("date") or page.get("publishedAt") or (str(year) if year else None),
        "doi": page.get("doi") or page.get("detectedDoi"),
    }
    return {name: value for name, value in facts.items() if isinstance(value, str) and value}
