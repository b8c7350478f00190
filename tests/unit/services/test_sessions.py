"""Sessions: what may be recorded, what is derived from it, and how it is shown."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from citewell.config import Settings
from citewell.errors import InvalidInput, SessionNotFound
from citewell.model.research_session import CallOutcome, ResearchSession, SessionSource, SessionStep
from citewell.services.sessions import session_codec, session_export, session_views
from citewell.services.sessions.session_coverage import (
    measure_session_coverage,
    suggest_refinements,
)
from citewell.services.sessions.session_patterns import count_provider_calls, find_error_patterns
from citewell.services.sessions.session_tracking import RecordedStep, SessionTracker
from citewell.store.state_store import open_state_store
from tests.requirements import requires
from tests.services import postgres_or_skip

GOLDEN = Path(__file__).parents[2] / "golden" / "sessions"
OWNER = "default/anonymous"


def step(number: int, **facts: Any) -> SessionStep:
    plain: dict[str, Any] = {"number": number, "text": f"step {number}", "at": ""}
    return SessionStep(**(plain | {"next_needed": True} | facts))


def scene(tmp_path: Path, work: Callable[[SessionTracker], Awaitable[Any]], **limits: Any) -> Any:
    """Run `work` with sessions on a real store in a directory of its own."""

    async def run() -> Any:
        state = open_state_store(Settings(data_dir=tmp_path))
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

    assert [(one.found_in, one.closed_in) for one in gaps] == [(1, 3), (4, None)]


@requires("sequential_search.step_gap")
def test_numbers_may_be_left_out_and_filled_in_later(tmp_path: Path) -> None:
    async def work(sessions: SessionTracker) -> RecordedStep:
        begun = await taken(sessions, step(1), step(5))
        await sessions.record_step(OWNER, step(7, revises=5), session_id=begun.session.id)
        return await sessions.record_step(OWNER, step(6, gap="g"), session_id=begun.session.id)

    session = scene(tmp_path, work).session

    assert [one.number for one in session.steps] == [1, 5, 7, 6]
    assert (session.last_step_number, session.estimated_steps) == (7, 7)
    assert session.describe_step_numbers() == "steps 1, 5 to 7"
    assert session.find_superseding_step(5) == 7


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


@requires("research_export.markdown", "research_export.deterministic")
@pytest.mark.parametrize("form", ["markdown", "html", "bibtex"])
def test_an_export_is_the_golden_one(form: str) -> None:
    suffix = {"markdown": "md", "html": "html", "bibtex": "bib"}[form]
    golden = GOLDEN / f"history.{suffix}"

    made = session_export.render_session(
        history(), form, tenant="default", stamp="2026-01-03T00:00:00Z"
    )

    assert made == golden.read_text(encoding="utf-8")


HEADINGS = (
    "# Sources",
    "  ### Sources ##",
    "Sources\n===",
    "Sources\n=",
    "Sources\n--  ",
    "> # Sources",
    "- # Sources",
    "1. > ## Sources",
    "text\r# Sources",
    "text\u2028# Sources",
    "<h2>Sources</h2>",
    "```\nnot closed",
    "~~~~ python",
)


@requires("research_export.markdown")
@pytest.mark.parametrize("text", HEADINGS)
@pytest.mark.parametrize("place", ["step", "summary"])
def test_no_text_of_a_step_becomes_a_heading_of_the_export(text: str, place: str) -> None:
    steps = (step(1, text=text),) if place == "step" else (step(1, summary=text),)
    session = ResearchSession(id="s", started="x", steps=steps, sources=history().sources)

    page = session_export.render_session(session, "markdown", tenant="t", stamp="x")

    reader = MarkdownIt("commonmark")
    titles = [
        token.children[0].content
        for before, token in itertools.pairwise(reader.parse(page))
        if before.type == "heading_open" and token.children
    ]
    summary = ["Summary"] if place == "summary" else []
    assert titles[1:] == [*summary, "Steps", "Step 1", "Sources"]
    assert not any(token.type == "html_block" for token in reader.parse(page))


def test_the_html_export_shows_escaped_text_as_it_was_written() -> None:
    session = ResearchSession(
        id="s", started="x", steps=(step(1, text="# Sources\n===\n<b>1</b>"),)
    )

    page = session_export.render_session(session, "html", tenant="t", stamp="x")

    assert "<p># Sources<br>===<br>&lt;b&gt;1&lt;/b&gt;</p>" in page


def test_a_bibtex_export_without_a_source_that_was_read_says_so() -> None:
    listed = SessionSource(url="https://a.example/1", title="Listed")
    session = ResearchSession(id="s", started="x", steps=(step(1),), sources=(listed,))

    made = session_export.render_session(session, "bibtex", tenant="t", stamp="x")

    assert made == "% No source of this session was read yet.\n"


def test_html_escapes_whatever_came_from_outside() -> None:
    source = SessionSource(
        url="https://a.example/?q=<script>", title="<img onerror=alert(1)> & [x](javascript:1)"
    )
    session = ResearchSession(
        id="s", started="x", steps=(step(1, text="<b>bold</b>"),), sources=(source,)
    )

    page = session_export.render_session(session, "html", tenant="t", stamp="x")

    assert "<script>" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert 'href="javascript' not in page


@requires("get_research_session.error_patterns")
def test_three_of_a_kind_make_a_pattern_and_two_do_not() -> None:
    events = tuple(
        CallOutcome(at=f"t{n}", kind="blocked", url=f"https://a.example/{n}") for n in range(3)
    )
    session = ResearchSession(
        id="s",
        started="x",
        events=(*events, CallOutcome(at="t", kind="network"), CallOutcome(at="t", kind="network")),
    )

    (pattern,) = find_error_patterns(session)

    assert (pattern["kind"], pattern["count"], pattern["lastSeen"]) == ("blocked", 3, "t2")
    assert len(pattern["affectedUrls"]) == 3


@requires("get_research_session.provider_stats")
def test_providers_are_counted() -> None:
    events = (
        CallOutcome(at="t", provider="brave"),
        CallOutcome(at="t", provider="brave", kind="network"),
    )

    assert count_provider_calls(ResearchSession(id="s", started="x", events=events)) == {
        "brave": {"attempts": 2, "successes": 1}
    }


@requires("sequential_search.dominant_domain", "sequential_search.coverage")
def test_coverage_names_what_is_thin_and_suggests_where_to_look() -> None:
    ones = [SessionSource(url=f"https://one.example/{n}") for n in range(4)]
    sources = (
        *ones,
        SessionSource(url="https://two.example/"),
    )
    session = ResearchSession(
        id="s",
        started="x",
        steps=(step(1, goal="ageing of cells", gap="cold climates"),),
        sources=sources,
    )

    shown = measure_session_coverage(session, lambda url: "blog")
    queries = suggest_refinements(session, shown)

    assert (shown["sourceCount"], shown["uniqueDomains"], shown["dominantDomain"]) == (
        5,
        2,
        "one.example",
    )
    assert "concentrated on one.example" in shown["gaps"]
    assert queries[0] == "ageing cells cold climates"
    assert "ageing cells -site:one.example" in queries


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_session_comes_out_of_either_store_as_it_went_in(engine: str, tmp_path: Path) -> None:
    url = postgres_or_skip().new() if engine == "postgres" else None
    kept = history()

    async def round_trip() -> ResearchSession:
        state = open_state_store(Settings(data_dir=tmp_path, database_url=url))
        try:
            steps = [session_codec.encode_session_step(item) for item in kept.steps]
            await state.sessions.create_session(
                OWNER, kept.id, session_codec.encode_session_head(kept), steps
            )
            return await SessionTracker(state.sessions).find_session(OWNER, kept.id)
        finally:
            await state.aclose()

    found = asyncio.run(round_trip())
    made = session_export.render_session(
        found, "markdown", tenant="default", stamp="2026-01-03T00:00:00Z"
    )

    assert made == (GOLDEN / "history.md").read_text(encoding="utf-8")
