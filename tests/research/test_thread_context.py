from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    ResearchFindings,
    ResearchSource,
)
from citewell.jobs.step_values import PageReading
from citewell.research.planning.thread_context import (
    complete_follow_up,
    complete_question,
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

    assert [args["query"] for args in list_ancestors("d", jobs)] == ["Third?", "Second?", "First?"]


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

    assert [quote.snippet for quote in quotes] == ["Cash is common.", "Place: Japan; Share: 60 %"]
    assert {quote.job for quote in quotes} == {"job"}


def test_a_quotation_is_found_by_its_offsets_and_on_a_changed_page_by_its_words() -> None:
    quotes = collect_thread_quotes([("job", FINDINGS)])
    same = PageReading(url="https://a.example.org/cash", text="…", sha256="one")
    changed = PageReading(
        url="https://a.example.org/cash", text="New. Cash is common.", sha256="two"
    )

    assert locate_quotes(quotes, [same]) == {("one", 10, 25): "job", ("one", 40, 65): "job"}
    assert locate_quotes(quotes, [changed]) == {("two", 5, 20): "job"}


COMPLETED = [
    ("Should I tip in Japan?", "And what about paying with cash there?", ["Japan", "cash"]),
    ("Should I tip in Japan?", "And in Korea?", ["tip", "in Korea"]),
    ("Should I tip in Japan?", "Is English spoken there?", ["Japan", "English"]),
    ("How long do lithium-ion batteries last?", "What are their risks?", ["lithium-ion batteries"]),
    ("How long do lithium-ion batteries last?", "How are they recycled?", ["lithium-ion batteries"]),
    ("How does a heat pump work?", "How much does it cost?", ["heat pump"]),
    ("How does a heat pump work?", "What are the drawbacks?", ["heat pump"]),
    ("How does a heat pump work?", "Is that worth it in old houses?", ["heat pump", "old houses"]),
    ("Does semaglutide cause hair loss?", "Are these drugs safe in pregnancy?", ["semaglutide"]),
    ("Who was Marie Curie?", "When did she die?", ["Marie Curie"]),
    ("What is the boiling point of ethanol?", "And of methanol?", ["boiling point of methanol"]),
    ("Why is the sky blue?", "Why?", ["sky"]),
    ("Wie lange hält eine Wärmepumpe?", "Und was kostet das?", ["Wärmepumpe"]),
    ("Soll ich in Japan Trinkgeld geben?", "Kann ich dort mit Karte zahlen?", ["Japan", "Karte"]),
    ("Wie lange hält eine Wärmepumpe?", "Welche Nachteile gibt es?", ["Wärmepumpe"]),
    ("Faut-il donner un pourboire au Japon ?", "Et peut-on y payer par carte ?", ["Japon", "carte"]),
    ("Comment fonctionne une pompe à chaleur ?", "Combien ça coûte ?", ["chaleur"]),
    ("¿Hay que dar propina en Japón?", "¿Y se puede pagar con tarjeta allí?", ["Japón", "tarjeta"]),
    ("¿Cómo funciona una bomba de calor?", "¿Y cuánto cuesta?", ["bomba"]),
    ("日本でチップは必要ですか", "そこで現金は使えますか", ["日本", "現金"]),
]  # fmt: skip
ALONE = [
    "Do bees die when they sting a person?",
    "How many hearts does an octopus have, and how old does it get?",
    "Is there life on Mars?",
    "How long does it take to boil an egg?",
    "Is it true that goldfish forget everything?",
    "What does a dishwasher use this year?",
    "Why does a cat lick its fur?",
    "What is the best way to clean a pan without scratching it?",
    "How long is the flight to Iceland and what can I see there?",
    "Which vaccine protects bees against varroa?",
    "Wie viel Wasser verbraucht man beim Abwaschen?",
    "Gibt es in Norwegen Wölfe?",
    "Warum sterben Bienen, wenn sie stechen?",
    "Les abeilles sont-elles menacées ?",
    "Combien y a-t-il de lunes autour de Saturne ?",
    "¿Por qué mueren las abejas cuando pican?",
    "世界最高峰的高度是多少米?",
]


@pytest.mark.parametrize(("earlier", "asked", "held"), COMPLETED)
def test_a_question_that_points_back_gets_the_subject_of_the_one_before(
    earlier: str, asked: str, held: list[str]
) -> None:
    found = complete_question(asked, [earlier])

    assert found.added
    assert [word for word in held if word not in found.text] == []


@pytest.mark.parametrize("asked", ALONE)
def test_nothing_is_added_to_a_question_that_stands_alone(asked: str) -> None:
    found = complete_question(asked, ["Should I tip in Japan?", "How does a heat pump work?"])

    assert (found.text, found.added) == (asked, ())


def test_a_place_takes_the_place_of_there_and_the_verb_of_the_earlier_question_stays_out() -> None:
    found = complete_question("And what about paying with cash there?", ["Should I tip in Japan?"])

    assert found.text == "Paying with cash in Japan?"
    assert found.added == ("Japan",)


def test_what_the_question_names_already_is_not_added_again() -> None:
    found = complete_question("And what about cash in Japan?", ["Should I tip in Japan?"])

    assert found.added == ()


def test_an_earlier_question_without_a_subject_leads_to_the_one_before_it() -> None:
    found = complete_question("How much does it cost?", ["Why?", "How does a heat pump work?"])

    assert found.added == ("heat pump",)


def test_without_an_earlier_question_nothing_changes() -> None:
    assert complete_question("And there?", []).text == "And there?"
