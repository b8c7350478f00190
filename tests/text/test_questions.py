""""""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.research.pages.page_analysis import find_answer_pattern
from citewell.text import questions
from citewell.text.questions import QuestionDomain, find_question_domains


def split(question: str) -> list[str]:
    return [part.text for part in questions.split_question_parts(question)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "When was the bridge built and who designed it?",
            ["When was the bridge built", "who designed it?"],
        ),
        (
            "What is CRISPR? Who invented it?",
            ["What is CRISPR?", "Who invented it?"],
        ),
        (
            "What is CRISPR and who invented it?",
            ["What is CRISPR", "who invented it?"],
        ),
        (
            "How long does it last, and what does it cost?",
            ["How long does it last", "what does it cost?"],
        ),
        (
            "Wann wurde die Brücke gebaut und wer hat sie entworfen?",
            ["Wann wurde die Brücke gebaut", "wer hat sie entworfen?"],
        ),
        (
            "¿Cuándo se abrió el puente y quién lo diseñó?",
            ["¿Cuándo se abrió el puente", "quién lo diseñó?"],
        ),
        ("珊瑚礁有多长？它有多老？还有什么鱼？", ["珊瑚礁有多长？它有多老？还有什么鱼？"]),
    ],
)
def test_a_question_is_split_where_a_second_asking_word_begins(
    question: str, parts: list[str]
) -> None:
    assert split(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What are the costs and benefits of solar power?",
        "Compare the costs of bread and butter.",
        "How often and how long should I water a fern?",
        "Tell me about reefs",
        "reef",
        "珊瑚礁有多长？",
        "",
        "?",
    ],
)
def test_what_asks_one_thing_is_one_part(question: str) -> None:
    assert split(question) == [question]


def test_every_part_knows_the_rest_of_the_question() -> None:
    question = "When was the bridge built and who designed it?"

    assert {part.context for part in questions.split_question_parts(question)} == {question}
    assert questions.split_question_parts("Who built it?")[0].context == ""


def test_a_question_of_two_thousand_words_is_one_bounded_part() -> None:
    parts = split("and what is the reef " * 400)

    assert len(parts) == 1
    assert len(parts[0]) <= 2000


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_the_parts_of_any_text_are_words_of_it(text: str) -> None:
    plain = " ".join(text.split())

    for part in split(text):
        assert part in plain


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("What is the difference between weather and climate?", ("weather", "climate")),
        ("What are the differences between a cape and the bay?", ("cape", "bay")),
        ("PostgreSQL vs MySQL", ("PostgreSQL", "MySQL")),
        ("solar power compared with wind power", ("solar power", "wind power")),
        ("Heat pump or gas boiler: which is cheaper?", ("Heat pump", "gas boiler")),
        ("How does a crow differ from a raven?", ("crow", "raven")),
    ],
)
def test_compared_subjects_are_found(question: str, subjects: tuple[str, str]) -> None:
    assert questions.find_compared_subjects(question) == subjects


@pytest.mark.parametrize("question", ["What is a reef?", "", "Why is the sea salt?", "or: not"])
def test_a_question_that_compares_nothing_has_no_two_sides(question: str) -> None:
    assert questions.find_compared_subjects(question) is None


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What is an atoll?", "An atoll is a ring of coral.", "The atoll was far away."),
        ("What are tariffs?", "A tariff is a tax on imports.", "Taxes are paid on tariffs."),
        ("Was ist ein Atoll?", "Ein Atoll ist ein Ring.", "Das Boot fuhr zum Atoll."),
        ("Qué es un atolón?", "Un atolón es un anillo.", "El barco fue al atolón."),
        ("What is C++?", "C++ is a language.", "They wrote C++ code."),
    ],
)
def test_a_definition_says_what_the_asked_thing_is(question: str, right: str, wrong: str) -> None:
    pattern = questions.build_definition_pattern(question)

    assert pattern is not None
    assert pattern.search(right)
    assert not pattern.search(wrong)


@pytest.mark.parametrize("question", ["When was it built?", "Why is the sky blue?", "reef"])
def test_no_meaning_is_asked_by_other_questions(question: str) -> None:
    assert questions.build_definition_pattern(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "What are the kinds of reefs?",
        "Which countries joined the union?",
        "Name the planets",
        "What signs of damage are there?",
        "What are the main downsides of it?",
    ],
)
def test_questions_for_a_list_are_known(question: str) -> None:
    assert questions.wants_list(question)


@pytest.mark.parametrize(
    "question",
    [
        "How do I prune a tree?",
        "How to bake bread",
        "What should I do after a burn?",
        "¿Cómo se hace?",
    ],
)
def test_questions_for_steps_are_known(question: str) -> None:
    assert questions.wants_steps(question.lstrip("¿"))
    assert not questions.wants_list(question)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How much does a permit cost?", "A permit is $45.", "A permit has 45 pages."),
        ("Was kostet das Visum?", "Das Visum kostet 80 Euro.", "Das Visum gilt 80 Tage."),
        ("How long does the visa last?", "It lasts for 90 days.", "It costs 90 dollars."),
        ("How old is the reef?", "It is 8,000 years old.", "It is very old."),
        ("How often must it be cleaned?", "Clean it twice a month.", "Clean it well."),
        ("How heavy is the stone?", "It has 2.5 tonnes.", "It has 2.5 metres."),
        ("When was it opened?", "It was opened on 19 March 1932.", "It was opened late."),
        ("In what year did it end?", "It ended in 1918.", "It ended badly."),
        ("What share of people agree?", "About 40% agree.", "About 40 agree."),
        ("What percentage voted?", "Two thirds voted, 66 percent.", "Many voted."),
        ("How hot is the core?", "It is at 15 °C.", "It is at 15 places."),
        ("How tall is the tower?", "It is 330 m high.", "It is red."),
        ("Why did it fall?", "It fell because of rust.", "It fell on Monday."),
        ("珊瑚礁有多少鱼？", "有1500种鱼。", "有很多鱼。"),
    ],
)
def test_an_answer_of_each_kind_is_told_from_what_is_none(
    question: str, right: str, wrong: str
) -> None:
    pattern = find_answer_pattern(question)

    assert pattern is not None
    assert pattern.search(right)
    assert not pattern.search(wrong)


@pytest.mark.parametrize(
    "hostile", [" " * 2000, "a." * 1000, "difference between " * 110, "what is " + " " * 1990 + "x"]
)
def test_hostile_questions_are_read_in_no_time(hostile: str) -> None:
    assert len(questions.split_question_parts(hostile)) <= 4
    questions.find_compared_subjects(hostile)
    questions.build_definition_pattern(hostile)


@pytest.mark.parametrize(
    ("question", "domain"),
    [
        ("Which clinical trials tested melatonin for insomnia?", "trials"),
        ("What did NCT04207047 find?", "trials"),
        ("Is semaglutide better than placebo for weight loss?", "trials"),
        ("Welche klinischen Studien gibt es zu Metformin?", "trials"),
        ("What did the Supreme Court decide in Obergefell v. Hodges?", "law"),
        ("Is 17 C.F.R. § 240.10b-5 still in force?", "law"),
        ("Which courts held that scraping is lawful?", "law"),
        ("What does Apple's 10-K say about supply risks?", "filings"),
        ("What was the net income of Microsoft in 2023?", "filings"),
        ("How did the GDP of Germany grow after 2019?", "statistics"),
        ("What is the unemployment rate in Spain?", "statistics"),
        ("Who patented the folding display?", "patents"),
        ("Is there prior art for US 10,165,245 B2?", "patents"),
    ],
)
def test_a_question_names_its_domain_by_its_words(question: str, domain: str) -> None:
    assert QuestionDomain(domain) in find_question_domains(question)


@pytest.mark.parametrize(
    "question",
    [
        "Do street trees lower summer temperatures in cities?",
        "How does a heat pump work in winter?",
        "Python vs. Ruby for web servers",
        "What is the best way to learn to court a friend?",
        "How do I descale a kettle?",
        "",
    ],
)
def test_an_everyday_question_is_for_no_registry(question: str) -> None:
    assert find_question_domains(question) == frozenset()
