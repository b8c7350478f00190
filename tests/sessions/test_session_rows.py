"""Calls that name a session leave their sources and outcomes in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any, TypeVar

from citewell.core.errors import Blocked, SessionNotFound
from citewell.core.values.research_session import ResearchSession, SessionSource, SessionStep
from citewell.server.call import CallRunner
from citewell.server.call_records import SESSION_LOST_WARNING
from citewell.server.call_values import ToolOutcome
from citewell.sessions.session_rows import SessionHead
from citewell.sessions.session_rows import StoredSession as Stored
from citewell.sessions.session_store import SessionChange
from citewell.sessions.session_tracking import SessionTracker
from tests.requirements import requires
from tests.server import steps

T = TypeVar("T")


class Kept:
    """Sessions in a dictionary, for whoever asks."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Stored] = {}

    async def create_session(
        self, owner: str, session_id: str, body: bytes, steps: Any = ()
    ) -> Stored:
        head = SessionHead(
            id=session_id, created=0, updated=0, expires=0, version=1, steps=len(steps), body=body
        )
        self.rows[owner, session_id] = Stored(head=head, steps=tuple(steps))
        return self.rows[owner, session_id]

    async def edit_session(self, owner: str, session_id: str, change: Any) -> Stored:
        row = await self.load_session(owner, session_id)
        made: SessionChange = change(row)
        await self.create_session(owner, session_id, made.body, (*row.steps, *made.appended))
        return self.rows[owner, session_id]

    async def delete_expired(self) -> int:
        return 0

    async def load_session(self, owner: str, session_id: str) -> Stored:
        if (owner, session_id) not in self.rows:
            raise SessionNotFound("gone")
        return self.rows[owner, session_id]


def scene(work: Any) -> Any:
    """Run `work(sessions, runner)` with one session begun."""

    async def run() -> Any:
        kept = Kept()
        sessions = SessionTracker(
            kept,  # type: ignore[arg-type]
            now=lambda: datetime(2026, 1, 2, tzinfo=UTC),
            new_id=lambda: "s1",
        )
        step = SessionStep(number=1, text="begin", at="", next_needed=True)
        await sessions.record_step("default/anonymous", step, session_id=None)
        return await work(sessions, steps.build_runner(sessions=sessions))

    return asyncio.run(run())


def call(
    runner: CallRunner, session_id: str | None, *, run: Any = None, **changes: Any
) -> Coroutine[Any, Any, ToolOutcome]:
    given = {"run": run} if run else {}
    step = steps.invocation(**given, **changes)
    step.call.session_id = session_id
    return runner.run_call(step)


async def listing(args: object, call: Any) -> Any:
    call.trace.record_attempt("brave")
    call.trace.record_success("brave")

    call.report_sources(
        [
            SessionSource(url="https://a.example/1", title="One"),
            SessionSource(url="https://a.example/2"),
        ]
    )
    return steps.Result(text="x")


@requires("session.linked")
def test_sources_and_providers_are_recorded_once() -> None:
    async def work(
        sessions: SessionTracker, runner: CallRunner
    ) -> tuple[ToolOutcome, ResearchSession]:
        await call(runner, "s1", run=listing)
        outcome = await call(runner, "s1", run=listing)
        return outcome, await sessions.find_session("default/anonymous", "s1")

    outcome, session = scene(work)

    assert [source.url for source in session.sources] == [
        "https://a.example/1",
        "https://a.example/2",
    ]
    assert session.sources[0].to_wire() == {
        "url": "https://a.example/1",
        "stage": "listed",
        "title": "One",
        "tool": "repeat",
    }
    assert [event.provider for event in session.events] == ["brave", "brave"]
    assert outcome.meta["session"] == {"linked": True}


def test_a_failure_is_recorded_and_still_returned() -> None:
    async def broken(args: object, call: object) -> Any:
        raise Blocked("no", provider="reader")

    async def work(sessions: SessionTracker, runner: CallRunner) -> ResearchSession:
        outcome = await call(runner, "s1", run=broken)
        assert outcome.meta["errorKind"] == Blocked.kind
        return await sessions.find_session("default/anonymous", "s1")

    assert [event.kind for event in scene(work).events] == ["blocked"]


@requires("session.linked", "session.lost_in_body")
def test_a_session_that_is_gone_costs_no_result() -> None:
    async def work(sessions: SessionTracker, runner: CallRunner) -> ToolOutcome:
        return await call(runner, "lost", run=listing)

    outcome = scene(work)

    assert outcome.body == {
        "sessionWarning": SESSION_LOST_WARNING,
        "text": "x",
        "trust": "untrusted-external-content",
    }
    assert json.loads(outcome.text) == outcome.body
    assert outcome.meta["session"]["linked"] is False


@requires("session.lost_in_body")
def test_a_failed_call_says_that_its_session_is_gone() -> None:
    async def broken(args: object, call: object) -> Any:
        raise Blocked("no", provider="reader")

    async def work(sessions: SessionTracker, runner: CallRunner) -> ToolOutcome:
        return await call(runner, "lost", run=broken)

    error = scene(work).error

    assert error.block["sessionWarning"] == SESSION_LOST_WARNING


def test_calls_without_a_session_and_the_session_tools_themselves_are_left_alone() -> None:
    async def work(sessions: SessionTracker, runner: CallRunner) -> list[ToolOutcome]:
        return [
            await call(runner, None, run=listing),
            await call(runner, "s1", run=listing, toolset="sessions"),
        ]

    assert ["session" in outcome.meta for outcome in scene(work)] == [False, False]


@requires("session.reported_sources")
def test_only_what_a_tool_reports_is_a_source() -> None:
    class Answer(steps.Result):
        def to_wire(self) -> dict[str, Any]:
            return {"results": [{"url": "https://a.example/guessed", "title": "Guessed"}]}

    async def silent(args: object, call: object) -> Any:
        return Answer(text="x")

    async def work(sessions: SessionTracker, runner: CallRunner) -> ResearchSession:
        await call(runner, "s1", run=silent)
        return await sessions.find_session("default/anonymous", "s1")

    assert scene(work).sources == ()
