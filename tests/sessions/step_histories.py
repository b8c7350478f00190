"""Sessions with a history, for the suites of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from citewell.core.values.research_session import (
    ResearchSession,
    SessionSource,
    SessionStep,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "sessions"


def step(number: int, **facts: Any) -> SessionStep:
    plain: dict[str, Any] = {"number": number, "text": f"step {number}", "at": ""}
    return SessionStep(**(plain | {"next_needed": True} | facts))


def history() -> ResearchSession:
    """Revisions, branches, gaps open and closed, and words from several scripts."""
    steps = (
        step(
            1,
            goal="Wie altern Batterien?",
            at="2026-01-02T10:00:00Z",
            confidence="low",
            gap="no field data",
        ),
        step(
            2,
            at="2026-01-02T10:05:00Z",
            text="電池の劣化を調べる",
            reasoning="ラボの結果",
            gap="kalte Zyklen",
        ),
        step(
            3,
            at="2026-01-02T10:10:00Z",
            text="corrected",
            revises=1,
            rejected=("vendor blogs",),
            summary="so far",
            closes_gap="no field data",
        ),
        step(
            4,
            at="2026-01-02T10:15:00Z",
            text="תא סוללה",
            branch_from=2,
            branch_id="cold",
            closes_gap="Kalte zyklen",
        ),
        step(5, at="2026-01-02T10:20:00Z", text="done", next_needed=False, estimate=5),
    )
    sources = (
        SessionSource(
            url="https://a.example/1",
            title="Ageing [of] cells",
            tool="web_search",
            author="Ada Byron",
            date="2024-05-01",
            stage="quoted",
        ),
        SessionSource(
            url="https://b.example/2",
            title="劣化",
            tool="scrape_page",
            found_in=2,
            doi="https://doi.org/10.1000/xyz",
            stage="read",
            basis="page",
        ),
    )
    return ResearchSession(
        id="session-1", started="2026-01-02T10:00:00Z", steps=steps, sources=sources
    )
