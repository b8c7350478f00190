"""Sessions: what is derived from their steps, and how they are shown."""

from __future__ import annotations

import pytest

from citewell.core.values.research_session import (
    ResearchSession,
    SessionStep,
)
from citewell.sessions import session_views
from tests.requirements import requires
from tests.sessions.step_histories import history, step


@requires("defect.session_summary")
def test_what_later_steps_say_of_earlier_ones_is_derived() -> None:
    session = history()

    assert session.find_superseding_step(1) == 3
    assert [(gap.text, gap.closed_in) for gap in session.list_gaps()] == [
        ("no field data", 3),
        ("kalte Zyklen", 4),
    ]
    assert session.summary == "so far"
    assert (session.is_complete, session.completed_at) == (True, "2026-01-02T10:20:00Z")


@requires("sequential_search.gap_stays_open")
@pytest.mark.parametrize(
    ("later", "closed_in"),
    [
        (step(2, revises=1), None),
        (step(2, revises=1, gap="another gap"), None),
        (step(2, revises=1, closes_gap="field data"), 2),
        (step(2, revises=1, gap="another gap", closes_gap="no field data"), 2),
    ],
)
def test_a_revision_closes_a_gap_only_if_it_says_so(
    later: SessionStep, closed_in: int | None
) -> None:
    session = ResearchSession(id="s", started="x", steps=(step(1, gap="no field data"), later))

    assert session.list_gaps()[0].closed_in == closed_in


def test_a_gap_that_is_named_again_is_listed_once_until_it_is_closed() -> None:
    gap = "no field data"
    again = (step(1, gap=gap), step(2, revises=1, gap="No  field data"), step(3, closes_gap=gap), step(4, gap=gap))  # fmt: skip

    gaps = ResearchSession(id="s", started="x", steps=again).list_gaps()

    assert [(gap.found_in, gap.closed_in) for gap in gaps] == [(1, 3), (4, None)]


@requires("sequential_search.response_mode", "sequential_search.last_steps")
def test_a_short_session_is_shown_whole_and_a_long_one_summarised() -> None:
    short = session_views.build_progress_view(history(), current=5)
    long_session = ResearchSession(id="s", started="x", steps=tuple(step(n) for n in range(1, 10)))
    long = session_views.build_progress_view(long_session, current=9)

    assert (short["responseMode"], "summary" in short, len(short["steps"])) == ("full", False, 5)
    assert (long["responseMode"], "steps" in long, len(long["stepIndex"])) == ("summary", False, 9)
    assert (
        session_views.build_progress_view(long_session, current=9, mode="full")["responseMode"]
        == "full"
    )
    assert len(long["lastSteps"]) == 3
