from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.research.pages import page_analysis
from citewell.research.planning import research_plan
from citewell.research.planning.research_plan import QuestionKind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is a coral reef?", QuestionKind.DEFINITION),
        ("How many people live in Tokyo?", QuestionKind.QUANTITY),
        ("When was the Eiffel Tower built?", QuestionKind.TIME),
        ("PostgreSQL vs MySQL", QuestionKind.COMPARISON),
        ("What is the difference between weather and climate?", QuestionKind.COMPARISON),
        ("Why did the Roman Empire fall?", QuestionKind.CAUSES),
        ("effects of remote work on productivity", QuestionKind.EFFECTS),
        ("How to prune an apple tree", QuestionKind.HOW_TO),
        ("latest advances in solid-state batteries", QuestionKind.LATEST),
        ("What are the main types of clouds?", QuestionKind.LIST),
        ("Is nuclear power safe?", QuestionKind.YES_NO),
        ("urban trees", QuestionKind.OPEN),
        ("Wie viele Menschen leben in Berlin?", QuestionKind.QUANTITY),
        ("Pourquoi le ciel est-il bleu ?", QuestionKind.CAUSES),
        ("", QuestionKind.OPEN),
    ],
)
def test_a_question_is_of_a_kind(question: str, kind: QuestionKind) -> None:
    assert research_plan.classify_question(question) is kind


def queries(question: str, **options: object) -> list[str]:
    return [facet.query for facet in research_plan.parse_question(question, **options).facets]  # type: ignore[arg-type]


def test_the_question_itself_comes_first_and_the_other_side_is_heard() -> None:
    found = research_plan.parse_question("Is nuclear power safe?").facets

    assert found[0].query == "Is nuclear power safe?"
    assert 3 <= len(found) <= 7
    assert [facet.is_opposing for facet in found].count(True) == 1


def test_a_comparison_is_searched_for_each_side_and_both() -> None:
    assert queries("What is the difference between PostgreSQL and MySQL?")[1:4] == [
        "PostgreSQL",
        "MySQL",
        "PostgreSQL MySQL comparison",
    ]


def test_news_is_searched_with_the_year() -> None:
    assert any("2026" in query for query in queries("latest battery research", year=2026))
    assert not any("None" in query for query in queries("latest battery research"))


def test_numbered_questions_are_taken_word_for_word() -> None:
    asked = "Please find out:\n1. What is CRISPR?\n2. Who invented it?\n3. What does it cost?"

    titles = [facet.title for facet in research_plan.parse_question(asked).facets[1:]]

    assert titles == ["What is CRISPR?", "Who invented it?", "What does it cost?"]
    assert "CRISPR" in research_plan.parse_question(asked).facets[2].query


@pytest.mark.parametrize(
    "text", ["1. only one", "The 3. thing and the 5. thing", "In 2. Samuel 3. it says"]
)
def test_numbers_that_do_not_count_up_divide_nothing(text: str) -> None:
    assert research_plan.split_numbered_questions(text) == ()


def test_a_question_in_another_language_keeps_its_own_words() -> None:
    found = research_plan.parse_question(
        "Welche Folgen hat der Klimawandel für Gletscher?", language="de"
    ).facets

    assert found[0].query == "Welche Folgen hat der Klimawandel für Gletscher?"
    assert all("effects" not in facet.query and "criticism" not in facet.query for facet in found)


def test_what_is_quoted_and_named_is_a_key_phrase() -> None:
    found = research_plan.extract_key_phrases(
        'Did the "dark ages" start when the Roman Empire ended?'
    )

    assert found[:2] == ("dark ages", "Roman Empire")


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What are the health benefits and risks of plant-based diets?", "plant-based diets"),
        ("Why did the Roman Empire fall?", "Roman Empire fall"),
        ("effects of remote work on productivity", "remote work on productivity"),
        ("coral", "coral"),
        ("How does HTTP caching work?", "HTTP caching"),
        ("work", "work"),
    ],
)
def test_the_subject_is_left_when_the_asking_goes(question: str, subject: str) -> None:
    assert research_plan.extract_subject(question) == subject


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=150), st.sampled_from([None, "en", "de", "zh"]))
def test_any_text_can_be_asked(text: str, language: str | None) -> None:
    found = research_plan.parse_question(text, language=language)

    plain = " ".join(text.split())
    assert found.facets[0].query in plain
    assert bool(found.facets[0].query) == bool(plain)
    assert len({facet.query.lower() for facet in found.facets}) == len(found.facets)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How many moons does Mars have?", "Mars has 2 moons.", "Mars has moons."),
        ("When did it end?", "It ended in 1918.", "It ended badly."),
        ("Who found it?", "It was found by Alexander Fleming.", "It was found by chance."),
        ("Where is it?", "It lies in Kenya.", "It lies still."),
        ("Why is it blue?", "It is blue because of the air.", "It looks blue."),
        ("Is it safe?", "Yes, when it is cooked.", "It was bought in May."),
    ],
)
def test_an_answer_looks_like_what_was_asked_for(question: str, right: str, wrong: str) -> None:
    pattern = page_analysis.find_answer_pattern(question)

    assert pattern is not None
    assert pattern.search(right)
    assert not pattern.search(wrong)


def test_a_subject_alone_expects_nothing() -> None:
    assert page_analysis.find_answer_pattern("urban trees") is None


def test_what_asks_is_told_from_the_scope_around_it() -> None:
    asked = (
        "I manage a solar park. How do lithium-ion batteries age? Consider the temperature."
        " What does replacing them cost?"
    )

    found = research_plan.parse_question(asked)

    assert found.facets[0].query == "How do lithium-ion batteries age?"
    assert found.facets[0].subject == "lithium-ion batteries age"
    assert found.facets[1].title == "What does replacing them cost?"
    assert "solar park" in found.text


@pytest.mark.parametrize(
    "text",
    ["compare " + "a " * 5000, "x " * 4990 + "vs", "is the " * 1500, "\n" * 10_000, "1. a " * 2000, "Aa " * 3300, '"' * 10_000],
    ids=["compare", "versus", "asking", "lines", "numbers", "names", "quotes"],
)  # fmt: skip
def test_a_hostile_question_takes_no_time(text: str) -> None:
    assert (
        len(research_plan.parse_question(text, year=2026).facets) <= 7
    )  # the time limit is the other assertion


def test_of_several_questions_each_is_a_side() -> None:
    found = research_plan.parse_question(
        "What is CRISPR? Who invented it? I need this for a talk."
    ).facets

    assert [facet.title for facet in found[:2]] == ["What is CRISPR?", "Who invented it?"]


@pytest.mark.parametrize(
    "tail", ["overview", "evidence research", "criticism limitations evidence against"]
)
def test_a_search_of_ours_that_is_asked_again_is_about_what_stands_before_its_end(
    tail: str,
) -> None:
    found = research_plan.parse_question(f"lithium-ion grid batteries age {tail}")

    assert found.facets[0].query == f"lithium-ion grid batteries age {tail}"
    assert found.facets[0].subject == "lithium-ion grid batteries age"
    assert f"lithium-ion grid batteries age {tail} overview" not in {
        facet.query for facet in found.facets
    }


def test_a_question_keeps_its_last_words() -> None:
    assert (
        "overview"
        in research_plan.parse_question("What is the history of the overview?").facets[0].subject
    )
