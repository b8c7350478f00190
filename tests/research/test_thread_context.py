from __future__ import annotations

from typing import Any

from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    ResearchFindings,
    ResearchSource,
)
from citewell.jobs.step_values import PageReading
from citewell.research.planning.thread_context import (
    complete_follow_up,
    describe_left_out,
    list_ancestors,
)
from citewell.research.reporting.quotations import collect_thread_quotes, locate_quotes


def asked(query: str, **more: Any) -> dict[str, Any]:
    return {
        "query": query,
        "tier": "S",
        "providers": ["local"],
        "mode": "methodical",
        "scope": "web",
    } | more


def test_the_subject_of_a_library_question_never_completes_one_for_the_web() -> None:
    earlier = [asked("What does Doctor Brown say of my knee?", scope="library")]

    web = complete_follow_up("And how old is he?", earlier, scope="web")
    library = complete_follow_up("And how old is he?", earlier, scope="library")

    assert web.added == ()
    assert "Doctor Brown" in library.text


def test_a_job_stored_without_a_scope_counts_as_one_of_the_library() -> None:
    earlier = asked("Who is Doctor Brown?")
    del earlier["scope"]

    assert complete_follow_up("How old is he?", [earlier], scope="web").added == ()


def test_what_was_added_to_the_question_before_is_handed_on() -> None:
    earlier = [asked("And cash there?", researched="Cash in Japan?", added=("Japan",))]

    assert "Japan" in complete_follow_up("And credit cards?", earlier, scope="web").text


def test_the_ancestors_of_a_job_are_listed_from_it_to_the_first() -> None:
    jobs = {
        "a": asked("First?"),
        "b": asked("Second?", parent="a"),
        "c": asked("Another branch?", parent="a"),
        "d": asked("Third?", parent="b"),
    }

    assert [one["query"] for one in list_ancestors("d", jobs)] == ["Third?", "Second?", "First?"]


def test_a_note_counts_passages_and_names_each_job_once() -> None:
    assert (
        describe_left_out(["a"]) == "1 passage quoted earlier in this thread (job a) is left out."
    )
    assert describe_left_out(["a", "b", "a"]) == (
        "3 passages quoted earlier in this thread (jobs a, b) are left out."
    )


def evidence(name: str, snippet: str, start: int) -> ClaimEvidence:
    return ClaimEvidence(
        id=name,
        claim_id=name,
        relation=ClaimRelation.SUPPORTS,
        snippet=snippet,
        start=start,
        end=start + len(snippet),
        relevance_score=1.0,
        discovered_by_provider="local",
        source="src_1",
    )


FINDINGS = ResearchFindings(
    query="What?",
    synthesis=(
        "# What?\n\n## Answer\n\n- Cash is common. [src_1]\n\n| Place | Share |\n|---|---|\n"
        "| Japan | 60 % [src_1] |\n\n## More from the sources\n\n- Cards are rare. [src_1]\n"
    ),
    synthesis_by="extractive",
    sources=(ResearchSource(ref="src_1", url="https://a.example.org/cash", sha256="one"),),
    evidence=(
        evidence("a", "Cash is common.", 10),
        evidence("b", "Place: Japan; Share: 60 %", 40),
        evidence("c", "Cards are rare.", 80),
    ),
)


def test_only_what_the_answer_printed_counts_as_quoted_and_rows_count_by_their_cells() -> None:
    quotes = collect_thread_quotes([("job", FINDINGS)]).quotes

    assert [one.snippet for one in quotes] == ["Cash is common.", "Place: Japan; Share: 60 %"]
    assert {one.job for one in quotes} == {"job"}


def test_a_quotation_is_found_by_its_offsets_and_on_a_changed_page_by_its_words() -> None:
    quotes = collect_thread_quotes([("job", FINDINGS)])
    same = PageReading(url="https://a.example.org/cash", text="…", sha256="one")
    changed = PageReading(
        url="https://a.example.org/cash", text="New. Cash is common.", sha256="two"
    )

    assert locate_quotes(quotes, [same]) == {("one", 10, 25): "job", ("one", 40, 65): "job"}
    assert locate_quotes(quotes, [changed]) == {("two", 5, 20): "job"}
