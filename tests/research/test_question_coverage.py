from __future__ import annotations

import pytest

from citewell.research.pages.question_coverage import AnswerState, QuestionCoverage, judge_coverage
from tests.research.page_sets import analyse_texts

BRIDGE = (
    "# Harbour Bridge\n\nThe Harbour Bridge in Sydney was opened in 1932 after eight years of work."
    " It carries eight lanes of road and two railway tracks. The toll is four dollars."
)


def judge(question: str, *texts: str) -> QuestionCoverage:
    return judge_coverage(analyse_texts(question, *texts))


def test_without_pages_nothing_is_found() -> None:
    found = judge("When was the Harbour Bridge opened?")

    assert found.state is AnswerState.NOTHING_FOUND
    assert found.missing_parts == (0,)


def test_a_name_that_no_page_mentions_is_missing() -> None:
    found = judge("When was the bridge in Melbourne opened?", BRIDGE)

    assert found.state is AnswerState.SUBJECT_MISSING
    assert found.missing_names == ("Melbourne",)


def test_the_words_of_one_name_must_stand_together() -> None:
    apart = "The Harbour is deep. Far away a road has a Bridge. It was opened in 1932."

    found = judge("When was the Harbour Bridge opened?", apart)

    assert found.state is AnswerState.SUBJECT_MISSING
    assert found.missing_names == ("Harbour Bridge",)


@pytest.mark.parametrize(
    "question",
    [
        "When was the Harbour Bridge opened?",
        "In which year did the Harbour Bridge in Sydney open?",
        "How many lanes does the bridge carry?",
        "What is the price to cross the Harbour Bridge?",
    ],
)
def test_a_question_that_uses_other_words_than_the_page_is_not_refused(question: str) -> None:
    assert judge(question, BRIDGE).state is AnswerState.ANSWERED


def test_a_question_without_its_telling_word_is_about_something_else() -> None:
    found = judge("What is the toll for ytterbium?", BRIDGE)

    assert found.state is AnswerState.SUBJECT_MISSING
    assert "ytterbium" in found.missing_names


def test_words_that_no_page_holds_are_named_though_the_rest_is_answered() -> None:
    found = judge(
        "How many lanes of road and railway tracks does the Sydney Harbour Bridge carry on sundays?",
        BRIDGE.replace("Sydney", "Sydney Harbour"),
    )

    assert found.state is AnswerState.ANSWERED
    assert found.missing_words == ("sundays",)


def test_a_part_that_no_page_answers_is_told_from_one_that_is_answered() -> None:
    found = judge("When was the Harbour Bridge opened and who paints murals of turtles?", BRIDGE)

    assert 0 not in found.missing_parts


def test_the_first_word_of_a_question_is_no_name() -> None:
    assert judge("Opened when was the bridge?", BRIDGE).missing_names == ()


def test_german_nouns_are_no_names() -> None:
    page = "Die Brücke wurde im Jahr 1932 eröffnet. Sie trägt acht Fahrspuren über das Wasser."

    found = judge("Wann wurde die Brücke für den Verkehr eröffnet?", page)

    assert found.state is AnswerState.ANSWERED


def test_a_name_in_the_heading_alone_is_found() -> None:
    page = "# Golden Gate Bridge\n\nIt was opened in 1937 and is painted orange."

    assert judge("When was the Golden Gate Bridge opened?", page).state is AnswerState.ANSWERED
