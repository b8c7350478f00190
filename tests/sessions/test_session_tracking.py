"""Sessions: what may be recorded, by whom, and what survives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput, SessionNotFound
from citewell.core.values.research_session import (
    ResearchSession,
    SessionSource,
    SessionStep,
)
from citewell.server.state.state_store import StateStore
from citewell.sessions import session_export, session_rows
from citewell.sessions.session_tracking import RecordedStep, SessionTracker
from tests.requirements import requires
from tests.services import postgres_or_skip
from tests.sessions.step_histories import GOLDEN, history, step

OWNER = "default/anonymous"


def scene(tmp_path: Path, work: Callable[[SessionTracker], Awaitable[Any]], **limits: Any) -> Any:
    """Run `work` with sessions on a real store in a directory of its own."""

    async def run() -> Any:
        state = StateStore(Settings(data_dir=tmp_path))
        ids = iter(f"session-{number}" for number in range(1, 100))
        ticks = iter(range(10_000))
        sessions = SessionTracker(
            state.sessions,
            now=lambda: datetime.fromtimestamp(1_760_000_000 + next(ticks), UTC),
            new_id=lambda: next(ids),
            **limits,
        )
        try:
            return await work(sessions)
        finally:
            await state.aclose()

    return asyncio.run(run())


async def taken(sessions: SessionTracker, *steps: SessionStep) -> RecordedStep:
    result = await sessions.record_step(OWNER, steps[0], session_id=None)
    for later in steps[1:]:
        result = await sessions.record_step(OWNER, later, session_id=result.session.id)
    return result


@requires("session.restart")
def test_a_session_begins_with_step_one_and_survives_a_restart(tmp_path: Path) -> None:
    begun = scene(tmp_path, lambda sessions: taken(sessions, step(1, goal="why?"), step(2)))

    found: ResearchSession = scene(
        tmp_path, lambda sessions: sessions.find_session(OWNER, begun.session.id)
    )

    assert found.goal == "why?"
    assert [item.text for item in found.steps] == ["step 1", "step 2"]


@requires("sequential_search.session_id")
def test_a_later_step_without_a_session_gets_guidance_and_starts_nothing(tmp_path: Path) -> None:
    async def work(sessions: SessionTracker) -> tuple[str, tuple[ResearchSession, ...]]:
        with pytest.raises(InvalidInput) as caught:
            await sessions.record_step(OWNER, step(2), session_id=None)
        return caught.value.message, await sessions.list_sessions(OWNER)

    message, sessions = scene(tmp_path, work)

    assert "get_research_session" in message
    assert sessions == ()


@requires("sequential_search.branch", "sequential_search.revision")
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (step(1, text="another"), "recorded already"),
        (step(3, revises=9), "revisesStep 9 does not exist"),
        (step(3, branch_from=7), "branchFromStep 7 does not exist"),
    ],
)
def test_numbers_that_point_at_nothing_are_refused(
    tmp_path: Path, wrong: SessionStep, words: str
) -> None:
    async def work(sessions: SessionTracker) -> str:
        begun = await taken(sessions, step(1), step(2))
        with pytest.raises(InvalidInput) as caught:
            await sessions.record_step(OWNER, wrong, session_id=begun.session.id)
        return caught.value.message

    assert words in scene(tmp_path, work)


def test_the_same_step_sent_again_is_not_recorded_twice(tmp_path: Path) -> None:
    async def work(sessions: SessionTracker) -> RecordedStep:
        begun = await taken(sessions, step(1), step(2))
        return await sessions.record_step(OWNER, step(2), session_id=begun.session.id)

    again: RecordedStep = scene(tmp_path, work)

    assert len(again.session.steps) == 2
    assert again.warning
    assert "already" in again.warning


@requires("sequential_search.max_steps")
def test_a_full_session_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    result: RecordedStep = scene(
        tmp_path, lambda sessions: taken(sessions, step(1), step(2), step(3)), max_steps=2
    )

    assert len(result.session.steps) == 2
    assert result.warning
    assert "2 steps" in result.warning


@requires("session.owner")
def test_a_session_is_its_owners_alone(tmp_path: Path) -> None:
    async def work(sessions: SessionTracker) -> None:
        begun = await taken(sessions, step(1))
        with pytest.raises(SessionNotFound, match="last 4 hours"):
            await sessions.find_session("default/somebody-else", begun.session.id)

    scene(tmp_path, work)


def test_concurrent_steps_lose_no_update(tmp_path: Path) -> None:
    async def work(sessions: SessionTracker) -> ResearchSession:
        begun = await taken(sessions, step(1))
        links = [
            sessions.link_findings(
                OWNER,
                begun.session.id,
                sources=[SessionSource(url=f"https://a.example/{n}")],
                events=[],
            )
            for n in range(20)
        ]
        await asyncio.gather(
            *links, sessions.record_step(OWNER, step(2), session_id=begun.session.id)
        )
        return await sessions.find_session(OWNER, begun.session.id)

    session: ResearchSession = scene(tmp_path, work)

    assert len(session.sources) == 20
    assert len(session.steps) == 2


@requires("sequential_search.step_gap")
def test_numbers_may_be_left_out_and_filled_in_later(tmp_path: Path) -> None:
    async def work(sessions: SessionTracker) -> RecordedStep:
        begun = await taken(sessions, step(1), step(5))
        await sessions.record_step(OWNER, step(7, revises=5), session_id=begun.session.id)
        return await sessions.record_step(OWNER, step(6, gap="g"), session_id=begun.session.id)

    session = scene(tmp_path, work).session

    assert [step.number for step in session.steps] == [1, 5, 7, 6]
    assert (session.last_step_number, session.estimated_steps) == (7, 7)
    assert session.describe_step_numbers() == "steps 1, 5 to 7"
    assert session.find_superseding_step(5) == 7


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_session_comes_out_of_either_store_as_it_went_in(engine: str, tmp_path: Path) -> None:
    url = postgres_or_skip().new() if engine == "postgres" else None
    kept = history()

    async def round_trip() -> ResearchSession:
        state = StateStore(Settings(data_dir=tmp_path, database_url=url))
        try:
            steps = [session_rows.encode_session_step(item) for item in kept.steps]
            await state.sessions.create_session(
                OWNER, kept.id, session_rows.encode_session_head(kept), steps
            )
            return await SessionTracker(state.sessions).find_session(OWNER, kept.id)
        finally:
            await state.aclose()

    found = asyncio.run(round_trip())
    made = session_export.render_session(
        found, "markdown", tenant="default", stamp="2026-01-03T00:00:00Z"
    )

    assert made == (GOLDEN / "history.md").read_text(encoding="utf-8")
