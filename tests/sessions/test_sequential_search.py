"""What a step is told about its session: patterns, coverage and where to look."""

from __future__ import annotations

from citewell.core.values.research_session import (
    CallOutcome,
    ResearchSession,
    SessionSource,
)
from citewell.sessions.session_views import count_provider_calls, find_error_patterns
from citewell.sessions.tools.sequential_search import measure_session_coverage, suggest_refinements
from tests.requirements import requires
from tests.sessions.step_histories import step


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
